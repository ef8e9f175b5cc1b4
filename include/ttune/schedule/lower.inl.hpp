// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "ttune/ir/tuple.hpp"
#include "ttune/pass/simplify.hpp"
#include "ttune/pass/substitute.hpp"
#include "ttune/schedule/lower.hpp"
#include "ttune/schedule/prefetched_lines.hpp"
#include "ttune/schedule/primitive/bind.hpp"
#include "ttune/schedule/primitive/compute_at.hpp"
#include "ttune/schedule/primitive/prefetch.hpp"
#include "ttune/schedule/primitive/rebuild.hpp"
#include "ttune/schedule/primitive/swizzle.hpp"
#include "ttune/schedule/region.hpp"
#include "ttune/schedule/replay.hpp"

namespace ttune::inline v0 {

namespace detail {

/// Builds the statements of one plan and nest. Names: a loop variable is `stage.loop`.
class lowering {
 public:
  lowering(plan const& p, nest const& n)
      : p_(p), n_(n), base_(p.stages.size()), buffers_(p.stages.size()), computed_(p.stages.size(), false) {}

  ir::lowered run() {
    made_.name = p_.program->name;
    declare_operands();
    std::vector<ir::stmt> prepare;
    std::vector<ir::stmt> body;
    std::vector<handle<ir::buffer>> scratch;
    for (std::size_t i = 0; i < p_.stages.size(); ++i) {
      if (n_.stages[i].inlined || n_.stages[i].attached_to >= 0) continue;
      declare_buffers(i);
      base_[i].assign(p_.stages[i].axis_count(), ir::make_index(0));
      bool const early = p_.stages[i].where == ir::memory::prepared;
      (early ? prepare : body).push_back(inside(i, 0));
      computed_[i] = true;
      for (auto const& b : buffers_[i])
        if (b->where != ir::memory::operand && b->where != ir::memory::prepared) scratch.push_back(b);
    }
    made_.prepare = ir::make_block(std::move(prepare));
    made_.body = ir::make_block(std::move(body));
    for (std::size_t i = scratch.size(); i-- > 0;) made_.body = ir::make_allocate(scratch[i], made_.body);
    return std::move(made_);
  }

 private:
  using exprs = std::vector<ir::expr>;

  [[nodiscard]] nest::loop const& loop(std::size_t st, std::int32_t level) const {
    return n_.loops[static_cast<std::size_t>(n_.stages[st].first + level)];
  }
  [[nodiscard]] std::string variable(std::size_t st, std::int32_t level) const {
    auto const& planned = p_.stages[st];
    return planned.definition->name + "." + planned.loops[static_cast<std::size_t>(loop(st, level).source)].name;
  }

  /// The value of a loop's variable. A loop that runs once is none: conditions then speak of real loops only.
  [[nodiscard]] ir::expr position(std::size_t st, std::int32_t level) const {
    return loop(st, level).extent == 1 ? ir::make_index(0) : ir::make_variable(variable(st, level));
  }

  // ------------------------------------------------------------------------------------------------- buffers

  void declare_operands() {
    for (auto const& t : p_.program->inputs) {
      std::vector<std::int64_t> extents;
      for (auto const& e : t->shape) extents.push_back(e.value);
      int const slot = static_cast<int>(made_.operands.size());
      if (t->role == ir::tensor_role::table) {
        operands_[t.get()] = share(ir::buffer{{}, t->name, t->type, extents, ir::memory::shared, -1, t->content});
        continue;
      }
      operands_[t.get()] = share(ir::buffer{{}, t->name, t->type, extents, ir::memory::operand, slot, {}});
      made_.operands.push_back(operands_[t.get()]);
    }
    for (auto const& out : p_.program->outputs) {
      auto const i = index_of(out);
      for (auto const& c : out->components) {
        if (out->updates) {
          buffers_[i].push_back(operands_.at(out->updates.get()));
          continue;
        }
        int const slot = static_cast<int>(made_.operands.size());
        auto const name = out->components.size() == 1 ? out->name : out->name + "." + c.name;
        buffers_[i].push_back(
            share(ir::buffer{{}, name, c.type, ir::shape_of(ir::source(out)), ir::memory::operand, slot, {}}));
        made_.operands.push_back(buffers_[i].back());
      }
    }
  }

  [[nodiscard]] std::size_t index_of(handle<ir::stage> const& st) const {
    for (std::size_t i = 0; i < p_.program->stages.size(); ++i)
      if (p_.program->stages[i] == st) return i;
    return p_.program->stages.size();
  }

  /// Extents of the buffer of a stage: those of its region, or of its loops if it is packed.
  [[nodiscard]] std::vector<std::int64_t> storage_extents(std::size_t st) const {
    auto const& s = n_.stages[st];
    std::vector<std::int64_t> extents;
    if (is_doubled(st)) extents.push_back(buffers_of(st));
    if (p_.stages[st].packed)
      for (std::int32_t l = 0; l < s.count; ++l) {
        if (is_free(st, loop(st, l))) extents.push_back(loop(st, l).extent);
      }
    else
      for (std::size_t d = 0; d < p_.stages[st].definition->axes.size(); ++d)
        extents.push_back(slides_along(st, d) ? s.ring : s.extent[d]);
    if (!extents.empty()) extents.back() += s.padding;
    return extents;
  }

