// SPDX-License-Identifier: Apache-2.0
// Boundary functions: values of reads outside of an operand, as `zero_outside(I)(n, c, y + r - 1, x + s - 1)`.
#pragma once

#include "ttune/expr/compute.hpp"

namespace ttune { inline namespace v0 {

/// An operand that may be read outside of its shape.
template <outside How, class Source>
class extended {
 public:
  explicit extended(Source source, capture::node fill = {}) : source_(std::move(source)), fill_(std::move(fill)) {}

  template <class... Indices>
  [[nodiscard]] auto operator()(Indices const&... indices) const {
    using T = typename Source::element_type;
    return detail::access<Source::name, Source::rank, T, typename Source::layout>(
        [this](std::vector<capture::node> at) { return read(source_, std::move(at)); }, indices...);
  }

 private:
  template <fixed_string Name, class T, class Axes, class Reduced, class Layout>
  [[nodiscard]] capture::node read(stage<Name, T, Axes, Reduced, Layout> const& s,
                                   std::vector<capture::node> at) const {
    return capture::read(s.handle_of(), s.component(), std::move(at), How, fill_);
  }
  template <class Operand>
  [[nodiscard]] capture::node read(Operand const& t, std::vector<capture::node> at) const {
    return capture::read(t.handle_of(), std::move(at), How, fill_);
  }
  Source source_;
  capture::node fill_;
};

/// Reads outside give a value of the element type.
template <class Source, class Literal>
[[nodiscard]] auto value_outside(Source const& source, Literal value) {
  return extended<outside::value, Source>(source, detail::literal_node<typename Source::element_type>(value));
}
template <class Source>
[[nodiscard]] auto zero_outside(Source const& source) {
  return value_outside(source, 0);
}
/// Reads outside give the nearest element.
template <class Source>
[[nodiscard]] auto clamp_outside(Source const& source) {
  return extended<outside::clamp, Source>(source);
}
/// Reads outside continue the operand periodically.
template <class Source>
[[nodiscard]] auto wrap_outside(Source const& source) {
  return extended<outside::wrap, Source>(source);
}
/// Reads outside are reflected; the element at the edge is not repeated.
template <class Source>
[[nodiscard]] auto mirror_outside(Source const& source) {
  return extended<outside::mirror, Source>(source);
}

}}  // namespace ttune::v0
