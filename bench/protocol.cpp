// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/protocol.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace stepcast {

Protocol make_protocol(bool quick) {
  Protocol protocol;
  if (quick) {
    protocol.name = "quick";
    protocol.device_warm_up = Seconds(2.0);
    protocol.max_time = milliseconds(40);
    protocol.quiet = 0.0025;
    protocol.hot_groups = 6;
    protocol.search_most = 14;
    protocol.search_least = 8;
    protocol.search_time = Seconds(1.0);
    protocol.sustained_time = Seconds(0);
  }
  return protocol;
}

Stop stop(const Protocol& protocol, const Summary& summary, double noise_before, Seconds spent) {
  constexpr double kSettledError = 2.0;  // of `quiet`
  if (summary.samples < protocol.min_samples) return Stop::not_yet;
  if (summary.median_error <= protocol.quiet) return Stop::quiet;
  const bool same_noise =
      std::abs(summary.noise - noise_before) <= protocol.settled * summary.noise;
  if (same_noise && summary.median_error <= kSettledError * protocol.quiet) return Stop::settled;
  if (summary.samples >= protocol.max_samples) return Stop::samples;
  if (spent >= protocol.max_time) return Stop::time;
  return Stop::not_yet;
}

std::int64_t even(std::int64_t samples) { return samples + samples % 2; }

std::int64_t next_samples(const Protocol& protocol, const Summary& summary) {
  if (summary.samples == 0) return protocol.samples_a_series;
  const double excess = summary.median_error / protocol.quiet;
  const double wanted = static_cast<double>(summary.samples) * (excess * excess - 1.0);
  const auto least = static_cast<double>(protocol.samples_a_series);
  const auto most = static_cast<double>(protocol.most_a_series);
  return even(static_cast<std::int64_t>(std::clamp(wanted, least, most)));
}

nlohmann::json record(const Protocol& protocol, Bytes flush) {
  return {{"name", protocol.name},
          {"device_warm_up_s", protocol.device_warm_up.count()},
          {"warm_ups", protocol.warm_ups},
          {"min_samples", protocol.min_samples},
          {"max_samples", protocol.max_samples},
          {"samples_a_series", protocol.samples_a_series},
          {"most_a_series", protocol.most_a_series},
          {"max_time_s", protocol.max_time.count()},
          {"quiet", protocol.quiet},
          {"settled", protocol.settled},
          {"fixed_samples", protocol.fixed_samples},
          {"unstable_error", protocol.unstable_error},
          {"unstable_drift", protocol.unstable_drift},
          {"least_clock", protocol.least_clock},
          {"throttle_retries", protocol.throttle_retries},
          {"throttle_wait_s", protocol.throttle_wait.count()},
          {"rest_clock", protocol.rest_clock},
          {"rest_s", protocol.rest.count()},
          {"hot_groups", protocol.hot_groups},
          {"group_time_s", protocol.group_time.count()},
          {"pause", protocol.pause},
          {"most_sets", protocol.most_sets},
          {"most_memory", protocol.most_memory},
          {"graph_nodes", protocol.graph_nodes},
          {"estimate_time_s", protocol.estimate_time.count()},
          {"estimate_by_host_s", protocol.estimate_by_host.count()},
          {"most_executions", protocol.most_executions},
          {"search_samples", protocol.search_samples},
          {"search_group_time_s", protocol.search_group_time.count()},
          {"hopeless", protocol.hopeless},
          {"near_best", protocol.near_best},
          {"refine_samples", protocol.refine_samples},
          {"refine_time_s", protocol.refine_time.count()},
          {"refine_least", protocol.refine_least},
          {"tie", protocol.tie},
          {"search_most", protocol.search_most},
          {"search_time_s", protocol.search_time.count()},
          {"search_least", protocol.search_least},
          {"verify", protocol.verify},
          {"hold", protocol.hold},
          {"hold_timeout_s", protocol.hold_timeout.count()},
          {"launches_behind_hold", protocol.launches_behind_hold},
          {"flush_bytes", static_cast<std::int64_t>(flush.count())},
          {"sustained_time_s", protocol.sustained_time.count()},
          {"ceiling_rest_s", protocol.ceiling_rest.count()},
          {"seed", protocol.seed},
          {"data", "uniform in [-1, 1]"}};
}

}  // namespace stepcast
