// SPDX-License-Identifier: Apache-2.0
// Entry header: a kernel for any number of rows. `tune_open` makes kernels of a few numbers of rows; each call composes
// its rows of them.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "ttune/capture/bind.hpp"
#include "ttune/open/independent_rows.hpp"
#include "ttune/open/open_extents.hpp"
#include "ttune/open/read_extents.hpp"
#include "ttune/open/row_plan.hpp"
#include "ttune/ttune.hpp"

namespace ttune { inline namespace v0 {

/// Which numbers of rows calls will have, and how many kernels may serve them.
struct row_options {
  /// Numbers of rows with their shares of the calls, in any unit. Empty: all that the dim allows, small ones as often
  /// as large ones (each octave has the same share).
  std::vector<std::pair<std::int64_t, double>> likely = {};
  std::size_t most_kernels = 6;  ///< each has its own copy of prepared constants
};

/// A kernel of an operator for any number of rows; `tune_open` makes it.
template <class Op>
class open_kernel;

/// A kernel of an operator with one run-time extent, along which rows do not depend on each other: a batch, the rows of
/// a matrix. It calls kernels of constant numbers of rows one after the other; the last one may compute some rows once
/// more, unless the operator updates operands in place. Thread-safe; copies share everything.
template <class... Operands>
class open_kernel<op_type<Operands...>> {
 public:
  open_kernel() = default;
  /// `calls` compute the rows of the blocks of `plan`. `tune_open` makes them.
  open_kernel(op_type<Operands...> const& op, detail::row_plan plan, std::vector<kernel_call> calls,
              std::vector<tuning_report> reports)
      : parts_(std::make_shared<parts const>(op, std::move(plan), std::move(calls), std::move(reports))) {}

  /// Calls the kernels for the rows that the arguments have. Throws argument_error, naming the operand, for shapes and
  /// memory that do not suit, and if the arguments do not tell the number of rows, as several spans may not.
  template <class... Arguments>
  void operator()(Arguments&&... arguments) const {
    auto const& [rows, pointers] = passed(std::index_sequence_for<Operands...>(), arguments...);
    parts_->plan.for_each_block(rows, [&](std::size_t block, std::int64_t first) {
      pointer_list at;
      for (std::size_t i = 0; i < at.size(); ++i)
        at[i] = static_cast<char*>(pointers[i]) + first * parts_->row_bytes[i];
      parts_->calls[block](at);
    });
  }
  /// Returns a kernel with the constants among these arguments laid out once, for each of its kernels.
  template <class... Arguments>
  [[nodiscard]] open_kernel prepare(Arguments&&... arguments) const {
    auto const pointers = passed(std::index_sequence_for<Operands...>(), arguments...).second;
    auto calls = parts_->calls;
    for (auto& c : calls) c = c.prepare(pointers);
    open_kernel made = *this;
    made.parts_ = std::make_shared<parts const>(*parts_, std::move(calls));
    return made;
  }
  /// Returns the numbers of rows for which there are kernels.
  [[nodiscard]] std::vector<std::int64_t> kernels() const {
    std::vector<std::int64_t> made;
    for (auto const& b : parts_->plan.blocks()) made.push_back(b.rows);
    return made;
  }
  /// Returns the reports of their tunings, in the same order.
  [[nodiscard]] std::vector<tuning_report> const& reports() const noexcept { return parts_->reports; }
  /// Returns the kernels that compute a number of rows, as "2 x 64 + 8".
  [[nodiscard]] std::string choice(std::int64_t rows) const { return parts_->plan.text(rows); }
  /// Returns the expected seconds of a call, by the times of the tuning.
  [[nodiscard]] double seconds(std::int64_t rows) const { return parts_->plan.seconds(rows); }

 private:
  using pointer_list = std::array<void*, sizeof...(Operands)>;

  struct parts {
    parts(op_type<Operands...> const& op, detail::row_plan how, std::vector<kernel_call> all,
          std::vector<tuning_report> tunings)
        : open(*op.program(), {std::string(Operands::name.text)...}),
          plan(std::move(how)),
          calls(std::move(all)),
          reports(std::move(tunings)) {
      auto const dim = detail::only_row_dim(*op.program());
      auto const has_rows = detail::operands_with_rows(*op.program(), dim);
      range = capture::range_of(*op.program(), dim);
      auto const& operands = calls.front().signature().operands;  // of one row
      for (std::size_t i = 0; i < operands.size(); ++i) row_bytes[i] = has_rows[i] ? operands[i].bytes() : 0;
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        sizes = {
            detail::size_of_operand<Operands>(operands[I], detail::is_column_major_v<typename Operands::layout>)...};
      }(std::index_sequence_for<Operands...>());
    }
    parts(parts const& other, std::vector<kernel_call> prepared) : parts(other) { calls = std::move(prepared); }

    detail::open_extents open;
    detail::row_plan plan;
    std::vector<kernel_call> calls;
    std::vector<tuning_report> reports;
    std::array<std::int64_t, sizeof...(Operands)> row_bytes{};  ///< 0: the operand has no rows
    std::tuple<detail::size_of_operand<Operands>...> sizes;     ///< of one row
    capture::dim_range range;
  };

  /// Returns the signature of a kernel of all rows.
  [[nodiscard]] kernel_signature signature_of_all(std::int64_t rows) const {
    auto made = parts_->calls.front().signature();
    for (std::size_t i = 0; i < made.operands.size(); ++i)
      if (parts_->row_bytes[i] != 0) made.operands[i].shape[0] = rows;
    return made;
  }

