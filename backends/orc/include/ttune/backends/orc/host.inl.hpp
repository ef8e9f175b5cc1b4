// SPDX-License-Identifier: Apache-2.0
// LLVM names what runtime/machine.hpp found.
#pragma once

#include "ttune/backends/orc/api.hpp"
#include "ttune/backends/orc/host.hpp"
#include "ttune/runtime/machine.hpp"

namespace ttune::inline v0 {

inline target host_target() {
  auto machine = probe_host();
  machine.triple = orc::take(LLVMGetDefaultTargetTriple());
  machine.cpu = orc::take(LLVMGetHostCPUName());
  machine.features = orc::take(LLVMGetHostCPUFeatures());
  machine.name = machine.triple.substr(0, machine.triple.find('-')) + " " + machine.cpu;
  return machine;
}

}  // namespace ttune::inline v0