  void declare_buffers(std::size_t st) {
    if (!buffers_[st].empty()) return;
    auto const& planned = p_.stages[st];
    for (auto const& c : planned.definition->components) {
      auto const name = planned.definition->name + (planned.definition->components.size() == 1 ? "" : "." + c.name);
      auto const where = memory_of(st);
      int const slot = where == ir::memory::prepared ? static_cast<int>(made_.prepared.size()) : -1;
      auto b = ir::buffer{{}, name, c.type, storage_extents(st), where, slot, {}};
      b.ahead = is_doubled(st) && where == ir::memory::group && is_copy(st);
      if (auto const rows = n_.stages[st].swizzle; rows > 0 && where == ir::memory::group && !b.extents.empty())
        b.swizzle =
            primitives::swizzle_distance(rows, b.extents.back() * static_cast<std::int64_t>(size_in_bytes(b.type)));
      buffers_[st].push_back(share(std::move(b)));
      if (slot >= 0) made_.prepared.push_back(buffers_[st].back());
    }
  }

  /// Scratch is one for the call where no two iterations that compute it run at once, else one a thread. It is never a
  /// thread's own if other threads read it.
  [[nodiscard]] ir::memory memory_of(std::size_t st) const {
    auto where = p_.stages[st].where;
    auto const& s = n_.stages[st];
    if (where == ir::memory::group && !in_kernel()) where = ir::memory::shared;
    if (where != ir::memory::shared && where != ir::memory::local && where != ir::memory::registers) return where;
    if (s.attached_to < 0) return ir::memory::shared;
    if (where == ir::memory::registers) return where;
    if (is_concurrent()) return ir::memory::local;
    return where == ir::memory::shared || is_parallel(static_cast<std::size_t>(s.attached_to), s.depth + 1)
               ? ir::memory::shared
               : ir::memory::local;
  }
  /// Whether there is a parallel loop among the loops of a stage from `level` on, or in what is computed in them.
  [[nodiscard]] bool is_parallel(std::size_t st, std::int32_t level) const {
    for (auto l = level; l < n_.stages[st].count; ++l)
      if (loop(st, l).kind == ir::loop_kind::parallel || loop(st, l).kind >= ir::loop_kind::block_x) return true;
    for (std::size_t q = 0; q < st; ++q)
      if (n_.stages[q].attached_to == static_cast<std::int16_t>(st) && n_.stages[q].depth >= level - 1 &&
          is_parallel(q, 0))
        return true;
    return false;
  }

  [[nodiscard]] bool is_free(std::size_t st, nest::loop const& l) const {
    return static_cast<std::size_t>(l.axis) < p_.stages[st].definition->axes.size();
  }

  /// Indices into the buffer of a stage for an element of its region (relative to the region's base).
  [[nodiscard]] exprs storage_indices(std::size_t st, exprs const& relative) const {
    exprs indices;
    if (is_doubled(st)) indices.push_back(half(st));
    if (!p_.stages[st].packed) {
      for (std::size_t d = 0; d < relative.size(); ++d)
        indices.push_back(slides_along(st, d) ? in_ring(st, d, relative[d]) : relative[d]);
      return indices;
    }
    auto const& s = n_.stages[st];
    for (std::int32_t level = 0; level < s.count; ++level) {
      auto const& l = loop(st, level);
      if (!is_free(st, l)) continue;
      auto digit = ir::make_binary(ir::binary_op::floor_divide, relative[static_cast<std::size_t>(l.axis)],
                                   ir::make_index(l.stride));
      // The outermost part of an axis needs no modulo: nothing is above it.
      if (static_cast<std::int64_t>(l.stride) * l.extent < s.extent[static_cast<std::size_t>(l.axis)])
        digit = ir::make_binary(ir::binary_op::floor_modulo, digit, ir::make_index(l.extent));
      indices.push_back(digit);
    }
    return indices;
  }

  // ------------------------------------------------------------------------------------------------- regions

  /// The first element of an axis that is computed where a stage stands: it has the rows before it already if it
  /// slides.
  [[nodiscard]] ir::expr computed_low(std::size_t st, std::size_t d, detail::region_place const& at) {
    return region_low(st, d, at) + detail::kept_rows(n_, st, d);
  }

  /// Smallest value of an axis of reader `r` inside a place.
  [[nodiscard]] ir::expr low(std::size_t r, std::size_t axis, detail::region_place const& at) {
    if (r != at.of) {
      if (axis >= p_.stages[r].definition->axes.size()) return ir::make_index(0);
      return computed_low(r, axis, at);
    }
    auto value = at.group ? base_for_all(r, axis) : base_[r][axis];
    for (std::int32_t i = 0; i <= at.depth; ++i)
      if (static_cast<std::size_t>(loop(r, i).axis) == axis && !(at.group && detail::over_threads(n_, r, i)))
        value = value + position(r, i) * loop(r, i).stride;
    return value;
  }

