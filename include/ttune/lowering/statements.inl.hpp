// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ttune/lowering/statements.hpp"
#include "ttune/lowering/statements/guards.hpp"
#include "ttune/lowering/statements/moved_tiles.hpp"
#include "ttune/lowering/statements/prefetches.hpp"
#include "ttune/lowering/statements/prologues.hpp"
#include "ttune/lowering/statements/scattered.hpp"
#include "ttune/lowering/statements/short_tiles.hpp"
#include "ttune/lowering/statements/task_shares.hpp"
#include "ttune/lowering/statements/tasks_of_call.hpp"
#include "ttune/lowering/statements/threads.hpp"
#include "ttune/lowering/statements/values.hpp"
#include "ttune/schedule/primitive/lookup.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

/// Builds the loops of all stages, each where it is computed.
class statement_builder {
 public:
  statement_builder(plan const& p, loop_nest const& n)
      : p_(p),
        n_(n),
        scope_(p, n),
        base_(scope_),
        buffers_(scope_, base_, made_),
        last_(scope_),
        live_(p, last_),
        places_(scope_, base_),
        values_(scope_, base_, buffers_, last_, live_, places_),
        prologues_(scope_, buffers_, live_) {}

  [[nodiscard]] ir::lowered run() {
    made_.name = p_.program->name;
    made_.same_bits = std::any_of(p_.program->stages.begin(), p_.program->stages.end(), [](auto const& st) {
      return st->reduces() && !st->reduction.associative && !st->reduction.commutative;
    });
    made_.keeps_extents_open = !scope_.open.empty();
    buffers_.declare_operands();
    std::vector<ir::stmt> prepare;
    std::vector<ir::stmt> body;
    std::vector<handle<ir::buffer>> scratch;
    for (std::size_t i = 0; i < p_.stages.size(); ++i) {
      if (n_.stages[i].inlined || n_.stages[i].attached_to >= 0) continue;
      buffers_.declare(i);
      base_.set_whole(i);
      bool const early = p_.stages[i].where == ir::memory::prepared;
      (early ? prepare : body).push_back(inside(i, 0));
      scope_.computed[i] = true;
      for (std::size_t c = 0; c < buffers_[i].size(); ++c)
        if (auto const& b = buffers_[i][c];
            live_.is_stored(i, c) && b->where != ir::memory::operand && b->where != ir::memory::prepared)
          scratch.push_back(b);
    }
    made_.prepare = ir::make_block(std::move(prepare));
    made_.body = with_open_extents(ir::make_block(std::move(body)));
    for (std::size_t i = scratch.size(); i-- > 0;) made_.body = ir::make_allocate(scratch[i], made_.body);
    return std::move(made_);
  }

 private:
  /// Returns a statement with the variables of the extents that the call gives.
  [[nodiscard]] ir::stmt with_open_extents(ir::stmt made) const {
    if (made_.keeps_extents_open) made = with_tasks_wanted(p_, std::move(made));
    for (std::size_t i = scope_.open.size(); i-- > 0;) {
      auto const& d = *scope_.open[i];
      auto const given = ir::make_access(buffers_.open_extents(), {ir::make_index(static_cast<std::int64_t>(i))});
      made = ir::make_let(d.name, ir::make_cast(dtype::index, given), d.low, d.high + 1, made);
    }
    return made;
  }

