// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A small profile made up for tests: every op of one case has a time that follows from its cost, so
// that what is predicted from it can be worked out again.

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/profile.hpp"
#include "layers/model.hpp"
#include "layers/op.hpp"
#include "layers/recipe.hpp"

namespace stepcast::testing {

inline constexpr double kMiniL2Bytes = 50e6;
inline constexpr const char* kMiniGpu = "NVIDIA H200";
inline constexpr const char* kMiniRun = "r20260101T000000-1";

struct MiniProfile {
  Model model = make_model("resnet18", 64);
  RecipeOptions recipe{RecipeKind::eager, DType::bf16, Layout::nhwc, 32, true};
  std::vector<std::int64_t> batches{32, 16};
  bool allreduce = true;  // two ranks, powers of two from 1 KiB to 64 MiB
};

/// 2 us + max(FLOP / 500 TFLOP/s, least bytes / 4 TB/s); hot: 0.8 of it.
double mini_cold_time_s(const Op& op);

/// A row of ops.csv of run kMiniRun.
OpRow op_row(const std::string& key, const std::string& cache, double median_s);

/// 20 us + payload / 200 GB/s.
double mini_allreduce_time_s(double payload_bytes);

/// A row of allreduce.csv: stepcast-comm, fp32, in place, run kMiniRun.
AllreduceRow allreduce_row(std::int64_t ranks, std::int64_t payload_bytes, double median_s);

/// run.json with one run of kMiniGpu.
void write_run_record(const std::filesystem::path& folder);

/// Replaces ops.csv, allreduce.csv or ceilings.csv by these rows.
void write_ops(const std::filesystem::path& folder, const std::vector<OpRow>& rows);
void write_allreduce(const std::filesystem::path& folder, const std::vector<AllreduceRow>& rows);
void write_ceilings(const std::filesystem::path& folder);

/// The whole profile in a folder, which is made anew.
void write_mini_profile(const std::filesystem::path& folder, const MiniProfile& mini = {});

/// A folder of its own for the running test, empty.
std::filesystem::path test_folder();

}  // namespace stepcast::testing
