// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the name of a GPU kernel says: a short form for tables, and whether the kernel only converts
// a layout, which libraries do without saying so.

#include <cstddef>
#include <string>
#include <string_view>

namespace stepcast {

inline constexpr std::size_t kLongestKernelName = 120;

/// The function's name and the head of its template arguments, without return type and parameters;
/// longer ones end in "...". `name` may be mangled; what cannot be demangled stays as it is.
std::string short_kernel_name(const std::string& name);

/// Whether a kernel of this name, mangled or not, only brings a tensor into another layout, padding
/// or type. Template arguments do not count: CUTLASS kernels name their iterators there.
/// Source: the kernels' names in cuDNN 9 and cuBLASLt 13.
bool is_conversion(const std::string& name);

}  // namespace stepcast
