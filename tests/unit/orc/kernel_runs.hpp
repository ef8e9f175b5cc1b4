// SPDX-License-Identifier: Apache-2.0
// Compiles and runs configurations, and compares them with the interpreter.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "support/seed.hpp"
#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/ir/ndarray.hpp"
#include "ttune/runtime/backend.hpp"
#include "ttune/runtime/kernel_call.hpp"
#include "ttune/support/rng.hpp"
#include "ttune/tune/workload.hpp"

namespace ttune_test {

using operand_bytes = std::vector<std::vector<std::uint8_t>>;  ///< one per operand, outputs included

inline ttune::ir::ndarray random_array(ttune::operand_info const& o, ttune::rng& random) {
  ttune::ir::ndarray a(o.type, o.shape);
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.elements()); ++i) {
    if (o.has_range)
      a.set_number(i, static_cast<double>(o.low) +
                          static_cast<double>(random.below(static_cast<std::uint64_t>(o.high - o.low))));
    else if (ttune::is_float(o.type)) a.set_number(i, random.uniform() * 2 - 1);
    else if (o.type == ttune::dtype::i8) a.set_number(i, static_cast<double>(random.below(256)) - 128);
    else a.set_number(i, static_cast<double>(random.below(o.type == ttune::dtype::u8 ? 256 : 8)));
  }
  return a;
}

/// Runs a kernel in this process.
inline std::string run_here(ttune::kernel_image const& image, operand_bytes& memory) {
  std::vector<void*> pointers;
  for (auto& m : memory) pointers.push_back(m.data());
  ttune::kernel_call const call(ttune::load(image), ttune::default_executor());
  call(pointers);
  return {};
}

/// Compiles and runs one configuration; returns a description of the first difference, or nothing. `run(image, memory)`
/// returns a fault, or nothing.
template <class Run>
std::string difference(ttune::backend& backend, Run const& run, ttune::workload const& work,
                       ttune::configuration const& chosen, std::vector<ttune::ir::ndarray> const& operands,
                       std::vector<ttune::ir::ndarray> const& expected) {
  using ttune::dtype;
  using way = ttune::operand_direction;
  auto const& signature = work.signature();
  auto const lowered = work.lower(chosen);
  auto const made = backend.compile(lowered, signature);
  if (!made.image) return "does not compile: " + made.diagnostics;
  operand_bytes memory;
  std::size_t next = 0;
  for (auto const& o : signature.operands) {
    memory.emplace_back(static_cast<std::size_t>(o.bytes()), std::uint8_t{0xFF});
    if (o.direction != way::out) ttune::ir::store_ndarray(operands[next++], memory.back().data());
  }
  if (auto const failure = run(*made.image, memory); !failure.empty()) return failure;
  std::size_t out = 0;
  for (std::size_t i = 0; i < signature.operands.size(); ++i) {
    auto const& o = signature.operands[i];
    if (o.direction != way::out && o.direction != way::inout) continue;
    auto const got = ttune::ir::load_ndarray(o.type, o.shape, memory[i].data());
    auto const& want = expected[out++];
    double const tolerance = ttune::is_float(o.type) ? (o.type == dtype::f64   ? 1e-11
                                                        : o.type == dtype::f32 ? 2e-4
                                                                               : 2e-2)
                                                     : 0;
    for (std::size_t e = 0; e < static_cast<std::size_t>(want.elements()); ++e) {
      auto const a = got.number(e);
      auto const b = want.number(e);
      if (!(a == b || std::abs(a - b) <= tolerance * (1 + std::abs(b))))
        return o.name + "[" + std::to_string(e) + "] is " + std::to_string(a) + ", should be " + std::to_string(b);
    }
  }
  return {};
}

/// Returns random operands in the order of the kernel.
inline std::vector<ttune::ir::ndarray> random_operands(ttune::workload const& work, ttune::rng& random) {
  std::vector<ttune::ir::ndarray> operands;
  for (auto const& o : work.signature().operands)
    if (o.direction != ttune::operand_direction::out) operands.push_back(random_array(o, random));
  return operands;
}

/// Checks the seed and random configurations of an operator's derived space. `run` as in `difference`.
template <class Run, class Op>
void check_derived(ttune::backend& backend, Run const& run, Op const& op, int configurations) {
  auto const seed = ttune_test::seed();
  INFO("TTUNE_SEED=", seed);
  INFO(backend.target().name);
  INFO(op.text());
  ttune::rng random(seed);
  ttune::workload const work(ttune::derive_space(op.program(), backend.target()), backend.target());
  auto const operands = random_operands(work, random);
  auto const expected = ttune::ir::evaluate(*op.program(), operands);
  for (int i = 0; i < configurations; ++i) {
    auto const chosen = i == 0 ? work.seed() : work.sampler().draw(random);
    INFO("configuration ", i, ": ", ttune::detail::describe_choices(work.space().knobs, chosen));
    auto const found = difference(backend, run, work, chosen, operands, expected);
    CHECK_MESSAGE(found.empty(), found);
  }
}

}  // namespace ttune_test
