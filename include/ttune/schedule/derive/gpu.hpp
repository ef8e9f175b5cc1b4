// SPDX-License-Identifier: Apache-2.0
// Spaces for devices with blocks of threads. Every stage that is kept is a kernel. A reduction has the structure that
// Ansor calls SSSRRSRS:
//
//   block_x  all blocks, fused                              S
//     vthread  all virtual threads, fused                   S
//       thread_x  all threads, fused                        S
//         local acc[what is left of the axes]
//         for the outer parts of the reduced axes           R
//           group copies of the operands, fetched by all threads
//           barrier
//           for their inner parts                           R
//             for what is left of the axes: acc += …        S
//           barrier
//         store what was accumulated                        S
//
// Where warps multiply matrices (gpu_matrices.hpp) a thread's part of the axes of rows and columns is what it holds of
// some matrices of 16 x 8, and there are no virtual threads.
//
// Anything else is dealt out to threads, element by element. What a block may use is a constraint: a configuration that
// is proposed fits the device.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "ttune/core/target.hpp"
#include "ttune/schedule/derive/gpu_matrices.hpp"
#include "ttune/schedule/factors.hpp"
#include "ttune/schedule/plan.hpp"
#include "ttune/support/integer.hpp"

namespace ttune::inline v0::derive {

class gpu_deriver {
 public:
  gpu_deriver(handle<ir::program> program, target const& machine) : machine_(machine) {
    made_.program = std::move(program);
  }

  [[nodiscard]] space run() {
    inline_maps();
    plan_ = make_plan(made_);
    for (auto const& st : plan_.stages) {
      if (is_inlined(st)) continue;
      if (st.definition->updates || st.definition->axes.empty()) continue;  // the plain loops
      if (is_tiled(st)) tiled(st);
      else flat(st);
    }
    return std::move(made_);
  }

 private:
  static constexpr int block = 0, vthread = 1, thread = 2, inner = 3;

  /// A knob with the parts of an axis.
  struct cut {
    std::string name;
    std::int32_t knob = -1;
    [[nodiscard]] knob_value part(int p) const { return {knob, p, 0}; }
    std::int64_t together = 1;  ///< so many elements for each that a block works on
  };

  void step(primitive what, std::string stage, std::vector<std::string> loops, std::vector<std::string> results = {},
            std::vector<knob_value> values = {}) {
    made_.steps.push_back({what, std::move(stage), std::move(loops), std::move(results), std::move(values)});
  }
  void bind(std::string const& stage, std::string const& loop, ir::loop_kind kind) {
    step(primitive::bind, stage, {loop}, {}, {literal(static_cast<std::int64_t>(kind))});
  }
  void require(knob_expression condition, std::string text) {
    made_.constraints.push_back({std::move(condition), std::move(text)});
  }

  /// Maps that are no outputs vanish into their readers.
  void inline_maps() {
    auto const before = make_plan(made_);
    for (auto const& st : before.stages) {
      auto const& d = *st.definition;
      if (d.reduces() || d.updates || d.components.size() != 1 || st.output) continue;
      inlined_.push_back(d.name);
      step(primitive::inline_stage, d.name, {});
    }
  }
  [[nodiscard]] bool is_inlined(planned_stage const& st) const {
    return std::find(inlined_.begin(), inlined_.end(), st.definition->name) != inlined_.end();
  }

  /// A reduction of one value with something to be shared between threads.
  [[nodiscard]] static bool is_tiled(planned_stage const& st) {
    auto const& d = *st.definition;
    if (!d.reduces() || !d.reduction.commutative || d.components.size() != 1 ||
        d.reduction.kind == ir::reduction_kind::tuple)
      return false;
    std::int64_t points = 1;
    for (std::size_t x = 0; x < st.axis_count(); ++x) points *= st.axis_size(x);
    return points > 0;
  }

  // ------------------------------------------------------------------------------------------------ element by element

