// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/cublaslt_matmul.hpp"

#include <algorithm>

#include "core/cuda/check.hpp"
#include "layers/plans/library_notes.hpp"

namespace stepcast {
namespace {

static_assert(sizeof(cudaDataType_t) == sizeof(std::int32_t));  // as the attributes store it

using Preference = UniqueHandle<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy>;

cudaDataType_t cuda_type(DType type) {
  if (type == DType::fp16) return CUDA_R_16F;
  if (type == DType::e4m3) return CUDA_R_8F_E4M3;
  return type == DType::bf16 ? CUDA_R_16BF : CUDA_R_32F;
}

template <typename T>
void set(cublasLtMatmulDesc_t descriptor, cublasLtMatmulDescAttributes_t attribute,
         const T& value) {
  check(cublasLtMatmulDescSetAttribute(descriptor, attribute, &value, sizeof(value)),
        "describing a matrix product");
}

template <typename T>
void set(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute, const T& value) {
  check(cublasLtMatrixLayoutSetAttribute(layout, attribute, &value, sizeof(value)),
        "describing a matrix");
}

template <typename T>
void set(cublasLtMatmulPreference_t preference, cublasLtMatmulPreferenceAttributes_t attribute,
         const T& value) {
  check(cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof(value)),
        "stating what an algorithm may use");
}

/// The largest power of two up to 256 that divides the matrix's address wherever it is moved to.
std::uint32_t alignment(const RowMajor& matrix, DType type) {
  std::uint32_t bytes = 256;
  const auto address = reinterpret_cast<std::uintptr_t>(matrix.memory);
  const auto move = static_cast<std::uintptr_t>(matrix.move * element_bytes(type));
  while ((address | move) % bytes != 0) bytes /= 2;
  return bytes;
}

template <typename T>
T config_value(const cublasLtMatmulAlgo_t& algorithm,
               cublasLtMatmulAlgoConfigAttributes_t attribute) {
  T value = 0;
  check(cublasLtMatmulAlgoConfigGetAttribute(&algorithm, attribute, &value, sizeof(value), nullptr),
        "reading an algorithm's configuration");
  return value;
}

template <typename T>
std::string config(const cublasLtMatmulAlgo_t& algorithm,
                   cublasLtMatmulAlgoConfigAttributes_t attribute) {
  return std::to_string(config_value<T>(algorithm, attribute));
}

std::string algorithm_name(const cublasLtMatmulAlgo_t& algorithm) {
  return "algo" + config<std::int32_t>(algorithm, CUBLASLT_ALGO_CONFIG_ID) + "_tile" +
         config<std::uint32_t>(algorithm, CUBLASLT_ALGO_CONFIG_TILE_ID) + "_stages" +
         config<std::uint32_t>(algorithm, CUBLASLT_ALGO_CONFIG_STAGES_ID) + "_splitk" +
         config<std::int32_t>(algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM) + "_swizzle" +
         config<std::uint32_t>(algorithm, CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING) + "_custom" +
         config<std::uint32_t>(algorithm, CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION) + "_inner" +
         config<std::uint16_t>(algorithm, CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID) + "_cluster" +
         config<std::uint16_t>(algorithm, CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID) + "_reduction" +
         config<std::uint32_t>(algorithm, CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME);
}

void* moved(const RowMajor& matrix, DType type, std::int64_t step) {
  return static_cast<char*>(matrix.memory) + step * matrix.move * element_bytes(type);
}

std::string text(const RowMajor& matrix) {
  return std::to_string(matrix.rows) + "x" + std::to_string(matrix.columns) + " (row stride " +
         std::to_string(matrix.row_stride) + ")";
}

}  // namespace

// cuBLASLt's matrices are column-major: a row-major matrix is the transpose of one of its own. So
// it is asked for result^T = op(b)^T op(a)^T, where our b is its A and our a is its B. A bias then
// has one number a row of its result, as its epilogues want it.

CublasLtMatmul::Descriptor CublasLtMatmul::make_descriptor() const {
  const bool tf32 = problem_.in == DType::tf32;
  cublasLtMatmulDesc_t raw = nullptr;
  check(cublasLtMatmulDescCreate(&raw, tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F,
                                 CUDA_R_32F),
        "describing a matrix product");
  Descriptor descriptor(raw);
  set(raw, CUBLASLT_MATMUL_DESC_TRANSA, problem_.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N);
  set(raw, CUBLASLT_MATMUL_DESC_TRANSB, problem_.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N);
  set(raw, CUBLASLT_MATMUL_DESC_EPILOGUE, problem_.epilogue);
  if (problem_.bias != nullptr) {
    set(raw, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, cuda_type(problem_.bias_type));
  }
  if (problem_.aux != nullptr) {
    set(raw, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, problem_.result.row_stride);
    set(raw, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE, cuda_type(problem_.aux_type));
  }
  set_pointers(raw);
  return descriptor;
}

/// Those that a descriptor holds; the matrices' own are given with every product.
void CublasLtMatmul::set_pointers(cublasLtMatmulDesc_t descriptor) const {
  if (problem_.scale != nullptr) {
    set(descriptor, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, problem_.scale);
    set(descriptor, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, problem_.scale);
  }
  if (problem_.bias != nullptr) {
    set(descriptor, CUBLASLT_MATMUL_DESC_BIAS_POINTER, problem_.bias);
  }
  if (problem_.aux != nullptr) {
    set(descriptor, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, problem_.aux);
  }
}

