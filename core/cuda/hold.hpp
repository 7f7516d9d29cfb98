// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Hold: keeps a stream waiting until everything behind it is enqueued, so that a series runs
// without gaps that the host leaves.

#include <cuda_runtime_api.h>

#include <memory>

#include "core/error.hpp"
#include "core/units.hpp"

namespace stepcast {

/// A kernel that spins on a flag in mapped host memory. It ends when the host releases it, and by
/// itself after `timeout` (by the GPU's global timer), so that nothing can wait for ever.
class Hold {
 public:
  /// Errors: LibraryError.
  explicit Hold(Seconds timeout, SourceLocation where = SourceLocation::current());

  /// Puts the spinning kernel on the stream. What follows on the stream waits until release().
  /// Errors: LibraryError.
  void enqueue(cudaStream_t stream);

  /// Lets the stream go on; harmless where nothing is held.
  void release() noexcept;

  /// Whether the last hold ended by itself. Meaningful once the stream has been synchronised.
  [[nodiscard]] bool timed_out() const;

 private:
  struct Flags {
    unsigned released;   // written by the host: number of the last hold that may end
    unsigned timed_out;  // written by the device: number of the last hold that ended by itself
  };
  struct FreeHost {
    void operator()(Flags* flags) const noexcept { cudaFreeHost(flags); }
  };

  std::unique_ptr<Flags, FreeHost> flags_;
  Flags* on_device_ = nullptr;
  unsigned number_ = 0;
  unsigned long long timeout_ns_ = 0;
};

/// Releases a hold at the end of its scope, also where an enqueue has thrown.
class HoldRelease {
 public:
  explicit HoldRelease(Hold& hold) : hold_(hold) {}
  HoldRelease(const HoldRelease&) = delete;
  HoldRelease& operator=(const HoldRelease&) = delete;
  ~HoldRelease() { hold_.release(); }

 private:
  Hold& hold_;
};

}  // namespace stepcast
