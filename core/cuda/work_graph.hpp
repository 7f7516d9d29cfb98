// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Work on a stream as a CUDA graph, whose nodes have names.

#include <cuda_runtime_api.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/cuda/libraries.hpp"

namespace stepcast {

using Graph = UniqueHandle<cudaGraph_t, cudaGraphDestroy>;
using GraphExec = UniqueHandle<cudaGraphExec_t, cudaGraphExecDestroy>;

/// What the work puts on the stream, which runs nothing of it. The capture ends whatever the work
/// does, so that the stream can be used again.
/// Errors: LibraryError if the work cannot be captured; what the work throws.
Graph capture(const std::function<void(cudaStream_t)>& work, cudaStream_t stream);

struct GraphNode {
  cudaGraphNode_t handle;
  std::string name;  // as short_kernel_name() writes it; "memset", "memcpy", "host" or "graph"
  bool converts;     // a kernel for which is_conversion() is true
};

/// The nodes that do something, each behind those that it waits for.
/// Errors: LibraryError, also for a driver before CUDA 12.3, which knows no kernel's name.
std::vector<GraphNode> nodes(cudaGraph_t graph);

/// A copy of the graph with those of its nodes that `chosen` chooses, each behind the one before
/// it. `nodes`: those of nodes(graph). Errors: LibraryError.
Graph part(cudaGraph_t graph, std::span<const GraphNode> nodes,
           const std::function<bool(const GraphNode&)>& chosen);

}  // namespace stepcast
