// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "roofline/allreduce_source.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "comm/nccl_tests_log.hpp"
#include "core/error.hpp"

namespace stepcast {

namespace {

constexpr std::string_view kOwnTool = "stepcast-comm";

bool usable(const AllreduceRow& row) {
  return row.status == RowStatus::ok && row.collective == "allreduce" && row.dtype == "fp32" &&
         row.ranks > 1;
}

/// Does `a` replace `b`, a row of the same ranks and payload?
bool replaces(const AllreduceRow& a, const AllreduceRow& b, const RunOrder& runs) {
  const auto worth = [&runs](const AllreduceRow& row) {
    const auto run = runs.find(row.run);
    return std::tuple(row.in_place, run == runs.end() ? -1 : run->second);
  };
  return worth(a) >= worth(b);
}

bool is_own_csv(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  return std::getline(in, line) && line.rfind("# stepcast ", 0) == 0;
}

/// The rows' runs in the order in which they first come.
RunOrder order_of_rows(const std::vector<AllreduceRow>& rows) {
  RunOrder order;
  for (const AllreduceRow& row : rows) order.emplace(row.run, static_cast<int>(order.size()));
  return order;
}

}  // namespace

AllreduceSource choose_allreduce(std::span<const AllreduceRow> rows, const RunOrder& runs,
                                 const Surroundings& around) {
  std::set<std::pair<std::int64_t, std::int64_t>> own;  // ranks, nodes
  for (const AllreduceRow& row : rows) {
    if (usable(row) && row.tool == kOwnTool) own.emplace(row.ranks, row.nodes);
  }
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, const AllreduceRow*> chosen;
  for (const AllreduceRow& row : rows) {
    if (!usable(row) || (own.count({row.ranks, row.nodes}) > 0 && row.tool != kOwnTool)) continue;
    const AllreduceRow*& place = chosen[{row.ranks, row.nodes, row.payload_bytes}];
    if (place == nullptr || replaces(row, *place, runs)) place = &row;
  }
  std::vector<AllreducePoint> points;
  std::set<std::string> tools;
  for (const auto& [place, row] : chosen) {
    points.push_back({row->ranks, Bytes(static_cast<double>(row->payload_bytes)),
                      Seconds(row->median_s), row->nodes});
    tools.insert(row->tool);
  }
  AllreduceSource source{AllreduceTable(std::move(points), around), ""};
  for (const std::string& tool : tools) source.tools += (source.tools.empty() ? "" : ", ") + tool;
  return source;
}

AllreduceSource read_allreduce_file(const std::filesystem::path& file,
                                    std::optional<std::int64_t> ranks, const Surroundings& around) {
  if (!std::filesystem::exists(file)) throw DataError(file.string() + ": no such file");
  std::vector<AllreduceRow> rows;
  if (is_own_csv(file)) {
    rows = read_allreduce(file);
  } else {
    NcclTestsContext context;
    context.ranks = ranks;
    if (ranks) context.nodes = 1;
    for (const NcclTestsTable& table : read_nccl_tests_log(file, context).tables) {
      rows.insert(rows.end(), table.rows.begin(), table.rows.end());
    }
  }
  AllreduceSource source = choose_allreduce(rows, order_of_rows(rows), around);
  if (source.table.empty()) {
    throw DataError(file.string() + ": holds no fp32 allreduce over two ranks or more");
  }
  source.tools += " (" + file.string() + ")";
  return source;
}

}  // namespace stepcast
