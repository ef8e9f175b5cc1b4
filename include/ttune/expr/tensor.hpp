// SPDX-License-Identifier: Apache-2.0
// Operands. The type has the name, the element type, the rank and the layout; the value has the shape. No storage.
#pragma once

#include "ttune/expr/operators.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

/// A layout is a tag of the tensor's type.
template <memory_order Order, operand_strides Strides>
struct layout_tag {
  static constexpr auto order = Order;
  static constexpr auto strides = Strides;
};

}  // namespace detail

/// Layout of a tensor: the last index has stride 1.
struct row_major : detail::layout_tag<memory_order::row_major, operand_strides::dense> {};
/// Layout of a tensor: the first index has stride 1.
struct col_major : detail::layout_tag<memory_order::column_major, operand_strides::dense> {};
/// Layout of a part of a larger tensor in the order `Order`: the innermost index has stride 1, each call gives the
/// other strides. Blocks and maps of Eigen, and views with strides, are passed as they are.
template <class Order = row_major>
struct strided : detail::layout_tag<Order::order, operand_strides::outer> {};
/// Layout of any part of a larger tensor, such as a column of a row-major matrix: each call gives all strides. Vectors
/// are loaded element by element.
struct any_strides : detail::layout_tag<memory_order::row_major, operand_strides::all> {};
namespace layout {
/// The kernel chooses the layout, reports it (`layout_of`) and gives `pack` and `unpack`. Not available for constants,
/// which kernels lay out themselves, nor for operands that are updated in place.
struct any : detail::layout_tag<memory_order::any, operand_strides::dense> {};
}  // namespace layout

/// The range of the integers in an operand, by which indices are checked.
struct values {
  std::int64_t low;
  std::int64_t high;
  /// Values from `from` up to `to`, without `to` itself.
  values(std::int64_t from, std::int64_t to) : low(from), high(to) {}
};

namespace detail {

template <fixed_string Name, class Layout>
struct layout_of_tensor {};
template <class Layout>
inline constexpr bool is_column_major_v = Layout::order == memory_order::column_major;
template <class Layout, tensor_kind Kind, class T>
constexpr bool is_supported_layout =
    std::is_same_v<Layout, row_major> || std::is_same_v<Layout, col_major> || std::is_same_v<Layout, any_strides> ||
    std::is_same_v<Layout, strided<row_major>> || std::is_same_v<Layout, strided<col_major>> ||
    (std::is_same_v<Layout, layout::any> && Kind == tensor_kind::input && !is_complex_v<T>);
template <fixed_string Name, class Layout, tensor_kind Kind, class T>
using unsupported_layout =
    std::conditional_t<is_supported_layout<Layout, Kind, T>, void, layout_of_tensor<Name, Layout>>;

template <class Index>
constexpr auto bounded_axes_of() {
  if constexpr (is_bounded_v<Index>) return axes_of_t<Index>{};
  else return names<>{};
}

/// Returns the indices of a read in the program.
template <class T, class Layout, class... Indices>
[[nodiscard]] std::vector<capture::node> index_nodes(Indices const&... indices) {
  std::vector<capture::node> made{index_node(indices)...};
  if constexpr (is_complex_v<T>) return with_parts<Layout>(std::move(made), capture::axis(capture::parts_axis));
  else return made;
}

/// Reads a tensor or a stage: `source(indices...)`.
template <fixed_string Name, int Rank, class T, class Layout, class Make, class... Indices>
auto access(Make const& make, Indices const&... indices) {
  if constexpr ((is_invalid_v<Indices> || ...)) {
    return invalid{};
  } else if constexpr (sizeof...(Indices) != Rank) {
    static_assert(none_v<rank_of_tensor<Name, Rank, static_cast<int>(sizeof...(Indices))>>, TTUNE_SAY_RANK);
    return invalid{};
  } else if constexpr ((is_bounded_v<Indices> || ...)) {
    using bounded = decltype(unite_all(names<>{}, bounded_axes_of<Indices>()...));
    static_assert(none_v<bounded>, TTUNE_SAY_DOMAIN);
    return invalid{};
  } else if constexpr (!(is_index_argument<Indices>() && ...)) {
    static_assert(none_v<rank_of_tensor<Name, Rank, static_cast<int>(sizeof...(Indices))>>, TTUNE_SAY_INDEX_TYPE);
    return invalid{};
  } else {
    using axes = decltype(unite_all(names<>{}, axes_of_t<Indices>{}...));
    using read = decltype(unite_all_uses(uses<use<Name, axes>>{}, uses_of_t<Indices>{}...));
    return expr<T, axes, read>{make(index_nodes<T, Layout>(indices...))};
  }
}

}  // namespace detail

