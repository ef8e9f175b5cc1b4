// SPDX-License-Identifier: Apache-2.0
// Entry header: calls kernels. The compiler checks types, ranks and layouts; shapes and memory are checked at the call.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ttune/core/operand_layout.hpp"
#include "ttune/expr.hpp"
#include "ttune/runtime/argument.hpp"
#include "ttune/runtime/kernel_call.hpp"
#include "ttune/runtime/strided_call.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

// The next functions throw argument_error for a wrong argument. They are not inline, so that calls do not contain the
// code that builds the messages.
[[noreturn]] void refuse_elements(kernel_signature const& s, std::size_t operand, std::int64_t given,
                                  std::int64_t wanted);
[[noreturn]] void refuse_extent(kernel_signature const& s, std::size_t operand, int dimension, std::int64_t given,
                                std::int64_t wanted);
[[noreturn]] void refuse_gaps(kernel_signature const& s, std::size_t operand);
/// Checks that an operand with free layout has the plain one, which objects with a shape need.
void check_plain(kernel_signature const& s, std::size_t operand, std::vector<named_layout> const& layouts);
/// Throws for null or misaligned pointers, and for outputs that overlap other operands, as found by `looks_wrong`.
/// Operands that kernels add to a call are not looked at.
void check_memory(kernel_signature const& s, std::span<void* const> operands);

/// True if calls give strides of the operand.
template <class Operand>
inline constexpr bool is_strided_v =
    strides_of_rank(Operand::layout::strides, static_cast<std::size_t>(Operand::dimensions)) != operand_strides::dense;
/// True if an operand is a result only: in signatures, the strides come before these.
template <class Operand>
inline constexpr bool is_result_v = Operand::written && Operand::kind != tensor_kind::inout;

/// Sizes of an operand, computed once: a call has no time to multiply extents or to look them up in the signature. A
/// complex element counts as one; in signatures its two parts are the last dimension.
template <int Rank, bool IsComplex = false>
struct operand_size {
  std::int64_t elements = 0;
  std::int64_t bytes = 0;
  std::array<std::int64_t, Rank> extents{};  ///< in the order in which a passed object counts them

  operand_size() = default;
  operand_size(operand_info const& o, bool column_major)
      : elements(o.elements() / (IsComplex ? 2 : 1)), bytes(o.bytes()) {
    if (o.shape.size() != extents.size() + (IsComplex ? 1 : 0))
      return;  // not a plain layout: objects with a shape are refused
    for (std::size_t d = 0; d < extents.size(); ++d) extents[d] = o.shape[column_major ? extents.size() - 1 - d : d];
  }
};

template <class Operand>
using size_of_operand = operand_size<Operand::rank, is_complex_v<typename Operand::element_type>>;

/// Returns true if `check_memory` would throw; it is on the path of every call.
template <class... Operands, std::size_t... I>
[[nodiscard]] inline bool looks_wrong(std::array<void*, sizeof...(Operands)> const& operands,
                                      std::array<std::int64_t, sizeof...(Operands)> const& bytes,
                                      std::index_sequence<I...>) {
  auto const at = [&](std::size_t i) { return reinterpret_cast<std::uintptr_t>(operands[i]); };
  auto const end = [&](std::size_t i) { return at(i) + static_cast<std::uintptr_t>(bytes[i]); };
  bool wrong = false;
  ((wrong |= at(I) == 0 || at(I) % sizeof(part_of_t<typename Operands::element_type>) != 0), ...);
  auto const overlaps = [&](std::size_t written) {
    bool any = false;
    ((any |= I != written && at(written) < end(I) && at(I) < end(written)), ...);
    return any;
  };
  ((wrong |= Operands::written && overlaps(I)), ...);
  return wrong;
}

[[nodiscard]] inline operand_layout reversed_layout(int rank) {
  std::vector<int> order;
  for (int d = rank; d-- > 0;) order.push_back(d);
  return operand_layout(std::move(order));
}

/// Returns the stride of a dimension of an object, in the order of memory.
template <class Operand, class X>
[[nodiscard]] std::int64_t stride_in_memory(X const& x, std::array<std::int64_t, Operand::rank> const& extents, int d) {
  using traits = argument_traits<X>;
  auto const own = is_column_major_v<typename Operand::layout> ? Operand::rank - 1 - d : d;
  if constexpr (traits::rank >= 0 && requires { traits::stride(x, own); }) {
    return traits::stride(x, own);
  } else {  // without gaps
    std::int64_t dense = 1;
    bool const turned = traits::rank >= 0 && traits::column_major;
    for (int inner = turned ? own - 1 : own + 1; inner >= 0 && inner < Operand::rank; inner += turned ? -1 : 1)
      dense *= extents[static_cast<std::size_t>(inner)];
    return dense;
  }
}

