// SPDX-License-Identifier: Apache-2.0
// What people want to know of a tuned kernel when the program that tuned it is not at hand.
#pragma once

#include <string>

#include "ttune/support/config.hpp"

namespace ttune::inline v0 {

/// Written by the tuner beside the winner's image. Texts are for people: nothing of them is ever run.
struct kernel_explanation {
  std::string schedule;              ///< the winner as C++ to paste (`to_cpp`)
  std::string loops;                 ///< its loop nest (`ir::print`)
  std::string source;                ///< what the compiler was given (`backend::source`)
  double flops = 0;                  ///< arithmetic operations of one call; 0: not known
  double peak_flops_per_second = 0;  ///< of the device; 0: not known

  friend bool operator==(kernel_explanation const&, kernel_explanation const&) = default;
};

}  // namespace ttune::inline v0
