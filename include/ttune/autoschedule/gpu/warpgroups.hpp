// SPDX-License-Identifier: Apache-2.0
// Sums of products of 16-bit floats on a GPU on which four warps multiply matrices together, from shared memory
// (core/warpgroup_product.hpp). Rows and columns 8 apart are virtual threads of a thread. A copy in shared memory
// consists of swizzled lines of 64 elements, which eight neighbouring threads copy. The rest is as in tiles.hpp:
//
//   block_x  blocks of rows, of columns; then the blocks of some rows, which share columns in the L2 cache
//     vthread  tiles of 64 rows, halves of 16 rows, columns by 64, by 8
//       thread_x  groups of four warps, warps, 8 rows, 4 columns
//         local acc[1, 2]
//         for every 64 terms
//           group copies of both operands
//           for their inner parts: acc += …           tensorized, 2 columns and 16 terms
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ttune/autoschedule/gpu/tile_limits.hpp"
#include "ttune/core/warpgroup_product.hpp"
#include "ttune/ir/narrow_term.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

/// Returns the dimension of an operand that an axis alone indexes, in steps of one element; -1 if there is none, or if
/// the axis is in other dimensions, too.
[[nodiscard]] inline std::int32_t only_dimension(access_plan const& a, std::size_t axis) {
  std::int32_t found = -1;
  for (std::size_t d = 0; d < a.indices.size(); ++d) {
    auto const& i = a.indices[d];
    if (i.coefficient[axis] == 0) continue;
    auto const others =
        std::count_if(i.coefficient.begin(), i.coefficient.end(), [](std::int64_t c) { return c != 0; });
    if (found >= 0 || others != 1 || i.coefficient[axis] != 1 || i.constant != 0 || i.divisor != 1) return -1;
    found = static_cast<std::int32_t>(d);
  }
  return found;
}

/// Like find_matrix_axes, for products of four warps: both operands are contiguous along one of their two axes, and
/// whole lines divide all axes; otherwise single warps are used.
[[nodiscard]] inline std::optional<matrix_axes> find_warpgroup_axes(target const& machine, stage_plan const& st) {
  if (nvidia_architecture(machine) != warpgroup_product::architecture ||
      machine.features.find(warpgroup_product::feature) == std::string::npos)
    return std::nullopt;
  auto const found = find_matrix_axes(machine, st);
  if (!found || st.axis_size(found->rows) % warpgroup_product::rows != 0 ||
      st.axis_size(found->columns) % warpgroup_product::line != 0 ||
      st.axis_size(found->terms) % warpgroup_product::line != 0)
    return std::nullopt;
  auto const term = ir::match_narrow_term(st.definition->components[0].value);
  if (!has_warpgroup_product(term->left->type, term->right->type, st.definition->type())) return std::nullopt;
  for (std::size_t n = 0; n < 2; ++n) {
    auto const& a = st.accesses[n];
    auto const own = only_dimension(a, moves_with(a, found->rows) ? found->rows : found->columns);
    auto const terms = only_dimension(a, found->terms);
    auto const last = static_cast<std::int32_t>(a.indices.size()) - 1;
    if (own < 0 || terms < 0 || (own != last && terms != last)) return std::nullopt;
  }
  return found;
}

inline void gpu_tiles::multiplied_by_warpgroups(matrix_axes const& m) {
  using product = warpgroup_product;
  constexpr std::int32_t most_lines = product::most_columns / product::line;
  auto const seed_lines = has_many_warpgroup_tiles(m) ? most_lines : most_lines / 2;
  cut_matrices(m.rows, product::rows, {0, 8, 2, 1});
  cuts_[m.rows].of_block = 2;
  cut_matrices(m.columns, product::line, {0, 1, seed_lines}, most_lines);
  cuts_[m.terms].together = product::line;
  auto const& r = cuts_[m.rows];
  auto const& c = cuts_[m.columns];
  auto const& y = writer_.axis_name(m.rows);
  auto const& x = writer_.axis_name(m.columns);
  out_.step(primitive::split, name_, {y}, {y + "_b", y + "_s", y + "_g", y + "_m", y + "_w", y + "_h", y + "_l"},
            {r.part(1), r.part(2), r.part(3), literal(product::warps), literal(product::thread_rows),
             literal(product::lanes_of_rows)});
  out_.step(primitive::split, name_, {x}, {x + "_b", x + "_g", x + "_m", x + "_n", x + "_l", x + "_c"},
            {c.part(1), c.part(2), literal(product::line / product::core), literal(product::lanes_of_columns),
             literal(product::thread_columns)});
  auto blocks = matrix_blocks(m);
  blocks.push_back(y + "_s");
  std::vector<std::string> const virtuals{y + "_m", y + "_h", x + "_m", x + "_n"};
  std::vector<std::string> const threads{y + "_g", x + "_g", y + "_w", y + "_l", x + "_l"};
  auto order = blocks;
  order.insert(order.end(), virtuals.begin(), virtuals.end());
  order.insert(order.end(), threads.begin(), threads.end());
  order.push_back(x + "_c");
  out_.step(primitive::reorder, name_, order);
  out_.bind(name_, out_.fused(name_, blocks, "blocks"), ir::loop_kind::block_x);
  out_.bind(name_, out_.fused(name_, virtuals, "virtuals"), ir::loop_kind::virtual_thread);
  out_.bind(name_, out_.fused(name_, threads, "threads"), ir::loop_kind::thread_x);
  keep_matrix_sums(x + "_c");
  accumulate_by_warpgroups(m);
  auto const fetched = fetches();
  buffers_ = choose_buffers(fetched, 4);
  held_ = 1;
  for (auto const* a : fetched) fetch_lines(*a, m);
  knob_expression const groups = knob_expression(r.part(2)) * knob_expression(c.part(1));
  auto const together = groups * knob_expression(product::threads);
  out_.require(together <= knob_expression(std::min(out_.machine().block_threads, 512)), "threads of a block");
  constexpr std::int64_t sums = product::rows * product::line / product::threads;
  constexpr std::int64_t most_sums = product::rows * product::most_columns / product::threads;
  constexpr std::int64_t others = 72;  // addresses, loops, pending copies: ptxas takes 84 if it may
  auto const held = knob_expression(r.part(3)) * knob_expression(c.part(2)) * knob_expression(sums);
  out_.require(held <= knob_expression(most_sums), "registers of a thread");
  limit_registers(together, held, others);
  limit_group_memory(fetched);
}

