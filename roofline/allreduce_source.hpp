// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The allreduce times that a prediction uses, and where they come from.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "comm/fit.hpp"
#include "core/profile.hpp"
#include "roofline/profile_data.hpp"

namespace stepcast {

struct AllreduceSource {
  AllreduceTable table;
  std::string tools;  // "stepcast-comm", "nccl-tests 2.19.6"; empty where nothing was measured
};

/// fp32 allreduce out of `rows`. For each number of ranks and nodes stepcast-comm's own rows if
/// there are any, else the imported ones; of rows with one payload those in place, and of these the
/// newest run's. A row's time is its median, which nccl-tests' only time stands for.
/// `runs` gives the runs' age; a run that it does not know counts as older than those.
AllreduceSource choose_allreduce(std::span<const AllreduceRow> rows, const RunOrder& runs,
                                 const Surroundings& around = {});

/// The table in a file: our own allreduce.csv, whose later rows are the newer, or a log of
/// nccl-tests. `ranks`: of a log of one node that does not state them.
/// Errors: DataError if the file is missing, is neither, or holds nothing for more than one rank.
AllreduceSource read_allreduce_file(const std::filesystem::path& file,
                                    std::optional<std::int64_t> ranks,
                                    const Surroundings& around = {});

}  // namespace stepcast
