// SPDX-License-Identifier: Apache-2.0
// Names in C of exported functions and their parameters.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ttune/records/export/exported_kernel.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Returns a text with each letter, digit and `_` as it is, and `_` for all else; begins with a letter or `_`.
[[nodiscard]] std::string c_identifier(std::string_view text);
/// Returns true for a name that a C or C++ program can give to a function.
[[nodiscard]] bool is_c_identifier(std::string_view text);

/// Returns an identifier that is no word of C or C++, and no usual macro: a `_` is added to such a word.
[[nodiscard]] std::string safe_word(std::string_view text);

/// Returns names for the operands, which differ from each other.
[[nodiscard]] std::vector<std::string> parameters_of(kernel_signature const& signature);

/// Returns names for the extents that calls give, which differ from each other and from the operands'.
[[nodiscard]] std::vector<std::string> extents_of_calls(open_range const& range,
                                                        std::vector<std::string> const& parameters);

/// Names the kernels without a name: by their operator; if that is not enough by all extents; else by a hash, too.
/// Throws argument_error if two have been given the same name.
void name_kernels(std::vector<exported_kernel>& all);

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/records/export/c_names.inl.hpp"
#endif
