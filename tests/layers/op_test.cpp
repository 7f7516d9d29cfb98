// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/op.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "layers/family_rule.hpp"

namespace stepcast {
namespace {

constexpr DType kAllTypes[] = {DType::fp32,  DType::tf32,  DType::fp16, DType::bf16,
                               DType::int64, DType::uint8, DType::e4m3};

/// Two shapes of the same kind as `kind`, the first with every optional member at its default.
std::vector<Shape> shapes_like(const Shape& kind) {
  static const std::vector<Shape> all = {ConvShape{32, 64, 56, 56, 64, 3, 3, 1, 1},
                                         ConvShape{2, 8, 9, 7, 16, 3, 1, 2, 0, 4},
                                         GemmShape{25216, 3072, 768},
                                         GemmShape{1, 2, 3},
                                         AttentionShape{128, 12, 197, 64},
                                         AttentionShape{1, 2, 3, 4},
                                         ImageShape{128, 64, 112, 112},
                                         ImageShape{1, 2, 3, 4},
                                         PoolShape{128, 64, 112, 112, 3, 2, 1},
                                         PoolShape{2, 3, 7, 7, 7},
                                         MatrixShape{25216, 768},
                                         MatrixShape{1, 2},
                                         ElementsShape{2359296},
                                         ElementsShape{1},
                                         TensorsShape{60192808, 467},
                                         TensorsShape{2, 1},
                                         PermuteShape{197, 128, 768},
                                         PermuteShape{1, 2, 3}};
  std::vector<Shape> like;
  for (const Shape& shape : all) {
    if (shape.index() == kind.index()) like.push_back(shape);
  }
  return like;
}

/// Every op that the family's row admits, over the shapes above.
std::vector<Op> ops_of(Family family) {
  const FamilyRule& rule = family_rule(family);
  std::vector<Epilogue> epilogues = rule.epilogues;
  epilogues.push_back(Epilogue::none);
  std::vector<Op> ops;
  for (const Shape& shape : shapes_like(rule.shape)) {
    for (const Epilogue epilogue : epilogues) {
      for (const Provider provider : rule.providers) {
        for (const Layout layout : rule.layouts) {
          for (const DType in : kAllTypes) {
            for (const DType out : kAllTypes) {
              const Op op{family, epilogue, provider, in, out, layout, shape};
              if (fault(op).empty()) ops.push_back(op);
            }
          }
        }
      }
    }
  }
  return ops;
}

/// The text of the error that parsing gives; fails if there is none.
std::string error_of(std::string_view key) {
  try {
    parse(key);
  } catch (const DataError& error) {
    return error.what();
  }
  ADD_FAILURE() << "parsed: " << key;
  return {};
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(Op, KeysAreWrittenAsTheHeaderShows) {
  const Op conv{Family::conv_fprop,
                Epilogue::none,
                Provider::cudnn,
                DType::bf16,
                DType::bf16,
                Layout::nhwc,
                ConvShape{32, 64, 56, 56, 64, 3, 3, 1, 1}};
  EXPECT_EQ(key(conv), "conv_fprop/cudnn/bf16/nhwc/n32c64h56w56k64r3s3u1p1");
  const Op gemm{Family::gemm_fprop, Epilogue::bias, Provider::cublaslt,         DType::fp16,
                DType::fp16,        Layout::row,    GemmShape{25216, 3072, 768}};
  EXPECT_EQ(key(gemm), "gemm_fprop+bias/cublaslt/fp16/row/m25216n3072k768");
  const Op cast{Family::cast, Epilogue::none, Provider::native,      DType::fp32,
                DType::bf16,  Layout::flat,   ElementsShape{2359296}};
  EXPECT_EQ(key(cast), "cast/native/fp32-bf16/flat/e2359296");
}

TEST(Op, LinearLayersTakeE4m3AndGiveBf16) {
  const Op op = parse("gemm_wgrad/cublaslt/e4m3-bf16/row/m25216n3072k768");
  EXPECT_EQ(op.in, DType::e4m3);
  EXPECT_EQ(op.out, DType::bf16);
  EXPECT_EQ(key(op), "gemm_wgrad/cublaslt/e4m3-bf16/row/m25216n3072k768");
}

TEST(Op, GroupsStandInTheKeyOnlyWhereThereAreSeveral) {
  const Op op = parse("conv_fprop/cudnn/fp16/nchw/n1c8h8w8k8r3s3u1p1g8");
  EXPECT_EQ(std::get<ConvShape>(op.shape).g, 8);
  EXPECT_EQ(std::get<ConvShape>(parse("conv_fprop/cudnn/fp16/nchw/n1c8h8w8k8r3s3u1p1").shape).g, 1);
  const std::string error = error_of("conv_fprop/cudnn/fp16/nchw/n1c8h8w8k8r3s3u1p1g1");
  EXPECT_PRED2(contains, error, "it is written 'conv_fprop/cudnn/fp16/nchw/n1c8h8w8k8r3s3u1p1'");
}

TEST(Op, ParsingAKeyGivesTheOpBackInEveryFamily) {
  for (const auto& [family, family_name] : kFamilyNames) {
    const std::vector<Op> ops = ops_of(family);
    EXPECT_GE(ops.size(), 4U) << family_name;
    for (const Op& op : ops) EXPECT_EQ(parse(key(op)), op) << key(op);
  }
}

TEST(Op, DifferentOpsHaveDifferentKeys) {
  std::set<std::string> keys;
  std::size_t ops = 0;
  for (const auto& entry : kFamilyNames) {
    for (const Op& op : ops_of(entry.first)) {
      keys.insert(key(op));
      ++ops;
    }
  }
  EXPECT_EQ(keys.size(), ops);
}

TEST(Op, EveryFamilyHasItsOwnRow) {
  for (const auto& [family, family_name] : kFamilyNames) {
    EXPECT_EQ(family_rule(family).family, family) << family_name;
  }
}

TEST(Op, ClassesGroupFamiliesAsTheTablesDo) {
  EXPECT_EQ(op_class(Family::conv_wgrad), OpClass::conv);
  EXPECT_EQ(op_class(Family::gemm_dgrad), OpClass::gemm);
  EXPECT_EQ(op_class(Family::attention_bwd), OpClass::attention);
  EXPECT_EQ(op_class(Family::batchnorm_fwd), OpClass::norm);
  EXPECT_EQ(op_class(Family::layernorm_bwd), OpClass::norm);
  for (const Family family :
       {Family::relu_fwd, Family::relu_bwd, Family::gelu_fwd, Family::gelu_bwd, Family::add,
        Family::scale, Family::increment, Family::bias_add}) {
    EXPECT_EQ(op_class(family), OpClass::elementwise) << name(family);
  }
  for (const Family family : {Family::cast, Family::copy, Family::zero, Family::permute}) {
    EXPECT_EQ(op_class(family), OpClass::copy) << name(family);
  }
  for (const Family family :
       {Family::maxpool_fwd, Family::maxpool_bwd, Family::avgpool_fwd, Family::avgpool_bwd,
        Family::bias_grad, Family::cross_entropy_fwd, Family::cross_entropy_bwd}) {
    EXPECT_EQ(op_class(family), OpClass::reduce) << name(family);
  }
  EXPECT_EQ(op_class(Family::sgd), OpClass::optimizer);
  EXPECT_EQ(op_class(Family::unscale), OpClass::optimizer);
}

struct BadKey {
  const char* key;
  const char* part;  // text that the error must hold
};

class BadKeys : public ::testing::TestWithParam<BadKey> {};

TEST_P(BadKeys, AreRefusedWithTheKeyAndItsWrongPart) {
  const std::string error = error_of(GetParam().key);
  EXPECT_EQ(error.rfind("op key '" + std::string(GetParam().key) + "': ", 0), 0U) << error;
  EXPECT_PRED2(contains, error, GetParam().part);
}

INSTANTIATE_TEST_SUITE_P(
    Parts, BadKeys,
    ::testing::Values(
        BadKey{"", "5 parts family/provider/types/layout/shape"}, BadKey{"add", "5 parts"},
        BadKey{"add/native/fp32/flat", "5 parts"}, BadKey{"add/native/fp32/flat/e1/", "5 parts"},
        BadKey{"add/native/fp32/flat/e1/x", "5 parts"}, BadKey{"////", "family '' is none of"},
        BadKey{"convolve/cudnn/fp32/nchw/e1", "family 'convolve' is none of conv_fprop"},
        BadKey{"add//fp32/flat/e1", "provider '' is none of"},
        BadKey{"add/nccl/fp32/flat/e1", "provider 'nccl' is none of cudnn cublaslt cuda native"},
        BadKey{"add/native//flat/e1", "type '' is none of"},
        BadKey{"add/native/fp8/flat/e1", "type 'fp8' is none of"},
        BadKey{"add/native/fp32-/flat/e1", "type '' is none of"},
        BadKey{"add/native/fp32-bf16-fp16/flat/e1", "type 'bf16-fp16' is none of"},
        BadKey{"add/native/fp32//e1", "layout '' is none of"},
        BadKey{"add/native/fp32/flat/", "shape '': 'e' is expected"},
        BadKey{"add/native/fp32-fp32/flat/e1", "it is written 'add/native/fp32/flat/e1'"}));

INSTANTIATE_TEST_SUITE_P(
    Shapes, BadKeys,
    ::testing::Values(
        BadKey{"gemm_fprop/cublaslt/bf16/row/m1k2n3", "'n' is expected before 'k2n3'"},
        BadKey{"gemm_fprop/cublaslt/bf16/row/m1n2", "'k' is expected before ''"},
        BadKey{"gemm_fprop/cublaslt/bf16/row/m1n2k", "'k' has no number"},
        BadKey{"gemm_fprop/cublaslt/bf16/row/m1nk2", "'n' has no number"},
        BadKey{"gemm_fprop/cublaslt/bf16/row/m1n2k3x", "'x' is left over"},
        BadKey{"gemm_fprop/cublaslt/bf16/row/m1n2k3 ", "' ' is left over"},
        BadKey{"gemm_fprop/cublaslt/bf16/row/m1n2k3.5", "'.5' is left over"},
        BadKey{"gemm_fprop/cublaslt/bf16/row/m01n2k3", "it is written"},
        BadKey{"gemm_fprop/cublaslt/bf16/row/m+1n2k3", "'m' has no number"},
        BadKey{"gemm_fprop/cublaslt/bf16/row/m0n2k3", "m is 0, and must be at least 1"},
        BadKey{"gemm_fprop/cublaslt/bf16/row/m1n-2k3", "n is -2, and must be at least 1"},
        BadKey{"gemm_fprop/cublaslt/bf16/row/m1n99999999999999999999k3", "'n' is too large"},
        BadKey{"gemm_fprop/cublaslt/bf16/row/m999999999n999999999k3", "2^58"},
        BadKey{"conv_fprop/cudnn/bf16/nchw/n1c1h4w4k1r3s3u1p-1", "p is -1"},
        BadKey{"conv_fprop/cudnn/bf16/nchw/n1c1h4w4k1r3s3u0p1", "u is 0"},
        BadKey{"conv_fprop/cudnn/bf16/nchw/n1c1h4w4k1r3s3u1p3", "padding p is not smaller"},
        BadKey{"conv_fprop/cudnn/bf16/nchw/n1c1h2w4k1r5s5u1p1", "larger than the padded image"},
        BadKey{"conv_fprop/cudnn/bf16/nchw/n1c6h4w4k4r3s3u1p1g4", "groups g do not divide"},
        BadKey{"maxpool_fwd/native/bf16/nchw/n1c1h2w2r3u1p0", "larger than the padded image"},
        BadKey{"maxpool_fwd/native/bf16/nchw/n1c1h4w4r3s3u1p0", "'u' is expected before 's3u1p0'"},
        BadKey{"maxpool_fwd/cuda/bf16/nchw/n1c1h20w20r17u1p0", "wider than 16"},
        BadKey{"sgd/native/fp32/flat/e5", "'t' is expected before ''"}));

INSTANTIATE_TEST_SUITE_P(
    Fit, BadKeys,
    ::testing::Values(
        BadKey{"add+none/native/fp32/flat/e1", "it is written"},
        BadKey{"add+/native/fp32/flat/e1", "epilogue '' is none of"},
        BadKey{"add+swish/native/fp32/flat/e1", "epilogue 'swish' is none of"},
        BadKey{"add+relu/native/fp32/flat/e1", "epilogue 'relu': add takes none"},
        BadKey{"gemm_fprop+dgelu/cublaslt/bf16/row/m1n2k3",
               "epilogue 'dgelu': gemm_fprop takes bias bias_gelu"},
        BadKey{"gemm_dgrad+bias/cublaslt/bf16/row/m1n2k3",
               "epilogue 'bias': gemm_dgrad takes dgelu"},
        BadKey{"batchnorm_fwd+bias/cudnn/fp16/nhwc/n1c1h1w1",
               "epilogue 'bias': batchnorm_fwd takes relu add_relu"},
        BadKey{"gemm_fprop/cudnn/bf16/row/m1n2k3", "provider 'cudnn': gemm_fprop takes cublaslt"},
        BadKey{"add/cudnn/fp32/flat/e1", "provider 'cudnn': add takes cuda native"},
        BadKey{"gemm_fprop/cublaslt/bf16/nhwc/m1n2k3", "layout 'nhwc': gemm_fprop takes row"},
        BadKey{"conv_fprop/cudnn/bf16/row/n1c1h4w4k1r3s3u1p1",
               "layout 'row': conv_fprop takes nchw"},
        BadKey{"add/native/tf32/flat/e1", "types 'tf32'"},
        BadKey{"gemm_fprop/cublaslt/tf32-bf16/row/m1n2k3", "types 'tf32-bf16'"},
        BadKey{"gemm_fprop/cublaslt/int64/row/m1n2k3", "types 'int64'"},
        BadKey{"gemm_fprop/cublaslt/e4m3/row/m1n2k3", "the result of e4m3 is bf16"},
        BadKey{"gemm_dgrad/cublaslt/e4m3-fp16/row/m1n2k3", "the result of e4m3 is bf16"},
        BadKey{"gemm_fprop/cublaslt/bf16-e4m3/row/m1n2k3", "types 'bf16-e4m3'"},
        BadKey{"gemm_fprop+bias/cublaslt/e4m3-bf16/row/m1n2k3", "epilogue 'bias': e4m3 takes none"},
        BadKey{"conv_fprop/cudnn/e4m3-bf16/nhwc/n1c1h4w4k1r3s3u1p1", "types 'e4m3-bf16'"},
        BadKey{"attention_fwd/cudnn/e4m3/bshd/b1h1s1d8", "types 'e4m3'"},
        BadKey{"copy/native/e4m3/flat/e1", "types 'e4m3': e4m3 is for linear layers alone"},
        BadKey{"cast/native/e4m3-fp32/flat/e1", "e4m3 is for linear layers alone"},
        BadKey{"cast/native/bf16-e4m3/flat/e1", "types 'bf16-e4m3'"},
        BadKey{"attention_fwd/cudnn/bf16-fp32/bshd/b1h1s1d8", "types 'bf16-fp32'"},
        BadKey{"cast/native/fp32/flat/e1", "types 'fp32': input and output must differ"},
        BadKey{"cast/native/fp32-int64/flat/e1", "types 'fp32-int64'"},
        BadKey{"copy/native/fp32-bf16/flat/e1", "types 'fp32-bf16'"},
        BadKey{"increment/native/fp32/flat/e1", "types 'fp32': takes int64"},
        BadKey{"relu_fwd/native/int64/flat/e1", "types 'int64'"},
        BadKey{"sgd/native/bf16/flat/e1t1", "types 'bf16': takes fp32"}));

TEST(Op, AShapeOfAnotherFamilyIsAFault) {
  const Op op{Family::gemm_fprop, Epilogue::none, Provider::cublaslt, DType::bf16,
              DType::bf16,        Layout::row,    MatrixShape{2, 3}};
  EXPECT_EQ(fault(op), "shape 'm2n3': not the letters of gemm_fprop");
}

}  // namespace
}  // namespace stepcast
