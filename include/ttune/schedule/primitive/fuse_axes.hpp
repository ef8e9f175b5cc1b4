// SPDX-License-Identifier: Apache-2.0
// fuse_axes: adjacent axes become one, in this stage and in all stages connected with it; operands are reshaped.
//
//   O(f, y, x) = sum(c) I(c, y, x) * W(f, c)      →      O(f, yx) = sum(c) I(c, yx) * W(f, c)      fuse_axes(y, x, yx)
//
// Reduced axes can be fused, too, so that contiguous elements form one long row. All stages that run over the same
// dimensions of their operands are then fused with them.
//
//   S(c) = sum(y, x) I(c, y, x)                      →      S(c) = sum(yx) I(c, yx)                     fuse_axes(y, x,
//   yx)
//
// Unlike a loop made by fuse, the new axis can be split, so that a tile continues across the rows of small images. A
// stage that is read at, or reads, both axes unchanged over whole dimensions is fused with this one, and so is one that
// it reads at other rows but at the second axis unchanged, as the colours of a pixel near by: A(x + 1, c) becomes
// A(xc + C). An operand is reshaped if all its reads have one of these forms; another operand is read at yx / X and
// yx % X. Other stages that read a fused one do so at i * X + j. No element is copied, since their order in memory does
// not change.
//
// .fuse_axes(i, j, ij) prints
//
//   E(A f32 (6, 8)) -> E f32 (6, 8)
//   P(i < 6, j < 8) = A(i, j) + 1.0
//   E(i, j) = P(i, j) * P(i, j)
// →
//   E(A f32 (48)) -> E f32 (48)
//   P(ij < 48) = A(ij) + 1.0
//   E(ij) = P(ij) * P(ij)
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "ttune/schedule/primitive/rules.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// The call of the typed schedule (<ttune/schedule.hpp>).
template <class Schedule>
class fuse_axes_call {
 public:
  /// Fuses adjacent axes into one with the last name, in this stage and in the stages connected to it: `fuse_axes(y, x,
  /// yx)`. From then on, those stages are entered by name.
  template <class... Axes>
  [[nodiscard]] auto fuse_axes(Axes const&... axes) const {
    static_assert(sizeof...(Axes) >= 3,
                  "ttune: fuse_axes takes two or more axes and the name of the one that they become");
    return typed::join_loops_of(
        static_cast<Schedule const&>(*this),
        [](auto& builder, auto names, std::string result) {
          builder.add(primitive::fuse_axes, std::move(names), {std::move(result)});
        },
        std::make_index_sequence<sizeof...(Axes) - 1>{}, axes...);
  }
};

template <>
struct rules<primitive::fuse_axes> : default_rules {
  template <class Draw>
  static void draw(Draw& random, stage_plan const& st, step& s) {
    s.results = {random.fresh("m")};
    auto const& reduced = st.definition->reduction.axes;
    auto const& axes = reduced.size() > 1 && random.chance(0.4) ? reduced : st.definition->axes;
    auto const at = static_cast<std::size_t>(random.pick(static_cast<std::int64_t>(axes.size())));
    for (auto a = at; a < std::min(axes.size(), at + 2); ++a) s.loops.push_back(axes[a].name);
  }
  [[nodiscard]] static std::string arguments(step const& s, cpp_names& names);
  [[nodiscard]] static handle<ir::program> apply(handle<ir::program> const& p, step const& s);
};

}}}  // namespace ttune::v0::primitives

#if TTUNE_COMPILES_PRIMITIVES
#include <map>

#include "ttune/arith/simplify.hpp"
#include "ttune/schedule/primitive/rebuild.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

std::string rules<primitive::fuse_axes>::arguments(step const& s, cpp_names& names) {
  auto const axes = names.loops(s.loops);
  return axes + ", " + names.loop(s.results[0]);
}

namespace detail {

class axis_fuser {
 public:
  axis_fuser(handle<ir::program> program, step const& s, std::string name)
      : program_(std::move(program)), step_(s), name_(std::move(name)) {}

