// SPDX-License-Identifier: Apache-2.0
// Matrix products that a warp computes together (core/matrix_product.hpp). In the program, each thread computes the
// sums of its own rows and columns by itself:
//
//   tensorize r < 2                      a = rows of this thread, a quarter of the terms
//     tensorize c < 2             →      b = a column of another one, the same terms
//       tensorize k < 16                 mma(S[0, 0], S[0, 1], S[1, 0], S[1, 1], a, b)
//         S[r, c] += A[r, k] * B[k, c]
//
// Thread 4 g + t of a warp has row index g and column index t: the left operand must be equal for all t, the right one
// for all g. The assignment of program rows and columns to matrix rows and columns is arbitrary, and so is the order of
// the terms, as long as both operands agree. fragment_emitter.hpp loads the operands; consecutive tiles share them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ttune/arith/substitute.hpp"
#include "ttune/codegen/c_family/find_matrix_tile.hpp"
#include "ttune/codegen/c_family/fragment_emitter.hpp"
#include "ttune/codegen/c_family/kernel_state.hpp"
#include "ttune/codegen/c_family/loop_emitter.hpp"
#include "ttune/codegen/c_family/memory_emitter.hpp"
#include "ttune/lowering/lanes.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// In: tensorized loops that are matrix tiles (find_matrix_tile.hpp), and unrolled loops around them. Out: one
/// instruction for each tile. Throws backend_error if the threads of a warp do not compute the tile together.
class matrix_emitter {
 public:
  matrix_emitter(kernel_state& kernel, index_emitter& indices, memory_emitter& memory, loop_emitter& loops)
      : kernel_(kernel), indices_(indices), memory_(memory), loops_(loops), fragments_(kernel, indices, memory) {}

  void emit_tile(ir::loop const& rows);
  /// Emits tiles in sequence: between them only sums are stored, so that they share operands.
  void emit_sequence(ir::loop const& l, std::int64_t begin, std::int64_t end);

 private:
  void require_whole_warps(matrix_tile const& t) const;
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

/// Requires that all lanes of a warp execute the tile together, and that their rows and columns are those of the
/// instruction.
inline void matrix_emitter::require_whole_warps(matrix_tile const& t) const {
  constexpr std::int64_t warp_threads = matrix_product::lanes_of_rows * matrix_product::lanes_of_columns;
  auto const require = [&](bool holds, std::string const& otherwise) {
    if (!holds) refuse_tile(kernel_.dialect, *t.rows, otherwise);
  };
  require(kernel_.grid.has_rows_of(warp_threads) && kernel_.warps.has_lanes(),
          "threads are no whole warps: bind a multiple of 32 of them to thread_x, and none to y and z");
  require(kernel_.warps.is_together(),
          "not all threads of a warp come there: a condition or a loop around it differs between them");
  auto const depends_on = [&](ir::access const& a, char const* lanes) {
    return any_mentions(kernel_.warps.by_lanes(a.indices), lanes);
  };
  require(!depends_on(*t.left, lane_variable::column) && !depends_on(*t.right, lane_variable::row),
          "neighbouring threads differ otherwise: the 4 innermost must have columns of their own and the same rows, "
          "the 8 around them rows of their own and the same columns");
  for (auto const* a : {t.left, t.right})
    require(!is_thread_memory(buffer_of(*a)), buffer_of(*a).name + " is each thread's own: store it in shared memory");
}

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
      for (auto const& i : t.sum->indices)
        at.push_back(
            arith::substitute(i, {{t.rows->variable, ir::make_index(r)}, {t.columns->variable, ir::make_index(c)}}));
      made += (made.empty() ? "" : ", ") + memory_.element(*t.sum->to, indices_.flat_index(*t.sum->to, at));
    }
  return made;
}

/// Returns the name of the function for the tile's instruction.
inline std::string matrix_emitter::define_product(matrix_tile const& t) {
  auto const left = buffer_of(*t.left).type;
  auto const right = buffer_of(*t.right).type;
  auto const name =
      "ttune_mma_" + std::to_string(t.how.terms) + "_" + ttune::name_of(left) + "_" + ttune::name_of(right);
  kernel_.shared.define(
      name, [&] { return kernel_.dialect.matrices()->matrix_function(name, t.how, left, right, t.sum->to->type); });
  return name;
}

inline void matrix_emitter::emit_tile(ir::loop const& rows) {
  auto const t = find_matrix_tile(rows, kernel_.machine, kernel_.dialect);
  require_whole_warps(t);
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
