// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
// `stepcast predict`, run as a user runs it, on a made-up profile in a tree like the repository's.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/roofline/mini_profile.hpp"
#include "tests/roofline/program.hpp"

namespace stepcast::testing {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCase =
    "predict profiles/mini --model resnet18 --image-size 64 --batch 32 --ranks 1,2,4 ";

class PredictCommand : public ::testing::Test {
 protected:
  PredictCommand() : folder_(test_folder()) {
    write_mini_profile(folder_ / "profiles" / "mini");
    fs::create_directories(folder_ / "measured");
    std::ofstream(folder_ / "measured" / "steps.csv")
        << "# stepcast steps schema 1\n"
           "gpu,torch,cudnn,model,precision,layout,batch,ranks,ddp,mode,step_ms,step_p25_ms,"
           "step_p75_ms,wall_ms,host_ms,images_per_s,memory_gib,steps,source\n"
           "NVIDIA H200,2.11,,resnet18,bf16,nhwc,32,1,1,graph,2.5,,,,,,,25,made up\n"
           "NVIDIA H200,2.11,,resnet18,bf16,nhwc,32,2,1,eager,6,,,,,,,25,made up\n";
  }

  ProgramResult run(const std::string& arguments) { return run_stepcast(arguments, folder_); }

  nlohmann::json predicted(const std::string& options) {
    const ProgramResult result = run(kCase + options + " --format json");
    EXPECT_EQ(result.code, 0) << result.error;
    return nlohmann::json::parse(result.out);
  }

