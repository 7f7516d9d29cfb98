// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// NCCL's overload of the one check.

#include <nccl.h>

#include <string>
#include <string_view>

#include "core/cuda/check.hpp"
#include "core/error.hpp"

namespace stepcast {

/// `comm`, where there is one, is asked for the text of its last error.
void check(ncclResult_t status, std::string_view doing,
           SourceLocation where = SourceLocation::current(), ncclComm_t comm = nullptr);

/// The library that was loaded, not the headers: 2.28.9.
std::string nccl_version();

}  // namespace stepcast
