// SPDX-License-Identifier: Apache-2.0
// Stages of a program: `compute<"C">(i, j) = …`. A stage is an operand of later ones.
#pragma once

#include "ttune/expr/reduce.hpp"
#include "ttune/expr/tensor.hpp"

namespace ttune { inline namespace v0 {

/// The result of a compute. `Reduced`: the axes of the reductions in its right-hand side, for schedules.
template <fixed_string Name, class T, class Axes, class Reduced = names<>, class Layout = row_major>
class stage {
 public:
  using element_type = T;
  using name_set = Axes;
  using reduced_set = Reduced;
  using layout = Layout;
  static constexpr auto name = Name;
  static constexpr int rank = []<fixed_string... N>(names<N...>) { return static_cast<int>(sizeof...(N)); }(Axes{});

  explicit stage(handle<ir::stage> made, int component = 0) : handle_(std::move(made)), component_(component) {}

  template <class... Indices>
  [[nodiscard]] auto operator()(Indices const&... indices) const {
    return detail::access<Name, rank, T, Layout>(
        [this](std::vector<capture::node> at) {
          return capture::read(handle_, component_, std::move(at), outside::none, {});
        },
        indices...);
  }
  [[nodiscard]] handle<ir::stage> const& handle_of() const noexcept { return handle_; }
  [[nodiscard]] int component() const noexcept { return component_; }

 private:
  handle<ir::stage> handle_;
  int component_ = 0;
};

namespace detail {

/// Axes of a short-form reduction that only one operand uses, if two different operands have such axes.
template <class Reduced, class Uses>
struct product_of_sums {
  using type = names<>;
};
template <class Use>
struct axes_used {
  using type = names<>;
};
template <fixed_string Operand, class Axes>
struct axes_used<use<Operand, Axes>> {
  using type = Axes;
};
template <fixed_string... Reduced, class... Uses>
struct product_of_sums<names<Reduced...>, uses<Uses...>> {
  template <fixed_string Name>
  static constexpr int only_user() {  // index of the one operand that uses the axis, or -1
    int found = -1;
    int i = 0;
    int count = 0;
    ((contains_v<Name, typename axes_used<Uses>::type> ? (found = i, ++count) : 0, ++i), ...);
    return count == 1 ? found : -1;
  }
  static constexpr bool separate = [] {
    int first = -1;
    bool differs = false;
    ((only_user<Reduced>() >= 0
          ? (first < 0 ? (first = only_user<Reduced>()) : (differs = differs || only_user<Reduced>() != first))
          : 0),
     ...);
    return differs;
  }();
  template <bool Separate>
  static constexpr auto culprits() {
    if constexpr (Separate) return names<Reduced...>{};
    else return names<>{};
  }
  using type = decltype(culprits<separate>());
};

template <fixed_string Name, class Left, class Layout = row_major>
class pending_stage {
 public:
  pending_stage(std::vector<axis_range> left, handle<ir::tensor> updates, std::string text = Name.text)
      : left_(std::move(left)), updates_(std::move(updates)), text_(std::move(text)) {}

  template <class X>
  auto operator=(X const& right) const {
    if constexpr (is_invalid_v<X>) {
      return invalid{};
    } else if constexpr (is_implicit_v<X>) {
      return assign_reduction(right);
    } else if constexpr (!is_expr_v<X>) {
      static_assert(none_v<element_type<X>>, TTUNE_SAY_AXIS_FLOAT);
      return invalid{};
    } else {
      using unbound = subtracted_t<axes_of_t<X>, Left>;
      if constexpr (!none_v<unbound>) {
        static_assert(none_v<unbound>, TTUNE_SAY_UNBOUND);
        return invalid{};
      } else {
        return stage<Name, typename X::element, Left, reduced_axes_t<uses_of_t<X>>, Layout>(
            assigned<typename X::element>(right.node, {}));
      }
    }
  }

