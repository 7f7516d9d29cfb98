// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "tests/layers/verify/verified_op.hpp"
#include "tests/reference/named_tensors.hpp"

namespace stepcast {
namespace {

using VerifyGemm = PlanTest;

constexpr std::array<const char*, 4> kShapes{"m1n1k1", "m33n17k29", "m70n130k65", "m129n64k16"};

/// GELU as cuBLASLt applies it: 0.5 x (1 + tanh u) with u = sqrt(2/pi) (x + 0.044715 x^3).
double tanh_argument(double x) {
  return std::sqrt(2.0 / std::acos(-1.0)) * (x + 0.044715 * x * x * x);
}
double tanh_gelu(double x) { return 0.5 * x * (1.0 + std::tanh(tanh_argument(x))); }
double tanh_gelu_derivative(double x) {
  constexpr double kStep = 1e-5;
  return (tanh_gelu(x + kStep) - tanh_gelu(x - kStep)) / (2 * kStep);
}

/// The reference, with the tanh form where it uses the error function.
void tanh_reference(const Op& op, Tensors& tensors) {
  reference(op, tensors);
  NamedTensors named(op, tensors);
  const std::vector<double>& aux = named["aux"];
  if (op.epilogue == Epilogue::bias_gelu) {
    for (std::size_t i = 0; i < aux.size(); ++i) named["y"][i] = tanh_gelu(aux[i]);
    return;
  }
  Op plain = op;
  plain.epilogue = Epilogue::none;
  Tensors operands{named["dy"], named["w"], named["dx"]};
  reference(plain, operands);
  for (std::size_t i = 0; i < aux.size(); ++i) {
    named["dx"][i] = operands[2][i] * tanh_gelu_derivative(aux[i]);
  }
}

void expect_all(const std::string& family, const std::string& types,
                const VerifiedOp::Judge& judge = reference) {
  for (const char* shape : kShapes) {
    expect_verified(fmt::format("{}/cublaslt/{}/row/{}", family, types, shape), judge);
  }
}

TEST_F(VerifyGemm, FindsFaultsInProducts) {
  for (const char* family : {"gemm_fprop", "gemm_dgrad", "gemm_wgrad"}) {
    for (const char* types :
         {"fp32", "tf32", "fp16", "bf16", "bf16-fp32", "fp16-fp32", "e4m3-bf16"}) {
      expect_all(family, types);
    }
  }
}

TEST_F(VerifyGemm, FindsFaultsInALongSum) {
  for (const char* types : {"fp32", "fp16"}) {
    expect_verified(fmt::format("gemm_wgrad+bgrad/cublaslt/{}/row/m1050n40k24", types));
  }
}

TEST_F(VerifyGemm, FindsFaultsAfterAnEpilogue) {
  for (const char* types : {"fp32", "tf32", "fp16", "bf16"}) {
    expect_all("gemm_fprop+bias", types);
    expect_all("gemm_wgrad+bgrad", types);
    expect_all("gemm_fprop+bias_gelu", types, tanh_reference);
    expect_all("gemm_dgrad+dgelu", types, tanh_reference);
  }
}

// Within [-4, 4] the two forms of GELU differ by up to 5e-4.
TEST_F(VerifyGemm, TellsTheFormsOfGeluApartInFp32) {
  VerifiedOp op("gemm_fprop+bias_gelu/cublaslt/fp32/row/m70n130k65");
  EXPECT_FALSE(op.verdict().right());
}

}  // namespace
}  // namespace stepcast
