// SPDX-License-Identifier: Apache-2.0
// Tests an operator under many schedules: each must compute the same as a reference. A failure is reduced and reported
// with a line that repeats exactly that run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "ttune/expr/op.hpp"
#include "ttune/runtime/backend.hpp"
#include "ttune/schedule/space.hpp"
#include "ttune/support/error.hpp"
#include "ttune/testing/operand_view.hpp"

namespace ttune { inline namespace v0 { namespace testing {

/// Options of `check`.
struct check_options {
  int configurations = 20;            ///< the space's seed, then random ones, each once; all of a smaller space
  int inputs = 2;                     ///< contents of the operands that each configuration computes with
  std::uint64_t seed = 1;             ///< seed of configurations and contents
  ttune::backend* backend = nullptr;  ///< null: the lowered programs are interpreted, nothing is compiled
  /// Empty: the derived space.
  std::optional<ttune::space> space = {};
  double tolerance =
      1;  ///< factor on the rounding errors that are expected of floats (runtime/measure/trial_check.hpp)
  std::string replay = {};  ///< `report::replay`: runs only that configuration with that content
  /// Called with the replay line before each configuration runs, since a kernel that crashes ends this process.
  std::function<void(std::string const&)> before = {};
};

/// Result of a check; true if nothing differs. In doctest `CHECK(check(…))` prints it, elsewhere `std::cout <<
/// check(…)`.
struct [[nodiscard]] report {
  bool passed = true;
  int configurations = 0;  ///< number of configurations that ran
  int refused = 0;         ///< configurations that lowering refused; they count as neither right nor wrong
  std::string difference;  ///< as "C[3, 5] is 1.25, should be 2.5"
  configuration failing;   ///< the simplest configuration found that fails
  std::string replay;      ///< value for check_options::replay
  std::string text;        ///< the complete report, for people

  explicit operator bool() const noexcept { return passed; }
};

template <class Stream>
auto operator<<(Stream& out, report const& r) -> decltype(out << r.text) {
  return out << r.text;
}

/// Computes the outputs, which hold zeros, from the inputs: one pointer per operand, in the kernel's order, without the
/// strides. Operands that are updated in place hold their previous content.
using reference_function = std::function<void(std::span<void* const>)>;

/// Common implementation of all forms of `check`. Without a reference, the program is interpreted as written. Throws
/// schedule_error if the space cannot be applied, backend_error if the backend is not available, argument_error for a
/// replay line that does not match.
report check_program(handle<ir::program> const& program, reference_function const& reference,
                     check_options const& options);

namespace detail {

/// Returns the shapes of the operands, in the kernel's order.
[[nodiscard]] std::vector<std::vector<std::int64_t>> operand_shapes(handle<ir::program> const& program);

template <class Operand>
auto view_of(void* data, std::vector<std::int64_t> const& shape) {
  using T = typename Operand::element_type;
  constexpr bool turned = Operand::rank > 1 && ttune::detail::is_column_major_v<typename Operand::layout>;
  operand_view<std::conditional_t<Operand::written, T, T const>, Operand::rank, turned> made;
  made.data = static_cast<T*>(data);
  std::copy_n(shape.begin(), made.shape.size(), made.shape.begin());  // in the order of memory
  if (turned) std::reverse(made.shape.begin(), made.shape.end());
  return made;
}

template <class... Operands, class Reference>
reference_function untyped(op_type<Operands...> const& op, Reference const& reference) {
  return [shapes = operand_shapes(op.program()), reference](std::span<void* const> data) {
    std::size_t next = 0;
    auto const at = [&]<class Operand>(Operand*) {
      auto const i = next++;
      return view_of<Operand>(data[i], shapes[i]);
    };
    std::tuple views{at(static_cast<Operands*>(nullptr))...};
    std::apply([&](auto&... each) { reference(each...); }, views);
  };
}

}  // namespace detail

/// Checks an operator against the interpreter.
template <class... Operands>
report check(op_type<Operands...> const& op, check_options const& options = {}) {
  return check_program(op.program(), {}, options);
}

/// Checks an operator against `reference(inputs…, outputs…)`. Each argument is an operand_view, or a std::span or
/// ttune::view if the reference takes those. Outputs hold zeros when it is called. For Eigen see
/// <ttune/testing/eigen.hpp>.
template <class... Operands, class Reference>
  requires(!std::is_same_v<Reference, check_options>)
report check(op_type<Operands...> const& op, Reference const& reference, check_options const& options = {}) {
  return check_program(op.program(), detail::untyped(op, reference), options);
}

/// Checks an operator in a given space against a reference.
template <class... Operands, class Reference>
report check(op_type<Operands...> const& op, space const& of, check_options options, Reference const& reference) {
  options.space = of;
  return check_program(op.program(), detail::untyped(op, reference), options);
}

}}}  // namespace ttune::v0::testing

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/testing/check.inl.hpp"
#endif
