// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <vector>

#include "ttune/tune/progress_line.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

/// Formats a number independently of the locale.
inline std::string decimal(double value, int digits) {
  char text[64];
  auto const done = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, digits);
  return done.ec == std::errc{} ? std::string(text, done.ptr) : "huge";
}
/// Formats a number with three significant digits.
inline std::string three_digits(double value) {
  auto const size = std::abs(value);
  return decimal(value, size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
}

inline std::string duration_text(double seconds) {
  if (seconds < 1e-6) return three_digits(seconds * 1e9) + " ns";
  if (seconds < 1e-3) return three_digits(seconds * 1e6) + " us";
  if (seconds < 1) return three_digits(seconds * 1e3) + " ms";
  return three_digits(seconds) + " s";
}

/// Formats a waiting time in the units that people use.
inline std::string wait_text(double seconds) {
  auto const whole = static_cast<std::int64_t>(std::clamp(std::round(seconds), 0.0, 1e9));
  if (whole < 120) return std::to_string(whole) + " s";
  if (whole < 7200) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  return std::to_string(whole / 3600) + " h " + std::to_string(whole / 60 % 60) + " min";
}

inline std::string best_text(progress const& p) {
  if (!(p.best_seconds > 0)) return "nothing yet";
  if (p.flops <= 0) return "best " + duration_text(p.best_seconds);
  auto text = "best " + three_digits(p.best_flops_per_second() * 1e-9) + " GFLOP/s";
  if (auto const share = p.share_of_peak(); share > 0) text += " (" + decimal(100 * share, 0) + " % of peak)";
  return text;
}

/// Lists the failures by kind, the most frequent first.
inline std::string failures_text(progress const& p) {
  std::vector<std::pair<std::int64_t, trial_status>> kinds;
  for (std::size_t i = 0; i < trial_statuses; ++i) {
    auto const s = static_cast<trial_status>(i);
    if (s != trial_status::ok && s != trial_status::cut_off && p.count(s) > 0) kinds.emplace_back(-p.count(s), s);
  }
  std::ranges::sort(kinds);
  std::string text;
  for (auto const& [minus, s] : kinds) {
    std::string name = name_of(s);
    std::ranges::replace(name, '_', ' ');
    text += (text.empty() ? "" : ", ") + std::to_string(-minus) + " " + name;
  }
  return text;
}

/// Returns the width in characters, not bytes: continuation bytes of UTF-8 take no column.
inline std::size_t display_width(std::string_view text) noexcept {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

inline std::string shortened(std::string text, std::size_t width) {
  if (display_width(text) <= width) return text;
  auto const dots = std::min<std::size_t>(width, 3);
  std::size_t end = 0, shown = 0;
  while (end < text.size()) {
    bool const begins = (static_cast<unsigned char>(text[end]) & 0xc0U) != 0x80U;
    if (begins && shown++ == width - dots) break;
    ++end;
  }
  text.resize(end);
  return text.append(dots, '.');
}

/// Returns the file descriptor of a stream, or -1. The standard offers no way; only the three global streams are known.
inline int descriptor_of(std::ostream const& out) noexcept {
  if (out.rdbuf() == std::cout.rdbuf()) return STDOUT_FILENO;
  return out.rdbuf() == std::cerr.rdbuf() || out.rdbuf() == std::clog.rdbuf() ? STDERR_FILENO : -1;
}
inline bool is_terminal(std::ostream const& out) noexcept {
  auto const descriptor = descriptor_of(out);
  auto const* const kind = std::getenv("TERM");
  return descriptor >= 0 && ::isatty(descriptor) == 1 && kind && std::string_view(kind) != "dumb";
}
inline std::size_t terminal_width(std::ostream const& out) noexcept {
  winsize size{};
  auto const descriptor = descriptor_of(out);
  if (descriptor >= 0 && ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

}  // namespace detail

std::string describe(progress const& p, std::size_t width) {
  struct part {
    int importance;
    std::string text;
  };
  auto trials = std::to_string(p.trials_done);
  if (p.trials_total > 0) trials += "/" + std::to_string(p.trials_total);
  std::vector<part> parts{{9, p.workload}, {8, trials + " trials"}, {7, detail::best_text(p)}};
  if (p.failures() > 0) {
    parts.push_back({4, std::to_string(p.failures()) + " failed"});
    parts.push_back({2, detail::failures_text(p)});
  }
  if (!std::isnan(p.model_validation)) parts.push_back({3, "model " + detail::decimal(p.model_validation, 2)});
  parts.push_back({5, detail::wait_text(p.elapsed_seconds)});
  if (!p.finished && !std::isnan(p.seconds_left)) parts.push_back({6, detail::wait_text(p.seconds_left) + " left"});
  std::erase_if(parts, [](part const& x) { return x.text.empty(); });

  for (;;) {
    std::string line;
    for (auto const& x : parts) line += (line.empty() ? "" : ", ") + x.text;
    if (width == 0 || detail::display_width(line) <= width) return line;
    if (parts.size() == 1) return detail::shortened(std::move(line), width);
    parts.erase(std::ranges::min_element(parts, {}, &part::importance));
  }
}

struct progress_line::state {
  state(std::ostream& stream, options chosen)
      : out(stream), how(chosen), terminal(chosen.terminal.value_or(detail::is_terminal(stream))) {}
  state(state const&) = delete;
  state& operator=(state const&) = delete;
  ~state() {
    if (shown > 0) out << '\n' << std::flush;
  }

  /// Returns true if enough time has passed since the last line, or if this is the first or last progress of a
  /// workload.
  bool is_due(progress const& p) {
    bool const is_new = p.workload != workload || p.elapsed_seconds < last_seconds;
    auto const pause = terminal ? 0.1 : how.seconds_between_lines;
    if (is_new && shown > 0) end_line();  // the previous workload did not finish
    if (!is_new && !p.finished && p.elapsed_seconds - last_seconds < pause) return false;
    workload = p.workload;
    last_seconds = p.elapsed_seconds;
    return true;
  }

  void rewrite(progress const& p) {
    auto const width = how.width > 0 ? how.width : detail::terminal_width(out);
    auto const line = describe(p, width > 1 ? width - 1 : 1);  // a character in the last column would wrap the line
    auto const now = detail::display_width(line);
    std::string text = "\r" + line;
    if (shown > now) text.append(std::min(shown, width > 1 ? width - 1 : 1) - std::min(now, shown), ' ');
    out << text << std::flush;
    shown = std::max<std::size_t>(now, 1);
    if (p.finished) end_line();
  }
  void end_line() {
    out << '\n' << std::flush;
    shown = 0;
  }

  std::ostream& out;
  options how;
  bool terminal;
  std::string workload;
  double last_seconds = 0;
  std::size_t shown = 0;  ///< characters of the open line
};

progress_line::progress_line(std::ostream& out) : progress_line(out, options{}) {}
progress_line::progress_line(std::ostream& out, options chosen) : state_(std::make_shared<state>(out, chosen)) {}

void progress_line::operator()(progress const& p) {
  if (!state_->is_due(p)) return;
  if (state_->terminal) state_->rewrite(p);
  else state_->out << (describe(p) + '\n') << std::flush;
}

}}  // namespace ttune::v0
