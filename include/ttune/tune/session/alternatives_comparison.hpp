// SPDX-License-Identifier: Apache-2.0
// The final comparison of two alternatives of an operator: which of their kernels is faster.
#pragma once

#include "ttune/tune/session/tuning_session.hpp"
#include "ttune/tune/tuning_result.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// An alternative whose session has ended.
struct finished_alternative {
  tuning_session& session;
  tuning_result& made;
  double best_seconds;  ///< least time of all measurements before this comparison
};

/// Returns true if `challenger` is faster than `holder`. Both are measured again, which corrects the seconds of their
/// reports. An undecided comparison is weighed with the earlier measurements. Those alone are not enough: they were
/// made at different moments, and the best of many trials is biased towards luck.
[[nodiscard]] bool is_faster(finished_alternative const& challenger, finished_alternative const& holder);

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/session/alternatives_comparison.inl.hpp"
#endif
