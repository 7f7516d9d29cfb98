// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The elementwise kernel: y[i] = f(), f(a[i]) or f(a[i], b[i]) over packs of elements, in fp32
// where the elements are real numbers. Its shape is a choice of the provider.

#include <cstdint>
#include <string>

#include "layers/plans/launch.cuh"
#include "layers/plans/pack.cuh"

namespace stepcast {

/// The type of an operand that an operation does not have.
struct None {};

template <typename T>
inline constexpr bool kIsReal =
    std::is_same_v<T, float> || std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>;

template <typename T>
inline constexpr int kBytes = static_cast<int>(sizeof(T));
template <>
inline constexpr int kBytes<None> = 0;

/// The provider cuda: the widest operand moves 16 bytes an access, of which a thread has one of
/// each operand. With four and blocks of 256 threads an add of fp16 is 1 to 2 % slower (H200).
struct CudaShape {
  static constexpr int kThreads = 128;
  static constexpr int kBlocksPerSm = 8;  // leaves 64 registers a thread
  static constexpr int kUnroll = 1;
  static constexpr int width(int widest_bytes) { return 16 / widest_bytes; }
};

/// PyTorch's vectorized_elementwise_kernel: 128 threads, each with one pack of 4 elements, of 8
/// where all have two bytes, of 16 where they have one.
struct NativeShape {
  static constexpr int kThreads = 128;
  static constexpr int kBlocksPerSm = 8;
  static constexpr int kUnroll = 1;
  static constexpr int width(int widest_bytes) {
    return widest_bytes == 1 ? 16 : widest_bytes == 2 ? 8 : 4;
  }
};

template <typename Shape, typename... T>
inline constexpr int kMapWidth = Shape::width(std::max({kBytes<T>...}));

template <typename Y, typename F, typename A, typename B>
__device__ __forceinline__ Y map_one(const F& f, A a, B b) {
  if constexpr (std::is_same_v<A, None>) {
    return f();
  } else if constexpr (!kIsReal<A> || !kIsReal<Y>) {
    return f(a);
  } else if constexpr (std::is_same_v<B, None>) {
    return from_float<Y>(f(to_float(a)));
  } else {
    return from_float<Y>(f(to_float(a), to_float(b)));
  }
}

template <typename Y, int Width, typename F, typename A, typename B>
__device__ __forceinline__ Pack<Y, Width> map_pack(const F& f, const Pack<A, Width>& a,
                                                   const Pack<B, Width>& b) {
  if constexpr (kIsReal<A> && kIsReal<Y>) {
    Pack<float, Width> values = unpack(a);
    if constexpr (std::is_same_v<B, None>) {
#pragma unroll
      for (float& value : values.value) value = f(value);
    } else {
      const Pack<float, Width> others = unpack(b);
#pragma unroll
      for (int i = 0; i < Width; ++i) values.value[i] = f(values.value[i], others.value[i]);
    }
    return packed<Y>(values);
  } else {
    Pack<Y, Width> result;
#pragma unroll
    for (int i = 0; i < Width; ++i) result.value[i] = map_one<Y>(f, a.value[i], b.value[i]);
    return result;
  }
}

/// One pack at `at`, or the elements below n if n cuts it.
template <int Width, typename F, typename Y, typename A, typename B>
__device__ __forceinline__ void map_guarded(const F& f, std::int64_t at, std::int64_t n, Y* y,
                                            const A* a, const B* b) {
  if (at + Width <= n) {
    Pack<A, Width> as;
    Pack<B, Width> bs;
    if constexpr (!std::is_same_v<A, None>) as = load<Width>(a + at);
    if constexpr (!std::is_same_v<B, None>) bs = load<Width>(b + at);
    store(y + at, map_pack<Y>(f, as, bs));
    return;
  }
  for (std::int64_t i = at; i < n; ++i) {
    A element{};
    B other{};
    if constexpr (!std::is_same_v<A, None>) element = a[i];
    if constexpr (!std::is_same_v<B, None>) other = b[i];
    y[i] = map_one<Y>(f, element, other);
  }
}

/// Each block takes one tile of kThreads x kUnroll packs. y may be a or b.
template <typename Shape, typename F, typename Y, typename A, typename B>
__global__ __launch_bounds__(Shape::kThreads,
                             Shape::kBlocksPerSm) void map_kernel(F f, std::int64_t n, Y* y,
                                                                  const A* a, const B* b) {
  constexpr int kWidth = kMapWidth<Shape, Y, A, B>;
  constexpr int kStride = Shape::kThreads * kWidth;
  constexpr int kTile = kStride * Shape::kUnroll;
  const std::int64_t tile = static_cast<std::int64_t>(blockIdx.x) * kTile;
  const std::int64_t first = tile + threadIdx.x * kWidth;
  if (tile + kTile > n) {
#pragma unroll 1
    for (int u = 0; u < Shape::kUnroll; ++u) {
      map_guarded<kWidth>(f, first + u * kStride, n, y, a, b);
    }
    return;
  }
  Pack<A, kWidth> as[Shape::kUnroll];
  Pack<B, kWidth> bs[Shape::kUnroll];
#pragma unroll
  for (int u = 0; u < Shape::kUnroll; ++u) {
    if constexpr (!std::is_same_v<A, None>) as[u] = load<kWidth>(a + first + u * kStride);
    if constexpr (!std::is_same_v<B, None>) bs[u] = load<kWidth>(b + first + u * kStride);
  }
#pragma unroll
  for (int u = 0; u < Shape::kUnroll; ++u) {
    store(y + first + u * kStride, map_pack<Y>(f, as[u], bs[u]));
  }
}

/// Adds the kernel over n elements. a and b are null where f takes fewer operands.
template <typename Shape, typename Y, typename A = None, typename B = None, typename F>
void add_map(KernelList& list, const std::string& name, F f, std::int64_t n, void* y,
             const void* a = nullptr, const void* b = nullptr) {
  constexpr std::int64_t kTile = Shape::kThreads * Shape::kUnroll * kMapWidth<Shape, Y, A, B>;
  add_kernel(list, name, map_kernel<Shape, F, Y, A, B>, blocks_for(n, kTile), Shape::kThreads, f, n,
             static_cast<Y*>(y), static_cast<const A*>(a), static_cast<const B*>(b));
}

}  // namespace stepcast
