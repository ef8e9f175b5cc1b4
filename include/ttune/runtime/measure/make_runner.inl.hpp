// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <variant>

#include "ttune/runtime/measure/fleet_runner.hpp"
#include "ttune/runtime/measure/in_process_runner.hpp"
#include "ttune/runtime/measure/make_runner.hpp"
#include "ttune/runtime/measure/process_runner.hpp"

namespace ttune { inline namespace v0 {

std::unique_ptr<runner> make_runner(worker_choice how, kernel_signature const& signature, runner_options options,
                                    std::stop_token stop) {
  if (auto* const members = std::get_if<worker::fleet>(&how))
    return std::make_unique<fleet_runner>(std::move(*members), signature, std::move(options), std::move(stop));
  if (std::holds_alternative<worker::in_process>(how))
    return std::make_unique<in_process_runner>(signature, std::move(options), std::move(stop));
  return std::make_unique<process_runner>(how, signature, std::move(options), std::move(stop));
}

}}  // namespace ttune::v0
