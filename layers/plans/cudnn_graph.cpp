// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "layers/plans/cudnn_graph.hpp"

#include <cudnn_frontend.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/cuda/check.hpp"
#include "layers/plans/library_notes.hpp"
#include "layers/plans/workspace.hpp"

namespace stepcast {
namespace {

namespace fe = cudnn_frontend;

using Tensor = std::shared_ptr<fe::graph::Tensor_attributes>;

/// The frontend keeps its plans to itself; this looks at them.
class Graph : public fe::graph::Graph {
 public:
  /// Whether the engine is within the limits and not ruled out by what it notes; from cuDNN 9.2 on
  /// without building it.
  [[nodiscard]] bool supports(std::int64_t index) {
    return plans.check_support_at_index(index).is_good();
  }

  /// What cuDNN notes of an engine that has been built.
  [[nodiscard]] std::string notes(std::int64_t index) const {
    const auto& built = plans.execution_plans[static_cast<std::size_t>(index)];
    if (!built) return "";
    return cudnn_notes(built->getAllNumericNotes(), built->getAllBehaviorNotes());
  }
};

fe::DataType_t frontend_type(DType type) {
  switch (type) {
    case DType::fp16:
      return fe::DataType_t::HALF;
    case DType::bf16:
      return fe::DataType_t::BFLOAT16;
    default:
      return fe::DataType_t::FLOAT;
  }
}

/// Tensors are known by their place in the list of operands, counted from one.
std::int64_t uid(std::size_t place) { return static_cast<std::int64_t>(place) + 1; }

Tensor add_input(Graph& graph, std::span<const GraphTensor> tensors, std::size_t place) {
  const GraphTensor& tensor = tensors[place];
  return graph.tensor(fe::graph::Tensor_attributes()
                          .set_name(tensor.name)
                          .set_uid(uid(place))
                          .set_dim(tensor.sizes)
                          .set_stride(tensor.strides)
                          .set_data_type(frontend_type(tensor.type)));
}

void set_output(const Tensor& output, std::span<const GraphTensor> tensors, std::size_t place) {
  const GraphTensor& tensor = tensors[place];
  output->set_output(true)
      .set_name(tensor.name)
      .set_uid(uid(place))
      .set_dim(tensor.sizes)
      .set_stride(tensor.strides)
      .set_data_type(frontend_type(tensor.type));
}

std::unique_ptr<Graph> make_graph(DType type) {
  auto graph = std::make_unique<Graph>();
  graph->set_io_data_type(frontend_type(type))
      .set_intermediate_data_type(fe::DataType_t::FLOAT)
      .set_compute_data_type(fe::DataType_t::FLOAT);
  return graph;
}

std::string text(std::span<const std::int64_t> values) {
  std::string joined;
  for (const std::int64_t value : values) {
    if (!joined.empty()) joined += " ";
    joined += std::to_string(value);
  }
  return "[" + joined + "]";
}

/// `x bf16 [32 64 56 56] strides [200704 1 3584 64], ...`
std::string text(std::span<const GraphTensor> tensors) {
  std::string joined;
  for (const GraphTensor& tensor : tensors) {
    if (!joined.empty()) joined += ", ";
    joined += tensor.name + " " + std::string(name(tensor.type)) + " " + text(tensor.sizes) +
              " strides " + text(tensor.strides);
  }
  return joined;
}

/// Engine and knobs, as in `eng10_k24=22`.
std::string engine_name(const Graph& graph, std::int64_t index) {
  std::string engine;
  if (graph.get_plan_name_at_index(index, engine).is_bad()) engine = std::to_string(index);
  return engine;
}

class GraphPlan final : public Plan {
 public:
  GraphPlan(cudnnHandle_t handle, std::unique_ptr<Graph> graph, std::vector<std::int64_t> engines,
            std::unordered_map<std::int64_t, void*> memory, std::size_t workspace_limit)
      : handle_(handle),
        graph_(std::move(graph)),
        engines_(std::move(engines)),
        operands_(std::move(memory)),
        workspace_limit_(workspace_limit) {}

  [[nodiscard]] std::string name() const override {
    return engine_name(*graph_, engines_[selected_]);
  }

  [[nodiscard]] std::string notes() const override { return graph_->notes(engines_[selected_]); }
  [[nodiscard]] std::size_t workspace_bytes() const override { return workspace_.bytes(); }
  [[nodiscard]] std::size_t candidates() const override { return engines_.size(); }
  [[nodiscard]] std::size_t selected() const override { return selected_; }

