// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "ttune/runtime/add_instruction.hpp"
#include "ttune/runtime/machine.hpp"

namespace ttune { inline namespace v0 {

bool add_instruction(target& machine, instruction_statement stated) {
  auto made = std::make_shared<own_instruction const>(std::move(stated));
  auto const& feature = made->statement().feature;
  bool const is_here = machine.cpu == "native" && machine.features.empty();
  if (is_here && !feature.empty() && !missing_features("+" + feature).empty()) return false;
  machine.instructions.push_back(std::move(made));
  return true;
}

}}  // namespace ttune::v0