/// An operand of an operator. `Shape` gives its extents, outermost dimension
/// first.
template <fixed_string Name, class T, int Rank, class Layout = row_major, tensor_kind Kind = tensor_kind::input>
class tensor {
  static_assert(element<T>, TTUNE_SAY_ELEMENT);
  static_assert(Rank >= 0);
  static_assert(detail::none_v<detail::unsupported_layout<Name, Layout, Kind, T>>, TTUNE_SAY_LAYOUT);

 public:
  using element_type = T;
  static constexpr auto name = Name;
  static constexpr int rank = Rank;
  using layout = Layout;
  static constexpr tensor_kind kind = Kind;

  explicit tensor(extent_value const (&shape)[Rank == 0 ? 1 : Rank])
    requires(Rank > 0)
      : handle_(make({shape, shape + Rank})) {}
  tensor(extent_value const (&shape)[Rank == 0 ? 1 : Rank], values range)
    requires(Rank > 0)
      : handle_(capture::ranged(make({shape, shape + Rank}), range.low, range.high)) {}
  /// Makes a scalar.
  tensor()
    requires(Rank == 0)
      : handle_(make({})) {}

  template <class... Indices>
  [[nodiscard]] auto operator()(Indices const&... indices) const {
    return detail::access<Name, Rank, T, Layout>(
        [this](std::vector<capture::node> at) { return capture::read(handle_, std::move(at), outside::none, {}); },
        indices...);
  }
  [[nodiscard]] handle<ir::tensor> const& handle_of() const noexcept { return handle_; }

 private:
  [[nodiscard]] static handle<ir::tensor> make(std::vector<extent_value> shape) {
    if constexpr (is_complex_v<T>) shape = detail::with_parts<Layout>(std::move(shape), extent_value(2));
    if constexpr (detail::none_v<detail::unsupported_layout<Name, Layout, Kind, T>>)
      return capture::tensor(Name.text, dtype_of<T>(), std::move(shape), Kind, Layout::order, Layout::strides);
    else return {};
  }
  handle<ir::tensor> handle_;
};

/// An operand whose content stays the same between calls: kernels change its layout once (`kernel.prepare`).
template <fixed_string Name, class T, int Rank, class Layout = row_major>
using constant = tensor<Name, T, Rank, Layout, tensor_kind::constant>;

/// A small operand with a known content. It is part of the program; unrolled loops use its elements as constants.
template <fixed_string Name, class T, int Rank>
class table {
  static_assert(!is_complex_v<T>, TTUNE_SAY_COMPLEX_TABLE);

 public:
  using element_type = T;
  using layout = row_major;
  static constexpr auto name = Name;
  static constexpr int rank = Rank;

  table(std::vector<std::int64_t> shape, std::vector<double> content)
      : handle_(capture::table(Name.text, dtype_of<T>(), std::move(shape), std::move(content))) {}
  template <class... Indices>
  [[nodiscard]] auto operator()(Indices const&... indices) const {
    return detail::access<Name, Rank, T, row_major>(
        [this](std::vector<capture::node> at) { return capture::read(handle_, std::move(at), outside::none, {}); },
        indices...);
  }
  [[nodiscard]] handle<ir::tensor> const& handle_of() const noexcept { return handle_; }

 private:
  handle<ir::tensor> handle_;
};

/// Uses integer data as an index: `W(at(ix(n)), d)`.
template <class T, class Axes, class Uses>
  requires std::is_integral_v<T>
[[nodiscard]] auto at(expr<T, Axes, Uses> const& index) {
  return gathered_index<Axes, Uses>{capture::convert(dtype::index, index.node)};
}

}}  // namespace ttune::v0
