// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "bench/plan_search.hpp"
#include "core/error.hpp"

namespace stepcast {
namespace {

std::string wrong_result(const Verdict& verdict) {
  return fmt::format("wrong result: {} of {} elements; {}", verdict.wrong, verdict.checked,
                     verdict.fault);
}

class Measuring {
 public:
  Measuring(Subject& subject, Sampler& sampler, const Protocol& protocol, const Measurement* known)
      : subject_(subject), sampler_(sampler), protocol_(protocol), known_(known) {}

  Measurement run() {
    const Search search = plans();
    result_.plans_timed = search.plans_timed;
    if (!find_best(search)) return std::move(result_);
    result_.best.cold = sampler_.cold(subject_);
    time_rival(search);
    if (result_.best.rank != 0 && search.first_runs && !result_.first) time_first();
    result_.best.hot = sampler_.hot(subject_, Seconds(result_.best.cold.summary.median));
    return std::move(result_);
  }

  /// What has come of it when the selected candidate took the GPU with it.
  Measurement lost(const DeviceLost& error) {
    result_.device_lost = true;
    result_.rejected.push_back(
        {static_cast<std::int64_t>(subject_.selected()), subject_.facts(), error.what()});
    return ended(RowStatus::failed, error.what());
  }

  /// What has come of it when an error ended it.
  Measurement ended(RowStatus status, const std::string& reason) {
    result_.status = status;
    result_.reason = reason;
    return std::move(result_);
  }

 private:
  Search plans() {
    if (known_ != nullptr) {
      return {{Candidate{known_->best.rank, 0}}, known_->plans_timed, known_->first.has_value()};
    }
    if (subject_.candidates() == 1) return {{Candidate{}}, 1, true};
    return search_plans(subject_, sampler_);
  }

  /// Selects the rank; a plan whose results are right is `timing`.
  bool select(std::int64_t rank, PlanTiming& timing) {
    if (!subject_.select(static_cast<std::size_t>(rank))) return false;
    timing = {};
    timing.rank = rank;
    timing.facts = subject_.facts();
    if (known_ != nullptr && rank == known_->best.rank) {
      timing.verdict = known_->best.verdict;
      timing.kernels = known_->best.kernels;
      return true;
    }
    if (protocol_.verify) {
      timing.verdict = subject_.verify();
      if (!timing.verdict.right()) {
        result_.rejected.push_back({rank, timing.facts, wrong_result(timing.verdict)});
        return false;
      }
    }
    timing.kernels = subject_.kernels();
    return true;
  }

  bool find_best(const Search& search) {
    for (const Candidate& candidate : search.best) {
      if (select(candidate.rank, result_.best)) return true;
    }
    result_.status = RowStatus::failed;
    result_.reason =
        result_.rejected.empty()
            ? fmt::format("none of the {} plans that the library offers ran", subject_.candidates())
            : result_.rejected.back().reason;
    return false;
  }

  [[nodiscard]] bool is_rejected(std::int64_t rank) const {
    return std::any_of(result_.rejected.begin(), result_.rejected.end(),
                       [&](const auto& plan) { return plan.rank == rank; });
  }

  /// Where the full series finds the best to be slower than the search found another to be, that
  /// one is timed in full too: a plan that draws more power than the limit shows it late. The
  /// heuristic's first is timed anyway.
  void time_rival(const Search& search) {
    const auto slower = [&](double seconds) {
      return result_.best.cold.summary.median * (1.0 - protocol_.tie) > seconds;
    };
    const Candidate* rival = nullptr;
    for (const Candidate& other : search.best) {
      if (other.rank == 0 || other.rank == result_.best.rank || !slower(other.seconds)) continue;
      if (is_rejected(other.rank)) continue;
      if (rival == nullptr || other.seconds < rival->seconds) rival = &other;
    }
    if (rival == nullptr) return;
    if (auto timing = timed(rival->rank)) {
      if (slower(timing->cold.summary.median)) std::swap(*timing, result_.best);
      if (timing->rank == 0) result_.first = *timing;
    }
    subject_.select(static_cast<std::size_t>(result_.best.rank));
  }

  void time_first() {
    const PlanTiming best = result_.best;
    if (const auto first = is_rejected(0) ? std::nullopt : timed(0)) {
      if (first->cold.summary.median <= best.cold.summary.median) {
        result_.best = *first;  // the search's short series misjudged them
        return;
      }
      result_.first = *first;
    }
    subject_.select(static_cast<std::size_t>(best.rank));
  }

  /// A plan beside the best; nothing if it is wrong or fails, which is no fault of the best.
  std::optional<PlanTiming> timed(std::int64_t rank) {
    PlanTiming timing;
    try {
      if (!select(rank, timing)) return std::nullopt;
      timing.cold = sampler_.cold(subject_);
      return timing;
    } catch (const LibraryError& error) {
      subject_.recover();
      result_.rejected.push_back({rank, timing.facts, error.what()});
    } catch (const HoldTimeout& error) {
      result_.rejected.push_back({rank, timing.facts, error.what()});
    } catch (const Throttled& error) {
      result_.rejected.push_back({rank, timing.facts, error.what()});
    }
    return std::nullopt;
  }

  Subject& subject_;
  Sampler& sampler_;
  const Protocol& protocol_;
  const Measurement* known_;
  Measurement result_;
};

}  // namespace

Measurement measure(Subject& subject, Sampler& sampler, const Protocol& protocol,
                    const Measurement* known) {
  Measuring measuring(subject, sampler, protocol, known);
  try {
    try {
      return measuring.run();
    } catch (const LibraryError& error) {
      subject.recover();
      return measuring.ended(RowStatus::failed, error.what());
    }
  } catch (const DeviceLost& error) {
    return measuring.lost(error);
  } catch (const HoldTimeout& error) {
    return measuring.ended(RowStatus::failed, error.what());
  } catch (const Throttled& error) {
    return measuring.ended(RowStatus::throttled, error.what());
  }
}

}  // namespace stepcast
