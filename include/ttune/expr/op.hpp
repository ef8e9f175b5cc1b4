// SPDX-License-Identifier: Apache-2.0
// Operators: the operands and their order. Kernels take operands of these types.
#pragma once

#include "ttune/expr/boundary.hpp"
#include "ttune/expr/numerics.hpp"

namespace ttune { inline namespace v0 {

/// One argument of a kernel, as a type.
template <fixed_string Name, class T, int Rank, class Layout, tensor_kind Kind, bool Written>
struct operand {
  using element_type = T;
  using layout = Layout;
  static constexpr auto name = Name;
  static constexpr int rank = Rank;
  static constexpr int dimensions = detail::dimensions_in_program<T>(Rank);  ///< in programs and signatures
  static constexpr tensor_kind kind = Kind;
  static constexpr bool written = Written;
};

/// The inputs of an operator, in the order of its arguments; `inputs(...)` makes it.
template <class... Operands>
struct input_list {
  std::vector<handle<ir::tensor>> handles;
};
/// The outputs of an operator, in the order of its arguments, behind the inputs; `outputs(...)` makes it.
template <class... Operands>
struct output_list {
  std::vector<handle<ir::stage>> handles;
};

namespace detail {

template <fixed_string Name, class T, int Rank, class Layout, tensor_kind Kind>
operand<Name, T, Rank, Layout, Kind, Kind == tensor_kind::inout> as_operand(tensor<Name, T, Rank, Layout, Kind> const&);
template <fixed_string Name, class T, class Axes, class Reduced, class Layout>
operand<Name, T, stage<Name, T, Axes>::rank, Layout, tensor_kind::input, true> as_operand(
    stage<Name, T, Axes, Reduced, Layout> const&);
template <class X>
using operand_of = decltype(as_operand(std::declval<X const&>()));

template <class... Operands>
constexpr auto repeated_operands(type_list<Operands...>) {
  return repeated<Operands::name...>();
}

/// Inputs and outputs. An operand that is updated in place is listed once, as that operand.
template <class... All>
constexpr auto operands_of(type_list<All...> all) {
  return all;
}
template <class... All, class Out, class... Rest>
constexpr auto operands_of(type_list<All...> all, Out*, Rest*... rest) {
  if constexpr (((All::name == Out::name && All::kind == tensor_kind::inout) || ...)) return operands_of(all, rest...);
  else return operands_of(type_list<All..., Out>{}, rest...);
}
template <class Operands>
struct op_of;

/// True if the kernel chooses the layout of an operand.
template <class Operand>
inline constexpr bool is_free_v = std::is_same_v<typename Operand::layout, layout::any>;

template <fixed_string Name>
struct layout_of_operand {};
template <fixed_string Name, class... Operands>
using not_free =
    std::conditional_t<((Operands::name == Name && is_free_v<Operands>) || ...), void, layout_of_operand<Name>>;

template <class Operand>
struct freed {
  using type = Operand;
};
template <fixed_string Name, class T, int Rank, bool Written>
struct freed<operand<Name, T, Rank, row_major, tensor_kind::input, Written>> {
  using type = operand<Name, T, Rank, layout::any, tensor_kind::input, Written>;
};

/// The type of an operand that becomes strided if it is among `Names`, or if there are none.
template <class Operand, fixed_string... Names>
struct apart {
  using type = Operand;
};
template <fixed_string Name, class T, int Rank, class Layout, tensor_kind Kind, bool Written, fixed_string... Names>
  requires(std::is_same_v<Layout, row_major> || std::is_same_v<Layout, col_major>)
struct apart<operand<Name, T, Rank, Layout, Kind, Written>, Names...> {
  static constexpr bool is_meant = sizeof...(Names) == 0 || ((Names == Name) || ...);
  using type = operand<Name, T, Rank, std::conditional_t<is_meant, strided<Layout>, Layout>, Kind, Written>;
};
template <fixed_string Name, class... Operands>
using no_operand = std::conditional_t<((Operands::name == Name) || ...), void, layout_of_operand<Name>>;

}  // namespace detail

template <class... Tensors>
[[nodiscard]] auto inputs(Tensors const&... tensors) {
  if constexpr ((detail::is_invalid_v<Tensors> || ...)) return invalid{};
  else return input_list<detail::operand_of<Tensors>...>{{tensors.handle_of()...}};
}
template <class... Stages>
[[nodiscard]] auto outputs(Stages const&... stages) {
  if constexpr ((detail::is_invalid_v<Stages> || ...)) return invalid{};
  else return output_list<detail::operand_of<Stages>...>{{stages.handle_of()...}};
}

/// An operator: the program and the types of its operands, inputs first.
template <class... Operands>
class op_type {
 public:
  explicit op_type(handle<ir::program> program) : program_(std::move(program)) {}
  op_type(handle<ir::program> program, double error) : program_(std::move(program)), error_(error) {}
  [[nodiscard]] handle<ir::program> const& program() const noexcept { return program_; }
  /// Returns the operator with its run-time extents bound to constants: `op.at({{b, 64}})`. Kernels are made for
  /// constants only. Throws program_error for a dim that the operator does not have, or a value outside of its range.
  [[nodiscard]] op_type at(std::vector<bound_dim> const& values) const {
    op_type made(capture::bind(program_, values));
    made.error_ = error_;
    made.layouts_ = layouts_;
    return made;
  }
  /// Returns the operator with the terms of its sums added in a fixed order: every schedule, number of threads and
  /// vector width gives the same bits, on processors that fuse multiply and add. Terms are added one after the other,
  /// in the order of the axes as written; along contiguous rows of 32 terms or more, whose length is constant, in 16 or
  /// 64 lanes (capture/ordered_rows.hpp).
  [[nodiscard]] op_type in_order() const {
    op_type made(capture::in_order(program_));
    made.error_ = error_;
    return made;
  }
  /// Returns the operator, declared to round in another way than a sum of its terms: `factor` is the expected root mean
  /// square error divided by that of the direct sum (numerics). Throws argument_error unless it is positive.
  [[nodiscard]] op_type with_error(double factor) const {
    op_type made = *this;
    made.error_ = numerics::error_within(factor).limit();
    return made;
  }
  /// Returns the operator with free layouts for row-major inputs and results, except constants and updated operands.
  [[nodiscard]] auto with_free_layouts() const {
    static_assert(!(is_complex_v<typename Operands::element_type> || ...), TTUNE_SAY_COMPLEX_FREE);
    using free = typename detail::op_of<detail::type_list<typename detail::freed<Operands>::type...>>::type;
    return free(capture::with_free_operands(program_), error_);
  }
  /// Returns the operator with operands that are parts of larger tensors: `op.with_strides<"A", "C">()`, or all
  /// operands by `op.with_strides()`. They become `strided`, in their order of memory.
  template <fixed_string... Names>
  [[nodiscard]] auto with_strides() const {
    static_assert((detail::none_v<detail::no_operand<Names, Operands...>> && ...), TTUNE_SAY_NO_OPERAND);
    using apart = typename detail::op_of<detail::type_list<typename detail::apart<Operands, Names...>::type...>>::type;
    return apart(capture::with_strides(program_, {Names.text...}), error_);
  }
  /// Returns the operator with a fixed layout of a free operand, for example one that another kernel returns:
  /// `second.with_layout<"I">(first.layout_of<"O">())`. Throws program_error if the operand cannot have this layout.
  template <fixed_string Name>
  [[nodiscard]] op_type with_layout(operand_layout const& how) const {
    static_assert(detail::none_v<detail::not_free<Name, Operands...>>, TTUNE_SAY_NOT_FREE);
    op_type made = *this;
    made.program_ = capture::arrange(program_, {{Name.text, how}});
    made.layouts_.push_back({Name.text, how});
    return made;
  }
  /// Returns the layouts that are fixed.
  [[nodiscard]] std::vector<named_layout> const& layouts() const noexcept { return layouts_; }
  /// Returns the error factor; 0 if the operator rounds as a sum in some order does.
  [[nodiscard]] double error() const noexcept { return error_; }
  /// Returns a text such as `C(A f32 (512, 256), B f32 (256, 1024)) -> C f32 (512, 1024)`.
  [[nodiscard]] std::string text() const { return capture::signature_text(program_); }

