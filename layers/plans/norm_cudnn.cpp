// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/norm_cudnn.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/cuda/check.hpp"
#include "core/cuda/device_buffer.hpp"
#include "layers/plans/buffer_sets.hpp"
#include "layers/plans/workspace.hpp"

namespace stepcast {
namespace {

using TensorDescriptor = UniqueHandle<cudnnTensorDescriptor_t, cudnnDestroyTensorDescriptor>;

constexpr double kEpsilon = 1e-5;       // torch.nn.BatchNorm2d's defaults
constexpr double kAverageFactor = 0.1;  // its `momentum`
constexpr cudnnBatchNormOps_t kOps = CUDNN_BATCHNORM_OPS_BN;
constexpr float kOne = 1;
constexpr float kZero = 0;

TensorDescriptor make_descriptor() {
  cudnnTensorDescriptor_t descriptor = nullptr;
  check(cudnnCreateTensorDescriptor(&descriptor), "creating a tensor descriptor");
  return TensorDescriptor(descriptor);
}

cudnnDataType_t cudnn_type(DType type) {
  if (type == DType::fp16) return CUDNN_DATA_HALF;
  return type == DType::bf16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_FLOAT;
}

/// What both directions share: descriptors, mode, workspace and reserve spaces.
///
/// A reserve space is what cuDNN hands from the forward call to the backward call; each set of
/// buffers has its own.
class NormPlan : public Plan {
 public:
  NormPlan(cudnnHandle_t handle, const Op& op, std::span<void* const> buffers)
      : handle_(handle),
        mode_(op.layout == Layout::nhwc ? CUDNN_BATCHNORM_SPATIAL_PERSISTENT
                                        : CUDNN_BATCHNORM_SPATIAL),
        image_(make_descriptor()),
        channels_(make_descriptor()),
        buffers_(buffers.begin(), buffers.end()) {
    const auto& s = std::get<ImageShape>(op.shape);
    const auto format = op.layout == Layout::nhwc ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW;
    check(cudnnSetTensor4dDescriptor(image_.get(), format, cudnn_type(op.in), static_cast<int>(s.n),
                                     static_cast<int>(s.c), static_cast<int>(s.h),
                                     static_cast<int>(s.w)),
          "describing the images of " + key(op));
    check(cudnnDeriveBNTensorDescriptor(channels_.get(), image_.get(), mode_),
          "describing the channels of " + key(op));
    image_bytes_ = static_cast<std::size_t>(s.n * s.c * s.h * s.w * element_bytes(op.in));
    channel_count_ = static_cast<std::size_t>(s.c);
  }

  [[nodiscard]] std::string name() const override {
    return std::string(call()) +
           (mode_ == CUDNN_BATCHNORM_SPATIAL_PERSISTENT ? "/spatial_persistent" : "/spatial");
  }
  [[nodiscard]] std::size_t workspace_bytes() const override {
    return workspace_.bytes() + reserve_bytes_;
  }
  void bind(std::span<void* const> buffers, std::size_t place) final {
    workspace_.move_to(place);
    buffers_.assign(buffers.begin(), buffers.end());
    find_reserve();
  }
  void enqueue(cudaStream_t stream) override { check(run(stream, true), "running " + name()); }

  /// Asks for the sizes, allocates, and runs once without touching in_out operands: cuDNN answers
  /// only so whether it supports the shape. Outputs are overwritten.
  cudnnStatus_t set_up() {
    std::size_t workspace = 0;
    cudnnStatus_t status = workspace_size(workspace);
    if (status != CUDNN_STATUS_SUCCESS) return status;
    status = cudnnGetBatchNormalizationTrainingExReserveSpaceSize(handle_, mode_, kOps, nullptr,
                                                                  image_.get(), &reserve_bytes_);
    if (status != CUDNN_STATUS_SUCCESS) return status;
    workspace_.reserve(workspace);
    find_reserve();
    status = run(nullptr, false);
    check(cudaDeviceSynchronize(), "trying " + name());
    return status;
  }

 protected:
  [[nodiscard]] virtual const char* call() const = 0;
  virtual cudnnStatus_t workspace_size(std::size_t& bytes) = 0;
  virtual cudnnStatus_t run(cudaStream_t stream, bool update_running) = 0;

  [[nodiscard]] cudnnStatus_t forward(const void* x, const void* gamma, const void* beta,
                                      void* running_mean, void* running_var, void* y,
                                      void* save_mean, void* save_invstd,
                                      const Workspace& workspace) {
    return cudnnBatchNormalizationForwardTrainingEx(
        handle_, mode_, kOps, &kOne, &kZero, image_.get(), x, nullptr, nullptr, image_.get(), y,
        channels_.get(), gamma, beta, kAverageFactor, running_mean, running_var, kEpsilon,
        save_mean, save_invstd, nullptr, workspace.data(), workspace.bytes(), reserve_->data(),
        reserve_->size());
  }

  cudnnStatus_t forward_workspace_size(std::size_t& bytes) {
    return cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(
        handle_, mode_, kOps, image_.get(), nullptr, image_.get(), channels_.get(), nullptr,
        &bytes);
  }

  /// The reserve space of the buffers, cleared where it is new.
  void find_reserve() {
    reserve_ = &reserves_.at(buffers_, [this] {
      DeviceBuffer<std::byte> made(reserve_bytes_);
      check(cudaMemset(made.data(), 0, made.bytes()), "clearing a reserve space");
      check(cudaDeviceSynchronize(), "clearing a reserve space");
      return made;
    });
  }

