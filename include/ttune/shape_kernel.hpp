// SPDX-License-Identifier: Apache-2.0
// Entry header: a few kernels for many shapes. `tune_shapes` makes kernels whose loops end where the extents of a call
// do, and chooses among them by the extents.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "ttune/capture/bind.hpp"
#include "ttune/open/open_extents.hpp"
#include "ttune/open/read_extents.hpp"
#include "ttune/open/shape_choice.hpp"
#include "ttune/open/tune_shapes.hpp"
#include "ttune/runtime/call_extents.hpp"
#include "ttune/ttune.hpp"

namespace ttune { inline namespace v0 {

/// A kernel of an operator for any extents; `tune_shapes` makes it.
template <class Op>
class shape_kernel;

/// A kernel of an operator with run-time extents. Each call takes their values from its arguments, and a tree of
/// comparisons chooses one of a few kernels, whose loops end there. Thread-safe; copies share everything.
template <class... Operands>
class shape_kernel<op_type<Operands...>> {
 public:
  shape_kernel() = default;
  /// `tune_shapes` makes it.
  shape_kernel(op_type<Operands...> const& op, detail::tuned_shapes tuned)
      : parts_(std::make_shared<parts const>(op, std::move(tuned))) {}

  /// Calls the kernel for the extents that the arguments have. Throws argument_error, naming the operand, for shapes
  /// and memory that do not suit, for extents outside of the ranges of their dims, and if the arguments do not tell an
  /// extent, as several spans may not.
  template <class... Arguments>
  void operator()(Arguments&&... arguments) const {
    constexpr bool as_many = sizeof...(Arguments) == sizeof...(Operands);
    static_assert(as_many, "ttune: a kernel is called with another number of arguments than it has operands");
    if constexpr (as_many) call(std::index_sequence_for<Operands...>(), arguments...);
  }
  /// Returns the number of the kernel that computes a shape, as `choice` counts them.
  [[nodiscard]] std::size_t kernel_for(std::vector<bound_dim> const& extents) const {
    return parts_->tuned.tree.choose(parts_->open.in_order(extents));
  }
  /// Returns the choice of the kernel as an expression of C++: `M <= 64 ? 1 : 0`.
  [[nodiscard]] std::string choice() const { return parts_->tuned.tree.text(parts_->tuned.range.extents); }
  /// Returns the reports of the kernels, in the order of their numbers. Each was tuned at its largest extents.
  [[nodiscard]] std::vector<tuning_report> const& reports() const noexcept { return parts_->tuned.reports; }
  [[nodiscard]] std::size_t kernel_count() const noexcept { return parts_->tuned.kernels.size(); }

 private:
  static constexpr std::size_t operand_count = sizeof...(Operands);
  static constexpr std::size_t total_rank = (std::size_t{0} + ... + static_cast<std::size_t>(Operands::dimensions));
  /// Returns the number of the dimensions of all operands before one.
  static constexpr std::size_t dimensions_before(std::size_t operand) noexcept {
    std::size_t const ranks[] = {static_cast<std::size_t>(Operands::dimensions)...};
    std::size_t made = 0;
    for (std::size_t i = 0; i < operand; ++i) made += ranks[i];
    return made;
  }

  struct parts {
    parts(op_type<Operands...> const& op, detail::tuned_shapes all)
        : open(*op.program(), {std::string(Operands::name.text)...}), tuned(std::move(all)) {
      auto const& s = signature();
      std::size_t next = 0;
      for (std::size_t i = 0; i < s.operands.size(); ++i) {
        if (s.operands[i].direction == operand_direction::strides) strides_at = i;
        else if (s.operands[i].direction == operand_direction::extents) extents_at = i;
        else place[next++] = i;
      }
      for (std::size_t i = 0; i < operand_count; ++i) {
        auto const& o = s.operands[place[i]];
        has_strides[i] = o.strides != operand_strides::dense;
        for (std::size_t d = 0; d < o.shape.size(); ++d)
          dimensions[dimensions_before(i) + d] = {o.open.empty() ? -1 : o.open[d], o.shape[d]};
      }
    }
    [[nodiscard]] kernel_signature const& signature() const noexcept { return tuned.kernels.front().signature(); }

    detail::open_extents open;
    detail::tuned_shapes tuned;
    /// Dimensions of all operands, in the order of memory: the place among the extents of a call, or the extent.
    std::array<detail::open_extents::place, total_rank + 1> dimensions{};
    std::array<bool, operand_count> has_strides{};
    std::array<std::size_t, operand_count> place{};  ///< of each argument among the operands of the kernels
    std::size_t strides_at = 0;                      ///< 0: no operand has strides of its own; else their place
    std::size_t extents_at = 0;
  };

