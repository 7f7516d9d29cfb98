// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>

#include "layers/plans/attention_cublaslt.hpp"
#include "layers/plans/attention_cudnn.hpp"
#include "layers/plans/conv_cudnn.hpp"
#include "layers/plans/gemm_cublaslt.hpp"
#include "layers/plans/kernel_plan.hpp"
#include "layers/plans/norm_cudnn.hpp"
#include "layers/plans/plan.hpp"

namespace stepcast {
namespace {

using Make = PlanOrReason (*)(const Libraries&, const Op&, std::span<void* const>,
                              const PlanOptions&);

struct Maker {
  Provider provider;
  Family family;
  Make make;
};

constexpr std::array<Maker, 12> kMakers{
    {{Provider::cudnn, Family::conv_fprop, make_conv_cudnn},
     {Provider::cudnn, Family::conv_dgrad, make_conv_cudnn},
     {Provider::cudnn, Family::conv_wgrad, make_conv_cudnn},
     {Provider::cudnn, Family::attention_fwd, make_attention_cudnn},
     {Provider::cudnn, Family::attention_bwd, make_attention_cudnn},
     {Provider::cudnn, Family::batchnorm_fwd, make_norm_cudnn},
     {Provider::cudnn, Family::batchnorm_bwd, make_norm_cudnn},
     {Provider::cublaslt, Family::gemm_fprop, make_gemm_cublaslt},
     {Provider::cublaslt, Family::gemm_dgrad, make_gemm_cublaslt},
     {Provider::cublaslt, Family::gemm_wgrad, make_gemm_cublaslt},
     {Provider::cublaslt, Family::attention_fwd, make_attention_cublaslt},
     {Provider::cublaslt, Family::attention_bwd, make_attention_cublaslt}}};

/// Empty, or why this GPU cannot run an op of these types with any provider.
std::string device_refusal(const cudaDeviceProp& device, const Op& op) {
  const auto below = [&](int major, int minor) {
    return device.major < major || (device.major == major && device.minor < minor);
  };
  const auto needs = [&](DType type, const std::string& capability) {
    return std::string(name(type)) + " needs compute capability " + capability + ", this GPU has " +
           std::to_string(device.major) + "." + std::to_string(device.minor);
  };
  if (op.in == DType::e4m3 && below(8, 9)) return needs(DType::e4m3, "8.9");
  const bool bf16 = op.in == DType::bf16 || op.out == DType::bf16;
  return bf16 && below(8, 0) ? needs(DType::bf16, "8.0") : "";
}

}  // namespace

PlanOrReason make_plan(const Libraries& libraries, const Op& op, std::span<void* const> buffers,
                       const PlanOptions& options) {
  if (std::string refusal = device_refusal(libraries.device, op); !refusal.empty()) {
    return {nullptr, std::move(refusal)};
  }
  if (op.provider == Provider::cuda || op.provider == Provider::native) {
    return make_kernel_plan(libraries, op, buffers);
  }
  for (const Maker& maker : kMakers) {
    if (maker.provider == op.provider && maker.family == op.family) {
      return maker.make(libraries, op, buffers, options);
    }
  }
  return {nullptr,
          "provider " + std::string(name(op.provider)) + " has no " + std::string(name(op.family))};
}

}  // namespace stepcast