  /// Returns what runs inside loops [0, level) of a stage: first the stages computed there, then the rest of its own
  /// loops. Threads wait for each other behind what they put into shared memory, and before it is written again.
  ir::stmt inside(std::size_t st, std::int32_t level) {
    std::vector<ir::stmt> parts;
    auto const here = scope_.computed_inside(st, level - 1);
    std::vector<std::size_t> unseen;  // written to shared memory, no barrier since
    bool written_again = false;
    std::int32_t pending = -1;  // of what is copied ahead
    base_.find(here);
    for (auto const q : here) {
      buffers_.declare_again(q);
      if (n_.stages[q].continued) {
        auto const& last = last_.declare(q);
        prologues_.begins_before(scope_.variable(st, level - 1), last, loops(q, 0, true));
      }
      bool const group = buffers_[q].front()->where == ir::memory::shared;
      bool const reads =
          std::any_of(unseen.begin(), unseen.end(), [&](std::size_t u) { return primitives::reads_through(p_, q, u); });
      if (reads) parts.push_back(barrier()), unseen.clear();
      auto made = from_iteration(scope_, st, level - 1, n_.stages[q].warm_up,
                                 [&] { return in_slid_rows(scope_, base_, q, inside(q, 0)); });
      if (group) made = by_threads(scope_, q, made);
      auto const ahead = is_doubled(scope_, q);
      if (group && !ahead) unseen.push_back(q);
      written_again = written_again || (group && (ahead || scope_.is_repeated()));
      parts.push_back(ahead ? prologues_.computed_ahead(q, made, group) : made);
      if (ahead) pending = prologues_.pending(scope_.variable(st, n_.stages[q].depth));
      scope_.computed[q] = true;
    }
    if (!unseen.empty()) parts.push_back(barrier());
    parts.push_back(from_iteration(scope_, st, level - 1, 0, [&] { return rest(st, level); }));
    if (written_again) parts.push_back(barrier(pending));
    auto made = ir::make_block(std::move(parts));
    for (auto const q : here) {
      scope_.computed[q] = buffers_.is_operand(q);  // an output is there after the loops, too
      made = prologues_.allocated(q, scope_.variable(st, level - 1), made);
    }
    return made;
  }

  /// Returns the loops of a stage from `level` on. Where its reduced loops begin, a reduction first stores the
  /// identity, in the loops over free axes that are still to come.
  ir::stmt rest(std::size_t st, std::int32_t level) {
    auto const& definition = *p_.stages[st].definition;
    if (!definition.reduces() || level != first_reduced(st) || n_.stages[st].continued) return loops(st, level, false);
    auto const kept = last_.keeps(st) ? last_.declare(st) : std::vector<handle<ir::buffer>>();
    auto made = ir::make_block({loops(st, level, true), loops(st, level, false)});
    for (auto const& b : kept) made = ir::make_allocate(b, made);
    return made;
  }

  /// Returns true if each iteration of a loop has a result of its own, which begins with the identity.
  [[nodiscard]] bool begins_results(std::size_t st, std::int32_t level) const {
    auto const& l = scope_.loop(st, level);
    return scope_.is_free(st, l) && !last_.is_along(st, static_cast<std::size_t>(l.axis));
  }

  [[nodiscard]] std::int32_t first_reduced(std::size_t st) const {
    std::int32_t level = 0;
    while (level < n_.stages[st].count && begins_results(st, level)) ++level;
    return level;
  }

