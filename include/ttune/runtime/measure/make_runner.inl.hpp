// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <variant>

#include "ttune/runtime/machine.hpp"
#include "ttune/runtime/measure/fleet_runner.hpp"
#include "ttune/runtime/measure/in_process_runner.hpp"
#include "ttune/runtime/measure/make_runner.hpp"
#include "ttune/runtime/measure/process_runner.hpp"
#include "ttune/runtime/measure/turn_taking_runner.hpp"

namespace ttune { inline namespace v0 {

std::unique_ptr<runner> make_runner(worker_choice how, kernel_signature const& signature, runner_options options,
                                    std::stop_token stop) {
  if (auto* const members = std::get_if<worker::fleet>(&how))
    return std::make_unique<fleet_runner>(std::move(*members), signature, std::move(options), std::move(stop));
  bool const disturbs_others = options.threads == 0 || 2 * options.threads > usable_cpus();
  std::unique_ptr<runner> made;
  if (std::holds_alternative<worker::in_process>(how))
    made = std::make_unique<in_process_runner>(signature, std::move(options), stop);
  else made = std::make_unique<process_runner>(how, signature, std::move(options), stop);
  if (!disturbs_others) return made;
  return std::make_unique<detail::turn_taking_runner>(std::move(made), std::move(stop));
}

}}  // namespace ttune::v0
