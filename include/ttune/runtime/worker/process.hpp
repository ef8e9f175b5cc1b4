// SPDX-License-Identifier: Apache-2.0
// A worker process from its parent's side: starting it, talking to it, explaining its end.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ttune/runtime/worker/processor_time.hpp"
#include "ttune/runtime/worker/protocol.hpp"

namespace ttune { inline namespace v0 { namespace worker {

/// How a process ended.
struct ending {
  bool by_signal = false;
  int number = 0;     ///< the signal, or the exit status
  bool known = true;  ///< false: another part of the program has already waited for it
};

/// Owns a child process: the destructor kills it and waits for it. Descriptors are closed on exec. The child is in its
/// own process group, so that an interrupt from the terminal reaches the application only. It has the priority of the
/// thread that starts it, whose `counting_workers` counts its processor time.
class child_process {
 public:
  child_process() = default;
  /// Starts a command; throws backend_error on failure. The child's standard input and output are one socket; its
  /// standard error is captured for messages.
  explicit child_process(std::vector<std::string> const& words);
  child_process(child_process&& other) noexcept { *this = std::move(other); }
  child_process& operator=(child_process&& other) noexcept;
  ~child_process();

  [[nodiscard]] bool running() const noexcept { return id_ > 0; }
  [[nodiscard]] int socket() const noexcept { return socket_; }
  /// Kills the process and waits for it. With `patiently`, it first waits a moment for the process to end by itself,
  /// since its socket has closed.
  ending end(bool patiently = false) noexcept;
  /// Returns the first lines that the process wrote to its standard error.
  [[nodiscard]] std::string stderr_text() const;

 private:
  pid_t id_ = -1;
  int socket_ = -1;
  int error_ = -1;
  std::shared_ptr<processor_time> counted_;
};

/// Returns the path of this executable; empty if the system does not tell.
[[nodiscard]] std::string executable_path();
/// Returns the path of the helper program, empty if it was not found; `tried` lists the places searched.
[[nodiscard]] std::string find_program(std::string& tried);
/// Returns a name such as "SIGSEGV".
[[nodiscard]] std::string signal_name(int number);

}}}  // namespace ttune::v0::worker

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/worker/process.inl.hpp"
#endif
