// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "roofline/op_time.hpp"

#include "roofline/bound.hpp"
#include "roofline/ceiling.hpp"

namespace stepcast {

std::optional<OpTime> OpTimes::find(const Op& op) const {
  const std::string op_key = key(op);
  const Cost op_cost = cost(op);
  const std::string wanted(cache_mode(op_cost, profile_->machine().l2));
  const std::string other = wanted == "cold" ? "hot" : "cold";
  if (const OpRow* row = profile_->find(op_key, wanted)) {
    return OpTime{Seconds(row->median_s), Origin::measured, wanted, false};
  }
  if (const OpRow* row = profile_->find(op_key, other)) {
    return OpTime{Seconds(row->median_s), Origin::measured, other, true};
  }
  if (!allow_bounds_) return std::nullopt;
  return OpTime{bound(op, op_cost, Ceilings(profile_->ceilings())), Origin::bound, "", false};
}

std::string OpTimes::why_missing(const Op& op) const {
  const OpRow* row = profile_->refusal(key(op));
  if (row == nullptr) return "not in the profile";
  return (row->status == RowStatus::unsupported ? "unsupported: " : "failed: ") + row->reason;
}

}  // namespace stepcast
