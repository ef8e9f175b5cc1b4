// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "ttune/feature/chain.hpp"
#include "ttune/feature/make_stage_facts.hpp"

namespace ttune { inline namespace v0 {

/// Working memory for one chain; tables are rows as in access_tables.
struct chain_builder::scratch {
  /// An axis of the dominating stage that moves with an axis of the stage whose loops are being added.
  struct link {
    std::int32_t axis;
    std::int32_t loop_axis;
    float coefficient;
  };
  std::size_t dims;
  std::size_t blocks;
  detail::access_tables::lanes const* step;      ///< [axis] of the dominating stage
  detail::float4 span[detail::chain_row];        ///< largest minus smallest index
  detail::float4 limit[detail::chain_row];       ///< allocated extent minus 1
  detail::float4 whole[detail::chain_row];       ///< from this span on, the dimension is one contiguous piece in memory
  detail::float4 bytes[detail::chain_blocks];    ///< bytes of an element
  std::array<float, loop_nest::max_axes> moved;  ///< [axis]: distance moved by the loops so far, ignoring bounds
  std::array<float, loop_nest::max_axes> reach;  ///< [axis]: distance moved within bounds
  std::array<float, loop_nest::max_axes> least;  ///< [axis]: smallest step
  std::array<float, loop_nest::max_axes> most;   ///< [axis]: extent minus 1
  std::array<link, 32> links;
  std::size_t link_count;
};

chain_builder::chain_builder(plan const& p, target const& machine) : line_bytes_(machine.line_bytes) {
  stages_.reserve(p.stages.size());
  for (std::size_t i = 0; i < p.stages.size(); ++i) stages_.push_back(detail::make_facts(p, i, machine));
  for (std::size_t i = p.stages.size(); i-- > 0;)  // readers first: longer paths are composed of theirs
    for (std::size_t r = i + 1; r < p.stages.size(); ++r) stages_[i].bases[r] = detail::make_bases(p, i, r, stages_);
}

void chain_builder::count_work(loop_nest const& n, work& out) const {
  std::array<double, loop_nest::max_loops> through;  // iterations of a loop's body per run of its stage
  double most = -1;
  out.dominating = 0;
  for (auto i = static_cast<std::size_t>(n.stage_count); i-- > 0;) {
    auto const& s = n.stages[i];
    out.invocations[i] = out.iterations[i] = 0;
    if (s.inlined) continue;
    double product = 1;
    for (std::int32_t l = 0; l < s.count; ++l) {
      auto const at = static_cast<std::size_t>(s.first + l);
      product *= n.loops[at].extent;
      through[at] = product;
    }
    auto times = 1.0;
    if (s.attached_to >= 0) {
      auto const reader = static_cast<std::size_t>(s.attached_to);
      times = out.invocations[reader] * through[static_cast<std::size_t>(n.stages[reader].first + s.depth)];
    }
    out.invocations[i] = times;
    out.iterations[i] = times * product;
    // A copy counts as a third of a multiply-add.
    auto const weight = stages_[i].prepared ? 0 : out.iterations[i] * (stages_[i].flops_per_point + 1);
    if (weight <= most) continue;
    most = weight;
    out.dominating = static_cast<std::int32_t>(i);
  }
}

void chain_builder::prepare_storage(loop_nest const& n, std::size_t st, scratch& s) const {
  auto const& f = stages_[st];
  auto const& t = f.tables;
  s.dims = t.dims;
  s.blocks = t.blocks;
  s.step = t.step.data();
  for (std::size_t i = 0; i < t.row(); ++i) {
    s.span[i] = t.first[i].v;
    s.limit[i] = s.whole[i] = t.limit[i].v;
  }
  for (std::size_t b = 0; b < t.blocks; ++b) s.bytes[b] = t.bytes[b].v;
  if (!f.reads_producer) return;
  for (std::size_t slot = 0; slot < t.accesses.size(); ++slot) {
    if (t.accesses[slot].producer < 0) continue;
    auto const producer = static_cast<std::size_t>(t.accesses[slot].producer);
    auto const& from = n.stages[producer];
    if (from.inlined) continue;  // its source has about the same shape
    auto const rank = stages_[producer].free_axes;
    for (std::size_t i = 0; i < std::min(rank, t.dims); ++i) {
      auto const at = i * t.blocks + slot / 4;
      bool const folded = i + 1 == t.dims && rank > t.dims;
      if (from.attached_to >= 0 && !folded)
        s.limit[at][slot % 4] = s.whole[at][slot % 4] = static_cast<float>(from.extent[rank - 1 - i] - 1);
      if (stages_[producer].packed) s.whole[at][slot % 4] = -1;  // packed in the order of reading
    }
  }
}

void chain_builder::measure(scratch const& s, loop_chain& out) const {
  using detail::float4;
  using int4 = std::int32_t __attribute__((vector_size(16)));
  auto const level = static_cast<std::size_t>(out.count);
  float4 const one = {1, 1, 1, 1};
  float4 const per_line = one / static_cast<float>(line_bytes_);
  float4 sum = {};
  for (std::size_t b = 0; b < s.blocks; ++b) {
    float4 together = one;  // elements of one contiguous piece
    float4 pieces = one;
    int4 joined = {-1, -1, -1, -1};
    for (std::size_t d = 0; d < s.dims; ++d) {
      auto const i = d * s.blocks + b;
      float4 const count = (s.span[i] < s.limit[i] ? s.span[i] : s.limit[i]) + one;
      together *= joined ? count : one;
      pieces *= joined ? one : count;
      joined &= s.span[i] >= s.whole[i];
    }
    float4 const exact = together * s.bytes[b] * per_line;
    float4 rounded = __builtin_convertvector(__builtin_convertvector(exact, int4), float4);
    rounded += rounded < exact ? one : float4{};
    float4 const lines = pieces * rounded;
    *reinterpret_cast<float4*>(out.touched[level] + 4 * b) = together * pieces;
    *reinterpret_cast<float4*>(out.lines[level] + 4 * b) = lines;
    sum += lines;
  }
  out.levels[level].footprint = (sum[0] + sum[1] + sum[2] + sum[3]) * static_cast<float>(line_bytes_);
}

void chain_builder::measure_stride(loop_nest const& n, loop_nest::loop const& l, scratch const& s,
                                   loop_chain& out) const {
  using detail::float4;
  auto const* const step = s.step + static_cast<std::size_t>(l.axis) * s.dims * s.blocks;
  float4 const one = {1, 1, 1, 1};
  for (std::size_t b = 0; b < s.blocks; ++b) {
    float4 below = one;
    float4 stride = {};
    for (std::size_t d = 0; d < s.dims; ++d) {
      stride += step[d * s.blocks + b].v * below;
      below *= s.limit[d * s.blocks + b] + one;
    }
    *reinterpret_cast<float4*>(out.vector_stride + 4 * b) = stride * static_cast<float>(l.stride);
  }
  auto const& t = stages_[static_cast<std::size_t>(out.stage)].tables;
  // A packed buffer is contiguous along its innermost loop.
  for (std::size_t slot = 0; slot < t.accesses.size(); ++slot) {
    auto const producer = t.accesses[slot].producer;
    if (producer < 0 || !stages_[static_cast<std::size_t>(producer)].packed || out.vector_stride[slot] == 0) continue;
    auto const& from = n.stages[static_cast<std::size_t>(producer)];
    if (from.inlined) continue;
    auto inner = from.count - 1;
    while (inner > 0 && n.loops[static_cast<std::size_t>(from.first + inner)].extent == 1) --inner;
    auto const& loop = n.loops[static_cast<std::size_t>(from.first + std::max(inner, 0))];
    auto const rank = stages_[static_cast<std::size_t>(producer)].free_axes;
    auto const dim = std::min(rank - 1 - static_cast<std::size_t>(loop.axis), s.dims - 1);
    auto const own = step[dim * s.blocks + slot / 4].v[slot % 4];
    out.vector_stride[slot] = own > 0 ? own * static_cast<float>(l.stride) : static_cast<float>(loop.extent);
  }
}

/// Adds a movement of an axis by up to `distance`, in steps of `size`.
void chain_builder::move(std::size_t axis, float distance, float size, scratch& s) {
  s.moved[axis] += distance;
  s.least[axis] = std::min(s.least[axis], size);
  auto reach = s.moved[axis];
  if (reach > s.most[axis]) reach = std::floor(s.most[axis] / s.least[axis]) * s.least[axis];
  auto const further = reach - s.reach[axis];
  s.reach[axis] = reach;
  auto const row = s.dims * s.blocks;
  for (std::size_t k = 0; k < row; ++k) s.span[k] += s.step[axis * row + k].v * further;
}

void chain_builder::add_stage(loop_nest const& n, std::size_t st, std::int32_t last, scratch& s,
                              loop_chain& out) const {
  auto const& in = n.stages[st];
  auto kind = ir::loop_kind::serial;
  for (auto i = last; i >= 0; --i) {
    auto const at = static_cast<std::size_t>(in.first + i);
    auto const& l = n.loops[at];
    if (!l.fused) kind = l.kind;
    if (l.extent == 1) continue;
    auto const size = static_cast<float>(l.stride);
    auto const distance = size * static_cast<float>(l.extent - 1);
    for (std::size_t k = 0; k < s.link_count; ++k) {
      auto const& link = s.links[k];
      if (link.loop_axis == l.axis)
        move(static_cast<std::size_t>(link.axis), link.coefficient * distance, link.coefficient * size, s);
    }
    auto const inner = out.outermost().inner * static_cast<float>(l.extent);
    // Further loops are merged with the last level.
    if (out.count + 1 < static_cast<std::int32_t>(loop_chain::max_levels)) ++out.count;
    out.levels[static_cast<std::size_t>(out.count)] = {
        static_cast<std::int16_t>(at), static_cast<std::int16_t>(st), l.extent, kind, inner, 0};
    measure(s, out);
    if (out.vector_level == 0 && kind == ir::loop_kind::vectorized && static_cast<std::int32_t>(st) == out.stage) {
      out.vector_level = out.count;
      measure_stride(n, l, s, out);
    }
  }
}

/// Replaces the links to the loops of `st` by links to the loops of `reader`, which move the base of the computed
/// region of `st`.
void chain_builder::rebase(loop_nest const& n, std::size_t st, std::size_t reader, scratch& s) const {
  auto const& f = stages_[st];
  auto const before = s.links;
  auto const count = s.link_count;
  s.link_count = 0;
  for (std::size_t k = 0; k < count; ++k)
    for (auto const& b : f.bases[reader]) {
      auto const axis = static_cast<std::size_t>(b.axis);
      if (b.axis != before[k].loop_axis || s.link_count == s.links.size()) continue;
      if (n.stages[st].extent[axis] >= f.sizes[axis]) continue;  // the whole axis is computed: the base stays 0
      s.links[s.link_count++] = {before[k].axis, b.reader_axis, before[k].coefficient * b.coefficient};
    }
}

void chain_builder::build(loop_nest const& n, work const& w, loop_chain& out) const {
  scratch s;
  auto st = static_cast<std::size_t>(w.dominating);
  auto const& f = stages_[st];
  out.stage = w.dominating;
  out.count = out.vector_level = 0;
  out.access_count = static_cast<std::int32_t>(f.tables.accesses.size());
  out.line_bytes = line_bytes_;
  out.levels[0] = {-1, static_cast<std::int16_t>(st), 1, ir::loop_kind::serial, 1, 0};
  prepare_storage(n, st, s);
  for (std::size_t x = 0; x < f.axes; ++x) {
    s.moved[x] = s.reach[x] = 0;
    s.most[x] = static_cast<float>(n.stages[st].extent[x] - 1);
    s.least[x] = 1e9F;
    s.links[x] = {static_cast<std::int32_t>(x), static_cast<std::int32_t>(x), 1};
  }
  s.link_count = f.axes;
  for (std::size_t i = 0; i < 4 * s.blocks; ++i) out.vector_stride[i] = 0;
  measure(s, out);
  add_stage(n, st, n.stages[st].count - 1, s, out);
  out.own_count = out.count;
  for (std::size_t x = 0; x < f.axes; ++x) {
    s.moved[x] = s.reach[x];
    s.most[x] = static_cast<float>(f.sizes[x] - 1);
  }
  while (n.stages[st].attached_to >= 0) {
    auto const reader = static_cast<std::size_t>(n.stages[st].attached_to);
    rebase(n, st, reader, s);
    add_stage(n, reader, n.stages[st].depth, s, out);
    st = reader;
  }
}

}}  // namespace ttune::v0
