// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// SmClock: the clock at which the SMs ran between two points of a stream.

#include <cuda_runtime_api.h>

#include "core/cuda/device_buffer.hpp"

namespace stepcast {

class SmClock {
 public:
  /// Errors: LibraryError.
  SmClock();

  /// Mark the two points. Errors: LibraryError.
  void begin(cudaStream_t stream);
  void end(cudaStream_t stream);

  /// The clock between the marks in MHz: cycles over the GPU's global timer, the median over the
  /// SMs that saw both marks. 0 where the marks are too close (below 50 us) for that timer's step
  /// of up to 1 us. The stream must have been synchronised. Errors: LibraryError.
  [[nodiscard]] double mhz() const;

  struct Stamp {
    long long cycles;
    unsigned long long time_ns;
  };

 private:
  void mark(Stamp* stamps, cudaStream_t stream);

  int blocks_ = 0;
  DeviceBuffer<Stamp> stamps_;  // by SM: first those of begin(), then those of end()
};

}  // namespace stepcast
