// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "ttune/feature/autotvm.hpp"
#include "ttune/feature/chain.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune { inline namespace v0 { namespace autotvm {

namespace detail {

/// Visits the loops in the order of TVM's statement tree.
class walker {
 public:
  walker(plan const& p, loop_nest const& n) : p_(p), n_(n), chains_(p, target{}) {
    for (std::size_t i = 0; i < p.stages.size(); ++i)
      if (!n.stages[i].inlined && n.stages[i].attached_to < 0) inside(i, 0);
    for (auto& v : vars_)
      for (auto const& [key, t] : v.touches) v.bottomup = std::max(v.bottomup, t.count * t.reuse);
  }

  [[nodiscard]] std::vector<loop_context> const& vars() const noexcept { return vars_; }

 private:
  struct open_loop {
    std::size_t var;  ///< index into vars_
    std::size_t stage;
    std::int32_t level;
  };

  [[nodiscard]] loop_nest::loop const& loop(std::size_t st, std::int32_t level) const {
    return n_.loops[static_cast<std::size_t>(n_.stages[st].first + level)];
  }

  void inside(std::size_t st, std::int32_t level) {
    for (std::size_t q = 0; q < st && level > 0; ++q) {
      auto const& s = n_.stages[q];
      if (!s.inlined && s.attached_to == static_cast<std::int16_t>(st) && s.depth == level - 1) inside(q, 0);
    }
    if (level == n_.stages[st].count) return body(st);
    auto last = level;  // each member of a fused loop counts, with the annotation of the fused loop
    while (loop(st, last).fused) ++last;
    loop_context v;
    v.length = std::ceil(loop(st, level).extent / shared_among(st, level));
    v.nest_level = static_cast<int>(open_.size()) + 1;
    v.topdown = v.length * (open_.empty() ? 1 : vars_[open_.back().var].topdown);
    v.kind = is_fetch(st, level) ? ir::loop_kind::serial : loop(st, last).kind;
    open_.push_back({vars_.size(), st, level});
    vars_.push_back(v);
    inside(st, level + 1);
    open_.pop_back();
  }

  [[nodiscard]] static bool is_thread(ir::loop_kind kind) {
    return kind == ir::loop_kind::thread_x || kind == ir::loop_kind::thread_y || kind == ir::loop_kind::thread_z ||
           kind == ir::loop_kind::virtual_thread;
  }

  /// Returns true for a loop whose iterations are divided among the surrounding threads. It is not a loop over threads.
  [[nodiscard]] bool is_fetch(std::size_t st, std::int32_t level) const {
    return n_.stages[st].group && is_thread(loop(st, level).kind);
  }

  /// Returns the number of threads in the direction of a fetching loop; 1 for other loops.
  [[nodiscard]] double shared_among(std::size_t st, std::int32_t level) const {
    double threads = 1;
    for (auto const& l : open_)
      if (is_fetch(st, level) && vars_[l.var].kind == loop(st, level).kind) threads *= vars_[l.var].length;
    return threads;
  }

  void body(std::size_t st) {
    auto const& definition = *p_.stages[st].definition;
    if (!open_.empty()) {
      for (auto const& c : definition.components) count_arithmetic(c.value, vars_[open_.back().var]);
      for (auto const& c : definition.reduction.combine) count_arithmetic(c, vars_[open_.back().var]);
      if (definition.reduction.kind == ir::reduction_kind::product) ++vars_[open_.back().var].multiplies;
      if (definition.reduction.kind == ir::reduction_kind::sum) ++vars_[open_.back().var].adds;
    }
    auto const& accesses = p_.stages[st].accesses;
    for (auto const& a : accesses)
      if (a.write)
        for (int times = definition.reduces() ? 2 : 1; times > 0; --times) enter(st, a);  // the store, and its load
    for (auto const& a : accesses)
      if (!a.write && !a.along) enter(st, a);
  }

  static void count_arithmetic(ir::expr const& e, loop_context& v) {
    auto const* b = ir::as<ir::binary>(e);
    if (b && is_float(e->type)) {
      if (b->op == ir::binary_op::add || b->op == ir::binary_op::subtract) ++v.adds;
      if (b->op == ir::binary_op::multiply) ++v.multiplies;
      if (b->op == ir::binary_op::divide || b->op == ir::binary_op::modulo) ++v.divides;
    }
    ir::for_each_operand(e, [&](ir::expr const& o) { count_arithmetic(o, v); });
  }

  [[nodiscard]] std::string name_of_source(std::size_t st, access_plan const& a) const {
    if (a.operand >= 0) return p_.program->inputs[static_cast<std::size_t>(a.operand)]->name;
    return p_.stages[a.write ? st : static_cast<std::size_t>(a.producer)].definition->name;
  }

