// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#include "core/kernel_name.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

namespace stepcast {
namespace {

constexpr std::string_view kAnonymous = "(anonymous namespace)";

/// What conversions are called, and where each was seen. A part of the function's name is enough.
constexpr std::array<std::string_view, 14> kConversions{
    "nchwToNhwc",           // cudnn::ops::nchwToNhwcKernel, also nchwToNhwc3To4Kernel
    "nhwcToNchw",           // cudnn::engines_runtime_compiled::nhwcToNchwKernel
    "ToFolded",             // nchwToFoldedNhwcKernel, nhwcToFoldedNhwcKernel
    "foldedN",              // foldedNchwToNchwKernel, foldedNhwcToNhwcKernel
    "nchw2nhwc",            // nchw2nhwcBooleanTranspose
    "nhwc2nchw",            // nhwc2nchwBooleanTranspose
    "genericTranspose",     // genericTranspose_kernel: any strides
    "transposeWarp",        // transposeWarp_kernel, transposeBlock_kernel: rows and columns
    "transposeBlock",       //
    "transpose_kernel",     // cuDNN
    "transpose_readWrite",  // cuBLAS: transpose_readWrite_alignment_kernel
    "tensorTransform",      // cudnn::ops::tensorTransformGeneric
    "convertTensor",        // cudnn::ops::convertTensor_kernel: another type
    "AddPadding",           // nhwcAddPaddingKernel: more channels
};

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? text.get() : name;
}

/// Where the function's own name, its template arguments and its parameters begin in a demangled
/// name.
struct Parts {
  std::size_t name = 0;
  std::size_t arguments = std::string::npos;
  std::size_t parameters = std::string::npos;
};

Parts parts(std::string_view text) {
  Parts found;
  int depth = 0;  // of angle brackets
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (text.substr(i).starts_with(kAnonymous)) {
      i += kAnonymous.size() - 1;
    } else if (c == '<') {
      if (depth++ == 0) found.arguments = i;
    } else if (c == '>') {
      --depth;
    } else if (depth == 0 && c == ' ') {  // behind a return type
      found = {.name = i + 1};
    } else if (depth == 0 && c == '(') {
      found.parameters = i;
      break;
    }
  }
  return found;
}

}  // namespace

std::string short_kernel_name(const std::string& name) {
  const std::string text = demangled(name);
  const Parts found = parts(text);
  std::string head = text.substr(found.name, found.parameters - found.name);
  if (head.size() > kLongestKernelName) head = head.substr(0, kLongestKernelName - 3) + "...";
  return head;
}

bool is_conversion(const std::string& name) {
  const std::string text = demangled(name);
  const Parts found = parts(text);
  const std::string_view function = std::string_view(text).substr(
      found.name, std::min(found.arguments, found.parameters) - found.name);
  return std::any_of(kConversions.begin(), kConversions.end(), [&](std::string_view part) {
    return function.find(part) != std::string_view::npos;
  });
}

}  // namespace stepcast
