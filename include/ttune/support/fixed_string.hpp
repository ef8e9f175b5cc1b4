// SPDX-License-Identifier: Apache-2.0
// A string as a template argument: names of axes and tensors are parts of types.
#pragma once

#include <cstddef>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 {

/// A string literal as a structural type.
template <std::size_t N>
struct fixed_string {
  char text[N]{};

  constexpr fixed_string(char const (&literal)[N]) {
    for (std::size_t i = 0; i < N; ++i) text[i] = literal[i];
  }
  [[nodiscard]] static constexpr std::size_t size() noexcept { return N - 1; }

  template <std::size_t M>
  friend constexpr bool operator==(fixed_string const& a, fixed_string<M> const& b) noexcept {
    if (N != M) return false;
    for (std::size_t i = 0; i < N; ++i)
      if (a.text[i] != b.text[i]) return false;
    return true;
  }
};

}}  // namespace ttune::v0