  /// The base of a stage's axis for all threads around it together.
  [[nodiscard]] ir::expr base_for_all(std::size_t st, std::size_t axis) {
    auto const& s = n_.stages[st];
    if (s.attached_to < 0 || axis >= p_.stages[st].definition->axes.size()) return base_[st][axis];
    return region_low(st, axis, {static_cast<std::size_t>(s.attached_to), s.depth, true});
  }

  /// Returns the smallest index of dimension `d` of stage `st` that is read inside a place. It is found once: paths of
  /// reads from a place's stage to another one can be many.
  [[nodiscard]] ir::expr region_low(std::size_t st, std::size_t d, detail::region_place const& at) {
    if (n_.stages[st].extent[d] >= p_.stages[st].axis_size(d)) return ir::make_index(0);
    low_key const key{at.of, at.depth, at.group, st, d};
    if (auto const found = lows_.find(key); found != lows_.end()) return found->second;
    auto const least = find_region_low(st, d, at);
    lows_.emplace(key, least);
    return least;
  }

  [[nodiscard]] ir::expr find_region_low(std::size_t st, std::size_t d, detail::region_place const& at) {
    ir::expr least;
    spans_inside span(p_, n_, at);
    detail::for_each_read(p_, n_, st, [&](std::size_t r, planned_access const& a) {
      auto const& index = a.indices[d];
      auto value = ir::make_index(index.constant);
      for (std::size_t x = 0; x < index.coefficient.size(); ++x) {
        auto const c = index.coefficient[x];
        if (c == 0) continue;
        value = value + low(r, x, at) * c;
        if (c < 0) value = value + c * span(r, x);
      }
      if (index.divisor != 1)
        value = ir::make_binary(ir::binary_op::floor_divide, value, ir::make_index(index.divisor));
      value = pass::simplify(value, ranges_);
      least = least ? pass::simplify(ir::make_binary(ir::binary_op::minimum, least, value), ranges_) : value;
    });
    return least;
  }

  /// Finds where the regions of stages begin that are computed at one place.
  void find_bases(std::vector<std::size_t> const& stages) {
    lows_.clear();  // what is known of the loops around may have changed
    for (auto const q : stages) {
      base_[q].assign(p_.stages[q].axis_count(), ir::make_index(0));
      for (std::size_t d = 0; d < p_.stages[q].definition->axes.size(); ++d)
        base_[q][d] = computed_low(q, d, detail::place_of(n_, q));
    }
  }

  // ------------------------------------------------------------------------------------- threads (primitive/bind.hpp)

  /// A loop around what is being made that runs more than once.
  struct loop_around {
    ir::loop_kind kind;
    std::string name;
    std::int64_t extent;
  };

  template <class Is>
  [[nodiscard]] bool any_around(Is const& is) const {
    return std::any_of(around_.begin(), around_.end(), [&](loop_around const& l) { return is(l.kind); });
  }
  /// Whether iterations around run at once.
  [[nodiscard]] bool is_concurrent() const {
    return any_around([](ir::loop_kind k) {
      return k != ir::loop_kind::serial && k != ir::loop_kind::unrolled && k != ir::loop_kind::tensorized;
    });
  }
  [[nodiscard]] bool in_kernel() const {
    return any_around([](ir::loop_kind k) { return k >= ir::loop_kind::block_x; });
  }
  /// Whether the same threads come here again.
  [[nodiscard]] bool is_repeated() const {
    return any_around([](ir::loop_kind k) { return k < ir::loop_kind::block_x; });
  }
  [[nodiscard]] std::optional<loop_around> threads_around(ir::loop_kind kind) const {
    for (auto const& l : around_)
      if (l.kind == kind && primitives::is_thread(kind)) return l;
    return std::nullopt;
  }

  [[nodiscard]] static ir::stmt barrier(std::int32_t pending = -1) {
    return share(ir::stmt_node{{}, ir::barrier{pending}});
  }

  [[nodiscard]] static ir::stmt only_first(loop_around const& threads, ir::stmt const& s) {
    return ir::make_conditional(
        ir::make_binary(ir::binary_op::equal, ir::make_variable(threads.name), ir::make_index(0)), s);
  }

  /// Threads of directions that a stage does not bind leave it to the first one.
  [[nodiscard]] ir::stmt by_threads(std::size_t st, ir::stmt s) const {
    for (auto const& l : around_)
      if (primitives::is_thread(l.kind) &&
          !primitives::detail::has_loop(p_.stages[st], [&](ir::loop_kind k) { return k == l.kind; }))
        s = only_first(l, s);
    return s;
  }

