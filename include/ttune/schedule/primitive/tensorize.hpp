// SPDX-License-Identifier: Apache-2.0
// tensorize: the innermost loop, over terms of a sum, becomes one instruction of the machine, such as a dot product of
// four bytes per lane. Or the three innermost loops, over rows, columns and terms, become the part of one thread of a
// warp in a product of matrices.
//
//   vectorize j                          vectorize j
//     for ki < 4                     →     tensorize ki < 4
//       C[j] += A[ki] * B[j, ki]             C[j] += A[ki] * B[j, ki]
//
// core/dot_product.hpp lists the dot products. The terms of one operand must be neighbours in memory, and so must those
// of the other one for each lane. If the machine has no such instruction, or an edge leaves only some of the terms, the
// loop is unrolled: only the order in which floats are added differs.
//
// core/matrix_product.hpp lists the products of matrices. Each thread computes its own rows and columns. The emitter of
// CUDA checks that 8 x 4 neighbouring threads together compute a matrix, and otherwise reports the reason: without the
// instruction the kernel would be a different one.
//
// On CPUs, three such loops are a tile of up to 16 x 16 sums (core/tile_product.hpp). Sums stay in registers during the
// loops around it that have no other statement, terms of the left operand must be neighbours in memory, and the right
// operand a copy with 2 terms of bf16, or 4 of bytes, of each column next to each other. Other loops, and machines
// without such registers, run rows one after the other and columns in lanes (lowering/match_tile_products.hpp).
//
// .split(k, 4, ko, ki).vectorize(j).reorder(ko, j, ki).tensorize(ki) prints
//
//   for C.i < 6
//     for C.j < 10
//       C[C.i, C.j] = 0.0
//       for C.ko < 2
//         for C.ki < 4
//           C[C.i, C.j] += A[C.i, C.ko * 4 + C.ki] * B[C.ko * 4 + C.ki, C.j]
// →
//   for C.i < 6
//     vectorize C.j < 10
//       C[C.i, C.j] = 0.0
//     for C.ko < 2
//       vectorize C.j < 10
//         tensorize C.ki < 4
//           C[C.i, C.j] += A[C.i, C.ko * 4 + C.ki] * B[C.ko * 4 + C.ki, C.j]
#pragma once

#include <string>

#include "ttune/schedule/choices.hpp"
#include "ttune/schedule/primitive/rules.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// The call of the typed schedule (<ttune/schedule.hpp>).
template <class Schedule>
class tensorize_call {
 public:
  /// Maps the innermost loop, over a summed axis, to a dot-product instruction (4 products of bytes, or 2 of 16 bits);
  /// or the three innermost loops, over rows, columns and terms, to a thread's part of a matrix product.
  template <class... Loops>
  [[nodiscard]] auto tensorize(Loops const&... loops) const {
    return typed::run_loops_as(static_cast<Schedule const&>(*this), primitive::tensorize, loops...);
  }
};

template <>
struct rules<primitive::tensorize> : default_rules {
  template <class Draw>
  static void draw(Draw& random, stage_plan const& st, step& s) {
    constexpr std::size_t tile = 3;
    if (st.order.size() >= tile && random.chance(0.3)) {
      for (auto l = st.order.end() - tile; l != st.order.end(); ++l)
        s.loops.push_back(st.loops[static_cast<std::size_t>(*l)].name);
      return;
    }
    s.loops = {random.chance(0.2) || st.order.empty() ? random.some_loop(st)
                                                      : st.loops[static_cast<std::size_t>(st.order.back())].name};
  }
  [[nodiscard]] static std::string arguments(step const& s, cpp_names& names);
  static void apply(plan& p, step const& s);
};

}}}  // namespace ttune::v0::primitives

#if TTUNE_COMPILES_PRIMITIVES
#include "ttune/schedule/primitive/lookup.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

std::string rules<primitive::tensorize>::arguments(step const& s, cpp_names& names) { return names.loops(s.loops); }

void rules<primitive::tensorize>::apply(plan& p, step const& s) {
  auto& st = stage_of(p, s);
  auto const count = s.loops.size();
  if (count != 1 && count != 3)
    refuse(s, listed(s.loops), "takes the loop over terms, or those over rows, columns and terms");
  for (std::size_t i = 0; i < count; ++i) {
    auto const id = leaf(st, s, s.loops[i]);
    auto& l = st.loops[static_cast<std::size_t>(id)];
    if (l.kind != ir::loop_kind::serial) refuse(s, s.loops[i], "this loop already runs in a way of its own");
    bool const terms = i + 1 == count;
    if (terms && (!is_reduction_axis(st, l.axis) || st.definition->reduction.kind != ir::reduction_kind::sum))
      refuse(s, s.loops[i], "this loop belongs to no summed axis: an instruction adds up the terms of one");
    if (terms && (!st.definition->reduction.associative || !st.definition->reduction.commutative))
      refuse(s, s.loops[i], "the terms of this sum keep their order: an instruction adds several at once");
    if (!terms && is_reduction_axis(st, l.axis))
      refuse(s, s.loops[i], "this loop belongs to a reduced axis: rows and columns are of free ones");
    if (st.order.size() < count || st.order[st.order.size() - count + i] != id)
      refuse(s, s.loops[i],
             terms ? "this loop has others inside of it: reorder it to be the innermost"
                   : "this loop has others than columns and terms inside of it: reorder the three to be the innermost");
    if (is_permuted(st, id)) refuse(s, s.loops[i], "stands where a permutation knob puts it: leave it out there");
    l.kind = ir::loop_kind::tensorized;
    if (!s.values.empty()) l.kind_enabled = s.values[0];
  }
}

}}}  // namespace ttune::v0::primitives
#endif
