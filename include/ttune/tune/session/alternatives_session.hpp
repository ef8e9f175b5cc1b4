// SPDX-License-Identifier: Apache-2.0
// Tunes several equivalent computes of one operator and selects the fastest kernel.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ttune/expr/numerics.hpp"
#include "ttune/runtime/backend.hpp"
#include "ttune/tune/alternatives.hpp"
#include "ttune/tune/compute_state.hpp"
#include "ttune/tune/session/alternatives_comparison.hpp"
#include "ttune/tune/session/alternatives_records.hpp"
#include "ttune/tune/session/budget_meter.hpp"
#include "ttune/tune/session/learner.hpp"
#include "ttune/tune/session/session_effort.hpp"
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
  /// Throws argument_error if `allowed` allows none of the alternatives. `first_task` is the number of the first one
  /// among the tasks of the model; the others follow.
  alternatives_session(std::vector<alternative> all, numerics const& allowed, tuner_options const& options,
                       backend& compiler, learner& model, budget_meter& budget, std::int32_t first_task = 0);
  /// Tunes from start to end.
  [[nodiscard]] tuning_result run();

  // The parts of `run`, for several sessions that take turns.
  /// Takes the kernel from the records; returns false if they have none. To be called at most once, before `start`.
  [[nodiscard]] bool find_recorded();
  /// Makes the first kernels, unless a recorded one was found.
  void start();
  /// Returns true if only an end remains to be called.
  [[nodiscard]] bool over();
  /// Makes a batch of trials of the most promising alternative.
  void advance();
  /// Returns the fastest kernel so far if pairs show that it takes at most 1 - `least_gain` of the time of the kernel
  /// that this function returned last; at first, of the first kernel. The records keep it. The session goes on.
  [[nodiscard]] std::optional<tuning_result> improvement(double least_gain);
  /// Ends with comparisons of the best kernels.
  [[nodiscard]] tuning_result finish();
  /// Ends in the same way, and returns the best kernels of all alternatives that are not far behind, and that of the
  /// best exact one. The winner comes first; the records get each.
  [[nodiscard]] std::vector<ended_compute> finish_each();
  /// Ends without comparisons of alternatives: what was fastest in a trial wins.
  [[nodiscard]] ended_compute finish_at_once();
  /// Returns the alternatives that may win; of a kernel from the records, only that.
  [[nodiscard]] std::vector<compute_state> states() const;
  /// Sets a price of constants, in seconds of a call for each byte that a kernel reads. Trials go to kernels that are
  /// best by both.
  void set_price(double seconds_per_byte) noexcept { price_ = seconds_per_byte; }
  /// Returns the seconds of the best kernel so far: 0 if it was not measured, infinity if no alternative may win.
  [[nodiscard]] double best_seconds() const;
  /// Returns the seconds that a batch of the most promising alternative is expected to save in a call.
  [[nodiscard]] double expected_gain();
  [[nodiscard]] std::int64_t trials() const;
  [[nodiscard]] double seconds_spent() const;
  /// Returns the arithmetic operations of a call of the first alternative.
  [[nodiscard]] double flops() const;

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
    [[nodiscard]] std::int64_t constant_bytes() const noexcept {
      auto const* const image = session->best_image();
      return image ? image->constant_bytes() : 0;
    }
  };

  template <class Number, class Of>
  [[nodiscard]] Number sum_of(Of const& of) const {
    Number sum = 0;
    for (auto const& c : candidates_)
      if (c.session) sum += of(*c.session);
    return sum;
  }
  [[nodiscard]] tuning_result untuned();
  [[nodiscard]] candidate* fastest();
  [[nodiscard]] kernel_image const* image_to_beat(candidate const& by) const;
  [[nodiscard]] effort_so_far spent() const;
  [[nodiscard]] std::string level_exhausted() const { return limits_.exhausted(spent()); }
  [[nodiscard]] recorded_effort effort() const;
  void start_all();
  [[nodiscard]] std::string reason_to_skip(std::size_t i) const;
  void start(candidate& c);
  [[nodiscard]] std::int32_t task(std::size_t i) const { return first_task_ + static_cast<std::int32_t>(i); }
  void remeasure();
  [[nodiscard]] double time_together();
  [[nodiscard]] candidate* most_promising();
  [[nodiscard]] std::vector<ended_compute> end_within(double share_of_fastest);
  [[nodiscard]] bool is_best_exact(candidate const& c) const;
  [[nodiscard]] tuning_result end(candidate& c);
  [[nodiscard]] double cost_of(candidate const& c) const noexcept;
  [[noreturn]] void refuse() const;
  [[nodiscard]] finished_alternative finished(ended_compute& c);
  void describe(tuning_report& report, std::size_t winner) const;
  [[nodiscard]] std::string name(std::size_t i) const;
  [[nodiscard]] std::size_t oracle_of(std::size_t i) const;

  std::vector<alternative> all_;
  numerics allowed_;
  tuner_options const& options_;
  backend& backend_;
  learner& learner_;
  budget_meter& budget_;
  std::int32_t first_task_;
  alternatives_records records_;
  std::vector<candidate> candidates_;
  std::optional<tuning_result> found_;  ///< result without trials: from the records, or the untuned kernel
  std::size_t found_index_ = 0;         ///< its alternative
  std::optional<ended_compute> given_;  ///< the last result of `improvement`
  effort_limits limits_{budget_};
  std::int64_t last_gain_ = 0;  ///< number of the trial with the last gain
  double price_ = 0;            ///< seconds for each byte of constants
};

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/session/alternatives_session.inl.hpp"
#endif
