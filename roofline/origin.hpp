// SPDX-FileCopyrightText: 2026 The stepcast authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where a time came from, in words and in the letter that stands behind a number in a table.

#include <string_view>

#include "comm/fit.hpp"
#include "core/enum_names.hpp"

namespace stepcast {

inline constexpr EnumNames<Origin, 4> kOriginNames{{{Origin::measured, "measured"},
                                                    {Origin::fitted, "fitted"},
                                                    {Origin::projected, "projected"},
                                                    {Origin::bound, "bound"}}};

constexpr std::string_view name(Origin origin) { return enum_name(kOriginNames, origin); }

/// m, f, p or b.
constexpr std::string_view letter(Origin origin) { return name(origin).substr(0, 1); }

/// What a sum is worth: the less certain of its parts, in the order measured, fitted, projected,
/// bound.
constexpr Origin weaker(Origin a, Origin b) { return a < b ? b : a; }

}  // namespace stepcast
