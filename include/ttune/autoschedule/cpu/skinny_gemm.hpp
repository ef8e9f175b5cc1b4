// SPDX-License-Identifier: Apache-2.0
// The schedule of a reduction with few rows over a large operand: products with a thin matrix. Each element of the
// operand is used a few times only, so memory limits the speed: it is read in the order of its addresses.
//
//   parallel j_0                       a range of columns each
//     acc[rows, columns] = 0           in the first-level cache
//     for k_run                        some rows of the operand
//       for j_1                        tiles of vectors
//         registers runs[rows, tile] = 0
//         for k: unroll rows, vectorize tile: runs += …
//         acc += runs
//     store the rows, with what is fused behind the reduction
//
// A tile that stays in registers over the whole reduction, as in contraction.hpp, jumps between the operand's rows.
// Each is on another page, where prefetchers stop (1 x 4096 x 1024 from memory: 9 to 15 GB/s; rows in order: 18 to 30).
#pragma once

#include <optional>

#include "ttune/autoschedule/analysis.hpp"
#include "ttune/autoschedule/dot_pattern.hpp"
#include "ttune/ir/tuple.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

/// Below this number of rows only the operand matters.
inline constexpr std::int64_t few_rows = 4;

/// The axes of a stage along which its reduction streams an operand.
struct stream_choice {
  std::size_t columns;  ///< free axis, contiguous in the operand
  std::size_t reduced;
  std::string operand;
  std::int64_t rows;  ///< number of results that use an element of the operand, one for each component
  std::int64_t runs;  ///< number of runs into which the reduced axis is divided
};

/// Returns nothing if no operand is worth it. It must be larger than all second-level caches, in rows of at least a
/// page, and a few rows at most may use each element.
[[nodiscard]] inline std::optional<stream_choice> choose_stream(plan const& p, stage_plan const& st,
                                                                target const& machine) {
  constexpr std::int64_t most_rows = 12;
  constexpr std::int64_t page = 4096;
  auto const& made = *st.definition;
  if (made.predicate || !ir::reorders_apart(made.reduction)) return std::nullopt;
  auto const v = choose_vector_axis(p, st, machine.lanes(made.type())).axis;
  if (v < 0 || find_dot_terms(machine, p, st, static_cast<std::size_t>(v))) return std::nullopt;
  auto const columns = static_cast<std::size_t>(v);
  auto const sums = static_cast<std::int64_t>(made.components.size());
  auto rows = sums;
  for (std::size_t x = 0; x < made.axes.size(); ++x)
    if (x != columns) rows *= st.axis_size(x);
  std::optional<std::size_t> reduced;
  for (auto x = made.axes.size(); x < st.axis_count(); ++x)
    if (st.axis_size(x) > 1) {
      if (reduced) return std::nullopt;
      reduced = x;
    }
  if (!reduced || rows > most_rows) return std::nullopt;
  auto const bytes_each = static_cast<std::int64_t>(size_in_bytes(made.type()));
  auto const bytes = st.axis_size(columns) * st.axis_size(*reduced) * bytes_each;
  bool const is_large = bytes > machine.l2_bytes * machine.cores;
  auto const operand_read = std::find_if(st.accesses.begin(), st.accesses.end(), [&](access_plan const& a) {
    return !a.write && a.operand >= 0 && !is_constant_operand(p, a) && stride(p, st, a, columns) == 1 &&
           stride(p, st, a, *reduced) * bytes_each >= (sums > 1 ? page / 2 : page);
  });
  if (!is_large || operand_read == st.accesses.end()) return std::nullopt;
  // Longer runs save loads and stores of the accumulators, which matters more if there are more of them.
  auto const length = rows < few_rows ? 8 : 32;
  auto const& operand = p.program->inputs[static_cast<std::size_t>(operand_read->operand)]->name;
  return stream_choice{columns, *reduced, operand, rows, runs_of(st.axis_size(*reduced), length)};
}

class skinny_gemm {
 public:
  /// `reader` stores what `reduction` accumulates; both have the same free axes.
  skinny_gemm(space_builder& out, stage_plan const& reduction, std::string reader_name, std::string reduction_name,
              stage_plan const& reader, stream_choice choice)
      : out_(out),
        r_(reduction),
        e_(reader),
        reader_(std::move(reader_name)),
        acc_(std::move(reduction_name)),
        runs_(acc_ + ".runs"),
        choice_(std::move(choice)) {}

  void write() {
    choose_tile();
    split_reader();
    place_accumulators();
    place_runs();
  }

 private:
  [[nodiscard]] std::string const& name(std::size_t axis) const { return r_.axis_name(axis); }
  [[nodiscard]] std::int64_t columns() const { return r_.axis_size(choice_.columns); }
  [[nodiscard]] std::string run_axis() const { return name(choice_.reduced) + "_run"; }