  /// Returns the loops of a stage from `level` on around its body; `initialise`: the free ones, around the stores of
  /// the identity.
  ir::stmt loops(std::size_t st, std::int32_t level, bool initialise) {
    if (level == n_.stages[st].count) return values_.body(st, initialise);
    if (initialise && !begins_results(st, level)) return loops(st, level + 1, true);
    if (!initialise && places_.replaces(st, level)) return at_places(st, level);
    if (auto const whole = undecided_tiles(st, level, initialise); !whole.empty())
      return by_tiles(whole, [&] { return loops(st, level, initialise); });
    if (auto const tile = scope_.open.empty() ? std::nullopt : find_short_tile(scope_, base_, st, level))
      return by_iterations(st, *tile, [&] { return loops(st, level, initialise); });
    auto last = level;
    while (scope_.loop(st, last).fused) ++last;
    auto const counts = initialise ? lets() : share_tiles(st, level, last);
    std::int64_t extent = 1;
    exprs ends;
    auto const known = scope_.facts.size();
    for (auto l = level; l <= last; ++l) {
      extent *= scope_.positions(st, l);
      ends.push_back(end_in_group(st, level, l));
      scope_.ranges[scope_.variable(st, l)] = {0, std::max<std::int64_t>(scope_.positions(st, l) - 1, 0)};
    }
    for (auto l = level; l <= last; ++l)
      if (auto exists = first_value_exists(scope_, base_, st, l);
          exists && !ir::is_constant(ends[static_cast<std::size_t>(l - level)]))
        scope_.facts.push_back(std::move(*exists));
    auto const before = initialise ? 0 : warm_up_of(scope_, st, last);
    if (before > 0) scope_.ranges[scope_.variable(st, last)].low = -before;
    auto const given = scope_.loop(st, last).kind;
    auto const kind = initialise && given == ir::loop_kind::tensorized ? kind_of_first_values(st, last) : given;
    auto name = last == level ? scope_.variable(st, level) : fused_name(st, last);
    if (last == level && !counts.empty()) name += ".task";
    auto const shared_by = scope_.threads_around(kind);
    bool const vanishes = extent == 1 && !primitives::is_block(kind);  // of one block, too, threads share a memory
    if (!vanishes && !shared_by) scope_.around.push_back({kind, name, extent});
    auto inner = initialise ? loops(st, last + 1, true) : inside_of_tiles(st, level, last);
    if (!initialise && prefetches_in(scope_, st, last))
      inner = ir::make_block({prefetches(scope_, values_, st, last), inner});
    if (!vanishes && !shared_by) scope_.around.pop_back();
    scope_.facts.resize(known);
    if (vanishes) return shared_by ? only_first(*shared_by, inner) : inner;
    if (last != level || !counts.empty()) inner = with_parts_of_fused(st, level, last, name, ends, inner);
    for (auto l = level; l <= last; ++l) scope_.ranges.erase(scope_.variable(st, l));
    if (shared_by) return distributed(*shared_by, name, extent, inner);
    auto end = ir::make_index(1);
    for (auto const& e : ends) end = ir::make_binary(ir::binary_op::multiply, end, e);
    auto const& innermost = scope_.loop(st, last);
    bool const is_tile = innermost.extent > 1 && !can_end_early(innermost);
    if (auto const some = scope_.some_iterations.find({st, static_cast<std::size_t>(innermost.axis)});
        is_tile && some != scope_.some_iterations.end() && some->second != all_iterations)
      end = ir::make_index(some->second);
    auto made = prologues_.finished(name, kind, ir::make_loop(name, ir::make_index(-before), end, kind, inner));
    for (auto l = level; l <= last; ++l) scope_.shares.erase({st, l});
    for (auto i = counts.size(); i-- > 0;) {
      scope_.ranges.erase(counts[i].variable);
      made = ir::make_let(counts[i].variable, counts[i].value, counts[i].low, counts[i].high, made);
    }
    return made;
  }

  using lets = std::vector<ir::let>;

  /// Has calls decide how many tiles the tasks of parallel loops have that run together; returns these numbers.
  [[nodiscard]] lets share_tiles(std::size_t st, std::int32_t first, std::int32_t last) {
    lets made;
    for (auto l = first; l <= last && !scope_.open.empty(); ++l) {
      auto const inner = loop_over_tiles(scope_, st, l, last);
      if (!inner || !is_apart_from_axis(scope_, base_, st, l, *inner)) continue;
      auto others = ir::make_index(1);
      for (auto k = first; k <= last; ++k)
        if (k != l) others = ir::make_binary(ir::binary_op::multiply, others, end_in_group(st, first, k));
      std::int64_t const most = scope_.loop(st, *inner).extent;
      auto const most_tasks = scope_.loop(st, l).extent * most;
      auto const tiles = tiles_of_axis(scope_, base_, st, l, *inner);
      scope::task_share const share{*inner, scope_.variable(st, *inner) + ".count", scope_.variable(st, l) + ".tasks"};
      auto const count = ir::make_variable(share.count);
      made.push_back({share.count, tiles_of_task(tiles, others, most), 1, most + 1, {}});
      made.push_back({share.tasks,
                      ir::make_binary(ir::binary_op::floor_divide, tiles + count + -1, count),
                      0,
                      most_tasks + 1,
                      {}});
      scope_.ranges[share.count] = {1, most};
      scope_.ranges[share.tasks] = {0, most_tasks};
      scope_.shares[{st, l}] = share;
    }
    return made;
  }

