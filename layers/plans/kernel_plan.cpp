// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/kernel_plan.hpp"

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "layers/operands.hpp"
#include "layers/plans/buffer_sets.hpp"
#include "layers/plans/kernel_families.hpp"
#include "layers/plans/kernel_list.hpp"

namespace stepcast {
namespace {

/// A list is bound to its memory, so there is one for each set of buffers.
class KernelPlan final : public Plan {
 public:
  using MakeList = std::function<KernelList(Buffers)>;

  /// `kernels` are what `make` makes for `buffers`.
  KernelPlan(MakeList make, Buffers buffers, KernelList kernels)
      : make_(std::move(make)), kernels_(&lists_.at(buffers, [&] { return std::move(kernels); })) {}

  [[nodiscard]] std::string name() const override { return kernels_->name; }

  [[nodiscard]] std::size_t workspace_bytes() const override {
    std::size_t bytes = 0;
    for (const auto& buffer : kernels_->workspace) bytes += buffer.bytes();
    return bytes;
  }

  void bind(Buffers buffers, std::size_t /*place*/) override {
    kernels_ = &lists_.at(buffers, [&] {
      KernelList made = make_(buffers);
      if (made.reason.empty()) return made;
      throw LibraryError(SourceLocation::current(), "binding " + name(), made.reason);
    });
  }

  void prepare(cudaStream_t stream) override {
    for (const auto& launch : kernels_->prepare) launch(stream);
  }

  void enqueue(cudaStream_t stream) override {
    for (const auto& launch : kernels_->launches) launch(stream);
  }

 private:
  MakeList make_;
  BufferSets<KernelList> lists_;
  const KernelList* kernels_;  // of the buffers that are bound
};

using Make = KernelList (*)(const Op&, Buffers, const cudaDeviceProp&);

struct Maker {
  Family family;
  Make cuda;
  Make native;
};

constexpr std::array<Maker, 25> kMakers{{{Family::batchnorm_fwd, batchnorm_cuda, batchnorm_native},
                                         {Family::batchnorm_bwd, batchnorm_cuda, batchnorm_native},
                                         {Family::layernorm_fwd, layernorm_cuda, layernorm_native},
                                         {Family::layernorm_bwd, layernorm_cuda, layernorm_native},
                                         {Family::relu_fwd, activation_cuda, activation_native},
                                         {Family::relu_bwd, activation_cuda, activation_native},
                                         {Family::gelu_fwd, activation_cuda, activation_native},
                                         {Family::gelu_bwd, activation_cuda, activation_native},
                                         {Family::add, elementwise_cuda, elementwise_native},
                                         {Family::cast, elementwise_cuda, elementwise_native},
                                         {Family::copy, elementwise_cuda, elementwise_native},
                                         {Family::scale, elementwise_cuda, elementwise_native},
                                         {Family::zero, elementwise_cuda, elementwise_native},
                                         {Family::increment, elementwise_cuda, elementwise_native},
                                         {Family::permute, permute_cuda, permute_native},
                                         {Family::bias_add, bias_cuda, bias_native},
                                         {Family::bias_grad, bias_cuda, bias_native},
                                         {Family::maxpool_fwd, maxpool_cuda, maxpool_native},
                                         {Family::maxpool_bwd, maxpool_cuda, maxpool_native},
                                         {Family::avgpool_fwd, avgpool_cuda, avgpool_native},
                                         {Family::avgpool_bwd, avgpool_cuda, avgpool_native},
                                         {Family::cross_entropy_fwd, loss_cuda, loss_native},
                                         {Family::cross_entropy_bwd, loss_cuda, loss_native},
                                         {Family::sgd, optimizer_cuda, optimizer_native},
                                         {Family::unscale, optimizer_cuda, optimizer_native}}};

/// Why the buffers do not fit the op; empty if they do.
std::string buffers_fault(const Op& op, Buffers buffers) {
  const std::size_t expected = operands(op).size();
  if (buffers.size() == expected) return {};
  return std::string(stepcast::name(op.family)) + " has " + std::to_string(expected) +
         " operands, and " + std::to_string(buffers.size()) + " buffers were given";
}

}  // namespace

PlanOrReason make_kernel_plan(const Libraries& libraries, const Op& op,
                              std::span<void* const> buffers) {
  const bool native = op.provider == Provider::native;
  for (const Maker& maker : kMakers) {
    if (maker.family != op.family || (!native && op.provider != Provider::cuda)) continue;
    if (std::string fault = buffers_fault(op, buffers); !fault.empty()) {
      return {nullptr, std::move(fault)};
    }
    const auto make = [make = native ? maker.native : maker.cuda, op, device = libraries.device](
                          Buffers memory) { return make(op, memory, device); };
    KernelList kernels = make(buffers);
    if (!kernels.reason.empty()) return {nullptr, std::move(kernels.reason)};
    return {std::make_unique<KernelPlan>(make, buffers, std::move(kernels)), {}};
  }
  return {nullptr, "provider " + std::string(stepcast::name(op.provider)) + " has no " +
                       std::string(stepcast::name(op.family))};
}

}  // namespace stepcast
