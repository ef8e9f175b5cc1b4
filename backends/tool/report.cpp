// SPDX-License-Identifier: Apache-2.0
// `ttune report`: one page that needs neither network nor scripts. It is well-formed XML, so that a parser can check
// it.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <numeric>

#include "tool.hpp"

namespace ttune_tool {
namespace {

/// Escapes text for XML content and attributes.
std::string escaped(std::string_view text) {
  std::string made;
  for (auto const c : text) switch (c) {
      case '&': made += "&amp;"; break;
      case '<': made += "&lt;"; break;
      case '>': made += "&gt;"; break;
      case '"': made += "&quot;"; break;
      default: made += static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t' ? ' ' : c;
    }
  return made;
}

struct entry {
  key_history of;
  std::optional<double> calls;
  ttune::judgement judged;

  /// Returns the share of the kernel's own roof; of the arithmetic peak if the roof is not known.
  [[nodiscard]] std::optional<double> share() const {
    return judged.known() ? std::optional(judged.share_of_roof()) : of.share_of_peak();
  }
  /// Returns the seconds that a kernel at its roof would save: over `calls` calls, or over one.
  [[nodiscard]] std::optional<double> to_gain() const {
    auto const reached = share();
    if (!reached) return std::nullopt;
    return calls.value_or(1) * of.winner->result.seconds * std::max(0.0, 1 - *reached);
  }
};

constexpr char const* style = R"(
:root { color-scheme: light dark; --ink: #1b1f24; --dim: #667; --line: #d5d9df; --back: #fff; --card: #f6f7f9;
  --one: #2563a8; --two: #d08a1d; --three: #8b8f98; --bad: #b3403a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e7eb; --dim: #9aa3ae; --line: #3a414b; --back: #16191d;
  --card: #1f242a; --one: #6ba6e8; --two: #e0a84a; --three: #7d838d; --bad: #e07a74; } }
body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--back); max-width: 1080px;
  margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.5em; margin-bottom: 0; } h2 { font-size: 1.15em; margin-top: 2em; }
p, .dim { color: var(--dim); } .dim { font-size: .88em; }
td:has(code) { min-width: 11em; } table { border-collapse: collapse; width: 100%; } th { text-align: left; font-weight: 600; color: var(--dim); }
th, td { padding: .3em .8em .3em 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
code { font: .85em ui-monospace, monospace; } .bad { color: var(--bad); }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(330px, 1fr)); gap: 1em; }
.card { background: var(--card); border-radius: 6px; padding: .8em; } .card b { overflow-wrap: anywhere; }
svg { display: block; width: 100%; height: auto; } svg text { fill: var(--dim); }
.axis { stroke: var(--line); } .best { stroke: var(--one); fill: none; stroke-width: 2; } .trial { fill: var(--three); opacity: .55; }
.c { fill: var(--one); } .m { fill: var(--two); } .o { fill: var(--three); } .empty { fill: var(--line); }
.legend span { margin-right: 1.2em; } .legend svg { display: inline; width: .8em; height: .8em; vertical-align: -1px; }
)";

// CSS classes, and colours for viewers that show the SVG without the page's style.
constexpr char const* first_colour = "class=\"c\" fill=\"#2563a8\"";
constexpr char const* second_colour = "class=\"m\" fill=\"#d08a1d\"";
constexpr char const* third_colour = "class=\"o\" fill=\"#8b8f98\"";
constexpr char const* no_colour = "class=\"empty\" fill=\"#d5d9df\"";

class page {
 public:
  page& raw(std::string_view text) {
    text_ += text;
    return *this;
  }
  page& text(std::string_view text) {
    text_ += escaped(text);
    return *this;
  }
  page& cell(std::string_view content, char const* kind = "") {
    text_ += *kind ? "<td class=\"" + std::string(kind) + "\">" : "<td>";
    return text(content).raw("</td>");
  }
  page& name_cell(key_history const& h) {
    return raw("<td>").text(title_of(h.key)).raw("<br/><code class=\"dim\">").text(id_of(h.key)).raw("</code></td>");
  }
  /// Draws a row of coloured segments whose lengths add up to at most 1.
  page& bar(std::vector<std::pair<char const*, double>> const& parts) {
    raw("<svg viewBox=\"0 0 300 12\" role=\"img\"><rect ")
        .raw(no_colour)
        .raw(" width=\"300\" height=\"12\" rx=\"2\"/>");
    double at = 0;
    for (auto const& [colour, share] : parts) {
      auto const wide = 300 * std::clamp(share, 0.0, 1.0);
      raw("<rect ").raw(colour).raw(" x=\"" + number(at) + "\" width=\"" + number(wide) + "\" height=\"12\"/>");
      at += wide;
    }
    return raw("</svg>");
  }
  [[nodiscard]] std::string const& str() const noexcept { return text_; }

