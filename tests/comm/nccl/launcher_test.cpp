// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/launcher.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "tests/core/temporary_folder.hpp"

namespace stepcast {
namespace {

using testing::error_of;

Environment with(const std::string& variable, const std::string& value) {
  return [=](const std::string& name) {
    return name == variable ? std::optional(value) : std::nullopt;
  };
}

TEST(Launcher, SeveralProcessesAreRefusedWithAHint) {
  for (const char* variable : {"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS"}) {
    const std::string text = error_of<UsageError>([&] { refuse_launcher(with(variable, "2")); });
    EXPECT_TRUE(text.starts_with(std::string(variable) + "=2: ")) << text;
    EXPECT_NE(text.find("start it once"), std::string::npos) << text;
  }
}

TEST(Launcher, OneProcessIsFine) {
  EXPECT_NO_THROW(refuse_launcher(with("WORLD_SIZE", "1")));
  EXPECT_NO_THROW(refuse_launcher(with("SLURM_NTASKS", "")));
  EXPECT_NO_THROW(refuse_launcher(with("HOME", "2")));
}

}  // namespace
}  // namespace stepcast
