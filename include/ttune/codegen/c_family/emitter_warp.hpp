// SPDX-License-Identifier: Apache-2.0
// Reductions over values that the threads of a warp have stored next to each other. In the program, each thread
// computes the whole reduction by itself:
//
//   unrolled w < 32                     v = G[lane]
//     r = r + G[w]               →      v = v + shuffled(v, lane ^ 16), … 8, 4, 2, 1
//                                       r = r + v
//
// All lanes get the same result, bit by bit, since each adds the same pairs. If only the driver determines at run time
// whether threads form a warp (OpenCL's sub-groups), the loop follows the shuffles for the case that they do not.
#pragma once

#include "ttune/codegen/c_family/emitter.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

/// Matches `r = r op G[… loop …]`, where r is each thread's own, G belongs to the block, and all threads of a warp read
/// the same.
inline ir::access const* c_emitter::reduced_by_warp(ir::loop const& l) const {
  auto const* w = ir::as<ir::store>(l.body);
  auto const* b = w ? ir::as<ir::binary>(w->value) : nullptr;
  auto const* old = b ? ir::as<ir::access>(b->left) : nullptr;
  auto const* read = b ? ir::as<ir::access>(b->right) : nullptr;
  if (!old || !read || b->op == ir::binary_op::subtract || b->op == ir::binary_op::divide) return nullptr;
  if (std::get<handle<ir::buffer>>(old->from) != w->to || old->indices != w->indices) return nullptr;
  auto const& from = *std::get<handle<ir::buffer>>(read->from);
  bool const own = w->to->where == ir::memory::local || w->to->where == ir::memory::registers;
  auto const speaks = [&](ir::expr const& i) { return detail::speaks_of(i, {l.variable}); };
  auto const differs = [&](ir::expr const& i) {
    return differs_in_warp(arith::substitute(i, l.variable, ir::make_index(0)));
  };
  bool const alike = std::none_of(read->indices.begin(), read->indices.end(), differs);
  bool const moves = std::any_of(read->indices.begin(), read->indices.end(), speaks);
  bool const stays = std::none_of(w->indices.begin(), w->indices.end(), speaks);
  bool const shuffled = size_in_bytes(from.type) >= 4 && from.type == w->to->type;
  return own && from.where == ir::memory::shared && alike && moves && stays && shuffled ? read : nullptr;
}

/// Emits a reduction by shuffles. Returns false if the loop does not match, or if not all threads of a warp execute it.
inline bool c_emitter::emit_by_warp(ir::loop const& l, std::int64_t begin, std::int64_t end) {
  auto const warp = static_cast<std::int64_t>(machine_.warp_threads);
  bool const whole_warps =
      grid_[3].begin == 0 && grid_[3].size() % warp == 0 && grid_[4].size() * grid_[5].size() == 1 && apart_ == 0;
  if (begin != 0 || end != warp || !whole_warps || !dialect_.has_warps() || !reduced_by_warp(l)) return false;
  auto const condition = dialect_.whether_warps();
  open(condition.empty() ? "" : "if (" + condition + ")");
  emit_shuffles(l, warp);
  if (!condition.empty()) {
    turn_to_else();
    emit_unrolled(l, begin, end);
  }
  close();
  return true;
}

/// Writes the shuffles into the open scope.
inline void c_emitter::emit_shuffles(ir::loop const& l, std::int64_t warp) {
  shuffles_ = true;
  auto const& w = *ir::as<ir::store>(l.body);
  auto const op = ir::as<ir::binary>(w.value)->op;
  auto const scalar = [&](std::string const& name) {
    auto made = share(ir::buffer{{}, name, w.to->type, {1}, ir::memory::registers, -1, {}});
    arrays_[made.get()] = names_.fresh(name);
    line(dialect_.storage(made->type) + " " + arrays_[made.get()] + ";");
    return made;
  };
  auto const at = [](handle<ir::buffer> const& b) { return ir::make_access(b, {ir::make_index(0)}); };
  auto const own = scalar(w.to->name + "_part");
  auto const other = scalar(w.to->name + "_other");
  auto const thread = "(" + type_name(dtype::index) + ")" + dialect_.thread_id(0);
  variables_[l.variable] = atom(declare("lane", thread + " % " + std::to_string(warp), true), true);
  ranges_[l.variable] = {0, warp - 1};
  emit(ir::make_store(own, {ir::make_index(0)}, ir::as<ir::binary>(w.value)->right));
  variables_.erase(l.variable);
  for (auto apart = static_cast<int>(warp) / 2; apart > 0; apart /= 2) {
    line(arrays_[other.get()] + " = " + dialect_.shuffled(arrays_[own.get()], apart) + ";");
    emit(ir::make_store(own, {ir::make_index(0)}, ir::make_binary(op, at(own), at(other))));
  }
  emit(ir::make_store(w.to, w.indices, ir::make_binary(op, ir::as<ir::binary>(w.value)->left, at(own))));
  for (auto const& b : {own, other}) arrays_.erase(b.get());
}

}}}  // namespace ttune::v0::codegen