  /// A loop whose iterations the threads around take in turns.
  [[nodiscard]] static ir::stmt distributed(loop_around const& threads, std::string const& name, std::int64_t extent,
                                            ir::stmt const& inner) {
    auto const turns = ceil_divide(extent, threads.extent);
    auto at = ir::make_variable(threads.name);
    if (turns > 1) at = ir::make_variable(name + ".turn") * threads.extent + at;
    auto made = ir::make_let(name, at, 0, extent, inner);
    if (turns * threads.extent != extent)
      made = ir::make_conditional(ir::make_binary(ir::binary_op::less, at, ir::make_index(extent)), made);
    return turns == 1
               ? made
               : ir::make_loop(name + ".turn", ir::make_index(0), ir::make_index(turns), ir::loop_kind::serial, made);
  }

  /// Group memory is of the block: allocated around its threads.
  [[nodiscard]] bool is_hoisted(std::size_t st) const {
    return buffers_[st].front()->where == ir::memory::group && any_around(primitives::is_thread);
  }

  // ----------------------------------------------------------------------------- ahead
  // (primitive/double_buffer.hpp)

  /// Whether a stage is computed ahead: a loop that runs once has no next iteration.
  [[nodiscard]] bool is_doubled(std::size_t st) const {
    auto const& s = n_.stages[st];
    return s.buffers > 1 && loop(static_cast<std::size_t>(s.attached_to), s.depth).extent > 1;
  }
  /// No more than there are iterations.
  [[nodiscard]] std::int32_t buffers_of(std::size_t st) const {
    auto const& s = n_.stages[st];
    return std::min<std::int32_t>(s.buffers, loop(static_cast<std::size_t>(s.attached_to), s.depth).extent);
  }
  /// Whether elements of an operand are moved as they are.
  [[nodiscard]] bool is_copy(std::size_t st) const {
    auto const& definition = *p_.stages[st].definition;
    if (definition.reduces() || definition.components.size() != 1) return false;
    auto const* a = ir::as<ir::access>(definition.components[0].value);
    return a && std::holds_alternative<handle<ir::tensor>>(a->from);
  }
  [[nodiscard]] ir::expr half(std::size_t st) const {
    auto const& s = n_.stages[st];
    return ir::make_binary(ir::binary_op::floor_modulo, position(static_cast<std::size_t>(s.attached_to), s.depth),
                           ir::make_index(buffers_of(st)));
  }

  /// What runs before a loop, and the buffers that live as long as both.
  struct prologue {
    std::vector<std::vector<ir::stmt>> parts;  ///< by how many iterations before the loop; [0] is the last one
    std::vector<handle<ir::buffer>> buffers;
    bool meets = false;  ///< threads wait for each other behind it
    std::int32_t pending = -1;
  };

  /// A later iteration's part; the first ones are left to be run before the loop.
  ir::stmt computed_ahead(std::size_t q, ir::stmt const& made, bool group) {
    auto const& s = n_.stages[q];
    auto const of = static_cast<std::size_t>(s.attached_to);
    auto const name = variable(of, s.depth);
    auto const ahead = buffers_of(q) - 1;
    auto const next = ir::make_variable(name) + ahead;
    auto& first = prologues_[name];
    first.parts.resize(std::max(first.parts.size(), static_cast<std::size_t>(ahead)));
    for (std::int32_t part = 0; part < ahead; ++part)
      first.parts[static_cast<std::size_t>(ahead - 1 - part)].push_back(
          pass::substitute(made, {{name, ir::make_index(part)}}));
    first.meets = first.meets || group;
    if (buffers_[q].front()->ahead) first.pending = first.pending < 0 ? ahead - 1 : std::min(first.pending, ahead - 1);
    auto& buffers = is_hoisted(q) ? hoisted_ : first.buffers;
    buffers.insert(buffers.end(), buffers_[q].begin(), buffers_[q].end());
    auto const more = ir::make_binary(ir::binary_op::less, next, ir::make_index(loop(of, s.depth).extent));
    return ir::make_conditional(more, pass::substitute(made, {{name, next}}));
  }

  /// A loop with what runs before it, and the buffers that live as long as it.
  ir::stmt finished(std::string const& name, ir::loop_kind kind, ir::stmt made) {
    auto const allocate = [&](std::vector<handle<ir::buffer>>& buffers) {
      for (auto const& b : buffers) made = ir::make_allocate(b, made);
      buffers.clear();
    };
    if (auto first = prologues_.extract(name)) {
      auto& before = first.mapped();
      std::vector<ir::stmt> all;
      for (auto n = before.parts.size(); n-- > 0;) {
        all.insert(all.end(), before.parts[n].begin(), before.parts[n].end());
        if (before.meets && (n == 0 || before.pending >= 0)) all.push_back(barrier(before.pending));
      }
      all.push_back(made);
      made = ir::make_block(std::move(all));
      allocate(before.buffers);
    }
    if (primitives::is_thread(kind) && !any_around(primitives::is_thread)) allocate(hoisted_);
    return made;
  }

  // ------------------------------------------------------------------------- rings of rows (primitive/slide.hpp)

