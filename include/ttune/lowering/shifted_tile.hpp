// SPDX-License-Identifier: Apache-2.0
// Moves a tile of an axis whose extent calls give, so that it begins at another place: the last tile may end where the
// axis ends, and compute some elements a second time (Halide's TailStrategy::ShiftInwards).
//
//   O[f, xo * 10 + x] = I[xo * 10 + x + s - 1] * …     →     O[f, w - 10 + x] = I[w + x + s - 11] * …
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ttune/arith/affine.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/statement_queries.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/lowering/open_tile.hpp"

namespace ttune { inline namespace v0 { namespace lowering { namespace detail {

/// Returns the names of the buffers that statements update: the value of a store reads the buffer that it goes to.
[[nodiscard]] inline std::set<std::string> updated_buffers(ir::stmt const& s) {
  std::set<std::string> made;
  (void)ir::any_statement(s, [&](ir::stmt const& part) {
    auto const* w = ir::as<ir::store>(part);
    auto const reads_own = [&](ir::expr const& e) {
      auto const* a = ir::as<ir::access>(e);
      auto const* from = a ? std::get_if<handle<ir::buffer>>(&a->from) : nullptr;
      return from && (*from)->name == w->to->name;
    };
    if (w && ir::contains(w->value, reads_own)) made.insert(w->to->name);
    return false;
  });
  return made;
}

/// Replaces the start of a tile in all of its expressions. That is right only if they speak of start + place, never of
/// one of both alone, and if the tile may compute an element twice: it reads nothing that it stores. Scratch memory
/// that is made around the tile may belong to its old start: it must be read at start + place, too.
class shifted_tile {
 public:
  /// `updated`: names of the buffers that some statement of the kernel updates, as S[i] = S[i] + x.
  shifted_tile(ir::stmt const& tile, open_tile const& of, std::set<std::string> const& updated)
      : tile_(tile), of_(of), updated_(updated), places_(of.places) {
    (void)ir::any_statement(tile, [&](ir::stmt const& s) {
      if (auto const* a = ir::as<ir::allocate>(s)) own_.insert(a->storage->name);
      if (auto const* w = ir::as<ir::store>(s)) stored_.insert(w->to->name);
      return false;
    });
    find_own_accesses(tile);
    find_places();
  }

  /// Returns the tile that begins at `start`; null if it cannot be moved.
  [[nodiscard]] ir::stmt at(arith::linear_form const& start) {
    start_ = start;
    auto made = moved(tile_);
    return is_possible_ ? made : nullptr;
  }

 private:
  /// An index of a buffer of the tile.
  struct own_index {
    std::string dimension;  ///< of which buffer
    std::optional<arith::affine> form;
  };

  void find_own_accesses(ir::stmt const& s) {
    if (!s) return;
    if (auto const* w = ir::as<ir::store>(s)) add_own(w->to->name, w->indices);
    (void)ir::map_parts(
        s, [&](ir::stmt const& part) { return find_own_accesses(part), part; },
        [&](ir::expr const& e) {
          ir::for_each_node(e, [&](ir::expr const& n) {
            if (auto const* a = ir::as<ir::access>(n)) add_own(std::get<handle<ir::buffer>>(a->from)->name, a->indices);
          });
          return e;
        });
  }
  void add_own(std::string const& buffer, std::vector<ir::expr> const& indices) {
    if (!own_.contains(buffer)) return;
    for (std::size_t d = 0; d < indices.size(); ++d)
      own_indices_.push_back({buffer + " " + std::to_string(d), arith::to_affine(indices[d])});
  }

  /// Finds the places of the nests that no condition names: they store what another nest reads at a place that is
  /// known, as sums in registers.
  void find_places() {
    for (std::size_t p = 0; p < places_.size(); ++p) {
      std::set<std::string> dimensions;
      for (auto const& index : own_indices_) {
        bool const speaks =
            index.form && std::any_of(places_[p].terms.begin(), places_[p].terms.end(),
                                      [&](auto const& t) { return index.form->coefficient_of(t.first) != 0; });
        if (!speaks) continue;
        is_possible_ = is_possible_ && is_same(*index.form, places_[p]);
        dimensions.insert(index.dimension);
      }
      for (auto const& index : own_indices_) {
        if (!dimensions.contains(index.dimension)) continue;
        if (!index.form || index.form->constant != 0 || index.form->terms.empty()) is_possible_ = false;
        else if (std::none_of(places_.begin(), places_.end(), [&](auto const& o) { return is_same(*index.form, o); }))
          places_.push_back(*index.form);
      }
    }
  }
  [[nodiscard]] static bool is_same(arith::affine const& a, arith::affine const& b) {
    return a.constant == b.constant && a.terms.size() == b.terms.size() &&
           std::is_permutation(a.terms.begin(), a.terms.end(), b.terms.begin());
  }

