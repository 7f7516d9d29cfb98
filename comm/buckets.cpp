// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "comm/buckets.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "core/error.hpp"

namespace stepcast {
namespace {

void check_cap(Bytes cap, const char* which) {
  if (!(cap > Bytes(0)) || !std::isfinite(cap.count())) {
    throw DataError(std::string("bucket cap: the ") + which + " is " + std::to_string(cap.count()) +
                    " bytes, which is not above 0");
  }
}

}  // namespace

std::vector<Bucket> assign_buckets(std::span<const std::int64_t> tensor_bytes,
                                   const BucketOptions& options) {
  check_cap(options.first_cap, "first");
  check_cap(options.cap, "others'");
  std::vector<Bucket> buckets;
  Bucket open;
  for (std::size_t i = 0; i < tensor_bytes.size(); ++i) {
    if (tensor_bytes[i] <= 0) {
      throw DataError("tensor " + std::to_string(i) + ": its size is " +
                      std::to_string(tensor_bytes[i]) + " bytes, which is not above 0");
    }
    open.payload += Bytes(static_cast<double>(tensor_bytes[i]));
    open.tensors.push_back(static_cast<std::int64_t>(i));
    // The size is looked at after the tensor has joined: that is where the overshoot comes from.
    if (open.payload >= (buckets.empty() ? options.first_cap : options.cap)) {
      buckets.push_back(std::exchange(open, {}));
    }
  }
  if (!open.tensors.empty()) buckets.push_back(std::move(open));
  return buckets;
}

}  // namespace stepcast
