// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The data sheets of GPUs: data/gpus.csv.

#include <string>
#include <string_view>

#include "core/csv.hpp"
#include "core/units.hpp"

namespace stepcast {

struct GpuSheet {
  std::string name;           // H200-SXM
  std::string reported_name;  // NVIDIA H200, as the driver has it
  Bytes l2;
};

/// The columns of data/gpus.csv that are used.
const CsvSchema& gpus_schema();

/// The sheet of a GPU by either of its names.
/// Errors: DataError of read_csv; a name that is not there (lists those that are), or whose sheet
///         has no L2 size.
GpuSheet gpu_sheet(std::string_view name);

}  // namespace stepcast