  /// Returns the free axes of a stage with the given loops instead of the column axis, at the end.
  template <class Stage>
  [[nodiscard]] std::vector<std::string> with_columns_last(Stage const& st, std::vector<std::string> columns) const {
    std::vector<std::string> order;
    for (std::size_t x = 0; x < r_.definition->axes.size(); ++x)
      if (x != choice_.columns) order.push_back(st.axis_name(x));
    order.insert(order.end(), columns.begin(), columns.end());
    return order;
  }

  void choose_tile() {
    auto const& machine = out_.machine();
    auto const lanes = machine.lanes(r_.definition->type());
    std::vector<std::int32_t> tiles;
    for (std::int32_t vectors = 1; vectors <= 4; ++vectors)
      if (vectors * (choice_.rows + 1) + 1 <= machine.vector_registers) tiles.push_back(vectors * lanes);
    auto const wanted = std::clamp<std::int64_t>(16 / choice_.rows, 1, 4);
    tile_ = out_.one_of(reader_ + ".tile_" + e_.axis_name(choice_.columns), tiles, wanted * lanes);
    seed_tile_ = std::min<std::int64_t>(wanted * lanes, tiles.back());
  }

  /// Splits the reader into tasks with as many columns as have accumulators in the first-level cache.
  void split_reader() {
    auto const& machine = out_.machine();
    auto const& n = e_.axis_name(choice_.columns);
    auto const each = static_cast<std::int64_t>(size_in_bytes(r_.definition->type())) * choice_.rows * seed_tile_;
    auto const share = ceil_divide(ceil_divide(columns(), seed_tile_), std::int64_t{machine.cores});
    auto const chunk = out_.one_of(reader_ + ".chunk_" + n, doublings(ceil_divide(columns(), seed_tile_)),
                                   std::min(share, std::max<std::int64_t>(1, machine.l1_bytes / each)));
    out_.step(primitive::split, reader_, {n}, {n + "_0", n + "_1", n + "_2"}, {chunk, tile_});
    auto order = with_columns_last(e_, {n + "_1", n + "_2"});
    order.insert(order.begin(), n + "_0");
    out_.step(primitive::reorder, reader_, order);
    out_.step(primitive::parallel, reader_, {n + "_0"});
    out_.step(primitive::vectorize, reader_, {n + "_2"});
  }

  void place_accumulators() {
    auto const& n = name(choice_.columns);
    out_.step(primitive::rfactor, acc_, {name(choice_.reduced)}, {runs_, run_axis()}, {literal(-choice_.runs)});
    out_.step(primitive::compute_at, acc_, {reader_, e_.axis_name(choice_.columns) + "_0"});
    out_.step(primitive::split, acc_, {n}, {n + "_1", n + "_2"}, {tile_});
    auto order = with_columns_last(r_, {n + "_2"});
    order.insert(order.begin(), {run_axis(), n + "_1"});
    out_.step(primitive::reorder, acc_, order);
    unroll_rows(acc_);
    out_.step(primitive::vectorize, acc_, {n + "_2"});
  }

  void place_runs() {
    auto const& n = name(choice_.columns);
    auto const& k = name(choice_.reduced);
    out_.step(primitive::compute_at, runs_, {acc_, n + "_1"});
    out_.step(primitive::store_in, runs_, {}, {}, {literal(static_cast<int>(ir::memory::registers))});
    auto order = with_columns_last(r_, {n});
    order.insert(order.begin(), {run_axis(), k});
    out_.step(primitive::reorder, runs_, order);
    unroll_rows(runs_);
    if (choice_.rows < few_rows) out_.step(primitive::unroll, runs_, {k});
    out_.step(primitive::vectorize, runs_, {n});
    if (choice_.rows >= few_rows) prefetch_next_run(k);
  }

  /// Prefetches the same tile of the next run if there is arithmetic to do meanwhile: 8 x 4096 x 1024 from memory 15 to
  /// 17 GB/s without, 21 to 25 with, from the third-level cache 20 to 22 and 30 to 32.
  void prefetch_next_run(std::string const& k) {
    auto const length = static_cast<std::int32_t>(ceil_divide(r_.axis_size(choice_.reduced), choice_.runs));
    auto const distance = out_.one_of(reader_ + ".ahead_" + k, {0, length, 2 * length}, length);
    out_.step(primitive::prefetch, runs_, {k}, {choice_.operand}, {distance});
  }

  void unroll_rows(std::string const& stage) {
    for (std::size_t x = 0; x < r_.definition->axes.size(); ++x)
      if (x != choice_.columns && r_.axis_size(x) > 1) out_.step(primitive::unroll, stage, {name(x)});
  }

  space_builder& out_;
  stage_plan const& r_;
  stage_plan const& e_;
  std::string reader_;
  std::string acc_;
  std::string runs_;
  stream_choice choice_;
  knob_value tile_;
  std::int64_t seed_tile_ = 1;
};

}}}  // namespace ttune::v0::autoschedule
