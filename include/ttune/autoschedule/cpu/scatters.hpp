// SPDX-License-Identifier: Apache-2.0
// Scatters (arith/scatter_form.hpp) with many places send each term to its own (schedule/primitive/scatter.hpp). With
// few other results, cores have results of their own (rfactor), several each, so that an addition need not wait for
// the one before it at the same place:
//
//   parallel blocks of rows                       H(b): rows are shares of the terms; else the other free axes
//     for k
//       unroll row: H[row, G[row, k]] += e(row, k)
//
// Rows of contiguous results go to their place in vectors:
//
//   parallel others, blocks of x
//     for k
//       for vectors of the block: vectorize x: T[G[k], x] += e(k, x)
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ttune/arith/scatter_form.hpp"
#include "ttune/autoschedule/builder.hpp"
#include "ttune/autoschedule/cpu/split_reduction.hpp"
#include "ttune/ir/statement_queries.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

/// The sizes of a scatter.
struct scatter_size {
  std::int64_t places = 1;  ///< of the scattered axes together
  std::int64_t beside = 1;  ///< results at each place
  std::int64_t terms = 1;   ///< of each of these
};

/// Returns the form of a stage that sends each term to its place; nothing for other stages, and for those with so few
/// places that vectors of them look at each term in less time.
[[nodiscard]] inline std::optional<arith::scatter_form> scattered_form(stage_plan const& st) {
  constexpr std::int64_t least_places = 8;
  auto form = arith::scatter_form_of(*st.definition);
  if (!form) return {};
  std::int64_t places = 1;
  for (auto const& a : form->axes) places *= st.axis_size(a.axis);
  if (places < least_places) return {};
  return form;
}

[[nodiscard]] inline bool is_scattered(stage_plan const& st) { return scattered_form(st).has_value(); }

[[nodiscard]] inline scatter_size size_of(stage_plan const& st, arith::scatter_form const& form) {
  scatter_size made;
  for (auto const& a : form.axes) made.places *= st.axis_size(a.axis);
  auto const all = size_of(st);
  made.beside = all.results / made.places;
  made.terms = all.elements / all.results;
  return made;
}

namespace detail {

inline constexpr std::size_t no_axis = static_cast<std::size_t>(-1);

/// Returns an axis of a scatter along which results are contiguous, fill lanes, and share their places; `no_axis` if
/// there is none.
[[nodiscard]] inline std::size_t lanes_of_scatter(plan const& p, stage_plan const& st, arith::scatter_form const& form,
                                                  target const& machine) {
  std::int64_t const lanes = machine.lanes(st.definition->type());
  for (std::size_t x = 0; x < st.definition->axes.size(); ++x) {
    bool const fills = 2 * st.axis_size(x) >= lanes && stride(p, st, st.accesses.back(), x) == 1;
    bool const shares = std::none_of(form.axes.begin(), form.axes.end(), [&](arith::scattered_axis const& a) {
      return a.axis == x || ir::mentions(a.place, {st.axis_name(x)});
    });
    if (fills && shares && st.axis_size(x) > 1) return x;
  }
  return no_axis;
}

}  // namespace detail

/// Returns the number of rows of results that a core adds terms to in turn. Rows that do not fit a first-level cache
/// together have so many places that terms seldom meet.
[[nodiscard]] inline std::int64_t rows_in_turn(stage_plan const& st, scatter_size const& size, target const& machine) {
  constexpr std::int64_t rows = 4;
  std::int64_t bytes = 0;
  for (auto const& c : st.definition->components) bytes += static_cast<std::int64_t>(size_in_bytes(c.type));
  return 2 * rows * size.places * bytes <= static_cast<std::int64_t>(machine.l1_bytes) ? rows : 1;
}

/// Chooses shares of the terms of a scatter; nothing if its results keep the cores busy, or are so many that adding
/// those of the shares takes as long as the terms.
[[nodiscard]] inline std::optional<share_choice> choose_scatter_shares(plan const& p, stage_plan const& st,
                                                                       target const& machine) {
  auto const form = scattered_form(st);
  if (!form || !ir::reorders_apart(st.definition->reduction)) return {};
  if (detail::lanes_of_scatter(p, st, *form, machine) != detail::no_axis) return {};
  auto const size = size_of(st, *form);
  std::int64_t const cores = machine.cores;
  if (size.terms * size.beside < least_shared_elements) return {};
  auto const wanted = cores * rows_in_turn(st, size, machine);
  if (size.beside >= wanted || wanted * size.places > size.terms / 2) return {};
  for (auto x = st.definition->axes.size(); x < st.axis_count(); ++x) {
    auto const extent = st.axis_size(x);
    for (auto count = wanted; count < 2 * wanted; ++count)
      if (extent % count == 0) return share_choice{x, count};
    if (extent >= wanted * least_terms_of_share) return share_choice{x, wanted};
  }
  return {};
}

/// Writes the schedule of a scatter.
class scatter_schedule {
 public:
  scatter_schedule(space_builder& out, plan const& p, stage_plan const& st)
      : out_(out), p_(p), st_(st), name_(st.definition->name), form_(*scattered_form(st)) {
    lanes_ = out_.machine().lanes(st.definition->type());
    lanes_axis_ = detail::lanes_of_scatter(p, st, form_, out_.machine());
  }