 private:
  handle<ir::program> program_;
  double error_ = 0;
  std::vector<named_layout> layouts_;
};

template <class... Operands>
struct detail::op_of<detail::type_list<Operands...>> {
  using type = op_type<Operands...>;
};

/// True if the kernel of an operator chooses the layout of one of its operands.
template <class Op>
inline constexpr bool has_free_layouts = false;
template <class Op>
inline constexpr bool has_free_layouts<Op const> = has_free_layouts<Op>;
template <class... Operands>
inline constexpr bool has_free_layouts<op_type<Operands...>> = (detail::is_free_v<Operands> || ...);

/// Makes an operator: `op(inputs(A, B), outputs(C))`. It is named after its first output, or as given.
template <class... In, class... Out>
[[nodiscard]] auto op(input_list<In...> const& in, output_list<Out...> const& out, std::string name = {}) {
  using operands = decltype(detail::operands_of(detail::type_list<In...>{}, static_cast<Out*>(nullptr)...));
  using twice = decltype(detail::repeated_operands(operands{}));
  static_assert(detail::none_v<twice>, TTUNE_SAY_DUPLICATE_OPERAND);
  return typename detail::op_of<operands>::type(capture::program(std::move(name), in.handles, out.handles));
}

template <class In, class Out>
  requires(detail::is_invalid_v<In> || detail::is_invalid_v<Out>)
[[nodiscard]] invalid op(In const&, Out const&, std::string const& = {}) {
  return {};
}

/// Equivalent computes of one operator; the first one is the oracle of the others. A tuner divides its trials among the
/// computes that the user's numerics allow.
template <class Op>
class alternatives_type {
 public:
  explicit alternatives_type(std::vector<Op> all) : all_(std::move(all)) {}
  [[nodiscard]] std::vector<Op> const& all() const& noexcept { return all_; }
  [[nodiscard]] std::vector<Op> all() && { return std::move(all_); }
  /// Returns all computes with free layouts, as for one operator.
  [[nodiscard]] auto with_free_layouts() const {
    std::vector<decltype(all_.front().with_free_layouts())> made;
    for (auto const& op : all_) made.push_back(op.with_free_layouts());
    return alternatives_type<typename decltype(made)::value_type>(std::move(made));
  }
  template <fixed_string Name>
  [[nodiscard]] alternatives_type with_layout(operand_layout const& how) const {
    auto made = all_;
    for (auto& op : made) op = op.template with_layout<Name>(how);
    return alternatives_type(std::move(made));
  }

 private:
  std::vector<Op> all_;
};
template <class First, class... Rest>
[[nodiscard]] auto alternatives(First const& first, Rest const&... rest) {
  if constexpr (!(std::is_same_v<First, Rest> && ...)) {
    static_assert((std::is_same_v<First, Rest> && ...), TTUNE_SAY_SAME_OPERANDS);
    return invalid{};
  } else {
    return alternatives_type<First>({first, rest...});
  }
}

}}  // namespace ttune::v0
