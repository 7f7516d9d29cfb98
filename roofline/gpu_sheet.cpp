// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "roofline/gpu_sheet.hpp"

#include "core/error.hpp"
#include "roofline/data_dir.hpp"

namespace stepcast {

const CsvSchema& gpus_schema() {
  static const CsvSchema schema{
      "gpus",
      1,
      {"name", "reported_name", "compute_capability", "sm_count", "boost_clock_mhz", "peak_fp32",
       "peak_tf32_tensor", "peak_fp16_tensor_fp32acc", "peak_bf16_tensor",
       "memory_bandwidth_bytes_per_s", "memory_bytes", "l2_bytes", "tdp_w", "year"}};
  return schema;
}

GpuSheet gpu_sheet(std::string_view name) {
  std::string names;
  for (const CsvRow& row : read_csv(data_dir() / "gpus.csv", gpus_schema())) {
    names += " " + row.text("name");
    if (row.text("name") != name && row.text("reported_name") != name) continue;
    if (row.text("l2_bytes").empty()) {
      throw DataError("GPU '" + std::string(name) + "': its sheet has no L2 size");
    }
    return {row.text("name"), row.text("reported_name"), Bytes(row.number("l2_bytes"))};
  }
  throw DataError("GPU '" + std::string(name) + "' is none of" + names);
}

}  // namespace stepcast