  /// The operands of a call. Its arrays are not filled with zeros first: that would take longer than all else here.
  struct passed_operands {
    std::array<void*, operand_count> data;
    std::array<std::int64_t, operand_count> bytes;
    std::array<std::int64_t, total_rank + 1> strides;
    std::size_t stride_count = 0;
  };

  template <std::size_t... I, class... Arguments>
  void call(std::index_sequence<I...> each, Arguments&... arguments) const {
    auto const& own = *parts_;
    auto found = detail::read_extents<Operands...>(own.open, each, arguments...);
    auto const values = found.values();
    if (!own.tuned.range.allows(values)) detail::refuse_extents(own.tuned.range, values);
    passed_operands made;
    (pass<Operands, I>(own, values, arguments, made), ...);
    std::array<void*, operand_count + 2> pointers;
    for (std::size_t i = 0; i < operand_count; ++i) pointers[own.place[i]] = made.data[i];
    auto const& kernel = own.tuned.kernels[own.tuned.tree.choose(values)];
    std::span<void* const> const all(pointers.data(), operand_count + (own.strides_at != 0 ? 2 : 1));
    if (detail::looks_wrong<Operands...>(made.data, made.bytes, each))
      detail::check_memory(at_extents(kernel.signature(), values), all);
    if (own.strides_at != 0) pointers[own.strides_at] = made.strides.data();
    pointers[own.extents_at] = found.data();
    kernel(all);
  }

  template <class Operand, std::size_t I, class X>
  static void pass(parts const& own, std::span<std::int64_t const> values, X& x, passed_operands& made) {
    constexpr auto rank = static_cast<std::size_t>(Operand::rank);
    detail::size_of_operand<Operand> size;
    std::array<std::int64_t, rank> memory;  // extents in the order of memory
    size.elements = 1;
    for (std::size_t d = 0; d < rank; ++d) {
      auto const& at = own.dimensions[dimensions_before(I) + d];
      memory[d] = at.number < 0 ? at.extent : values[static_cast<std::size_t>(at.number)];
      size.elements *= memory[d];
      size.extents[detail::is_column_major_v<typename Operand::layout> ? rank - 1 - d : d] = memory[d];
    }
    size.bytes = size.elements * static_cast<std::int64_t>(sizeof(typename Operand::element_type));
    made.bytes[I] = size.bytes;
    made.data[I] = detail::pass_argument<Operand>(own.signature(), own.place[I], size, x);
    if (!own.has_strides[I]) return;
    std::int64_t step = 1;
    if constexpr (Operand::dimensions != Operand::rank) made.strides[made.stride_count + rank] = std::exchange(step, 2);
    for (std::size_t d = rank; d-- > 0; step *= memory[d]) made.strides[made.stride_count + d] = step;
    made.stride_count += static_cast<std::size_t>(Operand::dimensions);
  }

  std::shared_ptr<parts const> parts_;
};

/// Tunes an operator with run-time extents for many shapes: makes kernels of the schedules of likely shapes within one
/// budget, times them, and chooses a few of them with a tree of comparisons, so that calls lose
/// little against the best kernel of each shape. Timing has three tenths of the budget's time. Throws
/// argument_error for an operator without run-time extents, program_error for one whose extents cannot stay open
/// (capture/keep_open.hpp), and what `tuner::tune` throws.
///
///   ttune::dim const m{"M", 1, 2048}, n{"N", 1, 2048};
///   auto const product = ttune::tune_shapes(tuner, matmul, {.likely = {{{{m, 64}, {n, 512}}, 1.0}}}, {.time = 10s});
///   product(a, b, c);  // any M and N from 1 to 2048
template <class... Operands>
[[nodiscard]] shape_kernel<op_type<Operands...>> tune_shapes(tuner& by, op_type<Operands...> const& op,
                                                             shape_options const& how = {},
                                                             tuning_budget const& budget = {}) {
  static_assert(!has_free_layouts<op_type<Operands...>>,
                "ttune: kernels for many shapes keep the layouts of their operands: fix them by with_layout");
  static_assert(!(detail::is_strided_v<Operands> || ...), "ttune: kernels for many shapes take operands without gaps");
  return {op, detail::tune_shapes(by, op.program(), how, budget)};
}

}}  // namespace ttune::v0
