// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/backends/orc/api.hpp"
#include "ttune/backends/orc/host.hpp"

namespace ttune { inline namespace v0 { namespace orc {

target named_by_llvm(target machine) {
  if (machine.cpu != "native") return machine;
  machine.cpu = take(LLVMGetHostCPUName());
  machine.features = take(LLVMGetHostCPUFeatures());
  return machine;
}

}}}  // namespace ttune::v0::orc
