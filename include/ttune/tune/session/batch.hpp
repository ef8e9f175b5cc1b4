// SPDX-License-Identifier: Apache-2.0
// The stages of a batch from its proposals to its trials. Programs that are known, or come twice, are not tried.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ttune/tune/session/compiled_candidate.hpp"
#include "ttune/tune/session/deadline.hpp"
#include "ttune/tune/session/known_results.hpp"
#include "ttune/tune/session/proposal.hpp"
#include "ttune/tune/session/trial.hpp"
#include "ttune/tune/session/trial_runner.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// A candidate of a batch before its trial.
struct prepared_candidate {
  proposal from;
  std::optional<std::uint64_t> text = {};           ///< `lowered_candidate::text`
  std::optional<compiled_candidate> compiled = {};  ///< nothing: it gets the result of an earlier trial
};

/// Lowers a batch, and compiles each program that is not known yet. Returns the candidates in the same order, fewer if
/// the deadline passes.
[[nodiscard]] std::vector<prepared_candidate> prepare(trial_runner& by, known_results const& known,
                                                      std::vector<proposal> batch, deadline const& until);

/// Takes the compiled candidates of a group, which need a trial.
[[nodiscard]] std::vector<compiled_candidate> take_compiled(std::span<prepared_candidate> group);

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/session/batch.inl.hpp"
#endif
