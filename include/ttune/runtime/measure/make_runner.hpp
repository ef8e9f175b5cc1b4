// SPDX-License-Identifier: Apache-2.0
// Makes the runner for a choice of where candidates run.
#pragma once

#include <memory>
#include <stop_token>

#include "ttune/runtime/measure/runner.hpp"
#include "ttune/runtime/measure/runner_options.hpp"
#include "ttune/runtime/worker/choice.hpp"

namespace ttune { inline namespace v0 {

/// Returns the runner of one workload; it has started its workers. Throws backend_error, naming what was tried, if no
/// worker can be started; argument_error for data of a wrong size. `stop` works as in runner::stop_with, and also ends
/// the start of a worker.
[[nodiscard]] std::unique_ptr<runner> make_runner(worker_choice how, kernel_signature const& signature,
                                                  runner_options options, std::stop_token stop = {});

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/measure/make_runner.inl.hpp"
#endif