  ir::stmt refused(ir::stmt const& s) {
    is_possible_ = false;
    return s;
  }
  ir::stmt moved(ir::stmt const& s) {
    if (!s || !is_possible_) return s;
    if (auto const* w = ir::as<ir::store>(s)) {
      // Another statement may have updated the elements that this tile has in common with the one before it.
      if (!own_.contains(w->to->name) && updated_.contains(w->to->name)) return refused(s);
      auto made = *w;
      for (auto& i : made.indices) i = place_in(w->to->name, i);
      return w->is_async ? refused(s) : ir::make_store(w->to, std::move(made.indices), moved(w->value));
    }
    if (auto const* c = ir::as<ir::conditional>(s)) {
      has_end_ = c->otherwise != nullptr;  // a condition that chooses the length of the tile has no place
      auto const condition = moved(c->condition);
      has_end_ = false;
      return ir::make_conditional(condition, moved(c->then), moved(c->otherwise));
    }
    bool const is_known = ir::as<ir::block>(s) || ir::as<ir::allocate>(s) || ir::as<ir::loop>(s);
    if (!is_known) return refused(s);
    return ir::map_parts(
        s, [&](ir::stmt const& part) { return moved(part); }, [&](ir::expr const& e) { return moved(e); });
  }

  [[nodiscard]] ir::expr place_in(std::string const& buffer, ir::expr const& index) {
    if (!own_.contains(buffer)) return moved(index);
    is_possible_ = is_possible_ && !has_start(index);
    return index;
  }
  [[nodiscard]] bool has_start(ir::expr const& index) const {
    return ir::contains(index, [&](ir::expr const& e) {
      auto const* v = ir::as<ir::variable>(e);
      return v && of_.start.coefficient_of(v->name) != 0;
    });
  }
  [[nodiscard]] ir::expr moved(ir::expr const& e) {
    if (!is_possible_) return e;
    if (e->type == dtype::index && !ir::as<ir::access>(e)) return moved_index(e);
    auto const* a = ir::as<ir::access>(e);
    if (!a) return ir::map_operands(e, [&](ir::expr const& o) { return moved(o); });
    auto const& from = *std::get<handle<ir::buffer>>(a->from);
    if (!own_.contains(from.name) && stored_.contains(from.name)) is_possible_ = false;
    bool const is_scratch = from.where != ir::memory::operand && from.where != ir::memory::prepared;
    bool const follows =
        std::any_of(a->indices.begin(), a->indices.end(), [&](ir::expr const& i) { return has_start(i); });
    if (!own_.contains(from.name) && is_scratch && !follows) is_possible_ = false;
    return ir::map_operands(e, [&](ir::expr const& o) { return place_in(from.name, o); });
  }

  /// Returns start + place, some times, and what else an index has. Other forms of the start and of places are refused.
  [[nodiscard]] ir::expr moved_index(ir::expr const& e) {
    auto form = arith::to_linear(e);
    arith::affine variables;
    arith::linear_form made;
    made.constant = form.constant;
    for (auto const& [atom, factor] : form.terms) {
      auto const* v = ir::as<ir::variable>(atom);
      if (v) variables.add(v->name, factor);
      made.add(v ? atom : ir::map_operands(atom, [&](ir::expr const& o) { return moved(o); }), factor);
    }
    auto const& [first, distance] = of_.start.terms.front();
    auto const times = variables.coefficient_of(first) / distance;
    auto const has = [&](arith::affine const& part) {
      return std::all_of(part.terms.begin(), part.terms.end(),
                         [&](auto const& t) { return variables.coefficient_of(t.first) == times * t.second; });
    };
    auto const lacks = [&](arith::affine const& part) {
      return std::all_of(part.terms.begin(), part.terms.end(),
                         [&](auto const& t) { return variables.coefficient_of(t.first) == 0; });
    };
    int places = 0;
    for (auto const& place : places_) {
      if (lacks(place)) continue;
      is_possible_ = is_possible_ && has(place);
      ++places;
    }
    is_possible_ =
        is_possible_ && has(of_.start) && (times == 0 ? places == 0 : places == 1 || (has_end_ && places == 0));
    if (times == 0 || !is_possible_) return arith::from_linear(std::move(made));
    for (auto const& [name, factor] : of_.start.terms) made.add(ir::make_variable(name), -times * factor);
    made.add(start_, times);
    return arith::from_linear(std::move(made));
  }

  ir::stmt const& tile_;
  open_tile const& of_;
  std::set<std::string> const& updated_;
  std::vector<arith::affine> places_;
  std::vector<own_index> own_indices_;
  arith::linear_form start_;
  std::set<std::string> own_;  ///< buffers of the tile
  std::set<std::string> stored_;
  bool has_end_ = false;
  bool is_possible_ = true;
};

}}}}  // namespace ttune::v0::lowering::detail