  handle<ir::program> run(handle<ir::stage> const& target, std::string const& first, std::string const& second) {
    spread(target, pair_of(*target, first, second));
    choose_operands();
    ir::program made{{}, program_->name, {}, {}, {}};
    for (auto const& t : program_->inputs) made.inputs.push_back(reshaped(t));
    for (auto const& st : program_->stages) {
      made.stages.push_back(rebuilt(*st));
      moved_.emplace(st.get(), ir::source(made.stages.back()));
    }
    for (auto const& out : program_->outputs) made.outputs.push_back(std::get<handle<ir::stage>>(moved_.at(out.get())));
    return share(std::move(made));
  }

 private:
  [[nodiscard]] std::size_t pair_of(ir::stage const& st, std::string const& first, std::string const& second) const {
    for (std::size_t a = 0; a + 1 < axis_count(st); ++a)
      if (is_pair(st, a) && axis_of(st, a).name == first && axis_of(st, a + 1).name == second) return a;
    std::vector<std::string> names;
    for (std::size_t a = 0; a < axis_count(st); ++a) names.push_back(axis_of(st, a).name);
    refuse(step_, second,
           "is not the axis behind " + first + " in " + st.name + "(" + listed(names) +
               "): only neighbours are one in memory");
  }

  // Axes of a stage are numbered: first the free ones, then the reduced ones.

  static std::size_t axis_count(ir::stage const& st) { return st.axes.size() + st.reduction.axes.size(); }
  static ir::axis const& axis_of(ir::stage const& st, std::size_t a) {
    return a < st.axes.size() ? st.axes[a] : st.reduction.axes[a - st.axes.size()];
  }
  /// Returns true if an axis and the next one are both free or both reduced, and begin at 0.
  static bool is_pair(ir::stage const& st, std::size_t a) {
    return a + 1 != st.axes.size() && a + 1 < axis_count(st) && axis_of(st, a).begin == 0 &&
           axis_of(st, a + 1).begin == 0;
  }
  static bool is_reduced(ir::stage const& st, std::size_t pair) { return pair >= st.axes.size(); }

  /// Returns true if the pair of a stage indexes dimensions d and d + 1, from one end to the other.
  static bool runs_over(ir::access const& a, std::size_t d, ir::stage const& st, std::size_t pair) {
    auto const shape = ir::shape_of(a.from);
    for (std::size_t i = 0; i < 2; ++i) {
      auto const* v = ir::as<ir::variable>(a.indices[d + i]);
      auto const& axis = axis_of(st, pair + i);
      if (!v || v->name != axis.name || shape[d + i] != axis.size()) return false;
    }
    return true;
  }

  /// Returns true if a read takes whole rows of dimension d + 1 by the second axis of the pair, in any row of dimension
  /// d that this axis does not choose. Places outside of dimension d are outside of both together.
  static bool takes_rows(ir::access const& a, std::size_t d, ir::stage const& st, std::size_t pair) {
    if (runs_over(a, d, st, pair)) return true;
    auto const& second = axis_of(st, pair + 1);
    auto const is_second = [&](ir::expr const& e) {
      auto const* v = ir::as<ir::variable>(e);
      return v && v->name == second.name;
    };
    bool const fills = a.outside == ir::boundary::none || a.outside == ir::boundary::value;
    return fills && is_second(a.indices[d + 1]) && ir::shape_of(a.from)[d + 1] == second.size() &&
           !ir::contains(a.indices[d], is_second);
  }

  template <class Look>
  static void for_each_read(ir::stage const& st, Look const& look) {
    auto const see = [&](ir::expr const& e) {
      if (auto const* a = ir::as<ir::access>(e)) look(*a);
    };
    for (auto const& c : st.components) ir::for_each_node(c.value, see);
    if (st.predicate) ir::for_each_node(st.predicate, see);
  }