  [[nodiscard]] bool slides_along(std::size_t st, std::size_t axis) const {
    return n_.stages[st].slid_axis == static_cast<std::int32_t>(axis);
  }
  [[nodiscard]] ir::expr in_ring(std::size_t st, std::size_t axis, ir::expr const& relative) const {
    return ir::make_binary(ir::binary_op::floor_modulo, base_[st][axis] + relative, ir::make_index(n_.stages[st].ring));
  }

  /// Returns the stages that are computed inside loop `level` of a stage, around its next one.
  [[nodiscard]] std::vector<std::size_t> computed_inside(std::size_t st, std::int32_t level) const {
    std::vector<std::size_t> made;
    for (std::size_t q = 0; q < st && level >= 0; ++q)
      if (!n_.stages[q].inlined && n_.stages[q].attached_to == static_cast<std::int16_t>(st) &&
          n_.stages[q].depth == level)
        made.push_back(q);
    return made;
  }

  /// Iterations before the first one of a loop in which stages are computed inside of it.
  [[nodiscard]] std::int32_t warm_up_of(std::size_t st, std::int32_t level) const {
    std::int32_t most = 0;
    for (auto const q : computed_inside(st, level)) most = std::max<std::int32_t>(most, n_.stages[q].warm_up);
    return most;
  }

  /// Whether the domain of a stage is asked for once for the one row that an iteration adds, outside of its loops.
  [[nodiscard]] bool asks_ahead(std::size_t st, std::size_t axis) const {
    return slides_along(st, axis) && n_.stages[st].extent[axis] == 1;
  }
  [[nodiscard]] ir::stmt in_slid_rows(std::size_t st, ir::stmt const& made) const {
    auto const axis = n_.stages[st].slid_axis;
    if (axis < 0 || !asks_ahead(st, static_cast<std::size_t>(axis))) return made;
    auto const& row = base_[st][static_cast<std::size_t>(axis)];
    auto const full = ir::make_index(p_.stages[st].axis_size(static_cast<std::size_t>(axis)));
    auto const inside_domain =
        ir::make_binary(ir::binary_op::logical_and, ir::make_binary(ir::binary_op::less, row, full),
                        ir::make_binary(ir::binary_op::less, ir::make_index(-1), row));
    return ir::make_conditional(pass::simplify(inside_domain, ranges_), made);
  }

  /// What `make` makes, from so many iterations before the first one of a loop on.
  template <class Make>
  ir::stmt from_iteration(std::size_t st, std::int32_t level, std::int32_t before, Make const& make) {
    if (level < 0 || warm_up_of(st, level) == before) return make();
    auto const name = variable(st, level);
    auto const all = std::exchange(ranges_[name].low, -before);
    auto made = make();
    ranges_[name].low = all;
    return ir::make_conditional(
        ir::make_binary(ir::binary_op::less_equal, ir::make_index(-before), ir::make_variable(name)), made);
  }

  // -------------------------------------------------------------------------------------------------- stages

  /// What runs inside loops [0, level) of a stage: first the stages computed there, then the rest of its own loops.
  /// Threads wait for each other behind what they put into group memory, and before it is written again.
  ir::stmt inside(std::size_t st, std::int32_t level) {
    std::vector<ir::stmt> parts;
    auto const here = computed_inside(st, level - 1);
    std::vector<std::size_t> unseen;  // written to group memory, no barrier since
    bool written_again = false;
    std::int32_t pending = -1;  // of what is copied ahead
    find_bases(here);
    for (auto const q : here) {
      buffers_[q].clear();
      declare_buffers(q);
      bool const group = buffers_[q].front()->where == ir::memory::group;
      bool const reads =
          std::any_of(unseen.begin(), unseen.end(), [&](std::size_t u) { return primitives::reads_through(p_, q, u); });
      if (reads) parts.push_back(barrier()), unseen.clear();
      auto made = from_iteration(st, level - 1, n_.stages[q].warm_up, [&] { return in_slid_rows(q, inside(q, 0)); });
      if (group) made = by_threads(q, made);
      auto const ahead = is_doubled(q);
      if (group && !ahead) unseen.push_back(q);
      written_again = written_again || (group && (ahead || is_repeated()));
      parts.push_back(ahead ? computed_ahead(q, made, group) : made);
      if (ahead) pending = prologues_[variable(st, n_.stages[q].depth)].pending;
      computed_[q] = true;
    }
    if (!unseen.empty()) parts.push_back(barrier());
    parts.push_back(from_iteration(st, level - 1, 0, [&] { return rest(st, level); }));
    if (written_again) parts.push_back(barrier(pending));
    auto made = ir::make_block(std::move(parts));
    for (auto const q : here) {
      computed_[q] = false;
      if (is_doubled(q)) continue;  // computed_ahead has seen to it
      for (auto const& b : buffers_[q]) {
        if (n_.stages[q].slid_axis >= 0) prologues_[variable(st, level - 1)].buffers.push_back(b);
        else if (is_hoisted(q)) hoisted_.push_back(b);
        else made = ir::make_allocate(b, made);
      }
    }
    return made;
  }

