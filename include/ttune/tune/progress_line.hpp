// SPDX-License-Identifier: Apache-2.0
// Shows the progress of a tuning to a person: one line kept up to date on a terminal, a line now and then in a file.
#pragma once

#include <iosfwd>
#include <memory>
#include <optional>
#include <string>

#include "ttune/tune/progress.hpp"

namespace ttune::inline v0 {

/// The line for a progress, no longer than `width` characters (0: as long as it gets); what matters least goes first.
[[nodiscard]] std::string describe(progress const& p, std::size_t width = 0);

/// A callback: `{.on_progress = ttune::progress_line{std::clog}}`. Copies share their line. No colours and no control
/// characters but the carriage return, which only terminals get. The last copy ends a line that is open.
class progress_line {
 public:
  struct options {
    std::optional<bool> terminal;      ///< empty: find out; only std::cout, std::cerr and std::clog can be terminals
    std::size_t width = 0;             ///< of the terminal; 0: ask it each time
    double seconds_between_lines = 5;  ///< in a file; those of a terminal follow at most every 0.1 s
  };

  /// The stream must outlive the callback.
  explicit progress_line(std::ostream& out);
  progress_line(std::ostream& out, options chosen);

  void operator()(progress const& p);

 private:
  struct state;
  std::shared_ptr<state> state_;
};

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/tune/progress_line.inl.hpp"
#endif