CublasLtMatmul::Layout CublasLtMatmul::make_layout(const RowMajor& matrix, DType type) const {
  cublasLtMatrixLayout_t raw = nullptr;
  check(
      cublasLtMatrixLayoutCreate(&raw, cuda_type(type), static_cast<std::uint64_t>(matrix.columns),
                                 static_cast<std::uint64_t>(matrix.rows), matrix.row_stride),
      "describing a matrix");
  Layout layout(raw);
  if (problem_.batch > 1) {
    set(raw, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, static_cast<std::int32_t>(problem_.batch));
    set(raw, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, matrix.batch_stride);
  }
  return layout;
}

cublasStatus_t CublasLtMatmul::ask(std::size_t workspace_limit, std::size_t most) {
  cublasLtMatmulPreference_t raw = nullptr;
  check(cublasLtMatmulPreferenceCreate(&raw), "stating what an algorithm may use");
  const Preference preference(raw);
  set(raw, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, workspace_limit);
  set(raw, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment(problem_.b, problem_.in));
  set(raw, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment(problem_.a, problem_.in));
  set(raw, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment(problem_.result, problem_.out));
  set(raw, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment(problem_.result, problem_.out));
  std::vector<cublasLtMatmulHeuristicResult_t> found(most);
  int count = 0;
  const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
      handle_, descriptor_.get(), b_.get(), a_.get(), result_.get(), result_.get(), raw,
      static_cast<int>(most), found.data(), &count);
  if (status != CUBLAS_STATUS_NOT_SUPPORTED && status != CUBLAS_STATUS_INVALID_VALUE) {
    check(status, "looking for a matrix product's algorithms");
  }
  found.resize(static_cast<std::size_t>(std::max(count, 0)));
  for (const cublasLtMatmulHeuristicResult_t& candidate : found) {
    const auto is_same = [&](const cublasLtMatmulHeuristicResult_t& known) {
      return algorithm_name(known.algo) == algorithm_name(candidate.algo);
    };
    if (candidate.state != CUBLAS_STATUS_SUCCESS || algorithms_.size() == most) continue;
    if (std::none_of(algorithms_.begin(), algorithms_.end(), is_same)) {
      algorithms_.push_back(candidate);
    }
  }
  return status;
}

CublasLtMatmul::CublasLtMatmul(cublasLtHandle_t handle, const MatmulProblem& problem,
                               std::size_t workspace_limit, std::size_t max_candidates)
    : handle_(handle),
      problem_(problem),
      descriptor_(make_descriptor()),
      a_(make_layout(problem.a, problem.in)),
      b_(make_layout(problem.b, problem.in)),
      result_(make_layout(problem.result, problem.out)) {
  constexpr std::size_t kFrameworks = std::size_t{32} << 20;  // PyTorch's on Hopper
  const cublasStatus_t status = ask(workspace_limit, max_candidates);
  for (const std::size_t less : {kFrameworks, std::size_t{0}}) {
    if (less < workspace_limit) ask(less, max_candidates);
  }
  if (algorithms_.empty()) {
    reason_ = "cuBLASLt has no algorithm for " + text(problem.a) + " by " + text(problem.b) +
              " in " + std::to_string(problem.batch) + " batches, " +
              std::string(stepcast::name(problem.in)) + " to " +
              std::string(stepcast::name(problem.out)) + ", epilogue " +
              std::to_string(problem.epilogue) + ": 0 candidates, " + cublasLtGetStatusName(status);
  }
}

void CublasLtMatmul::move_to(const MatmulProblem& problem) {
  problem_ = problem;
  set_pointers(descriptor_.get());
}

bool CublasLtMatmul::select(std::size_t rank) {
  if (rank >= algorithms_.size()) return false;
  selected_ = rank;
  return true;
}

std::string CublasLtMatmul::name() const { return algorithm_name(algorithms_[selected_].algo); }

std::string CublasLtMatmul::notes() const {
  const cublasLtMatmulAlgo_t& algorithm = algorithms_[selected_].algo;
  cublasLtNumericalImplFlags_t flags = 0;  // stays so where an algorithm does not tell
  cublasLtMatmulAlgoCapGetAttribute(&algorithm, CUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS, &flags,
                                    sizeof(flags), nullptr);
  return cublaslt_notes(
      flags, config_value<std::int32_t>(algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM),
      config_value<std::uint32_t>(algorithm, CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME));
}

void CublasLtMatmul::enqueue(cudaStream_t stream, void* workspace, std::int64_t step) const {
  constexpr float kZero = 0;
  void* result = moved(problem_.result, problem_.out, step);
  check(cublasLtMatmul(handle_, descriptor_.get(), &problem_.alpha,
                       moved(problem_.b, problem_.in, step), b_.get(),
                       moved(problem_.a, problem_.in, step), a_.get(), &kZero, result,
                       result_.get(), result, result_.get(), &algorithms_[selected_].algo,
                       workspace, workspace_bytes(), stream),
        "running a matrix product");
}

}  // namespace stepcast