  bool select(std::size_t rank) override {
    if (rank >= engines_.size()) return false;
    const std::int64_t index = engines_[rank];
    if (auto built = graph_->build_plan_at_index(handle_, index); built.is_bad()) {
      refusal_ = built.get_message();
      return false;
    }
    std::int64_t bytes = 0;
    if (auto known = graph_->get_workspace_size_plan_at_index(index, bytes); known.is_bad()) {
      refusal_ = known.get_message();
      return false;
    }
    const auto needed = static_cast<std::size_t>(bytes);
    if (needed > workspace_limit_) {
      refusal_ = "a workspace of " + std::to_string(needed) + " bytes is more than allowed";
      return false;
    }
    workspace_.reserve(needed);
    memory_ = operands_;  // forgets where in the old workspace the frontend put its own tensors
    selected_ = rank;
    return true;
  }

  void bind(std::span<void* const> buffers, std::size_t place) override {
    workspace_.move_to(place);
    for (std::size_t i = 0; i < buffers.size(); ++i) operands_[uid(i)] = buffers[i];
    memory_ = operands_;
  }

  void enqueue(cudaStream_t stream) override {
    check(cudnnSetStream(handle_, stream), "giving cuDNN a stream");
    const std::int64_t index = engines_[selected_];
    auto done = graph_->execute_plan_at_index(handle_, memory_, workspace_.data(), index);
    if (done.is_bad()) {
      throw LibraryError(SourceLocation::current(), "running " + name(),
                         "cuDNN: " + done.get_message());
    }
  }

  /// Why the last select() returned false.
  [[nodiscard]] const std::string& refusal() const { return refusal_; }

