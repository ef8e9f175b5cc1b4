// SPDX-License-Identifier: Apache-2.0
// Tunes several equivalent computes of one operator and selects the fastest kernel.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ttune/expr/numerics.hpp"
#include "ttune/records/record.hpp"
#include "ttune/runtime/backend.hpp"
#include "ttune/tune/alternatives.hpp"
#include "ttune/tune/session/budget_meter.hpp"
#include "ttune/tune/session/learner.hpp"
#include "ttune/tune/session/tuning_session.hpp"
#include "ttune/tune/tuner_options.hpp"
#include "ttune/tune/tuning_report.hpp"
#include "ttune/tune/tuning_result.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Tunes several alternatives within one budget: trials go to the alternative that promises to be fastest in the end,
/// and the best kernels are compared at the end. Results are checked against the first alternative with the same
/// layouts (the oracle); an alternative that computes something else is refused, and the report says so.
class alternatives_session {
 public:
  /// Throws argument_error if `allowed` allows none of the alternatives.
  alternatives_session(std::vector<alternative> all, numerics const& allowed, tuner_options const& options,
                       backend& compiler, learner& model, budget_meter& budget);
  [[nodiscard]] tuning_result run();

 private:
  struct candidate {
    std::size_t index;  ///< position in all_
    std::unique_ptr<tuning_session> session;
    std::string refused;                                     ///< not empty: the reason why it cannot win
    double again = std::numeric_limits<double>::infinity();  ///< seconds of the first kernel, measured a second time
    /// Seconds of the best kernel, measured at the end with the others.
    double together = std::numeric_limits<double>::infinity();

    [[nodiscard]] bool may_win() const noexcept { return session && refused.empty(); }
    [[nodiscard]] double best_seconds() const noexcept { return std::min(session->best_seconds(), again); }
  };

  struct recorded_choice {
    std::size_t index;
    std::vector<knob_choice> knobs;  ///< knobs of the alternative's own space
  };

  [[nodiscard]] std::optional<recorded_choice> chosen_by(record const& r) const;
  [[nodiscard]] std::optional<tuning_result> find_in_records();
  [[nodiscard]] tuning_result untuned();
  void start_all();
  void start(candidate& c);
  void remeasure();
  [[nodiscard]] double time_together();
  [[nodiscard]] double best_seconds() const;
  [[nodiscard]] candidate* most_promising();
  [[nodiscard]] tuning_result choose();
  [[nodiscard]] bool beats(candidate& by, tuning_result& found, candidate& best, tuning_result& made);
  [[nodiscard]] std::optional<double> ratio_of_turns(candidate& by, tuning_result const& found, candidate& best,
                                                     tuning_result const& made);
  void describe(tuning_report& report, std::size_t winner) const;
  void keep(tuning_result const& winner, std::size_t index) const;
  [[nodiscard]] record_key key() const;
  [[nodiscard]] std::string name(std::size_t i) const;
  [[nodiscard]] std::size_t oracle_of(std::size_t i) const;

  std::vector<alternative> all_;
  numerics allowed_;
  tuner_options const& options_;
  backend& backend_;
  learner& learner_;
  budget_meter& budget_;
  std::vector<candidate> candidates_;
  std::string fallback_;  ///< as in tuning_report
};

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/session/alternatives_session.inl.hpp"
#endif
