// SPDX-License-Identifier: Apache-2.0
// Applies one expression to arrays by machine code, in vectors with a tail, for this machine or for plain x86-64.
#pragma once

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "support/require.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/runtime/kernel_call.hpp"

namespace ttune_test {

/// Returns x86-64 of 2003: SSE2, no FMA, no masks, no conversions of 16-bit floats, no rounding instructions.
inline ttune::target oldest_x86() {
  auto machine = ttune::probe_host();
  machine.name = "x86_64 x86-64";
  machine.cpu = "x86-64";
  machine.features = "";
  machine.vector_bytes = 16;
  machine.vector_registers = 16;
  machine.has_fma = false;
  machine.has_masks = false;
  return machine;
}

/// Returns this machine, and the oldest one if this one can run its code.
inline std::vector<ttune::target> machines() {
  std::vector<ttune::target> all{ttune::probe_host()};
  if (all[0].triple.starts_with("x86_64")) all.push_back(oldest_x86());
  return all;
}

using formula = std::function<ttune::ir::expr(std::vector<ttune::ir::expr> const& inputs)>;

/// out[i] = f(inputs[0][i], …) with the types in this order.
inline ttune::ir::lowered elementwise(std::vector<ttune::dtype> const& in, ttune::dtype out, std::int64_t n,
                                      formula const& f) {
  using namespace ttune;
  ir::lowered program;
  program.name = "elementwise";
  for (auto const t : in) {
    auto const slot = static_cast<int>(program.operands.size());
    program.operands.push_back(
        share(ir::buffer{{}, "A" + std::to_string(slot), t, {n}, ir::memory::operand, slot, {}}));
  }
  program.operands.push_back(
      share(ir::buffer{{}, "Y", out, {n}, ir::memory::operand, static_cast<int>(in.size()), {}}));
  auto const at = ir::make_variable("o") * 61 + ir::make_variable("i");  // blocks of 61: whole vectors and a tail
  std::vector<ir::expr> reads;
  for (std::size_t k = 0; k < in.size(); ++k) reads.push_back(ir::make_access(program.operands[k], {at}));
  program.body = ir::make_loop("o", ir::make_index(0), ir::make_index(n / 61), ir::loop_kind::serial,
                               ir::make_loop("i", ir::make_index(0), ir::make_index(61), ir::loop_kind::vectorized,
                                             ir::make_store(program.operands.back(), {at}, f(reads))));
  return program;
}

template <class Out, class... In>
std::vector<Out> apply(ttune::target const& machine, ttune::dtype out, std::vector<ttune::dtype> const& types,
                       formula const& f, std::vector<In>... inputs) {
  using namespace ttune;
  auto const n = std::get<0>(std::tie(inputs...)).size();
  auto const padded = (n + 60) / 61 * 61;
  (inputs.resize(padded, inputs.back()), ...);
  orc_backend backend(machine);
  auto const made = backend.compile(elementwise(types, out, static_cast<std::int64_t>(padded), f), {});
  REQUIRE_MESSAGE(made.image, made.diagnostics);
  std::vector<Out> y(padded);
  void* operands[] = {inputs.data()..., y.data()};
  auto const runtime = make_runtime_table(*default_executor());
  load(*made.image)->main()(operands, &runtime, nullptr);
  y.resize(n);
  return y;
}

}  // namespace ttune_test
