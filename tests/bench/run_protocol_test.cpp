// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/run_protocol.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

TEST(RunProtocol, FullAndQuickHaveTheirNames) {
  BenchOptions options;
  EXPECT_EQ(protocol_of(options).name, "full");
  options.quick = true;
  EXPECT_EQ(protocol_of(options).name, "quick");
  EXPECT_EQ(protocol_of(options).search_most, make_protocol(true).search_most);
}

TEST(RunProtocol, OptionsThatChangeATimeMakeItCustom) {
  const auto custom = [](auto change) {
    BenchOptions options;
    change(options);
    EXPECT_EQ(protocol_of(options).name, "custom");
    return protocol_of(options);
  };
  EXPECT_EQ(custom([](BenchOptions& o) { o.flush = true; }).most_sets, 1);
  EXPECT_EQ(custom([](BenchOptions& o) { o.samples = 30; }).fixed_samples, 30);
  EXPECT_EQ(custom([](BenchOptions& o) { o.max_candidates = 3; }).search_most, 3);
  EXPECT_FALSE(custom([](BenchOptions& o) { o.verify = false; }).verify);
  EXPECT_FALSE(custom([](BenchOptions& o) { o.hold = false; }).hold);
  custom([](BenchOptions& o) { o.workspace_mib = 0; });
}

}  // namespace
}  // namespace stepcast
