// SPDX-License-Identifier: Apache-2.0
// Opens extents of a program at random: the kernel of the open program computes the program for any value of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ttune/arith/open_axis.hpp"
#include "ttune/capture/keep_open.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/ndarray.hpp"
#include "ttune/ir/open_extents.hpp"
#include "ttune/ir/rebuild.hpp"
#include "ttune/ir/statement_queries.hpp"
#include "ttune/support/rng.hpp"

namespace ttune_test {

/// A program whose kernels take extents, and the values that they have in the program that it was made of.
struct opened_program {
  ttune::handle<ttune::ir::program> program;  ///< null: no extent could stay open
  std::vector<std::int64_t> values;
};

/// Finds the dimensions of operands and stages that have one extent, because axes index all of them.
class extent_groups {
 public:
  explicit extent_groups(ttune::ir::program const& p) {
    using namespace ttune;
    for (auto const& t : p.inputs) {
      bool const closed = t->role == ir::tensor_role::constant || t->role == ir::tensor_role::table ||
                          t->role == ir::tensor_role::strides;
      for (std::size_t d = 0; d < t->shape.size(); ++d) {
        add({t.get(), d}, t->shape[d].value, closed);
        of_operands_.push_back({t.get(), d});
      }
    }
    for (auto const& s : p.outputs)
      for (std::size_t d = 0; d < s->axes.size(); ++d) of_operands_.push_back({s.get(), d});
    for (auto const& s : p.stages) {
      auto const free = s->axes.size();
      for (std::size_t a = 0; a < free; ++a) add({s.get(), a}, s->axes[a].size(), false);
      for (std::size_t a = 0; a < s->reduction.axes.size(); ++a)
        add({s.get(), free + a}, s->reduction.axes[a].size(), s->reduction.axes[a].begin != 0);
      for (std::size_t a = 0; s->updates && a < free; ++a) join({s.get(), a}, {s->updates.get(), a});
      for (auto const& c : s->components) look_at(*s, c.value);
      if (s->predicate) look_at(*s, s->predicate);
    }
  }

  using place = std::pair<void const*, std::size_t>;  ///< an operand or a stage, and its dimension or axis

  /// Returns the groups that can stay open: a number for each place.
  [[nodiscard]] std::map<place, int> open_ones() {
    std::map<int, std::int64_t> size;
    std::map<int, bool> closed;
    for (auto const& [at, own] : sizes_) {
      auto const group = root(group_.at(at));
      auto const [known, added] = size.emplace(group, own);
      closed[group] = closed[group] || closed_.count(at) != 0 || known->second != own || own < 1;
    }
    std::map<place, int> made;
    std::set<int> told;  // by the shapes of a call's arguments
    for (auto const& at : of_operands_) told.insert(root(group_.at(at)));
    for (auto const& [at, _] : sizes_)
      if (auto const group = root(group_.at(at)); !closed[group] && told.count(group) != 0) made[at] = group;
    return made;
  }

 private:
  void add(place at, std::int64_t size, bool closed) {
    group_[at] = static_cast<int>(parent_.size());
    parent_.push_back(static_cast<int>(parent_.size()));
    sizes_[at] = size;
    if (closed) closed_[at] = true;
  }
  int root(int g) {
    while (parent_[static_cast<std::size_t>(g)] != g) g = parent_[static_cast<std::size_t>(g)];
    return g;
  }
  void join(place a, place b) { parent_[static_cast<std::size_t>(root(group_.at(a)))] = root(group_.at(b)); }