  ir::stmt rest(std::size_t st, std::int32_t level) {
    auto const& definition = *p_.stages[st].definition;
    if (definition.reduces() && level == first_reduced(st))
      return ir::make_block({initial(st, level), loops(st, level, false)});
    return loops(st, level, false);
  }

  [[nodiscard]] std::int32_t first_reduced(std::size_t st) const {
    std::int32_t level = 0;
    while (level < n_.stages[st].count && is_free(st, loop(st, level))) ++level;
    return level;
  }

  /// The free loops from `level` on, storing the identity.
  ir::stmt initial(std::size_t st, std::int32_t level) { return loops(st, level, true); }

  ir::stmt loops(std::size_t st, std::int32_t level, bool initialise) {
    if (level == n_.stages[st].count) return body(st, initialise);
    if (initialise && !is_free(st, loop(st, level))) return loops(st, level + 1, true);
    auto last = level;
    while (loop(st, last).fused) ++last;
    std::int64_t extent = 1;
    for (auto l = level; l <= last; ++l) {
      extent *= loop(st, l).extent;
      ranges_[variable(st, l)] = {0, std::max(loop(st, l).extent - 1, 0)};
    }
    auto const before = initialise ? 0 : warm_up_of(st, last);
    if (before > 0) ranges_[variable(st, last)].low = -before;
    auto const kind =
        initialise && loop(st, last).kind == ir::loop_kind::tensorized ? ir::loop_kind::unrolled : loop(st, last).kind;
    auto const name = last == level ? variable(st, level)
                                    : p_.stages[st].definition->name + "." +
                                          p_.stages[st].loops[static_cast<std::size_t>(loop(st, last).source)].group;
    auto const shared_by = threads_around(kind);
    bool const vanishes = extent == 1 && !primitives::is_block(kind);  // of one block, too, threads share a memory
    if (!vanishes && !shared_by) around_.push_back({kind, name, extent});
    auto inner = initialise ? loops(st, last + 1, true) : inside(st, last + 1);
    if (!initialise && prefetches_in(st, last)) inner = ir::make_block({prefetches(st, last), inner});
    if (!vanishes && !shared_by) around_.pop_back();
    if (vanishes) return shared_by ? only_first(*shared_by, inner) : inner;
    if (last != level) {
      std::int64_t below = 1;
      auto const all = ir::make_variable(name);
      for (auto l = last; l >= level; --l) {
        auto digit = ir::make_binary(ir::binary_op::floor_divide, all, ir::make_index(below));
        if (l != level) digit = ir::make_binary(ir::binary_op::floor_modulo, digit, ir::make_index(loop(st, l).extent));
        if (loop(st, l).extent != 1) inner = ir::make_let(variable(st, l), digit, 0, loop(st, l).extent, inner);
        below *= loop(st, l).extent;
      }
    }
    for (auto l = level; l <= last; ++l) ranges_.erase(variable(st, l));
    if (shared_by) return distributed(*shared_by, name, extent, inner);
    return finished(name, kind, ir::make_loop(name, ir::make_index(-before), ir::make_index(extent), kind, inner));
  }

  // What a stage reads later (primitive/prefetch.hpp).

  [[nodiscard]] bool prefetches_in(std::size_t st, std::int32_t level) const {
    return n_.stages[st].prefetch > 0 && loop(st, level).source == p_.stages[st].prefetched.loop;
  }

  /// A hint for each cache line of the operand that the loops inside `level` read, some iterations of it later.
  ir::stmt prefetches(std::size_t st, std::int32_t level) {
    auto const& definition = *p_.stages[st].definition;
    auto const& operand = p_.program->inputs[static_cast<std::size_t>(p_.stages[st].prefetched.operand)];
    ir::expr first;
    ir::for_each_node(definition.components[0].value, [&](ir::expr const& part) {
      auto const* a = ir::as<ir::access>(part);
      if (!first && a && a->from == ir::source(operand)) first = part;
    });
    return first ? ir::make_block(prefetches_of(st, level, first)) : ir::make_block({});
  }

  /// A gathered index reads its own operand, and is no hint: behind the last iteration it reads the nearest element.
  [[nodiscard]] static ir::expr readable_anywhere(ir::expr const& index) {
    return ir::rewrite(index, [](ir::expr const& e) {
      auto const* a = ir::as<ir::access>(e);
      if (!a) return e;
      auto const shape = ir::shape_of(a->from);
      auto inside = a->indices;
      for (std::size_t d = 0; d < inside.size(); ++d) {
        inside[d] = ir::make_binary(ir::binary_op::minimum, inside[d], ir::make_index(shape[d] - 1));
        inside[d] = ir::make_binary(ir::binary_op::maximum, inside[d], ir::make_index(0));
      }
      return ir::make_access(a->from, inside, a->outside, a->fill, a->component);
    });
  }