  void flat(planned_stage const& st) {
    auto const& name = st.definition->name;
    std::vector<std::string> axes;
    std::int64_t elements = 1;
    for (std::size_t x = 0; x < st.definition->axes.size(); ++x)
      if (st.axis_size(x) != 1) axes.push_back(st.axis_name(x)), elements *= st.axis_size(x);
    if (axes.empty() || elements == 0) return;
    std::string all = axes[0];
    if (axes.size() > 1) {
      // one loop is cut, the others are fused with its outer part
      all = axes.back();
    }
    auto const last = static_cast<std::int64_t>(st.axis_size(index_of(st, all)));
    std::vector<std::int32_t> threads;
    for (std::int32_t t = 1; t <= std::min<std::int64_t>(last, std::min(machine_.block_threads, 256)); t *= 2)
      threads.push_back(t);
    auto const knob = add(one_of_knob(name + ".threads", threads), static_cast<std::int32_t>(threads.size()) - 1);
    step(primitive::split, name, {all}, {all + "_b", all + "_t"}, {knob});
    axes.back() = all + "_b";
    if (axes.size() > 1) step(primitive::fuse, name, axes, {"blocks"});
    bind(name, axes.size() > 1 ? "blocks" : axes[0], ir::loop_kind::block_x);
    bind(name, all + "_t", ir::loop_kind::thread_x);
  }

  [[nodiscard]] static std::size_t index_of(planned_stage const& st, std::string const& axis) {
    for (std::size_t x = 0; x < st.axis_count(); ++x)
      if (st.axis_name(x) == axis) return x;
    return st.axis_count();
  }

  // -------------------------------------------------------------------------------------------------------- tiles

  void tiled(planned_stage const& st) {
    if (auto const matrices = find_matrix_axes(machine_, st)) return multiplied_by_warps(st, *matrices);
    auto const& name = st.definition->name;
    auto const acc = name + ".acc";
    step(primitive::cache_write, name, {}, {acc});
    cuts_.assign(st.axis_count(), {});
    cut_free_axes(st);
    cut_reduced_axes(st, acc);
    auto const fetched = fetches(st, acc);
    buffers_ = choose_buffers(st, fetched, false);
    order_reader(st, acc);
    for (auto const* a : fetched) fetch(*a, st, acc);
    limit_block(st, fetched);
  }

  /// Threads of the seed along each axis: 16 of the last one, 8 of the one before that is long enough.
  void cut_free_axes(planned_stage const& st) {
    auto const free = st.definition->axes.size();
    std::int64_t threads_left = std::min(machine_.block_threads, 256);
    std::int64_t tile_left = 16;
    for (auto x = free; x-- > 0;) {
      auto const extent = st.axis_size(x);
      if (extent == 1) continue;
      auto const& axis = st.axis_name(x);
      factor_limits limits;
      limits.max_inner = 1024;
      limits.max_innermost = 16;
      limits.max_waste = 0.25;
      auto k = factors_knob(st.definition->name + ".tile_" + axis, extent, 4, policy(extent), limits);
      auto const t = std::min<std::int64_t>({threads_left, 16, extent});
      auto const seed = nearest(k, {0, 1, t, std::min<std::int64_t>(tile_left, 4)});
      threads_left = std::max<std::int64_t>(1, threads_left / k.choice(seed)[thread]);
      tile_left = std::max<std::int64_t>(1, tile_left / k.choice(seed)[inner]);
      auto const number = add(std::move(k), seed).knob;
      cuts_[x] = {axis, number};
      step(primitive::split, st.definition->name, {axis}, {axis + "_b", axis + "_v", axis + "_t", axis + "_i"},
           {knob_value{number, 1, 0}, knob_value{number, 2, 0}, knob_value{number, 3, 0}});
    }
  }

  void cut_reduced_axes(planned_stage const& st, std::string const& acc) {
    std::int64_t left = 8;
    for (auto x = st.axis_count(); x-- > st.definition->axes.size();) {
      auto const extent = st.axis_size(x);
      if (extent == 1) continue;
      auto const& axis = st.axis_name(x);
      factor_limits limits;
      limits.max_innermost = 64;
      limits.max_waste = 0.25;
      auto k = factors_knob(st.definition->name + ".tile_" + axis, extent, 2, policy(extent), limits);
      auto const seed = nearest(k, {0, std::min(left, extent)});
      left = std::max<std::int64_t>(1, left / k.choice(seed)[1]);
      auto const number = add(std::move(k), seed).knob;
      cuts_[x] = {axis, number};
      step(primitive::split, acc, {axis}, {axis + "_o", axis + "_n"}, {knob_value{number, 1, 0}});
    }
  }

