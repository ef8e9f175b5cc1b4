// SPDX-License-Identifier: Apache-2.0
// A worker process as its parent sees it: started, talked to, explained when it dies.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "ttune/runtime/worker/protocol.hpp"

namespace ttune::inline v0::worker {

/// How a process ended.
struct ending {
  bool by_signal = false;
  int number = 0;     ///< the signal, or the exit status
  bool known = true;  ///< false: somebody else has waited for it
};

/// Owns the process: it is killed and waited for with the object. Descriptors are closed on exec, and the process has
/// a group of its own, so that an interrupt from the terminal reaches the application only.
class child_process {
 public:
  child_process() = default;
  /// Throws backend_error. Its standard input and output are one socket, its standard error is kept for messages.
  explicit child_process(std::vector<std::string> const& words);
  child_process(child_process&& other) noexcept { *this = std::move(other); }
  child_process& operator=(child_process&& other) noexcept;
  ~child_process();

  [[nodiscard]] bool running() const noexcept { return id_ > 0; }
  [[nodiscard]] int socket() const noexcept { return socket_; }
  /// Kills and waits for it; with patience, waits a moment for it to end by itself, since its socket has closed.
  ending end(bool patiently = false) noexcept;
  /// The first lines that it wrote to its standard error.
  [[nodiscard]] std::string said() const;

 private:
  pid_t id_ = -1;
  int socket_ = -1;
  int error_ = -1;
};

/// Of this process; an empty text if the system does not tell.
[[nodiscard]] std::string executable_path();
/// The helper program, an empty text if it is nowhere; `tried` lists where it was looked for.
[[nodiscard]] std::string find_program(std::string& tried);
/// As "SIGSEGV".
[[nodiscard]] std::string signal_name(int number);

}  // namespace ttune::inline v0::worker

#if TTUNE_HEADER_ONLY
#include "ttune/runtime/worker/process.inl.hpp"
#endif
