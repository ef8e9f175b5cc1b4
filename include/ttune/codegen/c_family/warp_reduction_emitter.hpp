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

#include <cstdint>
#include <string>

#include "ttune/codegen/body_emitter.hpp"
#include "ttune/codegen/c_family/buffer_names.hpp"
#include "ttune/codegen/c_family/find_warp_reduction.hpp"
#include "ttune/codegen/c_family/kernel_state.hpp"
#include "ttune/codegen/c_family/loop_emitter.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// In: unrolled loops with known bounds. Out: true and the text of a reduction by shuffles, if the loop is one
/// (find_warp_reduction.hpp) that all threads of a warp execute together; false otherwise.
class warp_reduction_emitter {
 public:
  warp_reduction_emitter(kernel_state& kernel, buffer_names& names, loop_emitter& loops, body_emitter& bodies)
      : kernel_(kernel), names_(names), loops_(loops), bodies_(bodies) {}

  [[nodiscard]] bool emit(ir::loop const& l, std::int64_t begin, std::int64_t end);

 private:
  void emit_shuffles(warp_reduction const& r);
  [[nodiscard]] handle<ir::buffer> declare_scalar(std::string const& name, dtype type);

  kernel_state& kernel_;
  buffer_names& names_;
  loop_emitter& loops_;
  body_emitter& bodies_;
};

inline bool warp_reduction_emitter::emit(ir::loop const& l, std::int64_t begin, std::int64_t end) {
  auto const warp = static_cast<std::int64_t>(kernel_.machine.warp_threads);
  if (begin != 0 || end != warp || !kernel_.dialect.has_warps() || !kernel_.grid.has_rows_of(warp) ||
      !kernel_.warps.is_together())
    return false;
  auto const found = find_warp_reduction(l, kernel_.warps);
  if (!found) return false;
  auto const condition = kernel_.dialect.whether_warps();
  kernel_.text.open(condition.empty() ? "" : "if (" + condition + ")");
  emit_shuffles(*found);
  if (!condition.empty()) {
    kernel_.text.turn_to_else();
    loops_.emit_unrolled(l, begin, end);
  }
  kernel_.text.close();
  return true;
}

/// Declares a variable in the current scope; the buffer stands for it in statements.
inline handle<ir::buffer> warp_reduction_emitter::declare_scalar(std::string const& name, dtype type) {
  auto made = share(ir::buffer{{}, name, type, {1}, ir::memory::registers, -1, {}});
  kernel_.text.line(kernel_.dialect.storage(type) + " " + names_.declare(*made) + ";");
  return made;
}

/// Writes the shuffles into the open scope.
inline void warp_reduction_emitter::emit_shuffles(warp_reduction const& r) {
  kernel_.exchanges_in_warps = true;
  auto const warp = static_cast<std::int64_t>(kernel_.machine.warp_threads);
  auto const& to = r.result->to;
  auto const zero = ir::make_index(0);
  auto const value_of = [&](handle<ir::buffer> const& b) { return ir::make_access(b, {zero}); };
  auto const own = declare_scalar(to->name + "_part", to->type);
  auto const other = declare_scalar(to->name + "_other", to->type);
  auto const lane = declare_index(kernel_, "lane", thread_number(kernel_) + " % " + std::to_string(warp), true);
  kernel_.variables.bind(r.loop->variable, kernel_.variables.atom(lane, true), {0, warp - 1});
  bodies_.emit(ir::make_store(own, {zero}, r.part));
  kernel_.variables.unbind(r.loop->variable);
  for (auto distance = static_cast<int>(warp) / 2; distance > 0; distance /= 2) {
    kernel_.text.line(names_.array(*other) + " = " + kernel_.dialect.shuffled(names_.array(*own), distance) + ";");
    bodies_.emit(ir::make_store(own, {zero}, ir::make_binary(r.op, value_of(own), value_of(other))));
  }
  bodies_.emit(ir::make_store(to, r.result->indices, ir::make_binary(r.op, r.old_result, value_of(own))));
  for (auto const& b : {own, other}) names_.forget(*b);
}

}}}}  // namespace ttune::v0::codegen::c_family