  /// Factors as they are where there are enough of them.
  [[nodiscard]] static factor_policy policy(std::int64_t extent) {
    int divisors = 0;
    for (std::int64_t d = 1; d * d <= extent; ++d) divisors += extent % d == 0 ? (d * d == extent ? 1 : 2) : 0;
    return divisors >= 4 ? factor_policy::exact : factor_policy::powers_of_two;
  }

  /// The choice whose inner parts are nearest, as ratios. The first number is not looked at.
  [[nodiscard]] static std::int32_t nearest(knob const& k, std::vector<std::int64_t> const& wanted) {
    std::int32_t best = 0;
    double least = 1e300;
    for (std::int32_t c = 0; c < k.choices(); ++c) {
      double distance = 0;
      for (std::size_t p = 1; p < wanted.size(); ++p)
        distance += std::abs(std::log(static_cast<double>(k.choice(c)[p]) / static_cast<double>(wanted[p])));
      if (distance < least) least = distance, best = c;
    }
    return best;
  }

  void order_reader(planned_stage const& st, std::string const& acc) {
    auto const& name = st.definition->name;
    std::vector<std::string> order;
    std::vector<std::string> parts[3];
    for (std::size_t x = 0; x < st.definition->axes.size(); ++x)
      if (cuts_[x].knob < 0) order.push_back(st.axis_name(x));  // of one iteration
    static constexpr char const* suffix[] = {"_b", "_v", "_t", "_i"};
    for (int p = block; p <= inner; ++p)
      for (std::size_t x = 0; x < st.definition->axes.size(); ++x)
        if (cuts_[x].knob >= 0) {
          order.push_back(cuts_[x].name + suffix[p]);
          if (p != inner) parts[p].push_back(order.back());
        }
    if (parts[block].empty()) return reduce_alone(st, acc);
    step(primitive::reorder, name, order);
    static constexpr char const* fused[] = {"blocks", "virtual", "threads"};
    static constexpr ir::loop_kind kinds[] = {ir::loop_kind::block_x, ir::loop_kind::virtual_thread,
                                              ir::loop_kind::thread_x};
    for (int p = block; p <= thread; ++p) {
      auto const whole = parts[p].size() > 1 ? fused[p] : parts[p][0];
      if (parts[p].size() > 1) step(primitive::fuse, name, parts[p], {whole});
      bind(name, whole, kinds[p]);
      if (p == thread) step(primitive::compute_at, acc, {name, whole});
    }
    step(primitive::store_in, acc, {}, {}, {literal(static_cast<std::int64_t>(ir::memory::local))});
    std::vector<std::string> inside;
    for (auto const* s : {"_o", "_n"})
      for (auto x = st.definition->axes.size(); x < st.axis_count(); ++x)
        if (cuts_[x].knob >= 0) inside.push_back(cuts_[x].name + s);
    for (auto const& a : st.definition->axes) inside.push_back(a.name);
    if (inside.size() > 1) step(primitive::reorder, acc, inside);
  }

  /// A result of one element: one thread has it all.
  void reduce_alone(planned_stage const& st, std::string const& acc) {
    auto const& name = st.definition->name;
    step(primitive::compute_at, acc, {name, st.axis_name(st.definition->axes.size() - 1)});
  }

  // ------------------------------------------------------------------------------------------------- group memory

  [[nodiscard]] std::string outer_reduced(planned_stage const& st) const {
    std::string last;
    for (auto x = st.definition->axes.size(); x < st.axis_count(); ++x)
      if (cuts_[x].knob >= 0) last = cuts_[x].name + "_o";
    return last;
  }

  /// Operands that are read at one place, affinely, by several threads each.
  [[nodiscard]] std::vector<planned_access const*> fetches(planned_stage const& st, std::string const& acc) {
    std::vector<planned_access const*> found;
    bool any_free = false;
    for (std::size_t x = 0; x < st.definition->axes.size(); ++x) any_free = any_free || cuts_[x].knob >= 0;
    if (outer_reduced(st).empty() || !any_free) return found;
    for (auto const& a : st.accesses) {
      if (a.write || a.operand < 0) continue;
      auto const& t = *plan_.program->inputs[static_cast<std::size_t>(a.operand)];
      auto const same = [&](planned_access const& b) { return !b.write && b.operand == a.operand; };
      bool const affine =
          std::none_of(a.indices.begin(), a.indices.end(), [](planned_index const& i) { return i.whole; });
      if (t.role == ir::tensor_role::table || t.role == ir::tensor_role::inout || a.indices.empty() || !affine ||
          std::count_if(st.accesses.begin(), st.accesses.end(), same) != 1)
        continue;
      found.push_back(&a);
      step(primitive::cache_read, acc, {t.name}, {acc + "." + t.name});
    }
    return found;
  }