  /// Returns the number of rows of a call, and the addresses of its operands.
  template <class Each, class... Arguments>
  [[nodiscard]] std::pair<std::int64_t, pointer_list> passed(Each each, Arguments&... arguments) const {
    constexpr bool as_many = sizeof...(Arguments) == sizeof...(Operands);
    static_assert(as_many, "ttune: a kernel is called with another number of arguments than it has operands");
    if constexpr (as_many) return passed_as_many(each, arguments...);
    else return {};
  }
  template <std::size_t... I, class... Arguments>
  [[nodiscard]] std::pair<std::int64_t, pointer_list> passed_as_many(std::index_sequence<I...> each,
                                                                     Arguments&... arguments) const {
    auto const found = detail::read_extents<Operands...>(parts_->open, each, arguments...);
    auto const rows = found.values()[0];
    auto const& one_row = parts_->calls.front().signature();
    if (auto const [low, high] = parts_->range; rows < low || rows > high)
      throw argument_error("kernel " + one_row.name + " is called for " + std::to_string(rows) +
                           " rows; the dim was declared within [" + std::to_string(low) + ", " + std::to_string(high) +
                           "]");
    pointer_list made;
    try {
      ((made[I] = detail::pass_argument<Operands>(one_row, I, size_of<Operands, I>(rows), arguments)), ...);
      std::array<std::int64_t, sizeof...(Operands)> const bytes{size_of<Operands, I>(rows).bytes...};
      if (detail::looks_wrong<Operands...>(made, bytes, each)) detail::check_memory(signature_of_all(rows), made);
    } catch (argument_error const&) {  // The message has the extents of one row: this throws that of all rows.
      auto const all = signature_of_all(rows);
      ((made[I] = detail::pass_argument<Operands>(all, I, size_of<Operands, I>(rows), arguments)), ...);
      throw;
    }
    return {rows, made};
  }
  /// Returns the sizes of an operand in a call.
  template <class Operand, std::size_t I>
  [[nodiscard]] detail::size_of_operand<Operand> size_of(std::int64_t rows) const {
    auto made = std::get<I>(parts_->sizes);
    if constexpr (Operand::rank > 0)
      if (parts_->row_bytes[I] != 0) {
        made.elements *= rows;
        made.bytes *= rows;
        made.extents[detail::is_column_major_v<typename Operand::layout> ? Operand::rank - 1 : 0] = rows;
      }
    return made;
  }

  std::shared_ptr<parts const> parts_;
};

/// Tunes an operator with one run-time extent for any number of rows along it: measures untuned kernels of some numbers
/// of rows, chooses those that compose the likely numbers in the least time, and tunes these within one budget. The
/// measurements take some tenths of a second for each of at most 24 kernels, before the budget's time begins. Throws
/// argument_error for an operator without such an extent or with several, program_error if rows depend on each other,
/// and what `tuner::tune` throws.
///
///   ttune::dim const batch{"batch", 1, 512};
///   auto const answer = ttune::tune_open(tuner, layer(batch), {.likely = {{1, 0.6}, {32, 0.4}}}, {.time = 4s});
///   answer(x, w, y);  // any batch from 1 to 512
template <class... Operands>
[[nodiscard]] open_kernel<op_type<Operands...>> tune_open(tuner& by, op_type<Operands...> const& op,
                                                          row_options const& how = {},
                                                          tuning_budget const& budget = {}) {
  static_assert(!has_free_layouts<op_type<Operands...>>,
                "ttune: a kernel for any number of rows keeps the layouts of its operands: fix them by with_layout");
  static_assert(!(detail::is_strided_v<Operands> || ...),
                "ttune: a kernel for any number of rows takes operands without gaps");
  auto const dim = detail::only_row_dim(*op.program());
  auto const range = capture::range_of(*op.program(), dim);
  auto const uses = how.likely.empty() ? detail::even_uses(range.low, range.high) : how.likely;
  auto const of_rows = [&](std::int64_t rows) {
    return op_type<Operands...>(capture::bind_part(op.program(), dim, rows), op.error());
  };
  auto one_trial = budget;  // its deadline and its request to stop hold, too
  one_trial.calls.clear();
  if (budget.effort != effort_level::estimate) one_trial.effort = effort_level::none;
  one_trial.trials = std::min<std::int64_t>(budget.trials, 1);
  std::vector<detail::row_block> all;
  for (auto const rows : detail::row_candidates(range.high, uses))
    all.push_back({rows, by.tune(of_rows(rows), one_trial).report().seconds});
  constexpr bool repeats = !((Operands::kind == tensor_kind::inout) || ...);
  auto const chosen = detail::choose_blocks(detail::with_seconds(std::move(all)), uses, how.most_kernels, repeats);
  std::vector<op_type<Operands...>> ops;
  for (auto const& b : chosen) ops.push_back(of_rows(b.rows));
  auto const tuned_ones = by.tune_all(ops, budget);
  std::vector<detail::row_block> blocks;
  std::vector<kernel_call> calls;
  std::vector<tuning_report> reports;
  for (std::size_t b = 0; b < chosen.size(); ++b) {
    blocks.push_back({chosen[b].rows, tuned_ones[b].report().seconds});
    calls.push_back(tuned_ones[b].call());
    reports.push_back(tuned_ones[b].report());
  }
  return {op, detail::row_plan(detail::with_seconds(std::move(blocks)), repeats), std::move(calls), std::move(reports)};
}

}}  // namespace ttune::v0