template <class Operand, class X>
void* pass_known(kernel_signature const& s, std::size_t index, size_of_operand<Operand> const& size, X& x) {
  using traits = argument_traits<std::remove_cvref_t<X>>;
  using element_type = std::remove_const_t<typename traits::element>;
  static_assert(dtype_of<element_type>() == dtype_of<typename Operand::element_type>() &&
                    is_complex_v<element_type> == is_complex_v<typename Operand::element_type>,
                "ttune: an argument has another element type than the operand");
  static_assert(traits::rank < 0 || traits::rank == Operand::rank,
                "ttune: an argument has another number of dimensions than the operand");
  constexpr bool wants_column_major = is_column_major_v<typename Operand::layout>;
  constexpr bool any_order = std::is_same_v<typename Operand::layout, any_strides>;
  static_assert(Operand::rank < 2 || traits::rank < 0 || wants_column_major || any_order || !traits::column_major,
                "ttune: the operand is row-major, this object is column-major: declare the operand with col_major or "
                "pass a RowMajor object");
  static_assert(Operand::rank < 2 || traits::rank < 0 || !wants_column_major || traits::column_major,
                "ttune: the operand is col_major, this object is row-major: declare the operand with row_major or pass "
                "a ColMajor object");
  auto* const data = traits::data(x);
  if constexpr (Operand::written)
    static_assert(!std::is_const_v<std::remove_pointer_t<decltype(data)>>,
                  "ttune: an output is passed an object that cannot be written");
  if constexpr (traits::rank < 0) {
    if (traits::elements(x) != size.elements) refuse_elements(s, index, traits::elements(x), size.elements);
  } else {
    for (int d = 0; d < traits::rank; ++d) {
      auto const wanted = size.extents[static_cast<std::size_t>(d)];
      if (traits::extent(x, d) != wanted) refuse_extent(s, index, d, traits::extent(x, d), wanted);
    }
    if constexpr (!is_strided_v<Operand> && requires { traits::contiguous(x); })
      if (!traits::contiguous(x)) refuse_gaps(s, index);
  }
  return const_cast<void*>(static_cast<void const*>(data));
}

/// Passes one argument. For an unknown type it reports a single error, not all that follow from it.
template <class Operand, class X>
void* pass_argument([[maybe_unused]] kernel_signature const& s, [[maybe_unused]] std::size_t index,
                    [[maybe_unused]] size_of_operand<Operand> const& size, [[maybe_unused]] X& x) {
  constexpr bool known = argument_traits<std::remove_cvref_t<X>>::known;
  static_assert(
      known, "ttune: this type cannot be passed to a kernel: pass a view, a std::span, or include <ttune/eigen.hpp>");
  if constexpr (known) return pass_known<Operand>(s, index, size, x);
  else return nullptr;
}

template <fixed_string Name, class X, std::size_t... D>
[[nodiscard]] auto tensor_like(X const& x, std::index_sequence<D...>) {
  using traits = argument_traits<X>;
  using like = tensor<Name, std::remove_const_t<typename traits::element>, static_cast<int>(sizeof...(D)),
                      std::conditional_t<traits::column_major, col_major, row_major>>;
  if constexpr (traits::rank < 0) return like{{extent_value(traits::elements(x))}};
  else if constexpr (traits::rank == 0) return like{};
  else return like{{extent_value(traits::extent(x, static_cast<int>(D)))...}};
}

}  // namespace detail

/// Declares an operand with the element type, rank, layout and shape of an argument object: `tensor_like<"A">(a)`.
/// Spans and vectors have rank 1.
template <fixed_string Name, class X>
  requires(argument_traits<X>::known)
[[nodiscard]] auto tensor_like(X const& x) {
  constexpr auto rank = argument_traits<X>::rank;
  return detail::tensor_like<Name>(x, std::make_index_sequence<static_cast<std::size_t>(rank < 0 ? 1 : rank)>{});
}

/// A callable kernel for operands of these types, inputs first. Thread-safe.
template <class... Operands>
class kernel {
 public:
  kernel() = default;
  /// `layouts`: layouts of operands with free layout; operands that are not listed are plain.
  explicit kernel(kernel_call call, std::vector<named_layout> layouts = {})
      : call_(std::move(call)), layouts_(std::make_shared<std::vector<named_layout> const>(std::move(layouts))) {
    if (!call_) return;
    auto const* next = call_.signature().operands.data();
    auto const size_of = [&]<class Operand>(std::type_identity<Operand>) {
      if (next->direction == operand_direction::strides) ++next;
      return detail::size_of_operand<Operand>(*next++, detail::is_column_major_v<typename Operand::layout>);
    };
    sizes_ = {size_of(std::type_identity<Operands>())...};
  }

