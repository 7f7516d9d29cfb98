// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Recorded: what a profile's folder holds already, so that a second run times the rest.

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bench/protocol.hpp"
#include "bench/step/block_row.hpp"
#include "core/profile.hpp"
#include "layers/op.hpp"

namespace stepcast {

class Recorded {
 public:
  /// Reads run.json, ops.csv and blocks.csv of a folder; all may be absent. Rows count that a run
  /// wrote with this protocol's method version and its name, or with a fuller one; of one run alone
  /// where `only_run` names it.
  /// Errors: DataError if a run of the folder names another GPU, or a file is broken.
  Recorded(const std::filesystem::path& folder, const std::string& gpu_uuid,
           const Protocol& protocol, const std::optional<std::string>& only_run = std::nullopt);

  /// Whether nothing is left to time for a key: it is unsupported, or its last row (hot) is there.
  [[nodiscard]] bool complete(const std::string& key) const { return complete_.contains(key); }

  /// Whether a row of this key, cache mode, plan rank and status is there.
  [[nodiscard]] bool contains(const OpRow& row) const;

  /// Those of the ops that are not complete, in order.
  [[nodiscard]] std::vector<Op> remaining(const std::vector<Op>& ops) const;

  /// The times and the plan of a key that is complete and was timed.
  [[nodiscard]] std::optional<Alone> alone(const std::string& key) const;

  /// Ranks of a key's plans that a process lost the GPU to.
  [[nodiscard]] std::set<std::int64_t> lethal(const std::string& key) const;

  /// Whether a block of this name is there.
  [[nodiscard]] bool has_block(const std::string& block) const { return blocks_.contains(block); }

 private:
  void take(const OpRow& row);

  std::set<std::string> complete_;  // keys
  std::set<std::string> rows_;      // key, cache, rank, status
  std::map<std::string, Alone> alone_;
  std::map<std::string, std::set<std::int64_t>> lethal_;
  std::set<std::string> blocks_;
};

}  // namespace stepcast
