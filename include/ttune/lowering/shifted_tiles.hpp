// SPDX-License-Identifier: Apache-2.0
// Lets the tiles at the edges of a loop use the code of the other tiles. A tile of which some lanes are at the edge of
// an image is moved until all its lanes are inside; the elements of the edge become a loop without vectors, whose
// limits are found at run time.
//
//   for xo < 80                                for p < 2: O[p] = I[max(p - 2, 0)] + …
//     vectorize xi < 32                        for xo < 80
//       O[xo * 32 + xi] =                →       let p = max(min(xo * 32, 2526), 2)
//           I[max(xo * 32 + xi - 2, 0)] + …      vectorize xi < 32: O[p + xi] = I[p + xi - 2] + …
//                                              for p in [2558, 2560): O[p] = …
//
// A moved tile stores some elements that its neighbour stores, too: the same values, as the body reads nothing that it
// stores. If such a loop were cut, a window of 25 elements would be code five times: a chain of eight such stages took
// half as long again, from the operator to the first result.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ttune/arith/affine.hpp"
#include "ttune/arith/interval.hpp"
#include "ttune/arith/simplify.hpp"
#include "ttune/arith/substitute.hpp"
#include "ttune/ir/stmt.hpp"
#include "ttune/lowering/loop_interior.hpp"
#include "ttune/lowering/partition_queries.hpp"

namespace ttune { inline namespace v0 { namespace lowering { namespace detail {

/// Rewrites expressions in the number of a tile and a lane as expressions in the place of the tile's first lane.
class place_rewriter {
 public:
  place_rewriter(std::string tile, std::string lane, std::int64_t width, std::string place)
      : tile_(std::move(tile)), lane_(std::move(lane)), width_(width), place_(ir::make_variable(std::move(place))) {}

  [[nodiscard]] ir::expr rewrite(ir::expr const& e) {
    if (e->type == dtype::index) return arith::from_linear(moved(arith::to_linear(e)));
    return ir::map_operands(e, [&](ir::expr const& o) { return rewrite(o); });
  }

  /// Returns true if all expressions so far use tile and lane only as `tile * width + lane`.
  [[nodiscard]] bool succeeded() const noexcept { return succeeded_; }

 private:
  [[nodiscard]] arith::linear_form moved(arith::linear_form const& form) {
    arith::linear_form made{form.constant, {}};
    std::int64_t of_tile = 0;
    std::int64_t of_lane = 0;
    for (auto const& [atom, times] : form.terms) {
      auto const* v = ir::as<ir::variable>(atom);
      if (v && v->name == tile_) {
        of_tile = times;
        continue;
      }
      if (v && v->name == lane_) of_lane = times;
      made.add(v ? arith::to_linear(atom)
                 : arith::to_linear(ir::map_operands(atom, [&](ir::expr const& o) { return rewrite(o); })),
               times);
    }
    if (of_tile != of_lane * width_) succeeded_ = false;
    if (of_lane != 0) made.add(place_, of_lane);
    return made;
  }

  std::string tile_, lane_;
  std::int64_t width_;
  ir::expr place_;
  bool succeeded_ = true;
};

/// A loop over tiles whose body is at a place: a vectorised loop whose indices count from the place.
struct placed_tiles {
  ir::loop tiles;
  ir::loop lanes;
  std::string place;
  iterations inside;  ///< the places at which no lane is at an edge
};

/// Edges of more lanes than this stay vectors.
inline constexpr std::int64_t most_edge_lanes = 4;
/// Bodies with fewer reads than this are cheap to compile several times.
inline constexpr int least_reads = 16;

/// Returns true for a store that may be done twice: it reads nothing of what it stores, and much else.
[[nodiscard]] inline bool is_large_and_repeatable(ir::store const& s) {
  int reads = 0;
  bool reads_own = s.is_async;
  ir::for_each_node(s.value, [&](ir::expr const& e) {
    auto const* a = ir::as<ir::access>(e);
    if (!a) return;
    ++reads;
    auto const* from = std::get_if<handle<ir::buffer>>(&a->from);
    reads_own = reads_own || !from || (*from)->name == s.to->name;
  });
  return !reads_own && reads >= least_reads && s.to->where != ir::memory::registers;
}

/// Returns a loop over tiles in terms of places, if its edges are worth being moved; `known` are the ranges around it.
[[nodiscard]] inline std::optional<placed_tiles> place_tiles(ir::loop const& l, std::int64_t begin, std::int64_t end,
                                                             arith::ranges known) {
  auto const* lanes = ir::as<ir::loop>(l.body);
  if (!lanes || lanes->kind != ir::loop_kind::vectorized || !ir::is_constant(lanes->begin, 0)) return std::nullopt;
  auto const* s = ir::as<ir::store>(lanes->body);
  if (!s || !ir::is_constant(lanes->end) || !is_large_and_repeatable(*s)) return std::nullopt;
  auto const width = ir::constant_integer(lanes->end);
  auto const place = l.variable + ".place";
  place_rewriter at(l.variable, lanes->variable, width, place);
  std::vector<ir::expr> indices;
  for (auto const& i : s->indices) indices.push_back(at.rewrite(i));
  auto const store = ir::make_store(s->to, std::move(indices), at.rewrite(s->value));
  if (!at.succeeded()) return std::nullopt;
  auto const body = ir::make_loop(lanes->variable, lanes->begin, lanes->end, lanes->kind, store);
  auto const first = begin * width;
  auto const last = (end - 1) * width;
  auto const inside = interior(place, first, last + 1, body, std::move(known));
  auto const before = inside.low - first;
  auto const after = last + 1 - inside.high;
  if (before + after == 0 || before > most_edge_lanes || after > most_edge_lanes || inside.low >= inside.high)
    return std::nullopt;
  return placed_tiles{l, *ir::as<ir::loop>(body), place, inside};
}

/// Returns the loop of an edge: the elements from `low` to `high`, one by one.
[[nodiscard]] inline ir::loop edge_of(placed_tiles const& t, std::int64_t low, std::int64_t high) {
  return {t.place, ir::make_index(low), ir::make_index(high), ir::loop_kind::serial,
          arith::substitute(t.lanes.body, {{t.lanes.variable, ir::make_index(0)}})};
}

/// Returns the place of a tile that is moved inside.
[[nodiscard]] inline ir::expr moved_inside(placed_tiles const& t, arith::ranges const& known) {
  auto const width = ir::constant_integer(t.lanes.end);
  auto const own = ir::make_variable(t.tiles.variable) * width;
  auto const limited = ir::make_binary(ir::binary_op::minimum, own, ir::make_index(t.inside.high - 1));
  return arith::simplify(ir::make_binary(ir::binary_op::maximum, limited, ir::make_index(t.inside.low)), known);
}

}}}}  // namespace ttune::v0::lowering::detail
