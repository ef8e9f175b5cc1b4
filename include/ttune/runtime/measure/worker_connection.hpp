// SPDX-License-Identifier: Apache-2.0
// The parent's side of one worker process: starts it, greets it, sends it requests, and starts it again when it is
// lost.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "ttune/runtime/image.hpp"
#include "ttune/runtime/measure/measurement.hpp"
#include "ttune/runtime/measure/runner_options.hpp"
#include "ttune/runtime/measure/worker_request.hpp"
#include "ttune/runtime/worker/choice.hpp"
#include "ttune/runtime/worker/process.hpp"

namespace ttune { inline namespace v0 { namespace detail {

class worker_connection {
 public:
  /// Starts the worker, which opens the workload. Throws backend_error, naming what was tried, if that fails;
  /// argument_error for data of a wrong size. `how` is not a fleet, nor in process.
  worker_connection(worker_choice const& how, kernel_signature signature, runner_options options,
                    std::stop_token token);

  /// Sends a request and waits for the answer. Returns false if the worker dies, refuses, or answers with malformed
  /// data; `failure` says which. Throws backend_error if a lost worker cannot be started again.
  [[nodiscard]] bool ask(protocol::kind what, std::span<std::uint8_t const> body, request_limits const& limits,
                         measurement& failure, worker_request::reader const& read);
  /// Like `ask`, for requests that fail only if the worker is broken. Throws backend_error on failure.
  void demand(protocol::kind what, std::span<std::uint8_t const> body, worker_request::reader const& read);
  /// Ends the worker after a candidate wrote out of bounds: the extent of the damage is unknown.
  void retire();
  /// Sets the outputs that a worker gets when it is started again; those of inputs are empty.
  void remember(std::vector<std::vector<std::uint8_t>> reference) { reference_ = std::move(reference); }
  [[nodiscard]] std::vector<std::vector<std::uint8_t>> const& reference() const noexcept { return reference_; }

  void stop_with(std::stop_token token) { stop_ = std::move(token); }
  [[nodiscard]] std::string description() const {
    return is_self_ ? "this program as a worker" : "worker " + words_.front();
  }
  [[nodiscard]] kernel_signature const& signature() const noexcept { return signature_; }
  [[nodiscard]] std::string const& device() const noexcept { return device_; }
  [[nodiscard]] std::int32_t respawns() const noexcept { return respawns_; }
  /// Returns true if the last request lost the worker (`is_loss`).
  [[nodiscard]] bool lost() const noexcept { return lost_; }

 private:
  [[nodiscard]] bool died_idle() const noexcept;
  void start();
  void settle(protocol::kind what, std::vector<std::uint8_t> const& body);
  void greet();
  void check_greeting(protocol::message const& greeting);
  [[noreturn]] void refuse_greeting(protocol::outcome got);
  [[nodiscard]] bool exchange(protocol::kind what, std::span<std::uint8_t const> body, request_limits const& limits,
                              measurement& failure, worker_request::reader const& read);

  std::vector<std::string> words_;  ///< the command
  bool is_self_ = false;
  std::string device_;
  worker_pace pace_;
  kernel_signature signature_;
  runner_options options_;
  std::stop_token stop_;
  std::vector<std::vector<std::uint8_t>> reference_;
  std::int32_t respawns_ = 0;
  bool lost_ = false;
  worker::child_process child_;
};

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/measure/worker_connection.inl.hpp"
#endif