  /// Returns what runs inside of loops that run together. If one of them passes tiles of rows of which the last one may
  /// be moved, there are two versions: all rows exist, or the axis is shorter than a tile.
  ir::stmt inside_of_tiles(std::size_t st, std::int32_t first, std::int32_t last) {
    std::optional<moved_tile> tile;
    std::int32_t level = last;
    while (level >= first && !(tile = find_moved_tile(scope_, base_, st, level))) --level;
    if (!tile) return inside(st, last + 1);
    auto& extent = scope_.ranges[tile->extent];
    auto const all = extent;
    auto const size = ir::make_variable(tile->extent);
    auto const version = [&](ir::expr const& place) {
      scope_.moved[{st, tile->axis}] = {level, place};
      auto made = inside(st, last + 1);
      scope_.moved.erase({st, tile->axis});
      return made;
    };
    ir::stmt few;
    if (all.low < tile->rows) {
      extent.high = std::min(all.high, tile->rows - 1);
      few = version(ir::make_index(0));
      extent = all;
    }
    if (all.high < tile->rows) return few;
    auto const name = scope_.variable(st, level) + ".place";
    auto const place = ir::make_variable(name);
    extent.low = std::max(all.low, tile->rows);
    scope_.ranges[name] = {0, all.high - tile->rows};
    scope_.facts.push_back(*arith::to_affine(size - place + -tile->rows));
    auto many = version(place);
    scope_.facts.pop_back();
    scope_.ranges.erase(name);
    auto const begin = ir::make_binary(ir::binary_op::minimum, tile->begin, size + -tile->rows);
    many = ir::make_let(name, begin, 0, all.high - tile->rows + 1, many);
    auto const numbers = short_rows(static_cast<std::int32_t>(tile->rows));
    for (auto i = numbers.size(); i-- > 0;)
      many = ir::make_conditional(ir::make_binary(ir::binary_op::less_equal, size, tile->begin + numbers[i]),
                                  version(size + -numbers[i]), many);
    extent = all;
    return few ? ir::make_conditional(ir::make_binary(ir::binary_op::less_equal, ir::make_index(tile->rows), size),
                                      many, few)
               : many;
  }

  /// Returns how the first values of a tensorized tile are stored: on CPUs, whose tiles are large, columns in lanes.
  [[nodiscard]] ir::loop_kind kind_of_first_values(std::size_t st, std::int32_t level) const {
    if (scope_.in_kernel()) return ir::loop_kind::unrolled;
    while (++level < n_.stages[st].count)
      if (begins_results(st, level)) return ir::loop_kind::serial;
    return ir::loop_kind::vectorized;
  }

  /// Returns where a loop ends that runs together with the loops from `first` on: at run time only if none of them
  /// decides where it begins.
  [[nodiscard]] ir::expr end_in_group(std::size_t st, std::int32_t first, std::int32_t level) const {
    for (auto l = first; l < level; ++l)
      if (scope_.loop(st, l).axis == scope_.loop(st, level).axis) return ir::make_index(scope_.loop(st, level).extent);
    return end_of_loop(scope_, base_, st, level);
  }

  /// Returns what decides whether the tiles that begin at a level are whole, unless the loops around have asked.
  [[nodiscard]] std::vector<tile_of_axis> undecided_tiles(std::size_t st, std::int32_t level, bool initialise) const {
    if (scope_.open.empty()) return {};
    auto made = whole_tiles(scope_, base_, st, level);
    std::erase_if(made, [&](tile_of_axis const& t) {
      bool const free = t.axis < p_.stages[st].definition->axes.size();
      if (overhang_of(scope_, st, t.axis) == overhang::computed) return true;
      return (initialise && (!free || last_.is_along(st, t.axis))) || scope_.asked.count({st, t.axis}) != 0;
    });
    return made;
  }