  /// Merges the stage, and the stages that read it or are read by it at both axes unchanged.
  void spread(handle<ir::stage> const& st, std::size_t pair) {
    if (!pairs_.emplace(st.get(), pair).second) return;
    require_dense(*st, pair);
    for (auto const* axes : {&st->axes, &st->reduction.axes})
      for (auto const& a : *axes)
        if (a.name == name_ && &a != &axis_of(*st, pair) && &a != &axis_of(*st, pair + 1))
          refuse(step_, name_, "is an axis of " + st->name + " already: choose another name");
    for_each_read(*st, [&](ir::access const& a) {
      auto const* from = std::get_if<handle<ir::stage>>(&a.from);
      for (std::size_t d = 0; d + 1 < a.indices.size(); ++d) {
        if (from && is_pair(**from, d) && takes_rows(a, d, *st, pair)) spread(*from, d);
        if (!runs_over(a, d, *st, pair)) continue;
        if (from) spread(*from, d);
        else if (is_reduced(*st, pair)) spread_to_readers(a.from, d);
      }
    });
    if (!is_reduced(*st, pair)) spread_to_readers(ir::source(st), pair);
  }

  /// Refuses pairs that would be one in an operand whose rows have gaps.
  void require_dense(ir::stage const& st, std::size_t pair) {
    auto const refuse_gaps = [&](std::string const& operand) {
      refuse(step_, name_, "would be one dimension of " + operand + ", whose rows are apart in memory: it is strided");
    };
    if (!is_reduced(st, pair) && st.strides != operand_strides::dense) refuse_gaps(st.name);
    if (!is_reduced(st, pair) && st.updates && st.updates->strides != operand_strides::dense)
      refuse_gaps(st.updates->name);
    for_each_read(st, [&](ir::access const& a) {
      auto const* t = std::get_if<handle<ir::tensor>>(&a.from);
      for (std::size_t d = 0; t && (*t)->strides != operand_strides::dense && d + 1 < a.indices.size(); ++d)
        if (takes_rows(a, d, st, pair)) refuse_gaps((*t)->name);
    });
  }

  /// Merges the stages that run over dimensions d and d + 1 of a source by neighbouring axes.
  void spread_to_readers(ir::source const& from, std::size_t d) {
    for (auto const& reader : program_->stages)
      for_each_read(*reader, [&](ir::access const& a) {
        if (identity(a.from) != identity(from)) return;
        for (std::size_t b = 0; b + 1 < axis_count(*reader); ++b)
          if (is_pair(*reader, b) && runs_over(a, d, *reader, b)) spread(reader, b);
      });
  }

  /// Chooses the operands of which all reads take rows by the pair of a fused stage; updated operands must be among
  /// them.
  void choose_operands() {
    std::map<void const*, std::size_t> wanted;
    for (auto const& st : program_->stages)
      if (auto const pair = pairs_.find(st.get()); pair != pairs_.end()) {
        if (st->updates && !is_reduced(*st, pair->second)) pairs_.emplace(st->updates.get(), pair->second);
        for_each_read(*st, [&](ir::access const& a) {
          auto const* t = std::get_if<handle<ir::tensor>>(&a.from);
          for (std::size_t d = 0; t && d + 1 < a.indices.size(); ++d)
            if (takes_rows(a, d, *st, pair->second)) wanted.emplace(t->get(), d);
        });
      }
    for (auto const& st : program_->stages) {
      auto const pair = pairs_.find(st.get());
      for_each_read(*st, [&](ir::access const& a) {
        auto const w = wanted.find(identity(a.from));
        if (w != wanted.end() && (pair == pairs_.end() || !takes_rows(a, w->second, *st, pair->second)))
          wanted.erase(w);
      });
      if (st->updates && (pair == pairs_.end() || is_reduced(*st, pair->second))) wanted.erase(st->updates.get());
    }
    pairs_.insert(wanted.begin(), wanted.end());
  }

  handle<ir::tensor> reshaped(handle<ir::tensor> const& t) {
    auto const pair = pairs_.find(t.get());
    if (pair == pairs_.end()) return t;
    auto made = *t;
    auto const at = made.shape.begin() + static_cast<std::ptrdiff_t>(pair->second);
    *at = at[0].value * at[1].value;
    made.shape.erase(at + 1);
    auto const shared = share(std::move(made));
    moved_.emplace(t.get(), ir::source(shared));
    return shared;
  }