 private:
  std::string text_;
};

/// Draws speed over trials, as a share of the best: a dot for each trial, a line for the best so far.
void add_convergence(page& to, key_history const& h) {
  double best = 0;
  for (auto const& r : h.records)
    if (r.result.ok() && r.result.seconds > 0 && (best == 0 || r.result.seconds < best)) best = r.result.seconds;
  to.raw("<div class=\"card\"><b>").text(title_of(h.key)).raw("</b><br/><span class=\"dim\">").text(h.key.target);
  if (h.key.objective != "warm") to.text(", " + h.key.objective + " operands");
  to.text(best > 0 ? "; best " + in_units(best) : "; no trial succeeded").raw("</span>");
  if (best == 0) {
    to.raw("</div>");
    return;
  }
  constexpr double left = 40, right = 320, top = 10, bottom = 130;
  auto const count = h.records.size();
  auto const x = [&](std::size_t i) {
    return count == 1 ? right : left + (right - left) * static_cast<double>(i) / static_cast<double>(count - 1);
  };
  auto const y = [&](double speed) { return bottom - (bottom - top) * speed; };
  to.raw("<svg viewBox=\"0 0 330 155\" role=\"img\">");
  for (double const share : {0.0, 0.5, 1.0})
    to.raw("<line class=\"axis\" stroke=\"#d5d9df\" x1=\"40\" x2=\"320\" y1=\"" + number(y(share)) + "\" y2=\"" +
           number(y(share)) + "\"/><text font-size=\"11\" x=\"36\" y=\"" + number(y(share) + 4) +
           "\" text-anchor=\"end\">" + number(share * 100) + "%</text>");
  to.raw("<text font-size=\"11\" x=\"320\" y=\"148\" text-anchor=\"end\">" + std::to_string(count) +
         (count == 1 ? " trial</text>" : " trials</text>"));
  to.raw("<text font-size=\"11\" x=\"40\" y=\"148\">speed, share of the best</text>");
  std::string line;
  double so_far = 0;
  auto const each = std::max<std::size_t>(1, count / 1000);  // enough dots to see, few enough to draw
  for (std::size_t i = 0; i < count; ++i) {
    auto const& m = h.records[i].result;
    auto const speed = m.ok() && m.seconds > 0 ? best / m.seconds : 0;
    if (speed > 0 && i % each == 0)
      to.raw("<circle class=\"trial\" fill=\"#8b8f98\" opacity=\".55\" r=\"1.6\" cx=\"" + number(x(i)) + "\" cy=\"" +
             number(y(speed)) + "\"/>");
    if (speed <= so_far && i + 1 != count) continue;
    if (line.empty()) line = "M" + number(x(i)) + " " + number(y(speed));
    else line += "H" + number(x(i)) + (speed > so_far ? "V" + number(y(speed)) : "");
    so_far = std::max(so_far, speed);
  }
  to.raw("<path class=\"best\" stroke=\"#2563a8\" stroke-width=\"2\" fill=\"none\" d=\"" + line + "\"/></svg></div>");
}

void add_share_of_peak(page& to, std::vector<entry> const& entries) {
  to.raw(
      "<h2>Share of peak</h2><table><tr><th>operator</th><th class=\"n\">time</th><th class=\"n\">GFLOP/s</th><th "
      "class=\"n\">share</th>"
      "<th style=\"width:36%\"></th></tr>");
  for (auto const& e : entries) {
    auto const share = e.of.share_of_peak();
    auto const seconds = e.of.winner ? e.of.winner->result.seconds : 0;
    to.raw("<tr>").name_cell(e.of).cell(in_units(seconds), "n");
    to.cell(e.of.flops > 0 && seconds > 0 ? number(e.of.flops / seconds * 1e-9) : "-", "n")
        .cell(share ? percent(*share) : "not known", "n")
        .raw("<td>");
    if (share) to.bar({{first_colour, *share}});
    to.raw("</td></tr>");
  }
  to.raw(
      "</table><p class=\"dim\">Not known: the file holds no count of operations for the key, or no peak of the device "
      "(<code>--peak</code>).</p>");
}