  /// Returns a statement for each number of iterations of a tile, the smallest first, and one for all of them.
  template <class Make>
  [[nodiscard]] ir::stmt by_iterations(std::size_t st, short_tile const& tile, Make const& make) {
    auto const with = [&](std::int32_t number) {
      scope_.some_iterations[{st, tile.axis}] = number;
      auto made = make();
      scope_.some_iterations.erase({st, tile.axis});
      return made;
    };
    auto made = with(all_iterations);
    for (std::size_t i = tile.numbers.size(); i-- > 0;)
      made = ir::make_conditional(
          arith::simplify(ir::make_binary(ir::binary_op::less_equal, tile.left, ir::make_index(tile.numbers[i])),
                          scope_.ranges),
          with(tile.numbers[i]), made);
    return made;
  }

  /// Returns a statement for whole tiles, and one with conditions for the others.
  template <class Make>
  [[nodiscard]] ir::stmt by_tiles(std::vector<tile_of_axis> const& tiles, Make const& make) {
    for (auto const& t : tiles) scope_.asked.insert({t.stage, t.axis});
    auto const known = scope_.facts.size();
    bool const never = std::any_of(tiles.begin(), tiles.end(), [&](tile_of_axis const& t) {
      return arith::bounds(t.is_whole, scope_.ranges).high < 0;
    });
    for (auto const& t : tiles) scope_.facts.push_back(t.is_whole);
    auto const whole = never ? ir::stmt{} : make();
    scope_.facts.resize(known);
    auto const cut = make();
    for (auto const& t : tiles) scope_.asked.erase({t.stage, t.axis});
    return never ? cut : ir::make_conditional(all_are_whole(tiles), whole, cut);
  }

  /// Returns what runs inside of a loop over a scattered axis, at the place of a term.
  ir::stmt at_places(std::size_t st, std::int32_t level) {
    auto const axis = static_cast<std::size_t>(scope_.loop(st, level).axis);
    auto const name = places_.variable(st, axis);
    scope_.ranges[name] = {0, places_.extent(st, axis) - 1};
    auto inner = inside(st, level + 1);
    scope_.ranges.erase(name);
    return inner;
  }

  /// Returns the name of a loop that several are fused into, of which `last` is the innermost.
  [[nodiscard]] std::string fused_name(std::size_t st, std::int32_t last) const {
    auto const& planned = p_.stages[st];
    return planned.definition->name + "." + planned.loops[static_cast<std::size_t>(scope_.loop(st, last).source)].group;
  }

  /// Returns `inner` with the variables of loops [first, last], which run as one loop of that name.
  [[nodiscard]] ir::stmt with_parts_of_fused(std::size_t st, std::int32_t first, std::int32_t last,
                                             std::string const& name, exprs const& ends, ir::stmt inner) const {
    auto below = ir::make_index(1);
    auto const all = ir::make_variable(name);
    auto outermost = first;  // that has iterations: nothing is above it
    while (outermost < last && scope_.positions(st, outermost) == 1) ++outermost;
    for (auto l = last; l >= outermost; --l) {
      auto const positions = scope_.positions(st, l);
      auto const& end = ends[static_cast<std::size_t>(l - first)];
      auto digit = ir::make_binary(ir::binary_op::floor_divide, all, below);
      if (l != outermost) digit = ir::make_binary(ir::binary_op::floor_modulo, digit, end);
      if (auto const* share = scope_.share_of(st, l))
        digit = ir::make_binary(ir::binary_op::multiply, digit, ir::make_variable(share->count));
      if (positions != 1) inner = ir::make_let(scope_.variable(st, l), digit, 0, positions, inner);
      below = ir::make_binary(ir::binary_op::multiply, below, end);
    }
    return inner;
  }

  static constexpr std::int32_t all_iterations = -1;

  plan const& p_;
  loop_nest const& n_;
  ir::lowered made_;
  scope scope_;
  bases base_;
  storage buffers_;
  accumulators last_;
  live_components live_;
  scattered places_;
  values values_;
  prologues prologues_;
};

ir::lowered build_statements(plan const& p, loop_nest const& n) { return statement_builder(p, n).run(); }

}}}  // namespace ttune::v0::lowering
