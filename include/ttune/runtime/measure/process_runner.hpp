// SPDX-License-Identifier: Apache-2.0
// Measures in a worker process: a crash, a hang or an exit of a candidate is a measurement.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "ttune/runtime/measure/sequential_runner.hpp"
#include "ttune/runtime/measure/worker_connection.hpp"

namespace ttune { inline namespace v0 {

/// The runner for `worker::program`, `worker::self` and `worker::command`.
class process_runner final : public sequential_runner {
 public:
  /// Throws as worker_connection.
  process_runner(worker_choice const& how, kernel_signature const& signature, runner_options options,
                 std::stop_token stop = {})
      : worker_(how, signature, std::move(options), std::move(stop)) {}

  [[nodiscard]] measurement set_reference(kernel_image const& image, trial_limits const& limits) override;
  void set_reference(std::vector<std::vector<std::uint8_t>> outputs) override;
  [[nodiscard]] measurement measure(kernel_image const& image, trial_limits const& limits) override;
  [[nodiscard]] measurement run(kernel_image const& image, std::vector<std::vector<std::uint8_t>>& outputs) override;
  [[nodiscard]] comparison compare(kernel_image const& first, kernel_image const& second, std::int32_t pairs) override;
  [[nodiscard]] std::vector<std::uint8_t> operand_bytes(std::size_t operand) override;
  void stop_with(std::stop_token token) override { worker_.stop_with(std::move(token)); }
  [[nodiscard]] bool isolated() const noexcept override { return true; }
  [[nodiscard]] std::string description() const override { return worker_.description(); }
  [[nodiscard]] std::int32_t respawns() const noexcept override { return worker_.respawns(); }
  [[nodiscard]] bool lost() const noexcept override { return worker_.lost(); }

 private:
  [[nodiscard]] bool ask_for_trial(protocol::kind what, std::span<std::uint8_t const> body,
                                   detail::request_limits const& limits, measurement& m,
                                   detail::worker_request::reader const& read);

  detail::worker_connection worker_;
};

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/measure/process_runner.inl.hpp"
#endif