 private:
  cudnnHandle_t handle_;
  std::unique_ptr<Graph> graph_;
  std::vector<std::int64_t> engines_;  // places in the heuristics' list
  std::unordered_map<std::int64_t, void*> operands_;
  std::unordered_map<std::int64_t, void*> memory_;  // operands, and what the frontend adds
  std::size_t workspace_limit_;
  Workspace workspace_;
  std::size_t selected_ = 0;
  std::string refusal_;
};

/// Lowers the graph and asks for engines. Errors: cuDNN's text.
std::string query_engines(Graph& graph, cudnnHandle_t handle, DType type) {
  const auto first_failure = [&]() -> fe::error_t {
    if (auto status = graph.validate(); status.is_bad()) return status;
    if (auto status = graph.build_operation_graph(handle); status.is_bad()) return status;
    return graph.create_execution_plans(
        {fe::HeurMode_t::A, fe::HeurMode_t::B, fe::HeurMode_t::FALLBACK});
  };
  try {
    if (auto status = first_failure(); status.is_bad()) return status.get_message();
  } catch (const fe::cudnnException& error) {
    return error.what();
  }
  std::vector<fe::NumericalNote_t> unwanted{fe::NumericalNote_t::DOWN_CONVERT_INPUTS};
  if (type == DType::fp32) unwanted.push_back(fe::NumericalNote_t::TENSOR_CORE);
  graph.deselect_numeric_notes(unwanted);
  return "";
}

/// The heuristics' engines within the limits, each once; modes name many twice.
std::vector<std::int64_t> usable_engines(Graph& graph, const PlanOptions& options) {
  graph.deselect_workspace_greater_than(static_cast<std::int64_t>(options.workspace_limit_bytes));
  std::vector<std::int64_t> engines;
  std::unordered_set<std::string> seen;
  for (std::int64_t index = 0; index < graph.get_execution_plan_count(); ++index) {
    if (engines.size() == options.max_candidates) break;
    if (seen.insert(engine_name(graph, index)).second && graph.supports(index)) {
      engines.push_back(index);
    }
  }
  return engines;
}

/// `14 candidates (eng1_k2=0, eng0, ...)`: at most ten names, each once.
std::string offered_text(const Graph& graph) {
  constexpr std::size_t kMostNames = 10;
  const std::int64_t offered = graph.get_execution_plan_count();
  std::unordered_set<std::string> seen;
  std::string names;
  for (std::int64_t index = 0; index < offered; ++index) {
    const std::string engine = engine_name(graph, index);
    if (!seen.insert(engine).second) continue;
    if (seen.size() > kMostNames) {
      names += ", ...";
      break;
    }
    names += (names.empty() ? "" : ", ") + engine;
  }
  return std::to_string(offered) + " candidates" + (names.empty() ? "" : " (" + names + ")");
}

/// The graph's plan with its first candidate that can be built.
PlanOrReason make_graph_plan(const Libraries& libraries, std::unique_ptr<Graph> graph,
                             std::string_view family, std::span<const GraphTensor> tensors,
                             const PlanOptions& options) {
  cudnnHandle_t handle = libraries.cudnn.get();
  std::string refusal = query_engines(*graph, handle, tensors[0].type);
  std::string offered = "0 candidates";
  if (refusal.empty()) {
    offered = offered_text(*graph);
    std::unordered_map<std::int64_t, void*> memory;
    for (std::size_t place = 0; place < tensors.size(); ++place) {
      memory.emplace(uid(place), tensors[place].memory);
    }
    std::vector<std::int64_t> engines = usable_engines(*graph, options);
    auto plan = std::make_unique<GraphPlan>(handle, std::move(graph), std::move(engines),
                                            std::move(memory), options.workspace_limit_bytes);
    for (std::size_t rank = 0; rank < plan->candidates(); ++rank) {
      if (plan->select(rank)) return {std::move(plan), ""};
    }
    refusal = plan->candidates() == 0 ? "none within the limits" : plan->refusal();
  }
  check(cudaDeviceSynchronize(), "looking for a cuDNN plan");  // a lost device is not a reason
  return {nullptr, "cuDNN has no plan for " + std::string(family) + " of " + text(tensors) + ": " +
                       offered + "; " + refusal + "; " + fe::detail::get_last_error_string_()};
}

template <typename Attributes>
Attributes conv_attributes(const ConvShape& shape) {
  Attributes attributes;
  attributes.set_padding({shape.p, shape.p}).set_stride({shape.u, shape.u}).set_dilation({1, 1});
  return attributes;
}

}  // namespace

PlanOrReason make_conv_graph(const Libraries& libraries, const Op& op,
                             const std::array<GraphTensor, 3>& tensors,
                             const PlanOptions& options) {
  const auto& shape = std::get<ConvShape>(op.shape);
  auto graph = make_graph(op.in);
  const Tensor a = add_input(*graph, tensors, 0);
  const Tensor b = add_input(*graph, tensors, 1);
  Tensor result;
  if (op.family == Family::conv_fprop) {
    result = graph->conv_fprop(a, b, conv_attributes<fe::graph::Conv_fprop_attributes>(shape));
  } else if (op.family == Family::conv_dgrad) {
    result = graph->conv_dgrad(a, b, conv_attributes<fe::graph::Conv_dgrad_attributes>(shape));
  } else {
    result = graph->conv_wgrad(a, b, conv_attributes<fe::graph::Conv_wgrad_attributes>(shape));
  }
  set_output(result, tensors, 2);
  return make_graph_plan(libraries, std::move(graph), name(op.family), tensors, options);
}

PlanOrReason make_attention_forward_graph(const Libraries& libraries,
                                          const std::array<GraphTensor, 5>& tensors, double scale,
                                          const PlanOptions& options) {
  auto graph = make_graph(tensors[0].type);
  const Tensor q = add_input(*graph, tensors, 0);
  const Tensor k = add_input(*graph, tensors, 1);
  const Tensor v = add_input(*graph, tensors, 2);
  fe::graph::SDPA_attributes attributes;
  attributes.set_name("attention").set_generate_stats(true);
  attributes.set_attn_scale(static_cast<float>(scale));
  const auto [o, stats] = graph->sdpa(q, k, v, attributes);
  set_output(o, tensors, 3);
  set_output(stats, tensors, 4);
  return make_graph_plan(libraries, std::move(graph), "attention_fwd", tensors, options);
}

PlanOrReason make_attention_backward_graph(const Libraries& libraries,
                                           const std::array<GraphTensor, 9>& tensors, double scale,
                                           const PlanOptions& options) {
  auto graph = make_graph(tensors[0].type);
  const Tensor q = add_input(*graph, tensors, 0);
  const Tensor k = add_input(*graph, tensors, 1);
  const Tensor v = add_input(*graph, tensors, 2);
  const Tensor d_o = add_input(*graph, tensors, 3);
  const Tensor o = add_input(*graph, tensors, 4);
  const Tensor stats = add_input(*graph, tensors, 5);
  fe::graph::SDPA_backward_attributes attributes;
  attributes.set_name("attention_gradient").set_attn_scale(static_cast<float>(scale));
  const auto [dq, dk, dv] = graph->sdpa_backward(q, k, v, o, d_o, stats, attributes);
  set_output(dq, tensors, 6);
  set_output(dk, tensors, 7);
  set_output(dv, tensors, 8);
  return make_graph_plan(libraries, std::move(graph), "attention_bwd", tensors, options);
}

}  // namespace stepcast
