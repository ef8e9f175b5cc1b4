// SPDX-License-Identifier: Apache-2.0
// A fleet of workers that measure in parallel; a thread of its own talks to each worker. The runner for
// `worker::fleet`.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "ttune/runtime/measure/runner.hpp"
#include "ttune/runtime/measure/runner_options.hpp"
#include "ttune/runtime/worker/choice.hpp"

namespace ttune { inline namespace v0 {

/// Measures with several workers. Used by one thread. If a worker is lost during a request (it exits without an answer,
/// answers with malformed data, or falls silent), another worker repeats the request, if there is one; if that worker
/// is lost too, the result stands. A member that cannot be started three times in a row is excluded.
class fleet_runner final : public runner {
 public:
  /// Starts all members and returns when the first one is ready. Throws argument_error if there are no members,
  /// backend_error with all reasons if no member can be started.
  fleet_runner(worker::fleet members, kernel_signature const& signature, runner_options options,
               std::stop_token stop = {});
  ~fleet_runner() override;

  // The following functions throw backend_error when the last member has been excluded.
  /// One member computes the reference; the others receive its outputs.
  [[nodiscard]] measurement set_reference(kernel_image const& image, trial_limits const& limits) override;
  void set_reference(std::vector<std::vector<std::uint8_t>> outputs) override;
  [[nodiscard]] measurement measure(kernel_image const& image, trial_limits const& limits) override;
  void submit(kernel_image const& image, trial_limits const& limits) override;
  [[nodiscard]] std::vector<measurement> collect() override;
  [[nodiscard]] measurement run(kernel_image const& image, std::vector<std::vector<std::uint8_t>>& outputs) override;
  /// Runs both kernels on the same member.
  [[nodiscard]] comparison compare(kernel_image const& first, kernel_image const& second, std::int32_t pairs) override;
  [[nodiscard]] std::vector<std::uint8_t> operand_bytes(std::size_t operand) override;

  void stop_with(std::stop_token token) override;
  [[nodiscard]] bool isolated() const noexcept override { return true; }
  [[nodiscard]] std::size_t width() const noexcept override;
  [[nodiscard]] std::int32_t respawns() const noexcept override;
  /// Returns how many of the members are available, and why the others are not.
  [[nodiscard]] std::string description() const override;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/measure/fleet_runner.inl.hpp"
#endif
