// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "core/cuda/hold.hpp"

#include "core/cuda/check.hpp"

namespace stepcast {
namespace {

__device__ unsigned long long global_time_ns() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

__global__ void hold_stream(const volatile unsigned* released, volatile unsigned* timed_out,
                            unsigned number, unsigned long long timeout_ns) {
  const unsigned long long start = global_time_ns();
  // Numbers only grow, so the difference is right over a wrap too.
  while (static_cast<int>(*released - number) < 0) {
    if (global_time_ns() - start > timeout_ns) {
      *timed_out = number;
      __threadfence_system();
      return;
    }
  }
}

}  // namespace

Hold::Hold(Seconds timeout, SourceLocation where)
    : timeout_ns_(static_cast<unsigned long long>(timeout.count() * 1e9)) {
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, sizeof(Flags), cudaHostAllocMapped), "allocating the hold's flags",
        where);
  flags_.reset(static_cast<Flags*>(memory));
  *flags_ = Flags{0, 0};
  void* device = nullptr;
  check(cudaHostGetDevicePointer(&device, memory, 0), "mapping the hold's flags", where);
  on_device_ = static_cast<Flags*>(device);
}

void Hold::enqueue(cudaStream_t stream) {
  ++number_;
  hold_stream<<<1, 1, 0, stream>>>(&on_device_->released, &on_device_->timed_out, number_,
                                   timeout_ns_);
  check_launch("hold_stream");
}

void Hold::release() noexcept { *const_cast<volatile unsigned*>(&flags_->released) = number_; }

bool Hold::timed_out() const {
  return number_ != 0 && *const_cast<const volatile unsigned*>(&flags_->timed_out) == number_;
}

}  // namespace stepcast
