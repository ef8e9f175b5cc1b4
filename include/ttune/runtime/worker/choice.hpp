// SPDX-License-Identifier: Apache-2.0
// Selects where candidates run.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 {

/// Ways to start the process that runs candidates. Never by fork alone: the application may have threads.
namespace worker {
/// The installed helper program `ttune-worker`. An empty path is searched for in this order: TTUNE_WORKER_PROGRAM, the
/// folder of this executable, ../libexec/ttune and ../bin relative to it, PATH.
struct program {
  std::string path = {};
};
/// This executable, started again; its main begins with `if (ttune::is_worker(argc, argv)) return
/// ttune::run_worker();`.
struct self {};
/// No separate process: a candidate that crashes or hangs takes the application with it.
struct in_process {};
/// Any command that starts a worker and connects its standard input and output: {"ssh", "board", "ttune-worker"}.
struct command {
  std::vector<std::string> words;
  std::string device = {};  ///< stored in the records that it measures; empty: tuner_options::device
  /// A worker that sends nothing for this long is lost; a working one sends a message twice a second.
  double silence_seconds = 30;
};
/// Several devices of one kind; each candidate goes to a free one. A lost worker's candidate goes to another worker,
/// and the lost one is started again. A candidate that a slow worker takes long for is also measured by another.
struct fleet {
  std::vector<command> members;
};
}  // namespace worker

using worker_choice = std::variant<worker::program, worker::self, worker::in_process, worker::command, worker::fleet>;

}}  // namespace ttune::v0