  cudnnHandle_t handle_;
  cudnnBatchNormMode_t mode_;
  TensorDescriptor image_;
  TensorDescriptor channels_;
  std::vector<void*> buffers_;
  std::size_t image_bytes_ = 0;
  std::size_t channel_count_ = 0;
  Workspace workspace_;
  std::size_t reserve_bytes_ = 0;
  BufferSets<DeviceBuffer<std::byte>> reserves_;
  const DeviceBuffer<std::byte>* reserve_ = nullptr;  // of the buffers that are bound
};

class ForwardPlan final : public NormPlan {
 public:
  using NormPlan::NormPlan;

 private:
  [[nodiscard]] const char* call() const override {
    return "cudnnBatchNormalizationForwardTrainingEx";
  }
  cudnnStatus_t workspace_size(std::size_t& bytes) override {
    return forward_workspace_size(bytes);
  }
  // x gamma beta running_mean running_var -> y save_mean save_invstd
  cudnnStatus_t run(cudaStream_t stream, bool update_running) override {
    check(cudnnSetStream(handle_, stream), "giving cuDNN a stream");
    void* running_mean = update_running ? buffers_[3] : nullptr;
    void* running_var = update_running ? buffers_[4] : nullptr;
    return forward(buffers_[0], buffers_[1], buffers_[2], running_mean, running_var, buffers_[5],
                   buffers_[6], buffers_[7], workspace_);
  }
};

class BackwardPlan final : public NormPlan {
 public:
  using NormPlan::NormPlan;

  /// Where cuDNN asks for a reserve space, a forward pass fills it, into memory that is then freed.
  /// The statistics that the backward pass uses are its operands, not those of that pass.
  void prepare(cudaStream_t stream) override {
    if (reserve_bytes_ == 0) return;
    std::size_t workspace_bytes = 0;
    check(forward_workspace_size(workspace_bytes), "preparing " + name());
    Workspace workspace;
    workspace.reserve(workspace_bytes);
    const DeviceBuffer<std::byte> y(image_bytes_);
    const DeviceBuffer<float> beta(channel_count_);
    const DeviceBuffer<float> statistics(2 * channel_count_);
    check(cudaMemsetAsync(beta.data(), 0, beta.bytes(), stream), "preparing " + name());
    check(cudnnSetStream(handle_, stream), "giving cuDNN a stream");
    check(forward(buffers_[1], buffers_[2], beta.data(), nullptr, nullptr, y.data(),
                  statistics.data(), statistics.data() + channel_count_, workspace),
          "preparing " + name());
    check(cudaStreamSynchronize(stream), "preparing " + name());
  }

 private:
  [[nodiscard]] const char* call() const override { return "cudnnBatchNormalizationBackwardEx"; }
  cudnnStatus_t workspace_size(std::size_t& bytes) override {
    return cudnnGetBatchNormalizationBackwardExWorkspaceSize(
        handle_, mode_, kOps, image_.get(), image_.get(), image_.get(), nullptr, image_.get(),
        channels_.get(), nullptr, &bytes);
  }
  // dy x gamma save_mean save_invstd -> dx dgamma dbeta
  cudnnStatus_t run(cudaStream_t stream, bool /*update_running*/) override {
    check(cudnnSetStream(handle_, stream), "giving cuDNN a stream");
    return cudnnBatchNormalizationBackwardEx(
        handle_, mode_, kOps, &kOne, &kZero, &kOne, &kZero, image_.get(), buffers_[1], nullptr,
        nullptr, image_.get(), buffers_[0], nullptr, nullptr, image_.get(), buffers_[5],
        channels_.get(), buffers_[2], nullptr, buffers_[6], buffers_[7], kEpsilon, buffers_[3],
        buffers_[4], nullptr, workspace_.data(), workspace_.bytes(), reserve_->data(),
        reserve_->size());
  }
};

/// cuDNN's words for "not this shape": the family of NOT_SUPPORTED, and of BAD_PARAM, which it
/// returns for types that a mode does not take.
bool is_refusal(cudnnStatus_t status) {
  const auto category = CUDNN_STATUS_CATEGORY(status);
  return category == CUDNN_STATUS_NOT_SUPPORTED || category == CUDNN_STATUS_BAD_PARAM;
}

}  // namespace

PlanOrReason make_norm_cudnn(const Libraries& libraries, const Op& op,
                             std::span<void* const> buffers, const PlanOptions& options) {
  if (op.epilogue != Epilogue::none) {
    return {nullptr, "cuDNN's batch norm as PyTorch calls it has no epilogue " +
                         std::string(name(op.epilogue))};
  }
  std::unique_ptr<NormPlan> plan;
  if (op.family == Family::batchnorm_fwd) {
    plan = std::make_unique<ForwardPlan>(libraries.cudnn.get(), op, buffers);
  } else {
    plan = std::make_unique<BackwardPlan>(libraries.cudnn.get(), op, buffers);
  }
  const cudnnStatus_t status = plan->set_up();
  if (is_refusal(status)) {
    return {nullptr, plan->name() + " of " + key(op) + ": cuDNN, " + cudnnGetErrorString(status)};
  }
  check(status, "making a plan for " + key(op));
  if (plan->workspace_bytes() > options.workspace_limit_bytes) {
    return {nullptr, plan->name() + " of " + key(op) + " needs a workspace of " +
                         std::to_string(plan->workspace_bytes()) + " bytes, more than allowed"};
  }
  return {std::move(plan), ""};
}

}  // namespace stepcast
