// SPDX-License-Identifier: Apache-2.0
// A machine with round numbers, and its roof.
#pragma once

#include <cstdint>

#include "ttune/core/target.hpp"
#include "ttune/roof/machine_roof.hpp"

namespace ttune_test {

[[nodiscard]] inline ttune::target some_machine(std::int32_t cores = 1) {
  ttune::target t;
  t.name = "x86_64 some";
  t.vector_bytes = 64;
  t.vector_registers = 32;
  t.has_fma = t.has_masks = true;
  t.cores = cores;
  t.l1_bytes = 32 << 10;
  t.l2_bytes = 1 << 20;
  t.l3_bytes = 32 << 20;
  return t;
}

/// 3.3 GHz: one multiply-add, load, and half a store in a cycle.
[[nodiscard]] inline ttune::machine_roof some_roof(std::int32_t threads = 1) {
  ttune::machine_roof r;
  r.target = "x86_64 some";
  r.threads = threads;
  r.arithmetic = 0.3e-9;
  r.division = 3e-9;
  r.load = 0.3e-9;
  r.store = 0.6e-9;
  r.latency = 1.2e-9;
  r.one_core = {100e9, 50e9, 20e9};
  r.all_cores = {100e9 * threads, 80e9, 30e9};
  r.start = 2e-6;
  return r;
}

}  // namespace ttune_test
