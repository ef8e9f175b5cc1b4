// SPDX-License-Identifier: Apache-2.0
// Shows the progress of a tuning to a person: one updated line on a terminal, occasional lines in a file.
#pragma once

#include <iosfwd>
#include <memory>
#include <optional>
#include <string>

#include "ttune/tune/progress.hpp"

namespace ttune { inline namespace v0 {

/// Returns a line that describes the progress, at most `width` characters long (0: unlimited); less important parts are
/// dropped first.
[[nodiscard]] std::string describe(progress const& p, std::size_t width = 0);

/// A progress callback: `{.on_progress = ttune::progress_line{std::clog}}`. Copies share their line. It writes no
/// colours, and no control characters except the carriage return on terminals. The destructor of the last copy ends an
/// open line.
class progress_line {
 public:
  /// How lines are written.
  struct options {
    std::optional<bool> terminal;      ///< empty: detect; only std::cout, std::cerr and std::clog can be terminals
    std::size_t width = 0;             ///< width of the terminal; 0: query it each time
    double seconds_between_lines = 5;  ///< in a file; on a terminal the line is updated at most every 0.1 s
  };

  /// The stream must outlive the callback.
  explicit progress_line(std::ostream& out);
  progress_line(std::ostream& out, options chosen);

  void operator()(progress const& p);

 private:
  struct state;
  std::shared_ptr<state> state_;
};

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/progress_line.inl.hpp"
#endif
