// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/plan.hpp"

#include <string>

#include "tests/layers/plans/bound_plan.hpp"
#include "tests/layers/plans/plan_harness.hpp"

namespace stepcast {
namespace {

using BoundPlan = PlanTest;

TEST_F(BoundPlan, OfCudnnsConvolutionsWritesToItsNewBuffers) {
  for (const char* rest :
       {"/cudnn/bf16/nhwc/n2c16h9w9k32r3s3u1p1", "/cudnn/fp32/nchw/n2c16h9w9k32r3s3u1p1"}) {
    for (const char* family : {"conv_fprop", "conv_dgrad", "conv_wgrad"}) {
      check_bound(std::string(family) + rest);
    }
  }
}

TEST_F(BoundPlan, OfCublasLtsProductsWritesToItsNewBuffers) {
  for (const char* rest : {"/cublaslt/bf16/row/m64n48k96", "/cublaslt/fp16/row/m64n64k4096"}) {
    for (const char* family :
         {"gemm_fprop", "gemm_fprop+bias", "gemm_fprop+bias_gelu", "gemm_dgrad", "gemm_dgrad+dgelu",
          "gemm_wgrad", "gemm_wgrad+bgrad"}) {
      check_bound(std::string(family) + rest);
    }
  }
  check_bound("gemm_fprop/cublaslt/tf32/row/m64n48k96");
}

TEST_F(BoundPlan, OfCublasLtsE4m3ProductsWritesToItsNewBuffers) {
  const cudaDeviceProp& device = test_libraries().device;
  if (device.major * 10 + device.minor < 89) GTEST_SKIP() << "e4m3 needs 8.9";
  for (const char* family : {"gemm_fprop", "gemm_dgrad", "gemm_wgrad"}) {
    check_bound(std::string(family) + "/cublaslt/e4m3-bf16/row/m64n48k96");
  }
}

TEST_F(BoundPlan, OfAttentionWritesToItsNewBuffers) {
  for (const char* family : {"attention_fwd", "attention_bwd"}) {
    for (const char* rest : {"/cudnn/bf16/bshd/b2h3s64d64", "/cudnn/fp16/sbhd/b1h2s128d64",
                             "/cublaslt/bf16/bshd/b2h3s64d64", "/cublaslt/fp16/sbhd/b1h2s128d64",
                             "/cublaslt/fp32/bshd/b2h2s50d32"}) {
      check_bound(std::string(family) + rest);
    }
  }
}

TEST_F(BoundPlan, OfBatchNormWritesToItsNewBuffers) {
  for (const char* family : {"batchnorm_fwd", "batchnorm_bwd"}) {
    for (const char* provider : {"cudnn", "cuda", "native"}) {
      for (const char* rest : {"/bf16/nhwc/n16c64h28w28", "/fp16/nchw/n8c64h7w7"}) {
        check_bound(std::string(family) + "/" + provider + rest);
      }
    }
    check_bound(std::string(family) + "+add_relu/cuda/bf16/nhwc/n16c64h28w28");
  }
}

TEST_F(BoundPlan, OfMaximumPoolingWritesToItsNewBuffers) {
  for (const char* provider : {"/cuda/", "/native/"}) {
    for (const char* rest : {"bf16/nhwc/n3c64h30w28r3u2p1", "fp16/nchw/n2c5h7w9r3u2p1"}) {
      check_bound(std::string("maxpool_fwd") + provider + rest);
      check_bound(std::string("maxpool_bwd") + provider + rest);
    }
  }
}

TEST_F(BoundPlan, OfOtherKernelsWritesToItsNewBuffers) {
  for (const char* provider : {"/cuda", "/native"}) {
    for (const char* family : {"layernorm_bwd", "bias_add", "bias_grad"}) {
      check_bound(std::string(family) + provider + "/fp16/row/m394n768");
    }
    for (const char* family : {"cross_entropy_fwd", "cross_entropy_bwd"}) {
      check_bound(std::string(family) + provider + "/fp16/row/m8n1000");
    }
    check_bound(std::string("sgd") + provider + "/fp32/flat/e100001t3");
  }
}

}  // namespace
}  // namespace stepcast