inline void gpu_tiles::accumulate_by_warpgroups(matrix_axes const& m) {
  auto const& terms = r_.axis_name(m.terms);
  out_.step(primitive::split, acc_, {terms}, {terms + "_o", terms + "_n", terms + "_t"},
            {literal(warpgroup_product::line / warpgroup_product::terms), literal(warpgroup_product::terms)});
  auto inside = loops_around_products(m);
  std::vector<std::string> const tile{r_.axis_name(m.rows), r_.axis_name(m.columns), terms + "_t"};
  inside.insert(inside.end(), tile.begin(), tile.end());
  out_.step(primitive::reorder, acc_, inside);
  out_.step(primitive::tensorize, acc_, tile);
}

/// Returns true if nearly all processors have tiles of 128 x 256 results: such a tile takes half of the loads that two
/// of 128 x 128 take.
inline bool gpu_tiles::has_many_warpgroup_tiles(matrix_axes const& m) const {
  std::int64_t results = 1;
  for (std::size_t x = 0; x < free_axes(); ++x) results *= r_.axis_size(x);
  constexpr std::int64_t rows = 2 * warpgroup_product::rows;
  constexpr std::int64_t columns = warpgroup_product::most_columns;
  return r_.axis_size(m.rows) >= rows && r_.axis_size(m.columns) >= columns &&
         4 * results / (rows * columns) >= 3 * std::int64_t{out_.machine().cores};
}

/// Copies an operand in lines of eight chunks of 16 bytes, one thread a chunk. If terms are neighbours, rows of the
/// copy are such lines; otherwise blocks of 64 rows or columns are, by terms.
inline void gpu_tiles::fetch_lines(access_plan const& a, matrix_axes const& m) {
  auto const own = only_dimension(a, moves_with(a, m.rows) ? m.rows : m.columns);
  auto const terms = only_dimension(a, m.terms);
  if (terms > own) {
    swizzles_[&a] = {literal(1)};
    return fetch(a);
  }
  swizzles_[&a] = {literal(warpgroup_product::core)};
  auto const copy = store_copy(a);
  auto names = copy_axis_names(r_, a);
  auto const line = names.back();
  auto const term = names[static_cast<std::size_t>(terms)];
  out_.step(primitive::split, copy, {line}, {line + "_o", line + "_a", line + "_s"},
            {literal(warpgroup_product::line / warpgroup_product::core), literal(warpgroup_product::core)});
  std::erase_if(names, [&](std::string const& name) { return name == line || name == term; });
  for (auto const& part : {line + "_o", term, line + "_a"}) names.push_back(part);
  auto order = names;
  order.push_back(line + "_s");
  out_.step(primitive::reorder, copy, order);
  out_.step(primitive::vectorize, copy, {line + "_s"});
  out_.step(primitive::pack, copy, {});
  out_.bind(copy, out_.fused(copy, names, "all"), ir::loop_kind::thread_x);
}

/// Returns the axes if four warps multiply elements that are copied into shared memory.
inline std::optional<matrix_axes> gpu_tiles::warpgroup_axes() const {
  auto const found = find_warpgroup_axes(out_.machine(), r_);
  return found && is_fetched(r_.accesses[0]) && is_fetched(r_.accesses[1]) ? found : std::nullopt;
}

}}}  // namespace ttune::v0::autoschedule
