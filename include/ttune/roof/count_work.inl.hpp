// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "ttune/roof/count_work.hpp"
#include "ttune/roof/footprints.hpp"
#include "ttune/roof/loop_tree.hpp"
#include "ttune/roof/statement_demands.hpp"

namespace ttune { inline namespace v0 {

namespace roof {

/// Counts the phases of a kernel.
class work_counter {
 public:
  work_counter(loop_tree const& tree, target const& machine, bool cold)
      : tree_(tree), machine_(machine), cold_(cold), caches_(tree, machine.line_bytes) {
    auto const threads = static_cast<double>(std::max(1, machine.cores));
    cache_bytes_ = {static_cast<double>(machine.l1_bytes), static_cast<double>(machine.l2_bytes),
                    static_cast<double>(machine.l3_bytes) / threads};
  }

  [[nodiscard]] kernel_work count() {
    kernel_work made;
    made.threads = std::max(1, machine_.cores);
    for (auto const& part : tree_.root.inside) made.phases.push_back(phase_of(part, made.operations));
    count_operands(made);
    return made;
  }

 private:
  [[nodiscard]] bool is_operand(std::size_t buffer) const {
    auto const where = caches_.buffers()[buffer]->where;
    return where == ir::memory::operand || where == ir::memory::prepared;
  }
  void count_operands(kernel_work& to) const {
    auto const touched = caches_.footprint(tree_.root);
    for (std::size_t b = 0; b < touched.size(); ++b) {
      auto const& buffer = *caches_.buffers()[b];
      auto const whole = static_cast<double>(buffer.elements()) * static_cast<double>(size_in_bytes(buffer.type));
      if (is_operand(b)) to.bytes += std::min(whole, touched[b] * to.threads);
    }
    to.vectors = to.bytes / machine_.vector_bytes;
    auto const all = cache_traffic::sum(touched);
    auto level = static_cast<std::size_t>(
        std::find_if(cache_bytes_.begin(), cache_bytes_.end(), [&](double bytes) { return all <= bytes; }) -
        cache_bytes_.begin());
    if (cold_) level = cache_bytes_.size();
    constexpr std::array<resource, 4> from = {resource::load, resource::l2, resource::l3, resource::memory};
    to.from = from[level];
  }

  [[nodiscard]] work_phase phase_of(loop_region const& part, double& operations) {
    work_phase made;
    if (auto const parallel = parallel_loop(part, 1, made.starts); parallel != none) {
      made.loop = tree_.loops[parallel].variable;
      made.tasks = tree_.loops[parallel].all;
      if (made.tasks <= 1 || machine_.cores <= 1) made.starts = 0;
    }
    auto const before = operations;
    statements_ = 0;
    add_statements(part, made, operations);
    auto const busiest = std::ceil(made.tasks / std::max(1, machine_.cores));
    operations = before + (operations - before) * (made.loop.empty() ? 1 : made.tasks / busiest);
    for (std::size_t level = 0; level < cache_bytes_.size(); ++level) add_traffic(part, level, made);
    return made;
  }

  /// Returns the outermost parallel loop, and how often it is started.
  [[nodiscard]] std::size_t parallel_loop(loop_region const& part, double times, double& starts) const {
    if (part.loop != none && tree_.loops[part.loop].kind == ir::loop_kind::parallel) {
      starts += times;
      return part.loop;
    }
    auto found = none;
    if (part.loop != none) times *= tree_.loops[part.loop].trips;
    for (auto const& inside : part.inside)
      if (auto const one = parallel_loop(inside, times, starts); found == none) found = one;
    return found;
  }

  void add_statements(loop_region const& part, work_phase& to, double& operations) {
    for (auto const& inside : part.inside) add_statements(inside, to, operations);
    if (part.store == none) return;
    statement_counter counter(tree_, tree_.stores[part.store], machine_);
    operations += counter.operations();
    auto const key = statements_++;
    for (auto& d : counter.count()) {
      d.group = key;
      to.demands.push_back(std::move(d));
    }
  }

  void add_traffic(loop_region const& part, std::size_t level, work_phase& to) const {
    if (!cold_ && cache_traffic::sum(caches_.footprint(tree_.root)) <= cache_bytes_[level]) return;
    auto const of = static_cast<resource>(static_cast<std::size_t>(resource::l2) + level);
    auto const coming = caches_.into(part, cache_bytes_[level]);
    auto const touched = caches_.footprint(part);
    for (std::size_t b = 0; b < coming.size(); ++b) {
      auto const once = std::min(coming[b].bytes, touched[b]);
      auto const again = coming[b].bytes - once;
      auto const& name = caches_.buffers()[b]->name;
      auto const* const by = store_of(part, caches_.buffers()[b]);
      if (once <= 0 || !by) continue;
      auto const& statement = by->what->to->name;
      // A line that is written comes into the cache first, and leaves it later.
      double const ways = by->touches.front().buffer == caches_.buffers()[b] ? 2 : 1;
      to.demands.push_back({of, demand_cause::work, statement, name, {}, once * ways, 0});
      if (again < once / 2) {
        to.demands.back().amount += again * ways;
        continue;
      }
      bool const strided = is_strided(*by, caches_.buffers()[b]);
      auto const loop = coming[b].repeated_by == none ? std::string() : tree_.loops[coming[b].repeated_by].variable;
      to.demands.push_back({of, strided ? demand_cause::strided : demand_cause::repeated, statement, name, loop,
                            again * ways, coming[b].bytes / once});
    }
  }

  /// Returns the store with the most loops around it that accesses a buffer.
  [[nodiscard]] counted_store const* store_of(loop_region const& part, ir::buffer const* buffer) const {
    counted_store const* found = nullptr;
    auto const look = [&](auto const& self, loop_region const& in) -> void {
      for (auto const& inside : in.inside) self(self, inside);
      if (in.store == none) return;
      auto const& s = tree_.stores[in.store];
      bool const touches =
          std::any_of(s.touches.begin(), s.touches.end(), [&](touch const& t) { return t.buffer == buffer; });
      if (touches && (!found || s.path.size() > found->path.size())) found = &s;
    };
    look(look, part);
    return found;
  }

  /// Returns true if neighbours along the innermost loop that moves a buffer's elements are in other lines. Rows of a
  /// tile of unrolled loops do not count.
  [[nodiscard]] bool is_strided(counted_store const& s, ir::buffer const* buffer) const {
    for (auto const& t : s.touches) {
      if (t.buffer != buffer || t.gathered()) continue;
      auto place = s.path.size();
      while (place > 0 && (!t.moves_with(place - 1) || tree_.loops[s.path[place - 1]].kind == ir::loop_kind::unrolled))
        --place;
      if (place > 0 && t.stride(place - 1) * static_cast<double>(size_in_bytes(buffer->type)) >= machine_.line_bytes)
        return true;
    }
    return false;
  }

  loop_tree const& tree_;
  target const& machine_;
  bool cold_;
  cache_traffic caches_;
  std::array<double, 3> cache_bytes_ = {};
  std::size_t statements_ = 0;
};

}  // namespace roof

kernel_work count_work(ir::lowered const& kernel, target const& machine, bool cold) {
  if (machine.is_gpu() || kernel.keeps_extents_open) return {};
  auto const tree = roof::loop_tree_builder(std::max(1, machine.cores)).build(kernel.body);
  return roof::work_counter(tree, machine, cold).count();
}

}}  // namespace ttune::v0