void add_gains(page& to, std::vector<entry> entries, bool calls_known) {
  to.raw("<h2>What to tune next</h2><p>");
  std::erase_if(entries, [](entry const& e) { return !e.to_gain(); });
  if (entries.empty()) {
    to.raw(
        "No kernel can be ranked: the roof is not known of any. <code>--roof</code> names a file with what the machine "
        "can do, which <code>ttune devices --measure --json</code> writes there.</p>");
    return;
  }
  to.text(calls_known
              ? "Ranked by calls x time x headroom: the seconds that kernels at their roofs would save. Kernels "
                "without --calls count as called once."
              : "How often the application calls each kernel is not known (say it with --calls KEY=COUNT), so "
                "the rank is by "
                "time x headroom: the seconds that a kernel at its roof would save in one call.");
  to.raw(
      "</p><table><tr><th class=\"n\">rank</th><th>operator</th><th class=\"n\">calls</th><th class=\"n\">time</th><th "
      "class=\"n\">headroom</th>"
      "<th class=\"n\">to gain</th><th>what takes the time</th></tr>");
  std::ranges::sort(entries, {}, [](entry const& e) { return std::pair(-*e.to_gain(), id_of(e.of.key)); });
  int rank = 0;
  for (auto const& e : entries) {
    to.raw("<tr>")
        .cell(std::to_string(++rank), "n")
        .name_cell(e.of)
        .cell(e.calls ? number(*e.calls, 9) : "not known", "n");
    to.cell(in_units(e.of.winner->result.seconds), "n").cell(percent(std::max(0.0, 1 - *e.share())), "n");
    to.cell(in_units(*e.to_gain()), "n").cell(e.judged.known() ? e.judged.sentence() : "not known").raw("</tr>");
  }
  to.raw(
      "</table><p class=\"dim\">Headroom is what is missing to the kernel's roof: to arithmetic on all cores, or to "
      "the bandwidth of the cache or memory that holds its operands, whichever takes longer. Where that is not known "
      "(another machine, an older file) it is what is missing to the arithmetic peak, which operators that move "
      "memory cannot reach.</p>");
}

void add_time(page& to, std::vector<entry> const& entries) {
  double longest = 0;
  for (auto const& e : entries) longest = std::max(longest, e.of.tuning_seconds());
  auto const legend = [](char const* colour, char const* what) {
    return std::string("<span><svg viewBox=\"0 0 10 10\"><rect ") + colour + " width=\"10\" height=\"10\"/></svg> " +
           what + "</span>";
  };
  to.raw("<h2>Where tuning time went</h2><p class=\"legend\">" + legend(first_colour, "compiling") +
         legend(second_colour, "measuring") + legend(third_colour, "between trials: proposals, learning, records") +
         "</p>");
  to.raw(
      "<table><tr><th>operator</th><th class=\"n\">trials</th><th>effort</th><th class=\"n\">compiling</th><th "
      "class=\"n\">measuring</th><th class=\"n\">between</th>"
      "<th style=\"width:36%\"></th></tr>");
  for (auto const& e : entries) {
    auto const& h = e.of;
    to.raw("<tr>").name_cell(h).cell(std::to_string(h.records.size()), "n").cell(effort_text(h.effort));
    to.cell(in_units(h.compile_seconds), "n")
        .cell(in_units(h.measure_seconds), "n")
        .cell(in_units(h.other_seconds), "n")
        .raw("<td>");
    if (longest > 0)
      to.bar({{first_colour, h.compile_seconds / longest},
              {second_colour, h.measure_seconds / longest},
              {third_colour, h.other_seconds / longest}});
    to.raw("</td></tr>");
  }
  to.raw(
      "</table><p class=\"dim\">The effort is that of all starts; <em>cut short</em>: the next start goes on. Times "
      "are "
      "from the records; pauses of more than 30 s between two trials are left "
      "out.</p>");
}

