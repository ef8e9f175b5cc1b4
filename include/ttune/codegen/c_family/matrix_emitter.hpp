// SPDX-License-Identifier: Apache-2.0
// Matrix products that a warp computes together (core/matrix_product.hpp):
//
//   warp_multiply S[r, c] += A[…] * B[…],        a = rows of this thread, a quarter of the terms
//                 r < 2, c < 2, k < 16     →     b = a column of another one, the same terms
//                                                mma(S[0, 0], S[0, 1], S[1, 0], S[1, 1], a, b)
//
// fragment_emitter.hpp loads the operands; consecutive tiles share them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ttune/arith/substitute.hpp"
#include "ttune/codegen/c_family/fragment_emitter.hpp"
#include "ttune/codegen/c_family/kernel_state.hpp"
#include "ttune/codegen/c_family/loop_emitter.hpp"
#include "ttune/codegen/c_family/matrix_tile.hpp"
#include "ttune/codegen/c_family/memory_emitter.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// In: products of one warp, and unrolled loops around them. Out: one instruction for each product.
class matrix_emitter {
 public:
  matrix_emitter(kernel_state& kernel, index_emitter& indices, memory_emitter& memory, loop_emitter& loops)
      : kernel_(kernel), indices_(indices), memory_(memory), loops_(loops), fragments_(kernel, indices, memory) {}

  void emit_tile(ir::matrix_multiply const& m);
  /// Emits tiles in sequence: between them only sums are stored, so that they share operands.
  void emit_sequence(ir::loop const& l, std::int64_t begin, std::int64_t end);

 private:
  void declare_lanes();
  [[nodiscard]] std::string sums_of(matrix_tile const& t);
  [[nodiscard]] std::string define_product(matrix_tile const& t);

  kernel_state& kernel_;
  index_emitter& indices_;
  memory_emitter& memory_;
  loop_emitter& loops_;
  fragment_emitter fragments_;
  bool in_sequence_ = false;
};

inline void matrix_emitter::declare_lanes() {
  if (kernel_.variables.contains(lane_variable::warp)) return;
  auto const thread = thread_number(kernel_);
  (void)declare_lane_variable(kernel_, lane_variable::warp, "warp", thread + " / 32", kernel_.grid.warps() - 1);
  auto const row = declare_lane_variable(kernel_, lane_variable::row, "lane_row", thread + " % 32 / 4", 7);
  (void)declare_lane_variable(kernel_, lane_variable::column, "lane_column", thread + " % 4", 3);
  (void)declare_lane_variable(kernel_, lane_variable::owner, "column_owner", row + " / 2", 3);
  (void)declare_lane_variable(kernel_, lane_variable::part, "column_part", row + " % 2", 1);
}

/// Returns the sums of a lane in the order of the instruction's registers.
inline std::string matrix_emitter::sums_of(matrix_tile const& t) {
  std::string made;
  for (int r = 0; r < matrix_product::thread_rows; ++r)
    for (int c = 0; c < matrix_product::thread_columns; ++c) {
      std::vector<ir::expr> at;
      for (auto const& i : t.sum.indices)
        at.push_back(arith::substitute(i, {{t.rows, ir::make_index(r)}, {t.columns, ir::make_index(c)}}));
      made += (made.empty() ? "" : ", ") + memory_.element(*t.sum.to, indices_.flat_index(*t.sum.to, at));
    }
  return made;
}

/// Returns the name of the function for the tile's instruction.
inline std::string matrix_emitter::define_product(matrix_tile const& t) {
  auto const left = t.left.from.type;
  auto const right = t.right.from.type;
  auto const name =
      "ttune_mma_" + std::to_string(t.how.terms) + "_" + ttune::name_of(left) + "_" + ttune::name_of(right);
  kernel_.shared.define(
      name, [&] { return kernel_.dialect.matrices()->matrix_function(name, t.how, left, right, t.sum.to->type); });
  return name;
}

inline void matrix_emitter::emit_tile(ir::matrix_multiply const& m) {
  matrix_tile const t(m);
  declare_lanes();
  auto arguments = sums_of(t);
  for (auto const& r : fragments_.load(t)) arguments += ", " + r;
  kernel_.text.line(define_product(t) + "(" + arguments + ");");
  if (!in_sequence_) fragments_.forget();
}

inline void matrix_emitter::emit_sequence(ir::loop const& l, std::int64_t begin, std::int64_t end) {
  bool const outermost = !std::exchange(in_sequence_, true);
  if (outermost) kernel_.text.open("");
  fragments_.enter_loop(l, begin, end);
  loops_.emit_unrolled(l, begin, end);
  fragments_.leave_loop();
  if (!outermost) return;
  kernel_.text.close();
  in_sequence_ = false;
  fragments_.forget();
}

}}}}  // namespace ttune::v0::codegen::c_family
