// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Recorded: what a profile's folder holds already, so that a second run times the rest.

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "core/profile.hpp"
#include "layers/op.hpp"

namespace stepcast {

class Recorded {
 public:
  /// Reads run.json and ops.csv of a folder; both may be absent. Rows count that a run with this
  /// method version wrote.
  /// Errors: DataError if a run of the folder names another GPU, or a file is broken.
  Recorded(const std::filesystem::path& folder, const std::string& gpu_uuid, int method_version);

  /// Whether nothing is left to time for a key: it is unsupported, or its last row (hot) is there.
  [[nodiscard]] bool complete(const std::string& key) const { return complete_.contains(key); }

  /// Whether a row of this key, cache mode, plan rank and status is there.
  [[nodiscard]] bool contains(const OpRow& row) const;

  /// Those of the ops that are not complete, in order.
  [[nodiscard]] std::vector<Op> remaining(const std::vector<Op>& ops) const;

 private:
  std::set<std::string> complete_;  // keys
  std::set<std::string> rows_;      // key, cache, rank, status
};

}  // namespace stepcast
