// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The buckets in which PyTorch's DistributedDataParallel reduces gradients. Knows bytes, never
// models.

#include <cstdint>
#include <span>
#include <vector>

#include "core/units.hpp"

namespace stepcast {

struct BucketOptions {
  Bytes first_cap = mib(1);  // limit of the first bucket
  Bytes cap = mib(25);       // limit of the others
};

struct Bucket {
  Bytes payload;                      // what each rank holds of it
  std::vector<std::int64_t> tensors;  // indices into the span given, in that order
};

/// DDP's buckets, first to be reduced first.
///
/// A tensor joins the open bucket, which closes when its size has reached its limit; so a bucket
/// overshoots by up to one tensor.
/// Shapes:  tensor_bytes in the order in which gradients become ready.
/// Errors:  DataError if a size is not positive or a cap is not positive.
/// Source:  compute_bucket_assignment_by_size in PyTorch's reducer.cpp; docs/model.md, "Buckets".
std::vector<Bucket> assign_buckets(std::span<const std::int64_t> tensor_bytes,
                                   const BucketOptions& options = {});

}  // namespace stepcast
