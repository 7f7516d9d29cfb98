// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/library_notes.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace stepcast {
namespace {

constexpr std::array<std::pair<cudnnBackendNumericalNote_t, std::string_view>, 9> kNumerical{
    {{CUDNN_NUMERICAL_NOTE_TENSOR_CORE, "tensor_core"},
     {CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS, "down_convert_inputs"},
     {CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION, "reduced_precision_reduction"},
     {CUDNN_NUMERICAL_NOTE_FFT, "fft"},
     {CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC, "nondeterministic"},
     {CUDNN_NUMERICAL_NOTE_WINOGRAD, "winograd"},
     {CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_4x4, "winograd_tile_4x4"},
     {CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_6x6, "winograd_tile_6x6"},
     {CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13, "winograd_tile_13x13"}}};

/// What multiplies, what from, and what into.
constexpr std::array<std::pair<cublasLtNumericalImplFlags_t, std::string_view>, 17> kImplementation{
    {{CUBLASLT_NUMERICAL_IMPL_FLAGS_FMA, "fma"},
     {CUBLASLT_NUMERICAL_IMPL_FLAGS_HMMA, "hmma"},
     {CUBLASLT_NUMERICAL_IMPL_FLAGS_IMMA, "imma"},
     {CUBLASLT_NUMERICAL_IMPL_FLAGS_DMMA, "dmma"},
     {CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_16F, "input_fp16"},
     {CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_16BF, "input_bf16"},
     {CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_TF32, "input_tf32"},
     {CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_32F, "input_fp32"},
     {CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_64F, "input_fp64"},
     {CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_8I, "input_int8"},
     {CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_8F_E4M3, "input_e4m3"},
     {CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_8F_E5M2, "input_e5m2"},
     {CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_16F, "accumulator_fp16"},
     {CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_32F, "accumulator_fp32"},
     {CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_64F, "accumulator_fp64"},
     {CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_32I, "accumulator_int32"},
     {CUBLASLT_NUMERICAL_IMPL_FLAGS_GAUSSIAN, "gaussian"}}};

std::string reduction_text(std::uint32_t scheme) {
  switch (scheme) {
    case CUBLASLT_REDUCTION_SCHEME_NONE:
      return "none";
    case CUBLASLT_REDUCTION_SCHEME_INPLACE:
      return "inplace";
    case CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE:
      return "compute_type";
    case CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE:
      return "output_type";
    default:
      return std::to_string(scheme);
  }
}

void append(std::string& text, std::string_view word) {
  if (!text.empty()) text += " ";
  text += word;
}

template <typename T>
bool holds(std::span<const T> values, T value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

}  // namespace

std::string cudnn_notes(std::span<const cudnnBackendNumericalNote_t> numerical,
                        std::span<const cudnnBackendBehaviorNote_t> behavior) {
  std::string text;
  for (const auto& [note, word] : kNumerical) {
    if (holds(numerical, note)) append(text, word);
  }
  if (holds(behavior, CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION)) append(text, "runtime_compilation");
  return text;
}

std::string cublaslt_notes(cublasLtNumericalImplFlags_t flags, std::int32_t splitk,
                           std::uint32_t reduction) {
  std::string text;
  for (const auto& [flag, word] : kImplementation) {
    if ((flags & flag) != 0) append(text, word);
  }
  append(text, "splitk=" + std::to_string(splitk));
  append(text, "reduction=" + reduction_text(reduction));
  return text;
}

}  // namespace stepcast