 private:
  template <reducer Kind, class T, class Axes, class Uses>
  auto assign_reduction(implicit_reduction<Kind, T, Axes, Uses> const& right) const {
    using reduced = subtracted_t<Axes, Left>;
    using separate = typename product_of_sums<reduced, Uses>::type;
    if constexpr (none_v<reduced>) {
      static_assert(!none_v<reduced>, TTUNE_SAY_REDUCES_NOTHING);
      return invalid{};
    } else if constexpr (Kind == reducer::sum && !none_v<separate>) {
      static_assert(none_v<separate>, TTUNE_SAY_TWO_SUMS);
      return invalid{};
    } else {
      capture::reduction how;
      how.kind = Kind;
      for (auto& text : texts(reduced{})) how.over.push_back({std::move(text), false, 0, 0});
      return stage<Name, T, Left, united_t<reduced, reduced_axes_t<Uses>>, Layout>(
          assigned<T>(right.node, std::move(how)));
    }
  }
  template <class T>
  [[nodiscard]] handle<ir::stage> assigned(capture::node const& value, capture::reduction how) const {
    auto left = left_;
    if constexpr (is_complex_v<T>) left = with_parts<Layout>(std::move(left), range_of_parts());
    return capture::assign(text_, std::move(left), value, std::move(how), Layout::order, Layout::strides, updates_);
  }
  std::vector<axis_range> left_;
  handle<ir::tensor> updates_;
  std::string text_;
};

/// Replaces a left side after an error.
struct swallow_all {
  template <class X>
  invalid operator=(X const&) const {
    return {};
  }
};

template <class Twice, class... Axes>
constexpr bool left_is_good() {
  if constexpr (!none_v<Twice>) {
    static_assert(none_v<Twice>, TTUNE_SAY_TWICE_LEFT);
    return false;
  } else {
    return true;
  }
}

template <fixed_string... Names>
constexpr auto repeated_in(names<Names>...) {
  return repeated<Names...>();
}
constexpr auto repeated_in() { return names<>{}; }
template <class... Axes>
using twice_t = decltype(repeated_in(axes_of_t<Axes>{}...));

}  // namespace detail

/// The left side of a stage: `compute<"C">(i, j.in(20)) = …`, or `compute<"C", col_major>(i, j) = …`. Stages of the
/// same type, as in a loop, get a number after their name in the program: `compute<"C">.numbered(1)(i) = …`.
template <fixed_string Name, class Layout = row_major>
struct compute_maker {
  constexpr explicit compute_maker(std::int64_t number = 0) : number_(number) {}
  [[nodiscard]] constexpr compute_maker numbered(std::int64_t number) const { return compute_maker(number); }

  template <class... Axes>
  [[nodiscard]] auto operator()(Axes const&... axes) const {
    if constexpr (((detail::is_axis_v<Axes> || detail::is_bounded_v<Axes>) && ...)) {
      if constexpr (detail::left_is_good<detail::twice_t<Axes...>, Axes...>())
        return detail::pending_stage<Name, decltype(detail::unite_all(names<>{}, detail::axes_of_t<Axes>{}...)),
                                     Layout>({axes.range()...}, {}, text());
      else return detail::swallow_all{};
    } else {
      static_assert(((detail::is_axis_v<Axes> || detail::is_bounded_v<Axes>) && ...), TTUNE_SAY_SCATTER);
      return detail::swallow_all{};
    }
  }

 private:
  [[nodiscard]] std::string text() const {
    return number_ == 0 ? std::string(Name.text) : Name.text + ("_" + std::to_string(number_));
  }
  std::int64_t number_;
};
template <fixed_string Name, class Layout = row_major>
inline constexpr compute_maker<Name, Layout> compute{};

/// Update in place: `update(C)(i, j) = C(i, j) + …`. The operand is both input and output.
template <fixed_string Name, class T, int Rank, class Layout>
[[nodiscard]] auto update(tensor<Name, T, Rank, Layout, tensor_kind::inout> const& target) {
  return [handle = target.handle_of()](auto const&... axes) {
    return detail::pending_stage<
        Name, decltype(detail::unite_all(names<>{}, detail::axes_of_t<std::remove_cvref_t<decltype(axes)>>{}...)),
        Layout>({axes.range()...}, handle);
  };
}

}}  // namespace ttune::v0