  /// Calls the kernel. Throws argument_error, naming the operand, for unsuitable shapes or memory.
  template <class... Arguments>
  void operator()(Arguments&&... arguments) const {
    if constexpr (stride_count == 0) {
      call_(pointers(std::index_sequence_for<Operands...>(), arguments...));
    } else {
      strided_arguments made;
      pass_strided(made, std::index_sequence_for<Operands...>(), arguments...);
      call_(made.pointers);
    }
  }
  /// Returns a kernel with the constants among these arguments laid out once; outputs may be any objects of the right
  /// type.
  template <class... Arguments>
  [[nodiscard]] kernel prepare(Arguments&&... arguments) const {
    if constexpr (stride_count == 0) {
      return kernel(call_.prepare(pointers(std::index_sequence_for<Operands...>(), arguments...)), layouts());
    } else {
      strided_arguments made;
      pass_strided(made, std::index_sequence_for<Operands...>(), arguments...);
      return kernel(call_.prepare(made.pointers), layouts());
    }
  }
  /// Returns the layout of an operand: `layout_of<"I">()`. The kernel chooses it for free operands. The argument for
  /// such an operand is a span; if the layout is plain, any other object.
  template <fixed_string Name>
  [[nodiscard]] operand_layout layout_of() const {
    constexpr auto index = index_of<Name>();
    if constexpr (index >= 0) {
      using operand_type = std::tuple_element_t<static_cast<std::size_t>(index), std::tuple<Operands...>>;
      constexpr int rank = operand_type::rank;
      if constexpr (detail::is_free_v<operand_type>) {
        auto const* const found = find_layout(layouts(), Name.text);
        return found ? *found : operand_layout(rank);
      } else if constexpr (detail::is_column_major_v<typename operand_type::layout>) {
        return detail::reversed_layout(rank);
      } else {
        return operand_layout(rank);
      }
    } else {
      return {};
    }
  }
  /// Copies an operand from the plain order to that of the kernel. Both arguments are contiguous objects of its
  /// elements: views, spans, vectors. Throws argument_error for a wrong number of elements.
  template <fixed_string Name, class Plain, class Packed>
  void pack(Plain const& plain, Packed&& packed) const {
    auto const [layout, shape, bytes] = placed<Name>();
    pack_elements(layout, shape, bytes, elements_of<Name>(plain), elements_of<Name>(packed));
  }
  /// Copies an operand back to the plain order: `kernel.unpack<"O">(packed, plain)`.
  template <fixed_string Name, class Packed, class Plain>
  void unpack(Packed const& packed, Plain&& plain) const {
    auto const [layout, shape, bytes] = placed<Name>();
    unpack_elements(layout, shape, bytes, elements_of<Name>(packed), elements_of<Name>(plain));
  }
  [[nodiscard]] std::size_t workspace_bytes() const noexcept { return call_.workspace_bytes(); }
  [[nodiscard]] kernel_call const& call() const noexcept { return call_; }

 private:
  [[nodiscard]] std::vector<named_layout> const& layouts() const noexcept {
    static std::vector<named_layout> const none;
    return layouts_ ? *layouts_ : none;
  }
  template <fixed_string Name>
  [[nodiscard]] static constexpr int index_of() {
    int index = -1, at = 0;
    ((Operands::name == Name ? index = at : 0, ++at), ...);
    constexpr bool is_operand = ((Operands::name == Name) || ...);
    static_assert(is_operand, "ttune: the kernel has no operand of this name");
    return index;
  }
  struct placement {
    operand_layout layout;
    std::vector<std::int64_t> shape;  ///< as declared
    std::int64_t element_bytes;
  };
  template <fixed_string Name>
  [[nodiscard]] placement placed() const {
    auto const& o = call_.signature().operands[place_of(static_cast<std::size_t>(index_of<Name>()))];
    auto const how = layout_of<Name>();
    return {how, how.declared(o.shape), static_cast<std::int64_t>(size_in_bytes(o.type))};
  }
  template <fixed_string Name, class X>
  [[nodiscard]] auto* elements_of(X& x) const {
    using traits = argument_traits<std::remove_cvref_t<X>>;
    constexpr auto index = static_cast<std::size_t>(index_of<Name>());
    using operand_type = std::tuple_element_t<index, std::tuple<Operands...>>;
    static_assert(
        traits::known &&
            std::is_same_v<std::remove_const_t<typename traits::element>, typename operand_type::element_type>,
        "ttune: what is packed or unpacked is a view, a std::span or a vector of the operand's elements");
    static_assert(traits::rank < 2 || !traits::column_major,
                  "ttune: what is packed or unpacked is row-major: pass a RowMajor object");
    std::int64_t elements = 1;
    if constexpr (traits::rank < 0) elements = traits::elements(x);
    else
      for (int d = 0; d < traits::rank; ++d) elements *= traits::extent(x, d);
    auto const wanted = std::get<index>(sizes_).elements;
    if (elements != wanted) detail::refuse_elements(call_.signature(), index, elements, wanted);
    if constexpr (requires { traits::contiguous(x); })
      if (!traits::contiguous(x)) detail::refuse_gaps(call_.signature(), index);
    return traits::data(x);
  }
  template <class Operand, class X>
  void check_layout([[maybe_unused]] std::size_t operand, X&) const {
    using traits = argument_traits<std::remove_cvref_t<X>>;
    if constexpr (detail::is_free_v<Operand> && requires { requires traits::rank > 0; })
      detail::check_plain(call_.signature(), operand, layouts());
  }