  /// How many parts of the operands are in group memory at once. Devices that copy while threads compute have a use for
  /// more than two; the seed has three where most of the time would be spent on waiting. No knob where there is none.
  [[nodiscard]] knob_value choose_buffers(planned_stage const& st, std::vector<planned_access const*> const& fetched,
                                          bool ahead) {
    if (fetched.empty() || nvidia_architecture(machine_) == 0) return literal(1);
    bool const copies = nvidia_architecture(machine_) >= 80;
    auto const values = copies ? std::vector<std::int32_t>{1, 2, 3, 4} : std::vector<std::int32_t>{1, 2};
    return add(one_of_knob(st.definition->name + ".buffers", values),
               ahead ? static_cast<std::int32_t>(copies ? 2 : 1) : 0);
  }

  /// Lanes of a warp that multiply matrices read down the rows of a tile: rows as long as all banks would all begin in
  /// the same one. A vector more, and they do not.
  void choose_padding(planned_stage const& st, std::vector<planned_access const*> const& fetched) {
    for (auto const* a : fetched) {
      auto const& t = *plan_.program->inputs[static_cast<std::size_t>(a->operand)];
      auto const vector = 16 / static_cast<std::int32_t>(size_in_bytes(t.type));
      paddings_.emplace_back(a,
                             add(one_of_knob(st.definition->name + ".padding_" + t.name, {0, vector, 2 * vector}), 1));
    }
  }
  [[nodiscard]] knob_value padding_of(planned_access const& a) const {
    for (auto const& [of, knob] : paddings_)
      if (of == &a) return knob;
    return literal(0);
  }

  void fetch(planned_access const& a, planned_stage const& st, std::string const& acc) {
    auto const& t = *plan_.program->inputs[static_cast<std::size_t>(a.operand)];
    auto const copy = acc + "." + t.name;
    step(primitive::compute_at, copy, {acc, outer_reduced(st)});
    auto const in_group = literal(static_cast<std::int64_t>(ir::memory::group));
    std::vector<knob_value> stored{in_group};
    if (auto const padding = padding_of(a); padding.knob >= 0) stored.push_back(padding);
    step(primitive::store_in, copy, {}, {}, stored);
    if (buffers_.knob >= 0) step(primitive::double_buffer, copy, {}, {}, {buffers_});
    auto axes = copy_axis_names(a, st);
    auto const vector = 16 / static_cast<std::int64_t>(size_in_bytes(t.type));
    bool const wide = cuts_[last_moved(a)].together > 1 && t.shape.back().value % vector == 0;
    if (wide) {  // whole vectors, of what lies side by side
      auto const last = axes.back();
      step(primitive::split, copy, {last}, {last + "_a", last + "_s"}, {literal(vector)});
      step(primitive::vectorize, copy, {last + "_s"});
      axes.back() = last + "_a";
    }
    auto const whole = axes.size() > 1 ? "all" : axes[0];
    if (axes.size() > 1) step(primitive::fuse, copy, axes, {whole});
    bind(copy, whole, ir::loop_kind::thread_x);
  }

  /// An axis that moves the last index of an access.
  [[nodiscard]] static std::size_t last_moved(planned_access const& a) {
    auto const& c = a.indices.back().coefficient;
    auto const found = std::find_if(c.begin(), c.end(), [](std::int64_t v) { return v != 0; });
    return found == c.end() ? 0 : static_cast<std::size_t>(found - c.begin());
  }

  /// As cache_read names them: the reader's own where it indexes a dimension by one axis.
  [[nodiscard]] static std::vector<std::string> copy_axis_names(planned_access const& a, planned_stage const& st) {
    std::vector<std::string> names;
    for (std::size_t d = 0; d < a.indices.size(); ++d) {
      auto const& i = a.indices[d];
      std::string name = "d" + std::to_string(d);
      int used = 0;
      for (std::size_t x = 0; x < i.coefficient.size(); ++x)
        if (i.coefficient[x] != 0) {
          ++used;
          if (i.coefficient[x] == 1 && i.constant == 0 && i.divisor == 1) name = st.axis_name(x);
        }
      if (used != 1 || std::find(names.begin(), names.end(), name) != names.end()) name = "d" + std::to_string(d);
      names.push_back(name);
    }
    return names;
  }