  /// Returns the extents of the memory that an access reaches.
  [[nodiscard]] std::vector<double> storage(std::size_t st, access_plan const& a) const {
    std::vector<double> extents;
    if (a.operand >= 0) {
      for (auto const& e : p_.program->inputs[static_cast<std::size_t>(a.operand)]->shape)
        extents.push_back(static_cast<double>(e.value));
      return extents;
    }
    auto const source = a.write ? st : static_cast<std::size_t>(a.producer);
    for (std::size_t d = 0; d < p_.stages[source].definition->axes.size(); ++d)
      extents.push_back(n_.stages[source].inlined ? static_cast<double>(p_.stages[source].axis_size(d))
                                                  : n_.stages[source].extent[d]);
    return extents;
  }

  /// Returns true if the loop surrounds the allocation of the source, so that it does not appear in indices into the
  /// source.
  [[nodiscard]] bool is_outside(std::size_t st, access_plan const& a, open_loop const& l) const {
    if (a.operand >= 0) return false;
    auto const source = a.write ? st : static_cast<std::size_t>(a.producer);
    if (n_.stages[source].inlined) return false;
    auto place = source;
    while (n_.stages[place].attached_to >= 0) {
      auto const reader = static_cast<std::size_t>(n_.stages[place].attached_to);
      if (reader == l.stage && l.level <= n_.stages[place].depth)
        return !(n_.stages[source].group && is_thread(vars_[l.var].kind));  // all threads of a block share the source
      place = reader;
    }
    return false;
  }

  /// Returns how far one iteration of an open loop moves each axis of stage `st`.
  [[nodiscard]] std::vector<double> movement(std::size_t st, open_loop const& l) const {
    auto const& made = loop(l.stage, l.level);
    std::vector<double> moves(p_.stages[st].axis_count(), 0);
    if (l.stage == st) {
      moves[static_cast<std::size_t>(made.axis)] = made.stride * shared_among(st, l.level);
      return moves;
    }
    if (n_.stages[st].group && is_thread(vars_[l.var].kind)) {  // the thread index selects a part of the fetched tile
      for (std::int32_t i = 0; i < n_.stages[st].count; ++i)
        if (loop(st, i).kind == vars_[l.var].kind)
          moves[static_cast<std::size_t>(loop(st, i).axis)] = loop(st, i).stride;
      return moves;
    }
    for (auto const& b : chains_.facts(st).bases[l.stage]) {
      auto const axis = static_cast<std::size_t>(b.axis);
      if (b.reader_axis == made.axis && n_.stages[st].extent[axis] < p_.stages[st].axis_size(axis))
        moves[axis] += static_cast<double>(b.coefficient) * made.stride;
    }
    return moves;
  }

  [[nodiscard]] double stride(std::size_t st, access_plan const& a, open_loop const& l) const {
    if (is_outside(st, a, l)) return 0;
    auto const moves = movement(st, l);
    auto const extents = storage(st, a);
    double sum = 0;
    double below = 1;
    for (std::size_t d = extents.size(); d-- > 0;) {
      auto const& index = a.indices[d];
      auto const each = below / static_cast<double>(index.divisor);
      for (std::size_t x = 0; x < index.coefficient.size(); ++x)
        sum += std::abs(static_cast<double>(index.coefficient[x])) * moves[x] * each;
      below *= extents[d];
    }
    return sum;
  }

  [[nodiscard]] static int parallel_level(ir::loop_kind kind) {
    switch (kind) {
      case ir::loop_kind::block_x:
      case ir::loop_kind::block_y:
      case ir::loop_kind::block_z: return 2;
      case ir::loop_kind::thread_x:
      case ir::loop_kind::thread_y:
      case ir::loop_kind::thread_z:
      case ir::loop_kind::parallel: return 1;
      default: return 0;
    }
  }

  void enter(std::size_t st, access_plan const& a) {
    auto const name = name_of_source(st, a);
    auto const key = name + "_" + std::to_string(occurrences_[name]++);
    double count = 1;
    double reuse = 1;
    for (std::size_t i = open_.size(); i-- > 0;) {
      auto& v = vars_[open_[i].var];
      auto& t = v.touches[key];
      t.stride = stride(st, a, open_[i]);
      (t.stride != 0 ? count : reuse) *= v.length;
      t.count = count;
      t.reuse = reuse;
    }
    divide_among_threads(key);
  }

  /// At the start of a parallel level, stores in the surrounding loops of that level what one thread touches.
  void divide_among_threads(std::string const& key) {
    for (std::size_t i = open_.size(); i-- > 0;) {
      auto& v = vars_[open_[i].var];
      auto& t = v.touches[key];
      auto const outer = parallel_level(v.kind) + 1;
      if (i == 0 || parallel_level(vars_[open_[i - 1].var].kind) == outer)
        for (std::size_t k = 0; k < i; ++k) {
          auto& other = vars_[open_[k].var];
          if (parallel_level(other.kind) != outer) continue;
          other.touches[key].thread_count = -t.count;
          other.touches[key].thread_reuse = -t.reuse;
        }
      if (t.thread_count < 0) {
        t.thread_count = std::floor(t.count / -t.thread_count);
        t.thread_reuse = std::floor(t.reuse / -t.thread_reuse);
      }
    }
  }

