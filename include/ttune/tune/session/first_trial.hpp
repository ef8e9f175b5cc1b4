// SPDX-License-Identifier: Apache-2.0
// The stages of the untuned kernel, with which all others are compared.
#pragma once

#include <cstdint>
#include <optional>

#include "ttune/runtime/measure/oracle_check.hpp"
#include "ttune/tune/session/compiled_candidate.hpp"
#include "ttune/tune/session/trial_runner.hpp"
#include "ttune/tune/workload.hpp"

namespace ttune { inline namespace v0 { namespace detail {

struct compiled_first {
  std::optional<std::uint64_t> text;  ///< `lowered_candidate::text`
  compiled_candidate compiled;
};

/// Lowers and compiles a configuration; it takes as long as it takes.
[[nodiscard]] compiled_first compile_first(trial_runner& by, configuration const& chosen);

/// Compares the results of the first kernel with the interpreter's, at samples of the full size, for at most `seconds`.
[[nodiscard]] oracle_verdict check_first(trial_runner& by, workload const& of, std::uint64_t seed, double seconds);

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/session/first_trial.inl.hpp"
#endif
