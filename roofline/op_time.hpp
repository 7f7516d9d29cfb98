// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The time of an op: measured, else its bound where that is allowed, else a name for what is
// missing.

#include <optional>
#include <string>
#include <string_view>

#include "comm/fit.hpp"
#include "core/units.hpp"
#include "layers/cost.hpp"
#include "layers/op.hpp"
#include "roofline/profile_data.hpp"

namespace stepcast {

struct OpTime {
  Seconds time;  // of one execution
  Origin origin = Origin::measured;
  std::string cache;         // cold, hot; empty for a bound
  bool other_cache = false;  // the rule's cache mode was not measured, the other one was
};

class OpTimes {
 public:
  /// `profile` must outlive this. allow_bounds: an op that was not measured takes its bound.
  OpTimes(const ProfileData& profile, bool allow_bounds)
      : profile_(&profile), allow_bounds_(allow_bounds) {}

  /// Nothing if the op was not measured and may not take its bound.
  /// Errors: those of bound().
  [[nodiscard]] std::optional<OpTime> find(const Op& op) const;

  /// Why the op was not measured: "not in the profile", or what its row says.
  [[nodiscard]] std::string why_missing(const Op& op) const;

  [[nodiscard]] const ProfileData& profile() const { return *profile_; }

 private:
  const ProfileData* profile_;
  bool allow_bounds_;
};

}  // namespace stepcast
