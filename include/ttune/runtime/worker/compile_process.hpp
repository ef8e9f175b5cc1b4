// SPDX-License-Identifier: Apache-2.0
// A worker process that compiles texts. Compilers with a lock for the whole process (NVRTC) run in parallel only in
// processes of their own; and one that crashes, or does not end, does not harm the application.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "ttune/runtime/worker/process.hpp"

namespace ttune { inline namespace v0 { namespace worker {

/// Starts the helper program at the first request, and again after it was lost. Thread-safe; requests wait for each
/// other.
class compile_process {
 public:
  /// Returns true if there is a helper program of this version.
  [[nodiscard]] bool available();
  /// Sends a request to the compiler of a device (runtime/device_code.hpp) and returns its answer. Throws backend_error
  /// if the compiler crashes, refuses, or takes longer than `most_seconds`.
  [[nodiscard]] std::vector<std::uint8_t> compile(std::string const& device, std::span<std::uint8_t const> request,
                                                  double most_seconds = 120);

 private:
  [[nodiscard]] bool start();
  [[nodiscard]] protocol::outcome exchange(std::span<std::uint8_t const> body, double most_seconds,
                                           std::vector<std::uint8_t>& answer);

  std::mutex one_at_a_time_;
  child_process child_;
  bool missing_ = false;  ///< no helper program, or one of another version
};

}}}  // namespace ttune::v0::worker

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/worker/compile_process.inl.hpp"
#endif