  handle<ir::stage> rebuilt(ir::stage st) {
    auto const pair = pairs_.find(program_->stages[made_++].get());
    std::string names[2];
    std::int64_t width = 1;
    if (pair != pairs_.end()) {
      bool const reduced = is_reduced(st, pair->second);
      auto& axes = reduced ? st.reduction.axes : st.axes;
      auto const at = axes.begin() + static_cast<std::ptrdiff_t>(pair->second - (reduced ? st.axes.size() : 0));
      for (std::size_t i = 0; i < 2; ++i) names[i] = at[static_cast<std::ptrdiff_t>(i)].name;
      width = at[1].size();
      *at = {name_, 0, at[0].size() * width};
      axes.erase(at + 1);
    }
    auto const fused = ir::make_variable(name_);
    auto const digit = [&](std::string const& name) -> ir::expr {
      if (name == names[0]) return ir::make_binary(ir::binary_op::floor_divide, fused, ir::make_index(width));
      if (name == names[1]) return ir::make_binary(ir::binary_op::floor_modulo, fused, ir::make_index(width));
      return {};
    };
    auto known = arith::ranges_of(st);
    known.erase(name_);  // an update reads its operand at its axes, even if they have only one value
    auto const read = [&](ir::expr const& whole, ir::access const& a) {
      auto const to = moved_.find(identity(a.from));
      if (to == moved_.end()) return whole;
      auto indices = a.indices;
      auto const* stage = std::get_if<handle<ir::stage>>(&a.from);
      auto const p = pairs_.find(identity(a.from));
      if (p != pairs_.end() && !(stage && is_reduced(**stage, p->second))) {
        auto const at = indices.begin() + static_cast<std::ptrdiff_t>(p->second);
        *at = arith::simplify(at[0] * ir::shape_of(a.from)[p->second + 1] + at[1], known);
        indices.erase(at + 1);
      }
      return ir::make_access(to->second, indices, a.outside, a.fill, a.component);
    };
    if (st.updates && moved_.count(st.updates.get()) != 0)
      st.updates = std::get<handle<ir::tensor>>(moved_.at(st.updates.get()));
    return share(
        map_stage(std::move(st), [&](ir::expr const& e) { return map_accesses(map_variables(e, digit), read); }));
  }

  handle<ir::program> program_;
  step const& step_;
  std::string name_;
  std::map<void const*, std::size_t> pairs_;  ///< stage or operand -> the first of its two dimensions
  std::unordered_map<void const*, ir::source> moved_;
  std::size_t made_ = 0;
};

}  // namespace detail

namespace detail {

/// Returns the program with indices that are one axis beside others of one value as this axis: `y + r` is `y` in a
/// window of one row.
[[nodiscard]] inline handle<ir::program> without_single_values(handle<ir::program> const& p) {
  ir::program_builder made(p);
  for (auto const& st : p->stages) {
    auto const known = arith::ranges_of(*st);
    auto const simpler = [&](ir::expr const&, ir::access const& a) {
      auto indices = a.indices;
      for (auto& i : indices)
        if (auto const simple = arith::simplify(i, known); ir::as<ir::variable>(simple)) i = simple;
      return ir::make_access(a.from, indices, a.outside, a.fill, a.component);
    };
    made.replace(st, made.add(map_stage(*st, [&](ir::expr const& e) { return map_accesses(e, simpler); })));
  }
  return made.finish();
}

}  // namespace detail

/// loops: neighbouring axes on the left of the stage, or reduced ones, in order. results[0]: the new axis.
handle<ir::program> rules<primitive::fuse_axes>::apply(handle<ir::program> const& before, step const& s) {
  auto p = detail::without_single_values(before);
  if (s.loops.size() < 2 || s.results.size() != 1)
    refuse(s, listed(s.loops), "takes two or more axes and the name of the one that they become");
  auto first = s.loops[0];
  for (std::size_t i = 1; i < s.loops.size(); ++i) {
    auto const target = find_stage(p, s, s.stage);
    p = detail::axis_fuser(p, s, s.results[0]).run(target, first, s.loops[i]);
    first = s.results[0];
  }
  return p;
}

}}}  // namespace ttune::v0::primitives
#endif
