// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "comm/fabric.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "tests/core/temporary_folder.hpp"

namespace stepcast {
namespace {

using testing::error_of;

/// A matrix as nvidia-smi prints it, with NICs and affinities behind the GPUs.
std::string matrix(int gpus, const std::string& link) {
  std::string text;
  for (int i = 0; i < gpus; ++i) text += "\tGPU" + std::to_string(i);
  text += "\tNIC0\tCPU Affinity\tNUMA Affinity\n";
  for (int i = 0; i < gpus; ++i) {
    text += "GPU" + std::to_string(i);
    for (int j = 0; j < gpus; ++j) text += i == j ? "\t X " : "\t" + link;
    text += "\tPXB\t0-47\t0\n";
  }
  return text + "NIC0\tPXB\tPXB\t X \n\nLegend:\n\n  X    = Self\n";
}

TEST(Fabric, MoreLinksThanAGpuHasLeadToASwitch) {
  EXPECT_EQ(topology_fabric(matrix(8, "NV12"), "topo"), Fabric::nvswitch);
  EXPECT_EQ(topology_fabric(matrix(8, "NV18"), "topo"), Fabric::nvswitch);
  EXPECT_EQ(topology_fabric(matrix(3, "NV12"), "topo"), Fabric::nvswitch);
}

TEST(Fabric, LinksThatAGpuCanHaveToEachOtherAreAMesh) {
  EXPECT_EQ(topology_fabric(matrix(4, "NV4"), "topo"), Fabric::mesh);
  EXPECT_EQ(topology_fabric(matrix(4, "NV6"), "topo"), Fabric::mesh);
}

TEST(Fabric, TwoLinkedGpusMayBeABridgeOrASwitch) {
  EXPECT_EQ(topology_fabric(matrix(2, "NV18"), "topo"), Fabric::unknown);
  EXPECT_EQ(topology_fabric(matrix(2, "PIX"), "topo"), Fabric::pcie);
}

TEST(Fabric, UnequalLinksAreAMeshAndAMissingOneIsPcie) {
  // Four GPUs of a DGX-1: one or two links between pairs.
  const std::string mesh =
      "\x1b[4m\tGPU0\tGPU1\tGPU2\tGPU3\tCPU Affinity\x1b[0m\n"
      "GPU0\t X \tNV1\tNV1\tNV2\t0-19\n"
      "GPU1\tNV1\t X \tNV2\tNV1\t0-19\n"
      "GPU2\tNV1\tNV2\t X \tNV2\t0-19\n"
      "GPU3\tNV2\tNV1\tNV2\t X \t0-19\n";
  EXPECT_EQ(topology_fabric(mesh, "topo"), Fabric::mesh);
  const std::string pairs =
      "\tGPU0\tGPU1\tGPU2\n"
      "GPU0\t X \tNV12\tNODE\n"
      "GPU1\tNV12\t X \tSYS\n"
      "GPU2\tNODE\tSYS\t X \n";
  EXPECT_EQ(topology_fabric(pairs, "topo"), Fabric::pcie);
}

TEST(Fabric, WhatIsNoMatrixIsRefusedByLine) {
  EXPECT_EQ(error_of<DataError>([] { (void)topology_fabric("nothing here\n", "topo"); }),
            "topo: 0 rows for 0 GPUs; it needs the matrix of 'nvidia-smi topo -m' for two GPUs or "
            "more");
  EXPECT_EQ(error_of<DataError>([] {
              (void)topology_fabric("\tGPU0\tGPU1\nGPU0\t X \tNV18\nGPU1\tNVx\t X \n", "topo");
            }),
            "topo:3: 'NVx' is no link of two GPUs (NV and a number, SYS, NODE, PHB, PXB, PIX)");
  EXPECT_EQ(error_of<DataError>([] {
              (void)topology_fabric("\tGPU0\tGPU1\nGPU0\t X \tNV18\nGPU1\tNV18\n", "topo");
            }),
            "topo:3: 1 cells for 2 GPUs; the line is cut off");
  EXPECT_EQ(
      error_of<DataError>([] { (void)topology_fabric("\tGPU0\tGPU1\nGPU0\t X \tNV18\n", "topo"); }),
      "topo: 1 rows for 2 GPUs; it needs the matrix of 'nvidia-smi topo -m' for two GPUs or "
      "more");
}

TEST(Fabric, FileIsReadAndAMissingOneNamed) {
  const testing::TemporaryFolder folder;
  EXPECT_EQ(read_topology(folder.file("topo.txt", matrix(8, "NV18"))), Fabric::nvswitch);
  EXPECT_THROW((void)read_topology(folder.path("absent.txt")), DataError);
}

}  // namespace
}  // namespace stepcast
