// SPDX-License-Identifier: Apache-2.0
// Sums of products in tiles whose warps multiply matrices (matrices.hpp finds the axes): how rows, columns and terms
// are divided, where a thread keeps its sums, and how copies in shared memory avoid bank conflicts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ttune/autoschedule/gpu/seed_factors.hpp"
#include "ttune/autoschedule/gpu/tile_limits.hpp"
#include "ttune/core/matrix_product.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

/// Avoids bank conflicts. Lanes of a warp that multiply matrices read down the rows of a tile; rows as long as all
/// banks would all begin in the same one. If terms are neighbours, ldmatrix reads 16 bytes of each of 8 rows, as far
/// apart as a lane's elements; swizzled, they use each bank once. Padding does so only if the distance is an odd
/// number of vectors, which it never is for the left operand (2 rows per lane), and it takes space. Others are read
/// as single elements of 4 rows, which begin in different banks if rows are one or two vectors longer.
inline void gpu_tiles::choose_banks(std::vector<access_plan const*> const& fetched, matrix_axes const& m) {
  for (auto const* a : fetched) {
    if (a->indices.back().coefficient[m.terms] == 1) {
      bool const left = moves_with(*a, m.rows);
      auto& apart = swizzles_[a];
      apart = {cuts_[left ? m.rows : m.columns].part(2)};
      if (left) apart.push_back(literal(matrix_product::thread_rows));
      continue;
    }
    auto const vector = 16 / element_bytes(*a);
    paddings_.emplace_back(
        a, out_.add(one_of_knob(r_.definition->name + ".padding_" + name_of(*a), {0, vector, 2 * vector}), 1));
  }
}

/// Divides rows and columns among blocks, warps and matrices of a warp. A thread's elements of several matrices are
/// neighbours, so that its accumulators are one box.
inline void gpu_tiles::multiplied_by_warps(matrix_axes const& m) {
  using product = matrix_product;
  cut_matrices(m.rows, product::rows, {0, 2, 4});
  cut_matrices(m.columns, product::columns, {0, 2, 4});
  cut_matrices(m.terms, m.how.terms, {0, 2});
  auto const& r = cuts_[m.rows];
  auto const& c = cuts_[m.columns];
  auto const& y = writer_.axis_name(m.rows);
  auto const& x = writer_.axis_name(m.columns);
  out_.step(primitive::split, name_, {y}, {y + "_b", y + "_w", y + "_g", y + "_m", y + "_h"},
            {r.part(1), literal(product::lanes_of_rows), r.part(2), literal(product::thread_rows)});
  out_.step(primitive::split, name_, {x}, {x + "_b", x + "_w", x + "_t", x + "_c", x + "_n"},
            {c.part(1), literal(product::lanes_of_columns), literal(product::thread_columns), c.part(2)});
  auto const blocks = matrix_blocks(m);
  std::vector<std::string> const threads{y + "_w", x + "_w", y + "_g", x + "_t"};
  auto order = blocks;
  order.insert(order.end(), threads.begin(), threads.end());
  for (auto const& own : {y + "_m", y + "_h", x + "_c", x + "_n"}) order.push_back(own);
  out_.step(primitive::reorder, name_, order);
  out_.bind(name_, out_.fused(name_, blocks, "blocks"), ir::loop_kind::block_x);
  out_.bind(name_, out_.fused(name_, threads, "threads"), ir::loop_kind::thread_x);
  keep_matrix_sums(x + "_n");
  accumulate_matrices(m);
  auto const fetched = fetches();
  buffers_ = choose_buffers(fetched, 3);
  choose_banks(fetched, m);
  for (auto const* a : fetched) fetch(*a);
  knob_expression const warps = knob_expression(r.part(1)) * knob_expression(c.part(1));
  out_.require(warps * knob_expression(out_.machine().warp_threads) <= knob_expression(out_.machine().block_threads),
               "threads of a block");
  // registers hold sums, one row of the left operand, all columns of the right one
  knob_expression const held = knob_expression(r.part(2)) * knob_expression(c.part(2));
  auto const own = held * knob_expression(4) + knob_expression(c.part(2)) * knob_expression(2);
  out_.require(own <= knob_expression(160), "registers of a thread");
  limit_registers(warps * knob_expression(out_.machine().warp_threads), own, 32);
  limit_group_memory(fetched);
}