  void look_at(ttune::ir::stage const& s, ttune::ir::expr const& value) {
    using namespace ttune;
    ir::for_each_node(value, [&](ir::expr const& e) {
      auto const* a = ir::as<ir::access>(e);
      if (!a) return;
      for (std::size_t d = 0; d < a->indices.size(); ++d) {
        place const read{identity(a->from), d};
        auto const axis = axis_of(s, *a, d);
        if (axis >= 0) {
          join({&s, static_cast<std::size_t>(axis)}, read);
          continue;
        }
        bool const is_guarded = a->outside == ir::boundary::value || a->outside == ir::boundary::clamp;
        if (is_guarded && !reads_elements(a->indices[d])) continue;
        closed_[read] = true;
        for (std::size_t x = 0; x < s.axes.size() + s.reduction.axes.size(); ++x)  // it would leave the dimension
          if (ir::mentions(a->indices[d], {name_of_axis(s, x)})) closed_[{&s, x}] = true;
      }
    });
  }
  static bool reads_elements(ttune::ir::expr const& index) {
    return ttune::ir::contains(index, [](ttune::ir::expr const& e) { return ttune::ir::as<ttune::ir::access>(e); });
  }
  static void const* identity(ttune::ir::source const& from) {
    return std::visit([](auto const& s) { return static_cast<void const*>(s.get()); }, from);
  }
  static std::string const& name_of_axis(ttune::ir::stage const& s, std::size_t x) {
    return x < s.axes.size() ? s.axes[x].name : s.reduction.axes[x - s.axes.size()].name;
  }
  /// Returns the axis that an index is, alone; -1 if it is something else.
  static int axis_of(ttune::ir::stage const& s, ttune::ir::access const& a, std::size_t d) {
    using namespace ttune;
    if (a.outside != ir::boundary::none) return -1;
    auto const* found = ttune::arith::axis_that_is(s, a.indices[d]);
    if (!found) return -1;
    for (std::size_t x = 0; x < s.axes.size(); ++x)
      if (&s.axes[x] == found) return static_cast<int>(x);
    return static_cast<int>(s.axes.size() + static_cast<std::size_t>(found - s.reduction.axes.data()));
  }

  std::map<place, int> group_;
  std::map<place, std::int64_t> sizes_;
  std::map<place, bool> closed_;
  std::vector<place> of_operands_;
  std::vector<int> parent_;
};

/// Opens one or two extents of a program, if there are any that can stay open.
[[nodiscard]] inline opened_program open_some(ttune::rng& random, ttune::handle<ttune::ir::program> const& p) {
  using namespace ttune;
  auto const places = extent_groups(*p).open_ones();
  std::vector<int> groups;
  for (auto const& [_, group] : places)
    if (std::find(groups.begin(), groups.end(), group) == groups.end()) groups.push_back(group);
  if (groups.empty()) return {};
  std::sort(groups.begin(), groups.end());  // the places are in the order of their addresses
  std::map<int, handle<ir::dimension>> chosen;
  std::map<std::string, std::int64_t> values;
  auto const some = 1 + random.below(std::min<std::uint64_t>(groups.size(), 3));
  for (std::uint64_t i = 0; i < some; ++i) chosen[groups[random.below(groups.size())]];
  auto const open = [&](extent_groups::place at, ir::extent& e) {
    auto const group = places.find(at);
    if (group == places.end() || chosen.count(group->second) == 0) return;
    auto& symbol = chosen[group->second];
    if (!symbol) {
      ir::dimension made;
      made.name = "open" + std::to_string(values.size());
      made.low = 1 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(e.value)));
      made.high = e.value + static_cast<std::int64_t>(random.below(3) == 0 ? 0 : random.below(40));
      values[made.name] = e.value;
      symbol = share(std::move(made));
    }
    e = {e.value, symbol};
  };
  ir::program_builder made(p);
  for (auto const& t : p->inputs) {
    auto opened = *t;
    for (std::size_t d = 0; d < opened.shape.size(); ++d) open({t.get(), d}, opened.shape[d]);
    made.replace(t, share(std::move(opened)));
  }
  for (auto const& s : p->stages) {
    auto opened = *s;
    for (std::size_t a = 0; a < opened.axes.size(); ++a) open({s.get(), a}, opened.axes[a].end);
    for (std::size_t a = 0; a < opened.reduction.axes.size(); ++a)
      open({s.get(), opened.axes.size() + a}, opened.reduction.axes[a].end);
    made.replace(s, made.add(opened));
  }
  opened_program all{capture::keep_open(made.finish()), {}};
  for (auto const& d : ir::open_extents(*all.program)) all.values.push_back(values.at(d->name));
  return all;
}

/// Returns the operands of a program for the open one: strides and extents are given by those who call its kernel.
[[nodiscard]] inline std::vector<ttune::ir::ndarray> operands_when_open(ttune::ir::program const& p,
                                                                        ttune::ir::program const& open,
                                                                        std::vector<ttune::ir::ndarray> const& values) {
  using namespace ttune;
  std::map<std::string, ir::ndarray> by_name;
  std::size_t next = 0;
  for (auto const& t : p.inputs)
    if (t->role != ir::tensor_role::table) by_name[t->name] = values[next++];
  std::vector<ir::ndarray> made;
  for (auto const& t : open.inputs) {
    if (t->role == ir::tensor_role::table) continue;
    bool const given = t->role == ir::tensor_role::strides || t->role == ir::tensor_role::extents;
    made.push_back(given ? ir::ndarray(t->type, ir::shape_of(t)) : by_name.at(t->name));
  }
  return made;
}

}  // namespace ttune_test