  template <std::size_t... I, class... Arguments>
  [[nodiscard]] std::array<void*, sizeof...(Operands)> pointers(std::index_sequence<I...> each,
                                                                Arguments&... arguments) const {
    constexpr bool as_many = sizeof...(Arguments) == sizeof...(Operands);
    static_assert(as_many, "ttune: a kernel is called with another number of arguments than it has operands");
    std::array<void*, sizeof...(Operands)> made;  // here, filled one by one: a copy would wait for the stores
    if constexpr (as_many) {
      auto const& s = call_.signature();
      (check_layout<Operands>(I, arguments), ...);
      ((made[I] = detail::pass_argument<Operands>(s, I, std::get<I>(sizes_), arguments)), ...);
      if (detail::looks_wrong<Operands...>(made, {std::get<I>(sizes_).bytes...}, each)) detail::check_memory(s, made);
    }
    return made;
  }

  static constexpr std::size_t stride_count =
      (std::size_t{0} + ... + (detail::is_strided_v<Operands> ? static_cast<std::size_t>(Operands::dimensions) : 0));
  static constexpr std::size_t input_count = (std::size_t{0} + ... + (detail::is_result_v<Operands> ? 0 : 1));
  /// Returns the place of an operand in the signature, where the strides of all follow the inputs.
  [[nodiscard]] static constexpr std::size_t place_of(std::size_t operand) noexcept {
    return operand + (stride_count != 0 && operand >= input_count ? 1 : 0);
  }
  struct strided_arguments {
    std::array<void*, sizeof...(Operands) + 1> pointers;
    std::array<std::int64_t, stride_count> strides;
  };
  template <std::size_t... I, class... Arguments>
  void pass_strided(strided_arguments& made, std::index_sequence<I...>, Arguments&... arguments) const {
    constexpr bool as_many = sizeof...(Arguments) == sizeof...(Operands);
    static_assert(as_many, "ttune: a kernel is called with another number of arguments than it has operands");
    if constexpr (as_many) {
      auto const& s = call_.signature();
      ((made.pointers[place_of(I)] = detail::pass_argument<Operands>(s, place_of(I), std::get<I>(sizes_), arguments)),
       ...);
      made.pointers[input_count] = made.strides.data();
      auto* next = made.strides.data();
      (pass_strides<Operands>(next, std::get<I>(sizes_), arguments), ...);
      detail::check_strided_memory(s, made.pointers, made.strides);
    }
  }
  template <class Operand, class X>
  static void pass_strides(std::int64_t*& next, detail::size_of_operand<Operand> const& size, X const& x) {
    if constexpr (detail::is_strided_v<Operand> && argument_traits<X>::known) {
      constexpr std::int64_t parts = is_complex_v<typename Operand::element_type> ? 2 : 1;
      for (int d = 0; d < Operand::rank; ++d) *next++ = parts * detail::stride_in_memory<Operand>(x, size.extents, d);
      if constexpr (parts == 2) *next++ = 1;
    }
  }

  kernel_call call_;
  std::tuple<detail::size_of_operand<Operands>...> sizes_;
  std::shared_ptr<std::vector<named_layout> const> layouts_;
};

/// The kernel type of an operator.
template <class Op>
struct kernel_of;
template <class... Operands>
struct kernel_of<op_type<Operands...>> {
  using type = kernel<Operands...>;
};
template <class Op>
using kernel_of_t = typename kernel_of<std::remove_cvref_t<Op>>::type;

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/kernel.inl.hpp"
#endif
