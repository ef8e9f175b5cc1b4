// SPDX-License-Identifier: Apache-2.0
// Several workers that measure side by side, each talked to by a thread of its own: what `measurer` is for
// `worker::fleet`.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "ttune/runtime/image.hpp"
#include "ttune/runtime/trial_bench.hpp"
#include "ttune/runtime/worker/choice.hpp"

namespace ttune::inline v0 {

/// Used by one thread. A request whose worker is lost (it ends without a word, answers nonsense, or falls silent) is
/// repeated by another worker, if there is one; the result stands if that one is lost, too. A member that cannot be
/// started three times in a row is given up.
class fleet_measurer {
 public:
  /// Starts all members, and returns when one is ready. Throws argument_error for none, backend_error with all reasons
  /// if none can be started.
  fleet_measurer(worker::fleet members, kernel_signature const& signature, bench_options options,
                 std::stop_token stop = {});
  fleet_measurer(fleet_measurer const&) = delete;
  fleet_measurer& operator=(fleet_measurer const&) = delete;
  ~fleet_measurer();

  // As in measurer. All throw backend_error when the last member has been given up.
  /// One member runs it, the others are given what came out.
  [[nodiscard]] measurement set_reference(kernel_image const& image, trial_limits const& limits);
  void set_reference(std::vector<std::vector<std::uint8_t>> outputs);
  [[nodiscard]] measurement run(kernel_image const& image, std::vector<std::vector<std::uint8_t>>& outputs);
  /// Both on the same member.
  [[nodiscard]] comparison compare(kernel_image const& first, kernel_image const& second, std::int32_t pairs);
  [[nodiscard]] std::vector<std::uint8_t> operand_bytes(std::size_t operand);
  void submit(kernel_image image, trial_limits const& limits);
  [[nodiscard]] std::vector<measurement> collect();

  void stop_with(std::stop_token token);
  [[nodiscard]] std::size_t width() const noexcept;
  [[nodiscard]] std::int32_t respawns() const noexcept;
  /// How many of how many are there, and why others are not.
  [[nodiscard]] std::string description() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/runtime/fleet.inl.hpp"
#endif
