// SPDX-License-Identifier: Apache-2.0
// The worker's side of the protocol: passes requests to a kernel runner, and reports faults to the parent before the
// process dies.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <stop_token>

#include "ttune/runtime/measure/kernel_runner.hpp"
#include "ttune/runtime/worker/protocol.hpp"

namespace ttune { inline namespace v0 { namespace worker {

/// Reads requests from one descriptor and writes answers to another. `serve` returns the exit status of the process.
class server {
 public:
  server(int in, int out) : in_(in), out_(out) {}
  [[nodiscard]] int serve();

 private:
  [[nodiscard]] std::vector<std::uint8_t> answer(protocol::message const& request);
  [[nodiscard]] std::vector<std::uint8_t> answer_trial(protocol::kind what, byte_source& in);
  void open(byte_source& in);
  static void compile(byte_source& in, byte_sink& out);
  [[nodiscard]] bool say(protocol::kind what, std::span<std::uint8_t const> body);
  void say_alive(std::stop_token const& end);
  void say_while_working();

  int in_;
  int out_;
  std::unique_ptr<kernel_runner> bench_;
  std::mutex speaking_;
  std::atomic<bool> working_ = false;
};

/// Prepares this process for trials: no core files, a memory limit, and a signal handler that reports faults through
/// `out` before the process dies.
void prepare_process(int out);

}}}  // namespace ttune::v0::worker

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/worker/server.inl.hpp"
#endif
