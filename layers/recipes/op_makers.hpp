// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Short ways to write an op: the layout and the types follow from the kind of shape.

#include <cstdint>

#include "core/dtype.hpp"
#include "layers/op.hpp"

namespace stepcast {

/// An op on images, through any provider.
inline Op image_op(Family family, Provider provider, DType type, Layout layout, Shape shape,
                   Epilogue epilogue = Epilogue::none) {
  return {family, epilogue, provider, type, type, layout, shape};
}

inline Op gemm_op(Family family, DType type, const GemmShape& shape,
                  Epilogue epilogue = Epilogue::none) {
  return {family, epilogue, Provider::cublaslt, type, type, Layout::row, shape};
}

inline Op matrix_op(Family family, Provider provider, DType in, DType out,
                    const MatrixShape& shape) {
  return {family, Epilogue::none, provider, in, out, Layout::row, shape};
}

/// An op on a run of elements: in and out differ for a cast, and for the addition of a half and an
/// fp32 tensor.
inline Op flat_op(Family family, Provider provider, DType in, DType out, std::int64_t elements) {
  return {family, Epilogue::none, provider, in, out, Layout::flat, ElementsShape{elements}};
}

inline Op flat_op(Family family, Provider provider, DType type, std::int64_t elements) {
  return flat_op(family, provider, type, type, elements);
}

inline Op permute_op(Provider provider, DType type, const PermuteShape& shape) {
  return {Family::permute, Epilogue::none, provider, type, type, Layout::flat, shape};
}

inline Op tensors_op(Family family, Provider provider, const TensorsShape& shape) {
  return {family, Epilogue::none, provider, DType::fp32, DType::fp32, Layout::flat, shape};
}

}  // namespace stepcast
