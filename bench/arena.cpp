// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/arena.hpp"

#include <fmt/format.h>

#include "core/cuda/check.hpp"

namespace stepcast {
namespace {

constexpr std::size_t kAlignment = 256;

constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

double gib(std::size_t bytes) { return static_cast<double>(bytes) / (1024.0 * 1024.0 * 1024.0); }

}  // namespace

std::vector<void*> Arena::pieces(std::span<const std::size_t> bytes) {
  std::size_t total = 0;
  for (const std::size_t size : bytes) total += aligned(size);
  reserve(total);
  std::vector<void*> result;
  std::size_t offset = 0;
  for (const std::size_t size : bytes) {
    result.push_back(memory_.data() + offset);
    offset += aligned(size);
  }
  return result;
}

std::size_t Arena::available() const {
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "reading the free device memory");
  return free + memory_.size();
}

void Arena::reserve(std::size_t bytes) {
  if (bytes <= memory_.size()) return;
  { const DeviceBuffer<unsigned char> old = std::move(memory_); }  // freed before more is asked for
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "reading the free device memory");
  if (bytes > free) {
    throw MemoryShortage{fmt::format("needs {:.2f} GiB of device memory, {:.2f} of {:.2f} are free",
                                     gib(bytes), gib(free), gib(total)),
                         bytes <= total};
  }
  memory_ = DeviceBuffer<unsigned char>(bytes);
}

}  // namespace stepcast
