// SPDX-License-Identifier: Apache-2.0
// The work of a call of a program with open extents, and the memory of its operands.
#pragma once

#include <algorithm>
#include <cstddef>

#include "ttune/core/dtype.hpp"
#include "ttune/ir/node.hpp"
#include "ttune/runtime/open_range.hpp"

namespace ttune { inline namespace v0 { namespace detail {

struct cost_of_call {
  double terms = 0;  ///< of all stages
  double bytes = 0;  ///< of all operands

  /// `open` has the extents of `of` open.
  cost_of_call(ir::program const& open, open_range const& of, call_shape const& shape) {
    auto const value = [&](ir::extent const& e) {
      if (e.is_constant()) return static_cast<double>(e.value);
      auto const place = std::find(of.extents.begin(), of.extents.end(), e.symbol->name) - of.extents.begin();
      return static_cast<double>(shape[static_cast<std::size_t>(place)]) / static_cast<double>(e.run);
    };
    auto const points = [&](std::vector<ir::axis> const& axes) {
      double made = 1;
      for (auto const& a : axes) made *= std::max(1.0, value(a.end) - static_cast<double>(a.begin));
      return made;
    };
    for (auto const& t : open.inputs) {
      double size = static_cast<double>(size_in_bytes(t->type));
      for (auto const& e : t->shape) size *= value(e);
      bytes += size;
    }
    for (auto const& s : open.outputs) bytes += points(s->axes) * static_cast<double>(size_in_bytes(s->type()));
    for (auto const& s : open.stages) terms += points(s->axes) * points(s->reduction.axes);
  }

  /// Returns true if kernels can be timed at such calls, of which each takes some tens of milliseconds at most.
  [[nodiscard]] bool is_small() const noexcept {
    constexpr double limit_of_terms = 4e9;
    constexpr double limit_of_bytes = 256.0 * (1 << 20);
    return terms <= limit_of_terms && bytes <= limit_of_bytes;
  }
};

}}}  // namespace ttune::v0::detail
