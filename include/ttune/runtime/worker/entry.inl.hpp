// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "ttune/runtime/worker/entry.hpp"
#include "ttune/runtime/worker/protocol.hpp"
#include "ttune/runtime/worker/server.hpp"

namespace ttune { inline namespace v0 {

bool is_worker(int argc, char const* const* argv) noexcept {
  return argc == 2 && std::strcmp(argv[1], protocol::worker_argument) == 0;
}

bool inside_worker() noexcept {
  auto const* const value = std::getenv("TTUNE_WORKER");
  return value && *value != '\0';
}

int run_worker() {
  // Stray output must not corrupt the protocol: it goes to /dev/null.
  int const in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10);
  int const out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
  int const nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (out < 0 || in < 0 || nowhere < 0) return 2;
  dup2(nowhere, STDIN_FILENO);
  dup2(nowhere, STDOUT_FILENO);
  setenv("TTUNE_WORKER", "1", 1);
  unsetenv("TTUNE_TOOLS");  // profilers and debuggers are told about the application's kernels, not about candidates
  worker::prepare_process(out);
  return worker::server(in, out).serve();
}

}}  // namespace ttune::v0