  // -------------------------------------------------------------------------------------------- matrices of warps

  /// Parts of rows and columns: blocks, warps, matrices of a warp. A thread's elements of several matrices are
  /// neighbours, so that what it accumulates is one box.
  void multiplied_by_warps(planned_stage const& st, matrix_axes const& m) {
    using product = matrix_product;
    auto const& name = st.definition->name;
    auto const acc = name + ".acc";
    step(primitive::cache_write, name, {}, {acc});
    cuts_.assign(st.axis_count(), {});
    auto const rows = st.axis_name(m.rows);
    auto const columns = st.axis_name(m.columns);
    auto const terms = st.axis_name(m.terms);
    cut_matrices(st, m.rows, product::rows, {0, 2, 4});
    cut_matrices(st, m.columns, product::columns, {0, 2, 4});
    cut_matrices(st, m.terms, m.how.terms, {0, 2});
    auto const& r = cuts_[m.rows];
    auto const& c = cuts_[m.columns];
    step(primitive::split, name, {rows}, {rows + "_b", rows + "_w", rows + "_g", rows + "_m", rows + "_h"},
         {r.part(1), literal(product::lanes_of_rows), r.part(2), literal(product::thread_rows)});
    step(primitive::split, name, {columns},
         {columns + "_b", columns + "_w", columns + "_t", columns + "_c", columns + "_n"},
         {c.part(1), literal(product::lanes_of_columns), literal(product::thread_columns), c.part(2)});
    std::vector<std::string> blocks;
    for (std::size_t x = 0; x < st.definition->axes.size(); ++x)
      blocks.push_back(x == m.rows ? rows + "_b" : x == m.columns ? columns + "_b" : st.axis_name(x));
    std::vector<std::string> const threads{rows + "_w", columns + "_w", rows + "_g", columns + "_t"};
    auto order = blocks;
    order.insert(order.end(), threads.begin(), threads.end());
    for (auto const& own : {rows + "_m", rows + "_h", columns + "_c", columns + "_n"}) order.push_back(own);
    step(primitive::reorder, name, order);
    step(primitive::fuse, name, blocks, {"blocks"});
    step(primitive::fuse, name, threads, {"threads"});
    bind(name, "blocks", ir::loop_kind::block_x);
    bind(name, "threads", ir::loop_kind::thread_x);
    step(primitive::vectorize, name, {columns + "_n"});
    step(primitive::compute_at, acc, {name, "threads"});
    step(primitive::store_in, acc, {}, {}, {literal(static_cast<std::int64_t>(ir::memory::local))});
    step(primitive::split, acc, {rows}, {rows + "_m", rows + "_h"}, {literal(product::thread_rows)});
    step(primitive::split, acc, {columns}, {columns + "_c", columns + "_n"}, {c.part(2)});
    step(primitive::split, acc, {terms}, {terms + "_o", terms + "_n", terms + "_t"},
         {cuts_[m.terms].part(1), literal(m.how.terms)});
    std::vector<std::string> inside;
    for (auto x = st.definition->axes.size(); x < st.axis_count(); ++x)
      if (x != m.terms) inside.push_back(st.axis_name(x));
    inside.push_back(terms + "_o");
    inside.push_back(terms + "_n");
    for (std::size_t x = 0; x < st.definition->axes.size(); ++x)
      if (x != m.rows && x != m.columns) inside.push_back(st.axis_name(x));
    for (auto const& own : {rows + "_m", columns + "_n", rows + "_h", columns + "_c", terms + "_t"})
      inside.push_back(own);
    step(primitive::reorder, acc, inside);
    step(primitive::unroll, acc, {rows + "_m", columns + "_n"});
    step(primitive::tensorize, acc, {rows + "_h", columns + "_c", terms + "_t"});
    auto const fetched = fetches(st, acc);
    buffers_ = choose_buffers(st, fetched, true);
    choose_padding(st, fetched);
    for (auto const* a : fetched) fetch(*a, st, acc);
    knob_expression const warps = knob_expression(r.part(1)) * knob_expression(c.part(1));
    require(warps * knob_expression(machine_.warp_threads) <= knob_expression(machine_.block_threads),
            "threads of a block");
    // registers: sums, one row of the left operand, all columns of the right one
    knob_expression const held = knob_expression(r.part(2)) * knob_expression(c.part(2));
    require(held * knob_expression(4) + knob_expression(c.part(2)) * knob_expression(2) <= knob_expression(160),
            "registers of a thread");
    limit_group_memory(st, fetched);
  }