  std::vector<ir::stmt> prefetches_of(std::size_t st, std::int32_t level, ir::expr const& read_there) {
    exprs values = relative(st);
    for (std::size_t a = 0; a < values.size(); ++a) values[a] = base_[st][a] + values[a] + p_.stages[st].axis_begin(a);
    auto const at = in_buffers(st, read_there, values);
    auto const& read = *ir::as<ir::access>(at);
    auto const later = ir::make_variable(variable(st, level)) + n_.stages[st].prefetch;
    exprs first;
    for (auto const& i : read.indices)
      first.push_back(readable_anywhere(primitives::map_variables(
          i, [&](std::string const& v) { return v == variable(st, level) ? later : ir::expr{}; })));
    std::vector<line_loop> inside;
    for (auto l = level + 1; l < n_.stages[st].count; ++l) inside.push_back({variable(st, l), loop(st, l).extent});
    constexpr auto most = primitives::max_prefetched_lines;
    auto const line = static_cast<std::int64_t>(64 / size_in_bytes(at->type));
    auto const places = prefetched_lines(simplified(first), inside, line, most);
    if (places.empty())
      throw schedule_error(
          "prefetch", p_.stages[st].definition->name,
          "one iteration would ask for more than " + std::to_string(most) + " lines: name a loop further inside");
    std::vector<ir::stmt> made;
    for (auto const& place : places)
      made.push_back(ir::make_prefetch(std::get<handle<ir::buffer>>(read.from), simplified(place)));
    return made;
  }

  /// Position of every axis relative to the base of the region, from the loops.
  [[nodiscard]] exprs relative(std::size_t st) const {
    exprs values(p_.stages[st].axis_count(), ir::make_index(0));
    for (std::int32_t l = 0; l < n_.stages[st].count; ++l) {
      auto& v = values[static_cast<std::size_t>(loop(st, l).axis)];
      v = v + position(st, l) * loop(st, l).stride;
    }
    return values;
  }

  /// Conditions under which a point of the loops is one of the stage: tails of splits, regions that overhang.
  [[nodiscard]] ir::expr inside_domain(std::size_t st, exprs const& rel, bool initialise) const {
    auto condition = ir::make_bool(true);
    auto const require = [&](ir::expr const& low_side, ir::expr const& high_side) {
      auto const c = pass::simplify(ir::make_binary(ir::binary_op::less, low_side, high_side), ranges_);
      condition = ir::make_binary(ir::binary_op::logical_and, condition, c);
    };
    for (std::size_t a = 0; a < rel.size(); ++a) {
      bool const free = a < p_.stages[st].definition->axes.size();
      if (initialise && !free) continue;
      auto const region = static_cast<std::int64_t>(n_.stages[st].extent[a]);
      require(rel[a], ir::make_index(region));
      auto const full = p_.stages[st].axis_size(a);
      if (!free || region >= full || asks_ahead(st, a)) continue;
      require(base_[st][a] + rel[a], ir::make_index(full));
      require(ir::make_index(-1), base_[st][a] + rel[a]);
    }
    return condition;
  }

  /// An expression of a stage with its axes replaced and its reads turned into reads of buffers.
  [[nodiscard]] ir::expr in_buffers(std::size_t st, ir::expr const& e, exprs const& values) const {
    auto const located = primitives::map_variables(e, [&](std::string const& name) -> ir::expr {
      for (std::size_t a = 0; a < values.size(); ++a)
        if (p_.stages[st].axis_name(a) == name) return values[a];
      return {};
    });
    return primitives::map_accesses(located, [&](ir::expr const& whole, ir::access const& a) {
      return std::holds_alternative<handle<ir::buffer>>(a.from)
                 ? whole
                 : read(a);  // a gathered index of what is inlined is done
    });
  }

  [[nodiscard]] ir::expr read(ir::access const& a) const {
    exprs indices = a.indices;
    if (auto const* t = std::get_if<handle<ir::tensor>>(&a.from)) {
      for (auto& i : indices) i = pass::simplify(i, ranges_);
      return ir::make_access(operands_.at(t->get()), indices);
    }
    auto const& source = std::get<handle<ir::stage>>(a.from);
    auto const q = index_of(source);
    if (n_.stages[q].inlined)
      return in_buffers(q, source->components[static_cast<std::size_t>(a.component)].value, indices);
    if (!computed_[q])  // by knobs: make_plan refuses the others
      throw schedule_error(
          "compute_at", source->name,
          "is read outside of the loop that it is computed in: choose a loop that holds all its readers");
    for (std::size_t d = 0; d < indices.size(); ++d) indices[d] = indices[d] - base_[q][d];
    indices = storage_indices(q, simplified(indices));
    return ir::make_access(buffers_[q][static_cast<std::size_t>(a.component)], simplified(indices));
  }

  [[nodiscard]] exprs simplified(exprs indices) const {
    for (auto& i : indices) i = pass::simplify(i, ranges_);
    return indices;
  }