  fs::path folder_;
};

TEST_F(PredictCommand, PrintsTheGoldenTable) {
  const ProgramResult result = run(kCase);
  EXPECT_EQ(result.code, 0) << result.error;
  EXPECT_EQ(result.error, "");
  expect_golden("predict.txt", result.out);
}

TEST_F(PredictCommand, PrintsTheGoldenCsv) {
  const ProgramResult result = run(std::string(kCase) + "--format csv");
  EXPECT_EQ(result.code, 0) << result.error;
  expect_golden("predict.csv", rounded_csv(result.out));
}

TEST_F(PredictCommand, ExplainsTheStepAndItsBuckets) {
  const ProgramResult result = run(std::string(kCase) + "--explain");
  EXPECT_EQ(result.code, 0) << result.error;
  expect_golden("predict_explain.txt", result.out);
}

TEST_F(PredictCommand, JsonHasTheFieldsOfTheCsvAndTheFactsBelowTheTable) {
  const nlohmann::json output = predicted("");
  const std::string csv = run(std::string(kCase) + "--format csv").out;
  const std::string header = csv.substr(0, csv.find('\n'));
  const nlohmann::json& row = output["weak"][0];
  for (const auto& [field, value] : row.items()) {
    EXPECT_NE(("," + header + ",").find("," + field + ","), std::string::npos) << field;
  }
  EXPECT_EQ(row.size(),
            static_cast<std::size_t>(std::count(header.begin(), header.end(), ',')) + 1);
  EXPECT_EQ(output["about"]["allreduce"], "stepcast-comm");
  EXPECT_EQ(output["weak"].size(), 3U);
  EXPECT_EQ(output["strong"].size(), 3U);
}

TEST_F(PredictCommand, RealStepsStandBesideThePredictedOnesWithTheirError) {
  const nlohmann::json output = predicted("");
  const nlohmann::json& one = output["weak"][0];
  EXPECT_DOUBLE_EQ(one["real_graph_step_ms"], 2.5);
  EXPECT_NEAR(one["graph_error"], one["step_ms"].get<double>() / 2.5 - 1, 1e-12);
  EXPECT_TRUE(one["real_eager_step_ms"].is_null());
  EXPECT_DOUBLE_EQ(output["weak"][1]["real_eager_step_ms"], 6);
}

TEST_F(PredictCommand, ARowThatWasNotMeasuredSaysSoAndTheOthersStand) {
  const nlohmann::json output = predicted("");
  const nlohmann::json& last = output["strong"][2];
  EXPECT_TRUE(last["step_ms"].is_null());
  EXPECT_EQ(last["note"].get<std::string>().rfind("not measured: batch 8 (stepcast measure ", 0),
            0U);
  EXPECT_FALSE(output["strong"][1]["step_ms"].is_null());
}

TEST_F(PredictCommand, EveryOptionMovesTheAnswer) {
  const auto weak_of_two = [this](const std::string& options) {
    return predicted(options)["weak"][1]["step_ms"].get<double>();
  };
  const double usual = weak_of_two("");
  EXPECT_NE(weak_of_two("--bucket-cap-mib 5"), usual);
  EXPECT_NE(weak_of_two("--precision fp16 --allow-bounds"), usual);
  EXPECT_NE(weak_of_two("--layout nchw --allow-bounds"), usual);
  EXPECT_NE(weak_of_two("--recipe fused --allow-bounds"), usual);
  write_allreduce(folder_, {allreduce_row(2, 1 << 20, 5e-3)});
  EXPECT_GT(weak_of_two("--allreduce allreduce.csv"), usual);
  // The order moves a boundary by a tensor.
  EXPECT_NE(predicted("--explain --order registration")["buckets"][0]["payload_mb"],
            predicted("--explain")["buckets"][0]["payload_mb"]);
  const auto other_case = [this](const std::string& options) {
    const ProgramResult result =
        run("predict profiles/mini --model resnet18 --ranks 1,2 "
            "--allow-bounds --format json " +
            options);
    EXPECT_EQ(result.code, 0) << result.error;
    return nlohmann::json::parse(result.out)["weak"][1]["step_ms"].get<double>();
  };
  EXPECT_LT(other_case("--image-size 64 --batch 16"), usual);
  EXPECT_GT(other_case("--image-size 224 --batch 32"), usual);
  const nlohmann::json halved = predicted("--global-batch 64");
  EXPECT_EQ(halved["strong"][1]["batch_per_gpu"], 32);
}

TEST_F(PredictCommand, LinksBetweenPairsLeaveOnlyTheMeasuredRanks) {
  std::ofstream(folder_ / "topo.txt") << "\tGPU0\tGPU1\tGPU2\n"
                                         "GPU0\t X \tNV12\tSYS\n"
                                         "GPU1\tNV12\t X \tSYS\n"
                                         "GPU2\tSYS\tSYS\t X \n";
  for (const std::string options : {"--topology topo.txt", "--fabric pcie"}) {
    const ProgramResult result = run(kCase + options);
    EXPECT_EQ(result.code, 0) << result.error;
    EXPECT_NE(result.out.find("not measured: GPUs without NVLink between all pairs: 4 ranks share "
                              "paths that those measured had to themselves; measure 4 ranks"),
              std::string::npos)
        << result.out;
  }
}

TEST_F(PredictCommand, NodesNeedTheNetworksRateAndItMovesTheirStep) {
  const std::string nodes = "--ranks-per-node 2 ";
  const ProgramResult without = run(kCase + nodes);
  EXPECT_NE(without.out.find("--network-busbw"), std::string::npos) << without.out;
  const auto step = [&](const std::string& options) {
    return predicted(nodes + options)["weak"][2]["step_ms"].get<double>();
  };
  const double fast = step("--network-busbw 100");
  EXPECT_GT(step("--network-busbw 10"), fast);
  EXPECT_GT(step("--network-busbw 100 --network-hop 2000"), fast);
}

TEST_F(PredictCommand, OptionsOfTheFabricThatContradictAreRefused) {
  const ProgramResult unknown = run(std::string(kCase) + "--fabric ring");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_EQ(unknown.error, "--fabric: 'ring' is none of nvswitch, nvls, mesh, pcie\n");
  const ProgramResult both = run(std::string(kCase) + "--fabric mesh --topology topo.txt");
  EXPECT_EQ(both.code, 2);
  EXPECT_EQ(both.error, "--topology: --fabric states the links already; give one of them\n");
  const ProgramResult absent = run(std::string(kCase) + "--topology topo.txt");
  EXPECT_EQ(absent.error, "topo.txt: cannot be read\n");
}

TEST_F(PredictCommand, WithoutDdpThereIsOneRankAndNoCopy) {
  const ProgramResult result = run(
      "predict profiles/mini --model resnet18 --image-size 64 --batch 32 --no-ddp --format json");
  ASSERT_EQ(result.code, 0) << result.error;
  const nlohmann::json output = nlohmann::json::parse(result.out);
  ASSERT_EQ(output["weak"].size(), 1U);
  EXPECT_EQ(output["weak"][0]["finalize_ms"], 0.0);
  EXPECT_FALSE(output["about"].contains("allreduce"));
}

TEST_F(PredictCommand, MissingOpsAreNamedWithTheCommandThatMeasuresThem) {
  const ProgramResult result =
      run("predict profiles/mini --model resnet18 --image-size 64 --batch 8 --ranks 1");
  EXPECT_EQ(result.code, 3);
  EXPECT_EQ(result.out, "");
  EXPECT_NE(
      result.error.find("conv_fprop/cudnn/bf16/nhwc/n8c3h64w64k64r7s7u2p3 (not in the profile)"),
      std::string::npos)
      << result.error;
  EXPECT_NE(result.error.find("stepcast measure --out profiles/mini --models resnet18 --precisions "
                              "bf16 --layouts nhwc --batches 8 --image-size 64"),
            std::string::npos)
      << result.error;
}

TEST_F(PredictCommand, BoundsAreMarkedWhereTheyAreAllowed) {
  const ProgramResult result = run(
      "predict profiles/mini --model resnet18 --image-size 64 --batch 8 --ranks 1 --allow-bounds "
      "--format json");
  ASSERT_EQ(result.code, 0) << result.error;
  EXPECT_EQ(nlohmann::json::parse(result.out)["weak"][0]["step_origin"], "bound");
}

}  // namespace
}  // namespace stepcast::testing