void add_failures(page& to, std::vector<entry> const& entries) {
  status_counts total{};
  for (auto const& e : entries)
    for (std::size_t s = 0; s < total.size(); ++s) total[s] += e.of.by_status[s];
  to.raw("<h2>Trials by outcome</h2><table><tr><th>operator</th>");
  auto const seen = [&](std::size_t s) { return s == 0 || total[s] > 0; };
  for (std::size_t s = 0; s < total.size(); ++s)
    if (seen(s)) to.raw("<th class=\"n\">").text(name_of(static_cast<ttune::trial_status>(s))).raw("</th>");
  to.raw("</tr>");
  auto const failed = [](std::size_t s) {
    return s > 0 && static_cast<ttune::trial_status>(s) != ttune::trial_status::cut_off;
  };
  auto const row = [&](status_counts const& counts) {
    for (std::size_t s = 0; s < counts.size(); ++s)
      if (seen(s)) to.cell(std::to_string(counts[s]), failed(s) && counts[s] > 0 ? "n bad" : "n");
    to.raw("</tr>");
  };
  for (auto const& e : entries) {
    to.raw("<tr>").name_cell(e.of);
    row(e.of.by_status);
  }
  to.raw("<tr>").cell("all");
  row(total);
  to.raw("</table><p class=\"dim\">cut_off: far slower than the best, so stopped after the first run; no failure.</p>");
}

std::string make_page(std::string const& path, std::vector<entry> const& entries, bool calls_known) {
  std::size_t trials = 0;
  double seconds = 0;
  for (auto const& e : entries) {
    trials += e.of.records.size();
    seconds += e.of.tuning_seconds();
  }
  page p;
  p.raw(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/><title>Tuning report: ");
  p.text(path)
      .raw("</title><style>")
      .raw(style)
      .raw("</style></head>\n<body><h1>Tuning report</h1><p><code>")
      .text(path)
      .raw("</code>: ");
  p.text(std::to_string(entries.size()) + " keys, " + std::to_string(trials) + " trials, " + in_units(seconds) +
         " of tuning")
      .raw("</p>\n");
  if (entries.empty()) return p.raw("<p>The file holds no records.</p></body></html>\n").str();
  add_gains(p, entries, calls_known);
  add_share_of_peak(p.raw("\n"), entries);
  p.raw("\n<h2>Convergence</h2><div class=\"cards\">");
  for (auto const& e : entries) add_convergence(p, e.of);
  p.raw("</div>\n");
  add_time(p, entries);
  add_failures(p.raw("\n"), entries);
  return p.raw("</body></html>\n").str();
}

void set_calls(std::vector<entry>& entries, ttune::record_store const& store, std::string const& path,
               std::string const& said) {
  auto const at = said.find('=');
  char* end = nullptr;
  auto const count = at == std::string::npos ? 0 : std::strtod(said.c_str() + at + 1, &end);
  if (!end || end == said.c_str() + at + 1 || *end != '\0' || !(count > 0) || !std::isfinite(count))
    throw failure("--calls " + said + ": must be KEY=COUNT, as 9f86d081=1000");
  auto const key = find_key(store, path, said.substr(0, at)).key;
  std::ranges::find(entries, key, [](entry const& e) -> auto const& { return e.of.key; })->calls = count;
}

}  // namespace

int write_report(std::string const& path, std::string const& html, double peak, std::vector<std::string> const& calls,
                 std::vector<std::string> const& roofs) {
  auto const store = open_for_reading(path);
  std::vector<entry> entries;
  known_roofs known(roofs);
  for (auto const& s : store->keys()) {
    entries.push_back({history_of(*store, s.key, peak), std::nullopt, {}});
    entries.back().judged = known.judge(entries.back().of);
  }
  std::vector<key_history*> histories;
  for (auto& e : entries) histories.push_back(&e.of);
  find_pauses(histories);
  for (auto const& said : calls) set_calls(entries, *store, path, said);
  auto const text = make_page(path, entries, !calls.empty());
  std::ofstream out(html, std::ios::binary | std::ios::trunc);
  if (!(out << text) || !out.flush()) throw failure(html + ": cannot be written: " + std::strerror(errno));
  std::printf("%s: %zu keys, %zu KiB\n", html.c_str(), entries.size(), text.size() >> 10);
  return 0;
}

}  // namespace ttune_tool
