// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/protocol.hpp"

#include <nlohmann/json.hpp>

namespace stepcast {

Protocol make_protocol(bool quick) {
  Protocol protocol;
  if (quick) {
    protocol.device_warm_up = Seconds(1.0);
    protocol.warm_ups = 1;
    protocol.min_samples = 5;
    protocol.samples_a_series = 5;
    protocol.max_time = milliseconds(10);
    protocol.quiet = 0.02;
    protocol.refine_samples = 5;
  }
  return protocol;
}

Stop stop(const Protocol& protocol, const Summary& summary, Seconds spent) {
  if (summary.samples < protocol.min_samples) return Stop::not_yet;
  if (summary.samples >= protocol.max_samples) return Stop::samples;
  if (spent >= protocol.max_time) return Stop::time;
  if (spent >= protocol.min_time && summary.noise <= protocol.quiet) return Stop::quiet;
  return Stop::not_yet;
}

nlohmann::json record(const Protocol& protocol, Bytes flush) {
  return {{"device_warm_up_s", protocol.device_warm_up.count()},
          {"warm_ups", protocol.warm_ups},
          {"min_samples", protocol.min_samples},
          {"max_samples", protocol.max_samples},
          {"samples_a_series", protocol.samples_a_series},
          {"min_time_s", protocol.min_time.count()},
          {"max_time_s", protocol.max_time.count()},
          {"quiet", protocol.quiet},
          {"hot_group_time_s", protocol.hot_group_time.count()},
          {"search_samples", protocol.search_samples},
          {"near_best", protocol.near_best},
          {"refine_samples", protocol.refine_samples},
          {"hold", protocol.hold},
          {"hold_timeout_s", protocol.hold_timeout.count()},
          {"launches_behind_hold", protocol.launches_behind_hold},
          {"flush_bytes", static_cast<std::int64_t>(flush.count())},
          {"seed", protocol.seed},
          {"data", "uniform in [-1, 1]"}};
}

}  // namespace stepcast
