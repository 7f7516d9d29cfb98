// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "comm/fabric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>
#include <vector>

#include "comm/log_line.hpp"
#include "core/error.hpp"
#include "core/text.hpp"

namespace stepcast {

namespace {

/// NVLinks of one GPU, of those that have most (H100, H200, B200).
/// Source: NVIDIA Hopper and Blackwell tuning guides.
constexpr std::int64_t kMostLinks = 18;

bool is_gpu(std::string_view word) {
  return word.starts_with("GPU") && parse_integer(word.substr(3)).has_value();
}

/// What stands between pairs: 12 for NV12, 0 for a path over PCIe.
struct Links {
  std::int64_t gpus = 0;
  std::multiset<std::int64_t> of_pairs;
};

/// "NV12" is 12; nullopt for what no pair can have.
std::optional<std::int64_t> links_of(std::string_view cell) {
  if (cell.starts_with("NV")) return parse_integer(cell.substr(2));
  const std::set<std::string_view> paths{"SYS", "NODE", "PHB", "PXB", "PIX"};
  if (paths.count(cell) > 0) return 0;
  return std::nullopt;
}

void read_row(const std::vector<std::string_view>& row, Links& links, const std::string& place) {
  if (static_cast<std::int64_t>(row.size()) < links.gpus + 1) {
    throw DataError(fmt::format("{}: {} cells for {} GPUs; the line is cut off", place,
                                row.size() - 1, links.gpus));
  }
  for (std::int64_t column = 1; column <= links.gpus; ++column) {
    const std::string_view cell = row[static_cast<std::size_t>(column)];
    if (cell == "X") continue;
    const auto number = links_of(cell);
    if (!number) {
      throw DataError(
          fmt::format("{}: '{}' is no link of two GPUs (NV and a number, SYS, NODE, "
                      "PHB, PXB, PIX)",
                      place, cell));
    }
    links.of_pairs.insert(*number);
  }
}

Fabric fabric_of(const Links& links) {
  const std::int64_t least = *links.of_pairs.begin();
  const std::int64_t most = *links.of_pairs.rbegin();
  if (least == 0) return Fabric::pcie;
  if (least != most) return Fabric::mesh;
  if (links.gpus == 2) return Fabric::unknown;
  return least * (links.gpus - 1) > kMostLinks ? Fabric::nvswitch : Fabric::mesh;
}

}  // namespace

Fabric topology_fabric(const std::string& text, const std::string& place) {
  std::istringstream lines(text);
  std::string line;
  Links links;
  std::int64_t rows = 0;
  for (std::int64_t number = 1; std::getline(lines, line); ++number) {
    const std::string plain = plain_line(line);
    const std::vector<std::string_view> row = words(plain);
    if (row.empty() || !is_gpu(row.front())) continue;
    if (links.gpus == 0) {
      links.gpus = std::count_if(row.begin(), row.end(), is_gpu);
      continue;
    }
    if (rows == links.gpus) break;  // a second matrix, as two commands leave in one file
    read_row(row, links, fmt::format("{}:{}", place, number));
    ++rows;
  }
  if (links.gpus < 2 || rows != links.gpus) {
    throw DataError(
        fmt::format("{}: {} rows for {} GPUs; it needs the matrix of 'nvidia-smi topo "
                    "-m' for two GPUs or more",
                    place, rows, links.gpus));
  }
  return fabric_of(links);
}

Fabric read_topology(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw DataError(file.string() + ": cannot be read");
  return topology_fabric(text.str(), file.string());
}

}  // namespace stepcast
