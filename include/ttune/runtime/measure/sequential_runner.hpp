// SPDX-License-Identifier: Apache-2.0
// The common base of runners of width 1: a submitted candidate is measured at once.
#pragma once

#include <utility>
#include <vector>

#include "ttune/runtime/measure/runner.hpp"

namespace ttune { inline namespace v0 {

class sequential_runner : public runner {
 public:
  void submit(kernel_image const& image, trial_limits const& limits) final {
    submitted_.push_back(measure(image, limits));
  }
  [[nodiscard]] std::vector<measurement> collect() final { return std::exchange(submitted_, {}); }

 private:
  std::vector<measurement> submitted_;
};

}}  // namespace ttune::v0
