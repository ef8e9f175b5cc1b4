// SPDX-License-Identifier: Apache-2.0
// Where candidates run.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "ttune/support/config.hpp"

namespace ttune::inline v0 {

/// How the process that runs candidates is started. Never by fork alone: the application may have threads.
namespace worker {
/// The installed helper program `ttune-worker`; an empty path is searched for: TTUNE_WORKER_PROGRAM, beside this
/// executable, ../libexec/ttune and ../bin from there, PATH.
struct program {
  std::string path = {};
};
/// This executable again; its main begins with `if (ttune::is_worker(argc, argv)) return ttune::run_worker();`.
struct self {};
/// No process: a candidate that crashes or hangs takes the application with it.
struct in_process {};
/// Any command that starts a worker and connects its standard input and output: {"ssh", "board", "ttune-worker"}.
struct command {
  std::vector<std::string> words;
  std::string device = {};      ///< kept in records of what it measured; empty: tuner_options::device
  double silence_seconds = 30;  ///< without a byte from it, then it is lost; a worker says twice a second that it lives
};
/// Several devices of one kind: candidates go to whichever is free. One that is lost gives its candidate to another and
/// is started again; what a slow one is long with is measured by another, too.
struct fleet {
  std::vector<command> members;
};
}  // namespace worker

using worker_choice = std::variant<worker::program, worker::self, worker::in_process, worker::command, worker::fleet>;

}  // namespace ttune::inline v0
