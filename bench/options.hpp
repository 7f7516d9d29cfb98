// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The command line of stepcast-bench: what is registered and how it is run. What is not ours is
// left to Google Benchmark.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/dtype.hpp"
#include "layers/op.hpp"
#include "layers/recipe.hpp"

namespace stepcast {

struct BenchOptions {
  std::vector<std::string> models{"resnet152", "vit_b_16"};
  std::vector<DType> precisions{DType::fp16, DType::bf16};
  std::vector<Layout> layouts{Layout::nhwc};
  std::vector<std::int64_t> batches{128};
  std::vector<RecipeKind> recipes{RecipeKind::eager, RecipeKind::fused};
  std::int64_t image_size = 224;
  bool blocks = true;
  bool ddp = true;

  std::optional<std::filesystem::path> profile;
  std::optional<std::filesystem::path> keys;  // file of op keys, "-" for the standard input
  bool force = false;
  bool progress = false;
  bool quick = false;
  bool hold = true;
  int device = 0;
  bool verify = true;
  bool flush = false;               // a cold sample is one execution behind a flush
  std::int64_t samples = 0;         // fixed number of cold samples; 0: by the stop rule
  std::int64_t max_candidates = 0;  // 0: as many as the protocol says
  std::int64_t workspace_mib = 1024;
  std::map<std::string, std::set<std::int64_t>> avoided;  // by key: ranks of plans that are not run

  bool help = false;
  std::vector<std::string> others;  // arguments that Google Benchmark may know
};

/// Errors: UsageError that begins with the option.
BenchOptions parse_options(int argc, const char* const* argv);

/// What --help prints of our own options, with examples.
std::string help_text();

/// Whether the arguments ask for the list of names and nothing else.
bool wants_list(const std::vector<std::string>& arguments);

}  // namespace stepcast