/// Returns the loops over blocks of matrices, and the loops of other axes, of which a block has one element.
inline std::vector<std::string> gpu_tiles::matrix_blocks(matrix_axes const& m) const {
  std::vector<std::string> blocks;
  for (std::size_t a = 0; a < free_axes(); ++a)
    blocks.push_back(writer_.axis_name(a) + (a == m.rows || a == m.columns ? "_b" : ""));
  return blocks;
}

/// Keeps the sums private to a thread; `columns`, the innermost loop, is stored at once.
inline void gpu_tiles::keep_matrix_sums(std::string const& columns) {
  out_.step(primitive::vectorize, name_, {columns});
  out_.step(primitive::compute_at, acc_, {name_, "threads"});
  out_.step(primitive::store_in, acc_, {}, {}, {literal(static_cast<std::int64_t>(ir::memory::local))});
}

/// Returns the loops of the sums around the product of two tiles, outermost first: those of reduced axes, then those of
/// free axes of which a block has one element.
inline std::vector<std::string> gpu_tiles::loops_around_products(matrix_axes const& m) const {
  auto const& terms = r_.axis_name(m.terms);
  std::vector<std::string> loops;
  for (auto x = free_axes(); x < r_.axis_count(); ++x)
    if (x != m.terms) loops.push_back(r_.axis_name(x));
  loops.push_back(terms + "_o");
  loops.push_back(terms + "_n");
  for (std::size_t x = 0; x < free_axes(); ++x)
    if (x != m.rows && x != m.columns) loops.push_back(r_.axis_name(x));
  return loops;
}

inline void gpu_tiles::accumulate_matrices(matrix_axes const& m) {
  using product = matrix_product;
  auto const& rows = r_.axis_name(m.rows);
  auto const& columns = r_.axis_name(m.columns);
  auto const& terms = r_.axis_name(m.terms);
  out_.step(primitive::split, acc_, {rows}, {rows + "_m", rows + "_h"}, {literal(product::thread_rows)});
  out_.step(primitive::split, acc_, {columns}, {columns + "_c", columns + "_n"}, {cuts_[m.columns].part(2)});
  out_.step(primitive::split, acc_, {terms}, {terms + "_o", terms + "_n", terms + "_t"},
            {cuts_[m.terms].part(1), literal(m.how.terms)});
  auto inside = loops_around_products(m);
  for (auto const& own : {rows + "_m", columns + "_n", rows + "_h", columns + "_c", terms + "_t"})
    inside.push_back(own);
  out_.step(primitive::reorder, acc_, inside);
  out_.step(primitive::unroll, acc_, {rows + "_m", columns + "_n"});
  out_.step(primitive::tensorize, acc_, {rows + "_h", columns + "_c", terms + "_t"});
}

/// Splits an axis into blocks, warps and matrices of `size` elements, and terms into outer and inner ones.
inline void gpu_tiles::cut_matrices(std::size_t x, std::int64_t size, std::vector<std::int64_t> const& wanted,
                                    std::int32_t most_inner) {
  factor_limits limits;
  limits.max_inner = most_inner;
  auto k = factors_knob(r_.definition->name + ".tile_" + r_.axis_name(x), r_.axis_size(x) / size,
                        static_cast<std::int32_t>(wanted.size()), factor_policy::exact, limits);
  auto const seed = nearest_factors(k, wanted);
  cuts_[x] = {out_.add(std::move(k), seed).knob, size};
}

}}}  // namespace ttune::v0::autoschedule