  /// Into blocks, warps and matrices of `size` elements; terms into outer and inner ones.
  void cut_matrices(planned_stage const& st, std::size_t x, std::int64_t size,
                    std::vector<std::int64_t> const& wanted) {
    factor_limits limits;
    limits.max_inner = 8;
    auto k = factors_knob(st.definition->name + ".tile_" + st.axis_name(x), st.axis_size(x) / size,
                          static_cast<std::int32_t>(wanted.size()), factor_policy::exact, limits);
    auto const seed = nearest(k, wanted);
    cuts_[x] = {st.axis_name(x), add(std::move(k), seed).knob, size};
  }

  // ------------------------------------------------------------------------------------------------------- limits

  /// What a block works on along an axis between two fetches.
  [[nodiscard]] knob_expression tile(planned_stage const& st, std::size_t x) const {
    auto const& c = cuts_[x];
    if (c.knob < 0) return 1;  // it has one element, or each block and each fetch has one of it
    if (x >= st.definition->axes.size()) return c.part(1) * c.together;
    if (c.together > 1) return knob_expression(c.part(1)) * knob_expression(c.part(2)) * knob_expression(c.together);
    return knob_expression(c.part(vthread)) * knob_expression(c.part(thread)) * knob_expression(c.part(inner));
  }

  void limit_block(planned_stage const& st, std::vector<planned_access const*> const& fetched) {
    knob_expression threads = 1;
    knob_expression own = 1;  // elements that a thread accumulates
    bool any = false;
    for (std::size_t x = 0; x < st.definition->axes.size(); ++x) {
      if (cuts_[x].knob < 0) continue;
      threads = any ? threads * knob_expression(cuts_[x].part(thread)) : knob_expression(cuts_[x].part(thread));
      auto const mine = knob_expression(cuts_[x].part(vthread)) * knob_expression(cuts_[x].part(inner));
      own = any ? own * mine : mine;
      any = true;
    }
    if (!any) return;
    require(threads <= knob_expression(machine_.block_threads), "threads of a block");
    require(own <= knob_expression(128), "accumulators of a thread");
    limit_group_memory(st, fetched);
  }

  void limit_group_memory(planned_stage const& st, std::vector<planned_access const*> const& fetched) {
    if (fetched.empty()) return;
    knob_expression bytes = 0;
    for (auto const* a : fetched) {
      auto const& t = *plan_.program->inputs[static_cast<std::size_t>(a->operand)];
      knob_expression elements = static_cast<std::int64_t>(size_in_bytes(t.type));
      for (std::size_t d = 0; d < a->indices.size(); ++d) {
        auto const& i = a->indices[d];
        knob_expression extent = 1;
        for (std::size_t x = 0; x < i.coefficient.size(); ++x)
          if (auto const c = std::abs(i.coefficient[x]); c != 0 && st.axis_size(x) > 1)
            extent = extent + (tile(st, x) - knob_expression(1)) * knob_expression(c);
        extent = min(extent, knob_expression(t.shape[d].value));
        if (d + 1 == a->indices.size()) extent = extent + knob_expression(padding_of(*a));
        elements = elements * extent;
      }
      bytes = bytes + elements;
    }
    if (buffers_.knob >= 0) bytes = bytes * knob_expression(buffers_);
    require(bytes <= knob_expression(machine_.block_bytes), "group memory of a block");
  }

  knob_value add(knob k, std::int32_t seed) {
    made_.knobs.push_back(std::move(k));
    made_.seed.choices.push_back(seed);
    return {static_cast<std::int32_t>(made_.knobs.size()) - 1, 0, 0};
  }

  target const& machine_;
  space made_;
  plan plan_;
  std::vector<std::string> inlined_;
  std::vector<cut> cuts_;            ///< of the stage at hand, by axis
  knob_value buffers_ = literal(1);  ///< likewise, of each copy in group memory
  std::vector<std::pair<planned_access const*, knob_value>> paddings_;
};

[[nodiscard]] inline space gpu_space(handle<ir::program> const& program, target const& machine) {
  return gpu_deriver(program, machine).run();
}

}  // namespace ttune::inline v0::derive
