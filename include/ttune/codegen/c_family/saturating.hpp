// SPDX-License-Identifier: Apache-2.0
// Conversion from double to an integer in all languages of the family: C leaves values out of range undefined.
#pragma once

#include <string>

#include "ttune/core/dtype.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// Returns a function `name` that converts to the type named `to` ("i32", "index64"): rounds towards zero, saturates,
/// maps NaN to 0.
template <class TypeName>
[[nodiscard]] std::string saturating_function(std::string const& name, std::string const& to,
                                              TypeName const& type_name) {
  for (auto const t : {dtype::i8, dtype::u8, dtype::i16, dtype::u16, dtype::i32, dtype::u32, dtype::i64, dtype::u64}) {
    if (to != ttune::name_of(t) && !(t == dtype::i64 && to.starts_with("index"))) continue;
    int const bits = static_cast<int>(8 * size_in_bytes(t)) - (is_unsigned(t) ? 0 : 1);  // bits without the sign
    auto const type = type_name(to.starts_with("index") ? dtype::index : t);
    auto const power = "0x1p" + std::to_string(bits);
    auto const most = is_unsigned(t) ? "(" + type + ")~(" + type + ")0"
                                     : "(" + type + ")((1" + (bits == 63 ? std::string("ULL") : "U") + " << " +
                                           std::to_string(bits) + ") - 1)";
    auto const least = is_unsigned(t) ? std::string("0") : "(-" + most + " - 1)";
    auto const low = is_unsigned(t) ? std::string("0.0") : "-" + power;
    return type + " " + name + "(double x) { return x != x ? 0 : x <= " + low + " ? " + least + " : x >= " + power +
           " ? " + most + " : (" + type + ")x; }\n";
  }
  throw backend_error("no conversion of floats to " + to);
}

}}}}  // namespace ttune::v0::codegen::c_family
