// SPDX-License-Identifier: Apache-2.0
// Reductions that the threads of a warp compute together by shuffles:
//
//   warp_reduce w < 32: r += G[w]       v = G[lane]
//                                →      v = v + shuffled(v, lane ^ 16), … 8, 4, 2, 1
//                                       r = r + v
//
// All lanes get the same result, bit by bit, since each adds the same pairs. If only the driver determines at run time
// whether threads form a warp (OpenCL's sub-groups), the loop follows the shuffles for the case that they do not.
#pragma once

#include <cstdint>
#include <string>

#include "ttune/codegen/body_emitter.hpp"
#include "ttune/codegen/c_family/buffer_names.hpp"
#include "ttune/codegen/c_family/kernel_state.hpp"
#include "ttune/ir/instruction.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// In: reductions of warps. Out: their text.
class warp_reduction_emitter {
 public:
  warp_reduction_emitter(kernel_state& kernel, buffer_names& names, body_emitter& bodies)
      : kernel_(kernel), names_(names), bodies_(bodies) {}

  void emit(ir::warp_reduction const& r);

 private:
  void emit_shuffles(ir::warp_reduction const& r);
  [[nodiscard]] handle<ir::buffer> declare_scalar(std::string const& name, dtype type);

  kernel_state& kernel_;
  buffer_names& names_;
  body_emitter& bodies_;
};

inline void warp_reduction_emitter::emit(ir::warp_reduction const& r) {
  auto const condition = kernel_.dialect.whether_warps();
  kernel_.text.open(condition.empty() ? "" : "if (" + condition + ")");
  emit_shuffles(r);
  if (!condition.empty()) {
    kernel_.text.turn_to_else();
    bodies_.emit(ir::loops_of(r));
  }
  kernel_.text.close();
}

/// Declares a variable in the current scope; the buffer stands for it in statements.
inline handle<ir::buffer> warp_reduction_emitter::declare_scalar(std::string const& name, dtype type) {
  auto made = share(ir::buffer{{}, name, type, {1}, ir::memory::registers, -1, {}});
  kernel_.text.line(kernel_.dialect.storage(type) + " " + names_.declare(*made) + ";");
  return made;
}

/// Writes the shuffles into the open scope.
inline void warp_reduction_emitter::emit_shuffles(ir::warp_reduction const& r) {
  kernel_.exchanges_in_warps = true;
  auto const& to = r.to;
  auto const zero = ir::make_index(0);
  auto const value_of = [&](handle<ir::buffer> const& b) { return ir::make_access(b, {zero}); };
  auto const own = declare_scalar(to->name + "_part", to->type);
  auto const other = declare_scalar(to->name + "_other", to->type);
  auto const lane = declare_index(kernel_, "lane", thread_number(kernel_) + " % " + std::to_string(r.threads), true);
  kernel_.variables.bind(r.variable, kernel_.variables.atom(lane, true), {0, r.threads - 1});
  bodies_.emit(ir::make_store(own, {zero}, r.part));
  kernel_.variables.unbind(r.variable);
  for (auto distance = static_cast<int>(r.threads) / 2; distance > 0; distance /= 2) {
    kernel_.text.line(names_.array(*other) + " = " + kernel_.dialect.shuffled(names_.array(*own), distance) + ";");
    bodies_.emit(ir::make_store(own, {zero}, ir::make_binary(r.op, value_of(own), value_of(other))));
  }
  bodies_.emit(ir::make_store(to, r.indices, ir::make_binary(r.op, ir::make_access(to, r.indices), value_of(own))));
  for (auto const& b : {own, other}) names_.forget(*b);
}

}}}}  // namespace ttune::v0::codegen::c_family
