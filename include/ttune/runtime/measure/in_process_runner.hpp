// SPDX-License-Identifier: Apache-2.0
// Measures in this process: a candidate that crashes or hangs takes the application with it.
#pragma once

#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "ttune/runtime/measure/kernel_runner.hpp"
#include "ttune/runtime/measure/sequential_runner.hpp"

namespace ttune { inline namespace v0 {

/// The runner for `worker::in_process`.
class in_process_runner final : public sequential_runner {
 public:
  /// Throws argument_error for data of a wrong size, std::bad_alloc if memory for the operands cannot be allocated.
  in_process_runner(kernel_signature const& signature, runner_options options, std::stop_token stop = {})
      : kernels_(signature, std::move(options)) {
    kernels_.stop_with(std::move(stop));
  }

  [[nodiscard]] measurement set_reference(kernel_image const& image, trial_limits const& limits) override {
    return kernels_.set_reference(image, limits);
  }
  void set_reference(std::vector<std::vector<std::uint8_t>> outputs) override {
    kernels_.set_reference(std::move(outputs));
  }
  [[nodiscard]] measurement measure(kernel_image const& image, trial_limits const& limits) override {
    return kernels_.measure(image, limits);
  }
  [[nodiscard]] measurement run(kernel_image const& image, std::vector<std::vector<std::uint8_t>>& outputs) override {
    return kernels_.run(image, outputs);
  }
  [[nodiscard]] comparison compare(kernel_image const& first, kernel_image const& second, std::int32_t pairs) override {
    return kernels_.compare(first, second, pairs);
  }
  [[nodiscard]] std::vector<std::uint8_t> operand_bytes(std::size_t operand) override {
    return kernels_.operand_bytes(operand);
  }
  void stop_with(std::stop_token token) override { kernels_.stop_with(std::move(token)); }
  [[nodiscard]] bool isolated() const noexcept override { return false; }
  [[nodiscard]] std::string description() const override { return "in process, unprotected"; }

 private:
  kernel_runner kernels_;
};

}}  // namespace ttune::v0
