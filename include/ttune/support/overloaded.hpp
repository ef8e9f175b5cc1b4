// SPDX-License-Identifier: Apache-2.0
// Combines several lambdas to one callable, for std::visit.
#pragma once

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 {

/// std::visit(overloaded{[](loop const&) {…}, [](auto const&) {…}}, node)
template <class... Functions>
struct overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
overloaded(Functions...) -> overloaded<Functions...>;

}}  // namespace ttune::v0
