// SPDX-License-Identifier: Apache-2.0
// Tiles of axes whose extents calls give, as their statements tell them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ttune/arith/affine.hpp"
#include "ttune/arith/conditions.hpp"
#include "ttune/arith/interval.hpp"
#include "ttune/ir/statement_queries.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune { inline namespace v0 { namespace lowering { namespace detail {

/// A tile of an axis: the loops inside of it cover [start, start + length), as far as that is below the extent.
struct open_tile {
  arith::affine start;  ///< of variables around the tile
  std::int64_t length = 0;
  std::string extent;                 ///< of the axis: a variable
  std::vector<arith::affine> places;  ///< in the tile: sums of its loops, a sum for each nest of them
};

/// Returns true if both are tiles of the same axis, with the same start.
[[nodiscard]] inline bool is_same_tile(open_tile const& a, open_tile const& b) {
  auto const& x = a.start.terms;
  auto const& y = b.start.terms;
  return a.extent == b.extent && a.length == b.length && x.size() == y.size() &&
         std::is_permutation(x.begin(), x.end(), y.begin());
}

/// Adds the tile that a condition speaks of, `start + place < extent` in the form `form >= 0`, or another place of a
/// tile that is known. `inside` are the loops of the tile, `open` the extents.
inline void add_open_tile(arith::affine const& form, arith::ranges const& inside, std::set<std::string> const& open,
                          std::vector<open_tile>& tiles) {
  open_tile made;
  arith::affine place;
  made.length = 1;
  for (auto const& [name, factor] : form.terms) {
    if (open.contains(name)) {
      if (factor != 1 || !made.extent.empty()) return;
      made.extent = name;
    } else if (factor > 0) {
      return;
    } else if (auto const at = inside.find(name); at != inside.end()) {
      if (at->second.low != 0) return;
      place.add(name, -factor);
      made.length += -factor * at->second.high;
    } else {
      made.start.add(name, -factor);
    }
  }
  if (made.extent.empty() || made.start.terms.empty() || place.terms.empty() || form.constant != -1) return;
  auto const same =
      std::find_if(tiles.begin(), tiles.end(), [&](open_tile const& other) { return is_same_tile(other, made); });
  auto& tile = same == tiles.end() ? tiles.emplace_back(std::move(made)) : *same;
  auto const is_known = std::any_of(tile.places.begin(), tile.places.end(),
                                    [&](arith::affine const& p) { return p.terms == place.terms; });
  if (!is_known) tile.places.push_back(std::move(place));
}

/// Finds the axes of which a tile is a part: each store outside of the tile is under a condition that the axis has not
/// ended, for its element or for the whole tile. (The limits of reads may be the ends of other axes.)
class open_tile_finder {
 public:
  /// `inside`: ranges of the loops of the tile. `not_constant`: variables of the tile without such a range. `open`: the
  /// extents.
  open_tile_finder(ir::stmt const& tile, arith::ranges const& inside, std::set<std::string> const& not_constant,
                   std::set<std::string> const& open)
      : inside_(inside), not_constant_(not_constant), open_(open) {
    (void)ir::any_statement(tile, [&](ir::stmt const& s) {
      if (auto const* a = ir::as<ir::allocate>(s)) own_.insert(a->storage->name);
      return false;
    });
    find_stores(tile, {});
  }

  [[nodiscard]] std::vector<open_tile> run() const {
    std::vector<open_tile> found;
    for (auto const& conditions : stores_)
      for (auto const& form : conditions) add_open_tile(form, inside_, open_, found);
    std::erase_if(found, [&](open_tile const& axis) {
      return !std::all_of(stores_.begin(), stores_.end(), [&](auto const& conditions) {
        return std::any_of(conditions.begin(), conditions.end(), [&](auto const& form) { return ends(axis, form); });
      });
    });
    return found;
  }

 private:
  /// Conditions of a store, each as a form that is at least 0.
  using conditions_of_store = std::vector<arith::affine>;

  void find_stores(ir::stmt const& s, conditions_of_store const& conditions) {
    if (!s) return;
    if (auto const* w = ir::as<ir::store>(s)) {
      if (!own_.contains(w->to->name)) stores_.push_back(conditions);
      return;
    }
    auto const* c = ir::as<ir::conditional>(s);
    if (!c) {
      (void)ir::map_parts(
          s, [&](ir::stmt const& part) { return find_stores(part, conditions), part; },
          [](ir::expr const& e) { return e; });
      return;
    }
    auto more = conditions;
    std::vector<ir::expr> parts;
    arith::conjuncts(c->condition, parts);
    for (auto const& part : parts)
      if (auto form = arith::as_non_negative(part); form && is_constant_inside(*form)) more.push_back(*std::move(form));
    find_stores(c->then, more);
    find_stores(c->otherwise, conditions);
  }
  [[nodiscard]] bool is_constant_inside(arith::affine const& form) const {
    return std::none_of(form.terms.begin(), form.terms.end(),
                        [&](auto const& t) { return not_constant_.contains(t.first); });
  }

  /// Returns true if a condition says of an element, or of the whole tile, that it lies before the end of the axis.
  [[nodiscard]] bool ends(open_tile const& axis, arith::affine const& form) const {
    auto rest = form;
    rest.add(axis.start);
    rest.add(axis.extent, -1);
    if (rest.terms.empty()) return rest.constant == -axis.length;
    std::vector<open_tile> said;
    add_open_tile(form, inside_, open_, said);
    return !said.empty() && is_same_tile(said.front(), axis);
  }

  arith::ranges const& inside_;
  std::set<std::string> const& not_constant_;
  std::set<std::string> const& open_;
  std::set<std::string> own_;  ///< buffers of the tile
  std::vector<conditions_of_store> stores_;
};

}}}}  // namespace ttune::v0::lowering::detail
