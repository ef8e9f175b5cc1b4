// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>
#include <utility>

#include "ttune/tune/session/first_trial.hpp"

namespace ttune { inline namespace v0 { namespace detail {

compiled_first compile_first(trial_runner& by, configuration const& chosen) {
  auto lowered = by.lower(std::span(&chosen, 1), {});
  auto const text = lowered.front().text;
  return {text, std::move(by.compile(std::move(lowered), {}).front())};
}

oracle_verdict check_first(trial_runner& by, workload const& of, std::uint64_t seed, double seconds) {
  oracle_check_options how;
  how.seconds = std::min(how.seconds, seconds);
  how.seed = seed;
  return check_against_oracle(
      *of.trial_program(), of.signature(), [&by](std::size_t i) { return by.operand_bytes(i); }, how);
}

}}}  // namespace ttune::v0::detail
