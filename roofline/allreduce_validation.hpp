// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The laws of comm/allreduce_law.hpp beside logs of other ranks, nodes and sizes than those that
// they start from.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "comm/fit.hpp"
#include "roofline/table.hpp"

namespace stepcast {

/// Which law a pair of logs judges: the same ranks at other sizes, other ranks of one node, other
/// nodes.
enum class LawKind { sizes, ranks, nodes };

inline constexpr EnumNames<LawKind, 3> kLawNames{
    {{LawKind::sizes, "sizes"}, {LawKind::ranks, "ranks"}, {LawKind::nodes, "nodes"}}};

struct AllreducePair {
  LawKind law = LawKind::ranks;
  std::string set;  // of one site; constants are never fitted to the set that they are judged on
  std::string network;  // between nodes, by its name
  std::vector<AllreducePoint> from, to;
  Surroundings around;
};

/// One pair, judged at the sizes of both logs that are powers of two from 1 MiB to 1 GiB; a law of
/// sizes starts from the powers of two and is judged at the others.
struct JudgedPair {
  AllreducePair pair;
  RankLaw law;                     // fitted to the other sets
  std::string refusal;             // why no time is given; the errors are the law's all the same
  std::vector<double> errors;      // fitted over real, less one
  std::vector<double> bus_errors;  // of constant bus bandwidth
  std::int64_t inside = 0;         // real times within the interval
};

/// Pairs as a file lists them; the logs lie in nccl_logs beside it.
/// Errors: DataError as read_csv() and read_nccl_tests_log() have it, or for an unknown law.
std::vector<AllreducePair> read_allreduce_pairs(const std::filesystem::path& file);

/// The step and gain with the least mean error over the pairs of switched nodes that are not of
/// `left_out`, to 0.1 us and 0.01. Errors: DataError if no pair is left.
RankLaw fit_rank_law(const std::vector<AllreducePair>& pairs, const std::string& left_out = "");

std::vector<JudgedPair> judge(const std::vector<AllreducePair>& pairs);

/// Whether the law claims to hold for the pair: its fabric is not refused, and a network between
/// nodes is InfiniBand.
bool claimed(const JudgedPair& judged);

/// Mean of the errors' absolute values.
double mean_error(const std::vector<double>& errors);

/// Share that four of five errors of the claimed pairs do not exceed.
double usual_error(const std::vector<JudgedPair>& judged, LawKind law);

/// A row a pair, and a row that sums up the claimed pairs of a law.
Table validation_table(const std::vector<JudgedPair>& judged);

}  // namespace stepcast