  plan const& p_;
  loop_nest const& n_;
  chain_builder chains_;
  std::vector<loop_context> vars_;
  std::vector<open_loop> open_;
  std::map<std::string, int> occurrences_;
};

[[nodiscard]] inline float signed_log(double x) {
  return static_cast<float>(x < 0 ? -std::log2(1 - x) : std::log2(1 + x));
}

/// Returns the position of the annotation among the 11 of AutoTVM, in its order.
[[nodiscard]] inline std::size_t annotation(ir::loop_kind kind) {
  switch (kind) {
    case ir::loop_kind::block_x: return 0;
    case ir::loop_kind::block_y: return 1;
    case ir::loop_kind::block_z: return 2;
    case ir::loop_kind::thread_x: return 3;
    case ir::loop_kind::thread_y: return 4;
    case ir::loop_kind::thread_z: return 5;
    case ir::loop_kind::unrolled:
    case ir::loop_kind::tensorized: return 6;
    case ir::loop_kind::vectorized: return 7;
    case ir::loop_kind::parallel: return 8;
    case ir::loop_kind::serial: return 9;
    case ir::loop_kind::virtual_thread: return 10;
  }
  return 9;
}

inline void append_options(plan const& p, configuration const& chosen, std::vector<float>& to) {
  for (std::size_t k = 0; k < p.knobs.size(); ++k)
    if (p.knobs[k].kind != knob::sort::factors && p.knobs[k].kind != knob::sort::permutation)
      for (auto const value : p.knobs[k].choice(chosen.choices[k])) to.push_back(static_cast<float>(value));
}

/// For every threshold, appends the y of the last x below it, corrected by the distance of that x to the threshold.
inline void sample_curve(std::vector<float> const& x, std::vector<float> const& y, int samples,
                         std::vector<float>& to) {
  for (int i = 0; i < samples; ++i) {
    auto const threshold = static_cast<float>(i);
    std::size_t j = x.size() - 1;
    while (j > 0 && x[j] - 1e-6F >= threshold) --j;
    to.push_back(y[j]);
    to.push_back(threshold - x[j]);
  }
}

}  // namespace detail

std::vector<float> knob_features(plan const& p, configuration const& chosen) {
  std::vector<float> made;
  for (std::size_t k = 0; k < p.knobs.size(); ++k)
    for (auto const value : p.knobs[k].choice(chosen.choices[k])) made.push_back(static_cast<float>(value));
  return made;
}

std::vector<loop_context> loop_contexts(plan const& p, loop_nest const& n) { return detail::walker(p, n).vars(); }

std::vector<float> itervar_features(plan const& p, loop_nest const& n, configuration const& chosen) {
  std::vector<float> made;
  for (auto const& v : loop_contexts(p, n)) {
    made.push_back(detail::signed_log(v.length));
    made.push_back(static_cast<float>(v.nest_level));
    made.push_back(detail::signed_log(v.topdown));
    made.push_back(detail::signed_log(v.bottomup));
    for (std::size_t i = 0; i < 11; ++i) made.push_back(i == detail::annotation(v.kind) ? 1.0F : 0.0F);
    for (auto const x : {v.adds, v.multiplies, v.divides}) made.push_back(detail::signed_log(x));
    for (auto const& [key, t] : v.touches)  // -1: the modulus, which AutoTVM never fills in
      for (auto const x : {t.stride, -1.0, t.count, t.reuse, t.thread_count, t.thread_reuse})
        made.push_back(detail::signed_log(x));
  }
  detail::append_options(p, chosen, made);
  return made;
}

std::vector<float> curve_features(plan const& p, loop_nest const& n, configuration const& chosen,
                                  curve_options options) {
  auto const loops = loop_contexts(p, n);
  int deepest = 0;
  for (auto const& v : loops) deepest = std::max(deepest, v.nest_level);
  std::map<std::string, std::string> kept;  // for each source the last key among the deepest loops
  for (auto const& v : loops)
    if (v.nest_level == deepest)
      for (auto const& [key, t] : v.touches) kept[key.substr(0, key.rfind('_'))] = key;
  std::vector<float> made;
  for (auto const& [source, key] : kept) {
    std::vector<float> reuse = {0};
    std::vector<float> count = {0};
    std::vector<float> topdown = {0};
    for (auto const& v : loops) {
      auto const t = v.touches.find(key);
      if (t == v.touches.end()) continue;
      reuse.push_back(static_cast<float>(std::log2(t->second.reuse)));
      count.push_back(static_cast<float>(std::log2(t->second.count)));
      topdown.push_back(static_cast<float>(std::log2(v.topdown)));
    }
    for (auto* list : {&reuse, &count, &topdown}) std::sort(list->begin(), list->end());
    detail::sample_curve(count, reuse, options.samples, made);
    detail::sample_curve(reuse, count, options.samples, made);
    if (!options.topdown) continue;
    detail::sample_curve(count, topdown, options.samples, made);
    detail::sample_curve(topdown, count, options.samples, made);
  }
  detail::append_options(p, chosen, made);
  return made;
}

}}}  // namespace ttune::v0::autotvm
