// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/communicators.hpp"

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <thread>

#include "comm/nccl/check_nccl.hpp"
#include "core/cuda/check.hpp"
#include "core/error.hpp"

namespace stepcast {
namespace {

using Clock = std::chrono::steady_clock;

/// Waits shorter than this are polled without a pause.
constexpr std::chrono::milliseconds kPatience{2};
constexpr std::chrono::microseconds kPause{100};

}  // namespace

ncclDataType_t nccl_type(DType dtype) {
  switch (dtype) {
    case DType::fp32:
      return ncclFloat32;
    case DType::fp16:
      return ncclFloat16;
    case DType::bf16:
      return ncclBfloat16;
    case DType::tf32:
    case DType::int64:
    case DType::uint8:
    case DType::e4m3:
      break;
  }
  throw DataError("dtype: gradients are fp32, fp16 or bf16, not " + std::string(name(dtype)));
}

Communicators::Communicators(const std::vector<int>& devices, Seconds timeout) : timeout_(timeout) {
  if (devices.empty()) throw UsageError("devices: there is no GPU to communicate with");
  std::vector<ncclComm_t> comms(devices.size(), nullptr);
  check(ncclCommInitAll(comms.data(), static_cast<int>(devices.size()), devices.data()),
        fmt::format("making communicators for {} devices", devices.size()));
  for (std::size_t i = 0; i < devices.size(); ++i) {
    Rank rank;
    rank.device = devices[i];
    rank.comm = NcclComm(comms[i]);
    ranks_.push_back(std::move(rank));
  }
  for (Rank& rank : ranks_) {
    check(cudaSetDevice(rank.device), fmt::format("choosing device {}", rank.device));
    rank.stream = make_stream();
  }
}

void Communicators::allreduce(const std::vector<void*>& send, const std::vector<void*>& receive,
                              std::size_t count, DType dtype) const {
  if (ranks_.empty()) throw DataError("communicators: they were aborted by an earlier error");
  check(ncclGroupStart(), "opening a group");
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    check(
        ncclAllReduce(send[i], receive[i], count, nccl_type(dtype), ncclSum, ranks_[i].comm.get(),
                      ranks_[i].stream.get()),
        fmt::format("enqueuing an allreduce of {} elements on device {}", count, ranks_[i].device),
        SourceLocation::current(), ranks_[i].comm.get());
  }
  check(ncclGroupEnd(), "closing a group");
}

void Communicators::abort() {
  for (Rank& rank : ranks_) {
    // Destroying would wait for what will never end.
    if (const ncclResult_t status = ncclCommAbort(rank.comm.release()); status != ncclSuccess) {
      fmt::print(stderr, "aborting the communicator of device {}: NCCL, {}\n", rank.device,
                 ncclGetErrorString(status));
    }
  }
  ranks_.clear();
}

void Communicators::watch(std::string_view doing) {
  for (const Rank& rank : ranks_) {
    ncclResult_t status = ncclSuccess;
    check(ncclCommGetAsyncError(rank.comm.get(), &status), "asking for asynchronous errors");
    if (status == ncclSuccess || status == ncclInProgress) continue;
    const std::string what = fmt::format("{} on device {}", doing, rank.device);
    const char* last = ncclGetLastError(rank.comm.get());
    const std::string said = fmt::format("NCCL, status {}, {}, {}", static_cast<int>(status),
                                         ncclGetErrorString(status), last != nullptr ? last : "");
    abort();
    throw LibraryError(SourceLocation::current(), what, said);
  }
}

void Communicators::time_out(std::string_view doing) {
  std::string late;
  for (const Rank& rank : ranks_) {
    if (cudaStreamQuery(rank.stream.get()) != cudaSuccess) late += fmt::format(" {}", rank.device);
  }
  abort();
  throw LibraryError(SourceLocation::current(), std::string(doing),
                     fmt::format("NCCL, no end within {:g} s on device{}", timeout_.count(), late));
}

void Communicators::wait(std::string_view doing) {
  const Clock::time_point start = Clock::now();
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    while (true) {
      const cudaError_t status = cudaStreamQuery(ranks_[i].stream.get());
      if (status == cudaSuccess) break;
      if (status != cudaErrorNotReady) {
        const int device = ranks_[i].device;
        abort();
        check(status, fmt::format("{} on device {}", doing, device));
      }
      watch(doing);
      const auto waited = Clock::now() - start;
      if (std::chrono::duration<double>(waited).count() > timeout_.count()) time_out(doing);
      if (waited > kPatience) std::this_thread::sleep_for(kPause);
    }
  }
  watch(doing);
}

}  // namespace stepcast
