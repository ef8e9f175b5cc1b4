// SPDX-License-Identifier: Apache-2.0
// Several computes of one operator on their way to one kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ttune/expr/numerics.hpp"
#include "ttune/records/record.hpp"
#include "ttune/tune/session/tuning_session.hpp"

namespace ttune::inline v0 {

/// One compute of an operator as the tuner sees it.
struct alternative {
  space in;
  double error = 0;  ///< over that of the direct sum; 0: it only reassociates
};

namespace detail {

/// Tunes within one budget whichever alternative promises to be fastest in the end, and compares the best of each at
/// last. The first is the others' oracle: what computes something else is out, and the report says so.
class alternatives_session {
 public:
  /// Throws argument_error if `allowed` allows none.
  alternatives_session(std::vector<alternative> all, numerics const& allowed, tuner_options const& options,
                       backend& compiler, learner& model, budget_meter& budget);
  [[nodiscard]] tuning_result run();

 private:
  struct contestant {
    std::size_t index;  ///< among all
    std::unique_ptr<tuning_session> session;
    std::string refused;  ///< not empty: why it may not win
  };

  [[nodiscard]] std::optional<tuning_result> find_in_records() const;
  void start_all();
  [[nodiscard]] contestant* most_promising();
  [[nodiscard]] tuning_result choose();
  void describe(tuning_report& report, std::size_t winner) const;
  void keep(tuning_result const& winner, std::size_t index) const;
  [[nodiscard]] record_key key() const;
  [[nodiscard]] std::string const& name(std::size_t i) const { return all_[i].in.program->name; }

  std::vector<alternative> all_;
  numerics allowed_;
  tuner_options const& options_;
  backend& backend_;
  learner& learner_;
  budget_meter& budget_;
  std::vector<contestant> contestants_;
};

}  // namespace detail
}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/tune/alternatives.inl.hpp"
#endif
