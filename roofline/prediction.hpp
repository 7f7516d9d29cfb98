// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A whole prediction, asked for and answered: both scalings of a case from one profile, and what a
// reader must know to judge them.

#include <cstdint>
#include <string>
#include <vector>

#include "roofline/allreduce_source.hpp"
#include "roofline/profile_data.hpp"
#include "roofline/scaling.hpp"

namespace stepcast {

struct PredictionRequest {
  Case predicted;
  std::int64_t batch = 128;         // images a rank: weak scaling
  std::int64_t global_batch = 128;  // images in all: strong scaling
  std::vector<std::int64_t> ranks;
  bool allow_bounds = false;
};

struct Prediction {
  PredictionRequest request;
  std::vector<ScalingRow> weak, strong;
  TimedOps base;                // ops of one rank with `batch` images
  Step first, last;             // weak scaling's step of one rank, and of most ranks that have one
  std::int64_t last_ranks = 1;  // ranks of `last`
};

/// Errors: DataError that names the missing ops, and the command that would measure them, if the
/// case on one rank has no step. Rows of other batches or rank counts that lack something say so
/// instead.
Prediction predict(const PredictionRequest& request, const ProfileData& profile,
                   const AllreduceTable& allreduce);

/// A fact about a prediction: `field` names it in JSON, `text` is a line below the table.
struct Note {
  std::string field;
  std::string text;
};

/// What was predicted, from which profile, with what left out, and how to read the numbers.
std::vector<Note> prediction_notes(const Prediction& prediction, const ProfileData& profile,
                                   const AllreduceSource& allreduce);

/// "resnet152 bf16 nhwc, eager with DDP, on NVIDIA H200".
std::string case_text(const Case& predicted, const ProfileData& profile);

}  // namespace stepcast
