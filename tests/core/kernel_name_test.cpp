// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "core/kernel_name.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

// Names as they stand in cuDNN 9 (engines_runtime_compiled, engines_precompiled, ops) and cuBLASLt
// 13, or as profilers show them.
constexpr const char* kGenericTranspose =
    "_ZN5cudnn24engines_runtime_compiled23genericTranspose_kernelI13__nv_bfloat16ffLb0EL21cudnn"
    "KernelDataType_t0EEEvT1_17cudnnTensorStructPKT_S4_S5_PT0_";
constexpr const char* kNchwToNhwc =
    "_ZN5cudnn24engines_runtime_compiled16nchwToNhwcKernelI6__halfffLb0ELb0EL21cudnnKernelDataType"
    "_t0EEEvNS0_18nchw2nhwc_params_tIT1_EEPKT_PT0_";
constexpr const char* kAddPadding =
    "_Z20nhwcAddPaddingKernelI6__half13__nv_bfloat16fLb0EL21cudnnKernelDataType_t0EEviiiiiiiiPKT_"
    "PT0_iiiiT1_S8_N5cudnn15reduced_divisorESA_SA_";
constexpr const char* kToFolded =
    "_Z22nchwToFoldedNchwKernelI13__nv_bfloat166__halffLb0EL21cudnnKernelDataType_t0EEviiiiPKT_"
    "PT0_iiiiiiiiiiiT1_S8_N5cudnn15reduced_divisorESA_SA_SA_SA_";
constexpr const char* kCublasTranspose =
    "_Z36transpose_readWrite_alignment_kernelI6float2S0_Li1ELb0ELi6ELi4ELi4EEv21cublasTransposePar"
    "amsIT0_EPKT_PS4_PKS2_";
constexpr const char* kSplitK =
    "_ZN8cublasLt19splitKreduce_kernelILi8ELi32EliiiiLb0EiiiLb0ELb0ELb1ELb0EEEvNS_18cublasSplitK"
    "ParamsIT4_EEPKT2_PKT8_PT7_PT3_PKS2_SF_PKT9_S6_PSG_PvlPS2_PiSL_SL_SF_SF_SF_SF_SF_";
constexpr const char* kFprop =
    "sm80_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize128x128x32_stage4_"
    "warpsize2x2x1_g1_tensor16x8x16_simple_t1r1s1";
constexpr const char* kConvertTensor =
    "void cudnn::ops::convertTensor_kernel<float, float, float, (cudnnKernelDataType_t)2>(float, "
    "float const*, float, float*, unsigned long)";
constexpr const char* kCutlass =
    "void cutlass::Kernel<cutlass::conv::kernel::ImplicitGemm<cutlass::transform::threadblock::"
    "TransposePitchLinearThreadMap<int>, nchwToNhwc> >(int)";

TEST(KernelName, ConversionsOfCudnnAndCublasAreKnown) {
  for (const char* name :
       {kGenericTranspose, kNchwToNhwc, kAddPadding, kToFolded, kCublasTranspose, kConvertTensor}) {
    EXPECT_TRUE(is_conversion(name)) << name;
  }
  for (const char* name :
       {"void nhwcToNchwKernel<float, float, float, true, false>(int, int, int, int)",
        "void cudnn::engines_runtime_compiled::nchwToNhwc3To4Kernel<__half, true>(int)",
        "cudnn::engines_runtime_compiled::nhwc2nchwBooleanTranspose(int)",
        "void foldedNchwToNchwKernel<float, float>(int)",
        "void transposeWarp_kernel<double, signed char, double, 4, 32, 1>(int, int, int, double)",
        "cudnn::ops::tensorTransformGeneric(int)"}) {
    EXPECT_TRUE(is_conversion(name)) << name;
  }
}

TEST(KernelName, WhatComputesIsNoConversion) {
  for (const char* name :
       {kSplitK, kFprop, kCutlass, "memset", "memcpy", "host",
        "void cudnn::cnn::wgrad2d_grouped_direct_kernel<float, float>(float)",
        "void cudnn::winograd::generateWinogradTilesKernel<0, float, float>(int)",
        "void cask_cudnn::computeOffsetsKernel<false, false>(cask_cudnn::ComputeOffsetsParams)",
        "cudnn::fusion::gen_dropout_mask_4bit_transpose(int)"}) {
    EXPECT_FALSE(is_conversion(name)) << name;
  }
}

TEST(KernelName, IsShownWithoutReturnTypeAndParameters) {
  EXPECT_EQ(short_kernel_name(kNchwToNhwc),
            "cudnn::engines_runtime_compiled::nchwToNhwcKernel<__half, float, float, false, false, "
            "(cudnnKernelDataType_t)0>");
  EXPECT_EQ(short_kernel_name(kConvertTensor),
            "cudnn::ops::convertTensor_kernel<float, float, float, (cudnnKernelDataType_t)2>");
  EXPECT_EQ(short_kernel_name("_Z4spinl"), "spin");
  EXPECT_EQ(short_kernel_name("memset"), "memset");
  EXPECT_EQ(short_kernel_name(""), "");
}

TEST(KernelName, UnnamedNamespacesHaveNoParameters) {
  EXPECT_EQ(short_kernel_name("void (anonymous namespace)::softmax<float, 8>(float*, int)"),
            "(anonymous namespace)::softmax<float, 8>");
  EXPECT_EQ(short_kernel_name("void stepcast::(anonymous namespace)::relu<float>(float*)"),
            "stepcast::(anonymous namespace)::relu<float>");
}

TEST(KernelName, OfMoreThan120CharactersIsCut) {
  const std::string name = short_kernel_name(kFprop);
  EXPECT_EQ(name.size(), 120U);
  EXPECT_EQ(name.substr(0, 30), "sm80_xmma_fprop_implicit_gemm_");
  EXPECT_EQ(name.substr(117), "...");
}

}  // namespace
}  // namespace stepcast