  ir::stmt body(std::size_t st, bool initialise) {
    auto const& definition = *p_.stages[st].definition;
    auto const rel = relative(st);
    exprs values = rel;
    for (std::size_t a = 0; a < values.size(); ++a) values[a] = base_[st][a] + rel[a] + p_.stages[st].axis_begin(a);
    exprs free_part(rel.begin(), rel.begin() + static_cast<std::ptrdiff_t>(definition.axes.size()));
    auto const target = simplified(storage_indices(st, free_part));
    auto condition = inside_domain(st, rel, initialise);
    std::vector<ir::stmt> stores;
    if (initialise) {
      for (std::size_t c = 0; c < definition.components.size(); ++c)
        stores.push_back(ir::make_store(buffers_[st][c], target, identity_of(definition, c)));
    } else if (!definition.reduces()) {
      for (std::size_t c = 0; c < definition.components.size(); ++c)
        stores.push_back(
            ir::make_store(buffers_[st][c], target, in_buffers(st, definition.components[c].value, values)));
    } else {
      if (definition.predicate)
        condition = ir::make_binary(ir::binary_op::logical_and, condition,
                                    pass::simplify(in_buffers(st, definition.predicate, values), ranges_));
      stores = accumulate(st, target, values);
    }
    return ir::make_conditional(condition, ir::make_block(std::move(stores)));
  }

  [[nodiscard]] static ir::expr identity_of(ir::stage const& definition, std::size_t c) {
    auto const& r = definition.reduction;
    return r.kind == ir::reduction_kind::tuple ? r.identity[c]
                                               : ir::make_identity(r.kind, definition.components[c].type);
  }

  std::vector<ir::stmt> accumulate(std::size_t st, exprs const& target, exprs const& values) {
    auto const& definition = *p_.stages[st].definition;
    exprs accumulated;
    exprs incoming;
    for (std::size_t c = 0; c < definition.components.size(); ++c) {
      accumulated.push_back(ir::make_access(buffers_[st][c], target));
      incoming.push_back(in_buffers(st, definition.components[c].value, values));
    }
    if (definition.reduction.kind != ir::reduction_kind::tuple)
      return {ir::make_store(buffers_[st][0], target,
                             ir::make_combine(definition.reduction.kind, accumulated[0], incoming[0]))};
    if (!ir::combines_apart(definition.reduction)) return combine_tuple(st, target, accumulated, incoming);
    std::vector<ir::stmt> stores;
    for (std::size_t c = 0; c < definition.components.size(); ++c)
      stores.push_back(ir::make_store(buffers_[st][c], target,
                                      substitute_arguments(definition.reduction.combine[c], accumulated, incoming)));
    return stores;
  }

  /// All components are combined from the old values before any is stored.
  std::vector<ir::stmt> combine_tuple(std::size_t st, exprs const& target, exprs const& accumulated,
                                      exprs const& incoming) {
    auto const& definition = *p_.stages[st].definition;
    std::vector<ir::stmt> stores;
    std::vector<handle<ir::buffer>> fresh;
    for (std::size_t c = 0; c < definition.components.size(); ++c) {
      auto const value = substitute_arguments(definition.reduction.combine[c], accumulated, incoming);
      fresh.push_back(
          share(ir::buffer{{}, buffers_[st][c]->name + ".next", value->type, {1}, ir::memory::registers, -1, {}}));
      stores.push_back(ir::make_store(fresh[c], {ir::make_index(0)}, value));
    }
    for (std::size_t c = 0; c < fresh.size(); ++c)
      stores.push_back(ir::make_store(buffers_[st][c], target, ir::make_access(fresh[c], {ir::make_index(0)})));
    auto made = ir::make_block(std::move(stores));
    for (auto const& f : fresh) made = ir::make_allocate(f, made);
    return {made};
  }

  [[nodiscard]] static ir::expr substitute_arguments(ir::expr const& e, exprs const& left, exprs const& right) {
    if (auto const* a = ir::as<ir::argument>(e))
      return (a->right ? right : left)[static_cast<std::size_t>(a->component)];
    return ir::map_operands(e, [&](ir::expr const& o) { return substitute_arguments(o, left, right); });
  }

  plan const& p_;
  nest const& n_;
  ir::lowered made_;
  std::unordered_map<void const*, handle<ir::buffer>> operands_;
  using low_key = std::tuple<std::size_t, std::int32_t, bool, std::size_t, std::size_t>;
  std::map<low_key, ir::expr> lows_;  ///< by place, stage and axis: where its region begins, for find_bases()
  std::vector<exprs> base_;           ///< per stage and axis: where its region begins
  std::vector<std::vector<handle<ir::buffer>>> buffers_;  ///< per stage and component
  std::vector<bool> computed_;                            ///< per stage: before the statement that is being made
  pass::ranges ranges_;                                   ///< of the loop variables in scope
  std::vector<loop_around> around_;                       ///< what is being made
  std::vector<handle<ir::buffer>> hoisted_;               ///< to be allocated around the loops over threads
  std::unordered_map<std::string, prologue> prologues_;   ///< by loop
};

}  // namespace detail

TTUNE_INLINE ir::lowered lower(plan const& p, nest const& n) { return detail::lowering(p, n).run(); }

}  // namespace ttune::inline v0
