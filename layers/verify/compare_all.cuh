// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Compares all of an operand with what it should be, which a family's function object says.

#include <string_view>

#include "core/cuda/check.hpp"
#include "layers/verify/references.hpp"
#include "layers/verify/tally.cuh"
#include "layers/verify/walk.cuh"

namespace stepcast {

/// For function objects without anything that a channel's elements share.
struct NoState {
  struct State {};
  __device__ __forceinline__ State state(std::int64_t) const { return {}; }
};

/// Values that a reference has computed.
struct Computed : NoState {
  const double* values;

  explicit Computed(const double* computed) : values(computed) {}
  __device__ __forceinline__ double read(const Element& element) const {
    return values[element.index];
  }
  __device__ __forceinline__ double want(double value, State) const { return value; }
};

/// Wanted: state(channel), what a channel's elements share; read(element), what memory holds;
/// want(read, state), the element's value.
template <typename Y, typename Wanted>
__global__ __launch_bounds__(kWalkThreads, 4) void compare_all_kernel(ChannelView view,
                                                                      Wanted wanted,
                                                                      Target<Y> target) {
  using Operands = decltype(wanted.read(Element{}));
  struct Values {
    Operands operands;
    Y got;
  };
  Findings findings;
  const std::int64_t channel = walk_channel();
  if (channel < view.channels) {
    const auto state = wanted.state(channel);
    walk(
        view,
        [&](const Element& element) {
          return Values{wanted.read(element), target.got[element.index]};
        },
        [&](const Element& element, const Values& values) {
          findings.compare(element.index, to_double(values.got),
                           wanted.want(values.operands, state), target.allowance);
        });
  }
  findings.merge(target.slot);
}

/// `view` is that of the operand `name`, whose elements are stored as Y.
template <typename Y, typename Wanted>
void compare_all(const VerifyCase& checked, std::string_view name, const ChannelView& view,
                 const Wanted& wanted) {
  const WalkLaunch launch = walk_launch(view);
  compare_all_kernel<Y>
      <<<launch.grid, launch.block, 0, checked.stream>>>(view, wanted, target<Y>(checked, name));
  check_launch("compare_all");
}

}  // namespace stepcast
