// SPDX-License-Identifier: Apache-2.0
// An explanation of a tuned kernel for people, readable without the program that tuned it.
#pragma once

#include <string>

#include "ttune/roof/kernel_work.hpp"
#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 {

/// Explanation of the winner, stored by the tuner beside its image. The texts are never executed.
struct kernel_explanation {
  std::string schedule;              ///< the winner as C++ to paste (`to_cpp`)
  std::string loops;                 ///< its loop nest (`ir::print`)
  std::string source;                ///< input of the compiler (`backend::source`)
  double flops = 0;                  ///< arithmetic operations of one call; 0: unknown
  double peak_flops_per_second = 0;  ///< peak of the device; 0: unknown
  kernel_work work = {};             ///< what a call demands of the machine; not known() on devices

  friend bool operator==(kernel_explanation const&, kernel_explanation const&) = default;
};

}}  // namespace ttune::v0