  void write() {
    out_.step(primitive::scatter, name_, {});
    auto tasks = unit_axes();
    for (std::size_t x = 0; x < st_.definition->axes.size(); ++x)
      if (x != lanes_axis_ && st_.axis_size(x) > 1 && !is_place(x)) tasks.push_back(st_.axis_name(x));
    if (lanes_axis_ != detail::no_axis) write_vectors(std::move(tasks));
    else write_rows(std::move(tasks));
  }

 private:
  [[nodiscard]] bool is_place(std::size_t axis) const {
    return std::any_of(form_.axes.begin(), form_.axes.end(),
                       [&](arith::scattered_axis const& a) { return a.axis == axis; });
  }

  [[nodiscard]] std::vector<std::string> unit_axes() const {
    std::vector<std::string> made;
    for (auto const& name : autoschedule::unit_axes(st_))
      if (!is_place(axis_number(name))) made.push_back(name);
    return made;
  }

  [[nodiscard]] std::size_t axis_number(std::string const& name) const {
    std::size_t x = 0;
    while (st_.axis_name(x) != name) ++x;
    return x;
  }

  /// Returns the loops over the terms, then those over the places.
  [[nodiscard]] std::vector<std::string> term_loops() const {
    std::vector<std::string> made;
    for (auto x = st_.definition->axes.size(); x < st_.axis_count(); ++x) made.push_back(st_.axis_name(x));
    return made;
  }
  [[nodiscard]] std::vector<std::string> place_loops() const {
    std::vector<std::string> made;
    for (std::size_t x = 0; x < st_.definition->axes.size(); ++x)
      if (is_place(x)) made.push_back(st_.axis_name(x));
    return made;
  }

  /// Reorders the loops, and has the tasks run in parallel.
  void order(std::vector<std::string> const& tasks, std::vector<std::string> const& before_places,
             std::vector<std::string> const& behind_places) {
    auto all = tasks;
    for (auto const& part : {term_loops(), before_places, place_loops(), behind_places})
      all.insert(all.end(), part.begin(), part.end());
    out_.step(primitive::reorder, name_, all);
    auto const size = size_of(st_, form_);
    if (!tasks.empty() && size.terms * size.beside > most_sequential_elements)
      out_.step(primitive::parallel, name_, {out_.fused(name_, tasks, "tasks")});
  }

  /// Gives each task some rows, a few of which take their terms in turn.
  void write_rows(std::vector<std::string> tasks) {
    std::vector<std::string> rows;
    if (!tasks.empty() && st_.axis_size(axis_number(tasks.back())) > 1) {
      auto const n = tasks.back();
      auto const most = std::max<std::int64_t>(1, st_.axis_size(axis_number(n)) / out_.machine().cores);
      auto const in_turn = rows_in_turn(st_, size_of(st_, form_), out_.machine());
      auto const count = out_.one_of(name_ + ".rows_" + n, {1, 2, 4, 8}, std::min(most, in_turn));
      out_.step(primitive::split, name_, {n}, {n + "_0", n + "_1"}, {count});
      tasks.back() = n + "_0";
      rows.push_back(n + "_1");
    }
    order(tasks, rows, {});
    if (!rows.empty()) out_.step(primitive::unroll, name_, rows);
    store_identities_in_vectors();
  }

  /// Vectorizes the last loop over places, which runs for the identities only.
  void store_identities_in_vectors() {
    auto const axis = st_.definition->axes.size() - 1;
    if (!is_place(axis) || stride(p_, st_, st_.accesses.back(), axis) != 1) return;
    auto n = st_.axis_name(axis);
    if (st_.axis_size(axis) < lanes_) return;
    if (st_.axis_size(axis) > 4 * lanes_) {
      out_.step(primitive::split, name_, {n}, {n + "_0", n + "_1"}, {literal(4 * lanes_)});
      n += "_1";
    }
    out_.step(primitive::vectorize, name_, {n});
  }

  /// Divides rows of results into blocks for the cores, and vectors.
  void write_vectors(std::vector<std::string> tasks) {
    auto const n = st_.axis_name(lanes_axis_);
    auto const size = st_.axis_size(lanes_axis_);
    auto const shares = std::max<std::int64_t>(1, 2 * out_.machine().cores / (size_of(st_, form_).beside / size));
    auto const tile = out_.one_of(name_ + ".tile_" + n, {lanes_, 2 * lanes_, 4 * lanes_},
                                  std::min<std::int64_t>(4 * lanes_, std::max<std::int64_t>(lanes_, size / shares)));
    auto const tiles = out_.one_of(name_ + ".tiles_" + n, doublings(ceil_divide(size, lanes_)),
                                   std::max<std::int64_t>(1, size / shares / (4 * lanes_)));
    out_.step(primitive::split, name_, {n}, {n + "_0", n + "_1", n + "_2"}, {tiles, tile});
    tasks.push_back(n + "_0");
    order(tasks, {}, {n + "_1", n + "_2"});
    out_.step(primitive::vectorize, name_, {n + "_2"});
  }

  space_builder& out_;
  plan const& p_;
  stage_plan const& st_;
  std::string name_;
  arith::scatter_form form_;
  std::int32_t lanes_ = 1;
  std::size_t lanes_axis_ = detail::no_axis;
};

}}}  // namespace ttune::v0::autoschedule
