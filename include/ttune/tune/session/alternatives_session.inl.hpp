// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <utility>

#include "ttune/arith/needed_flops.hpp"
#include "ttune/support/error.hpp"
#include "ttune/tune/session/alternatives_session.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// The largest errors of transforms are further from their mean than those of sums (measured: twice as far).
inline constexpr double largest_over_mean = 4;

/// Factor on the best time. Fluctuations of a machine do not explain a larger one.
inline constexpr double far_behind = 3;
/// The same of kernels that are compared in pairs.
inline constexpr double near_behind = 1.4;

inline std::string error_text(double error) {
  if (error == 0) return "reassociates only";
  char line[48];
  std::snprintf(line, sizeof line, "errs %.3g times as much as a direct sum", error);
  return line;
}

alternatives_session::alternatives_session(std::vector<alternative> all, numerics const& allowed,
                                           tuner_options const& options, backend& compiler, learner& model,
                                           budget_meter& budget, std::int32_t first_task)
    : all_(std::move(all)),
      allowed_(allowed),
      options_(options),
      backend_(compiler),
      learner_(model),
      budget_(budget),
      first_task_(first_task),
      records_(all_, allowed_, options_, backend_) {
  if (all_.empty()) throw argument_error("there is no alternative to tune");
  if (std::none_of(all_.begin(), all_.end(), [&](alternative const& a) { return allowed_.allows(a.error); })) {
    std::string listed;
    for (std::size_t i = 0; i < all_.size(); ++i)
      listed += (i == 0 ? "" : ", ") + name(i) + " " + error_text(all_[i].error);
    throw argument_error("no alternative meets the wanted numerics (" + allowed_.text() + "): " + listed);
  }
}

tuning_result alternatives_session::run() {
  if (!find_recorded()) start();
  while (!over()) {
    advance();
    budget_.clock().check();
  }
  return finish();
}

bool alternatives_session::find_recorded() {
  auto recorded = records_.find(budget_.asked());
  if (!recorded) return false;
  found_index_ = recorded->index;
  found_ = std::move(recorded->result);
  found_->report.workload = name(0);
  found_->report.alternative = name(found_index_);
  return true;
}

void alternatives_session::start() {
  if (!found_ && budget_.budget().trials == 0) found_ = untuned();
  if (found_) return;
  start_all();
  remeasure();
  limits_.set(sum_of<double>([](auto const& s) { return s.configurations(); }), best_seconds());
}

bool alternatives_session::over() { return found_ || !level_exhausted().empty() || !most_promising(); }

void alternatives_session::advance() {
  auto* const next = found_ ? nullptr : most_promising();
  if (!next) return;
  auto const before = best_seconds();
  next->session->advance();
  if (best_seconds() < before) last_gain_ = trials();
}

double alternatives_session::expected_gain() {
  auto* const next = found_ ? nullptr : most_promising();
  if (!next) return 0;
  return std::max(0.0, next->session->expected_gain() - (next->best_seconds() - best_seconds()));
}

tuning_result alternatives_session::finish() {
  return found_ ? std::move(*found_) : std::move(end_within(near_behind).front().result);
}

std::vector<ended_compute> alternatives_session::finish_each() {
  std::vector<ended_compute> made;
  if (found_) made.push_back({found_index_, std::move(*found_)});
  else made = end_within(far_behind);
  return made;
}

std::vector<compute_state> alternatives_session::states() const {
  if (found_) return {{found_index_, found_->report.seconds, found_->image.constant_bytes(), all_[found_index_].error}};
  std::vector<compute_state> made;
  for (auto const& c : candidates_)
    if (c.may_win()) made.push_back({c.index, c.best_seconds(), c.constant_bytes(), all_[c.index].error});
  return made;
}

double alternatives_session::cost_of(candidate const& c) const noexcept {
  return c.best_seconds() + (price_ > 0 ? price_ * static_cast<double>(c.constant_bytes()) : 0);
}

/// Returns the alternative that is best so far; null if none may win.
alternatives_session::candidate* alternatives_session::fastest() {
  candidate* best = nullptr;
  for (auto& c : candidates_)
    if (c.may_win() && (!best || cost_of(c) < cost_of(*best))) best = &c;
  return best;
}

/// Returns the image with which an alternative is compared: null for the one that its own session gave last.
kernel_image const* alternatives_session::image_to_beat(candidate const& by) const {
  auto const before = given_ ? given_->index : 0;
  if (before == by.index) return nullptr;
  return given_ ? &given_->result.image : candidates_[0].session ? candidates_[0].session->first_image() : nullptr;
}

std::optional<tuning_result> alternatives_session::improvement(double least_gain) {
  auto* const best = found_ ? nullptr : fastest();
  if (!best) return std::nullopt;
  auto made = best->session->improvement(least_gain, image_to_beat(*best));
  if (!made) return std::nullopt;
  made->layouts = all_[best->index].layouts;
  made->report.effort = limits_.recorded(spent(), recorded_effort::ending::cut_short);
  records_.keep(*made, best->index, made->report.effort);
  describe(made->report, best->index);
  given_ = ended_compute{best->index, *made};
  return made;
}

ended_compute alternatives_session::finish_at_once() {
  if (found_) return {found_index_, std::move(*found_)};
  auto* const winner = fastest();
  if (!winner) refuse();
  auto made = winner->session->finish(false);
  made.layouts = all_[winner->index].layouts;
  made.report.effort = effort();
  records_.keep(made, winner->index, made.report.effort);
  describe(made.report, winner->index);
  return {winner->index, std::move(made)};
}

std::int64_t alternatives_session::trials() const {
  return sum_of<std::int64_t>([](tuning_session const& s) { return s.trials(); });
}

double alternatives_session::seconds_spent() const {
  return sum_of<double>([](tuning_session const& s) { return s.seconds_spent(); });
}

double alternatives_session::flops() const { return arith::needed_flops(all_.front().in.program); }

/// Returns what all alternatives spent together: they have the limits of one operator.
effort_so_far alternatives_session::spent() const {
  effort_so_far made;
  for (auto const& c : candidates_)
    if (c.session) made.add(c.session->spent());
  made.since_gain = made.now - last_gain_;
  return made;
}

recorded_effort alternatives_session::effort() const {
  return limits_.recorded(spent(), ending_of(level_exhausted().empty() ? budget_.exhausted() : std::string()));
}

// ----------------------------------------------------------------------------------------------------- trials

/// Starts all alternatives that may win, and the oracles even if they cannot: the others are compared with their
/// results.
void alternatives_session::start_all() {
  for (std::size_t i = 0; i < all_.size(); ++i) {
    candidates_.push_back({i, nullptr, reason_to_skip(i)});
    if (candidates_.back().refused.empty() || oracle_of(i) == i) start(candidates_.back());
  }
}

/// Returns why an alternative cannot win, whatever its speed; empty if it can.
std::string alternatives_session::reason_to_skip(std::size_t i) const {
  if (!allowed_.allows(all_[i].error))
    return error_text(all_[i].error) + ", which " + allowed_.text() + " does not allow";
  auto const may_win = [](candidate const& c) { return c.may_win(); };
  if (budget_.late_to_start() && std::any_of(candidates_.begin(), candidates_.end(), may_win))
    return "there was no time for its first kernel";
  return {};
}

/// Returns the untuned kernel of the first alternative that may win and can be compiled.
tuning_result alternatives_session::untuned() {
  std::string failures;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (!allowed_.allows(all_[i].error)) continue;
    tuning_session only(task(i), options_, backend_, options_.search.another(), learner_, budget_, all_[i].in);
    try {
      only.start();
    } catch (backend_error const& failure) {
      failures += "; " + name(i) + " " + failure.what();
      continue;
    }
    auto made = only.finish();
    found_index_ = i;
    made.layouts = all_[i].layouts;
    made.report.workload = name(0);
    made.report.alternative = name(i);
    return made;
  }
  throw backend_error("no alternative of " + name(0) + " gives a kernel" + failures);
}

void alternatives_session::start(candidate& c) {
  c.session = std::make_unique<tuning_session>(task(c.index), options_, backend_, options_.search.another(), learner_,
                                               budget_, all_[c.index].in);
  c.session->end_by_caller();
  if (c.index == 0) return c.session->start();
  auto const& oracle = candidates_[oracle_of(c.index)];
  try {
    c.session->start(oracle.index != c.index && oracle.session);  // compared with the oracle's results below
  } catch (backend_error const& failure) {                        // the others continue without it
    c.refused = failure.what();
    c.session.reset();
    return;
  }
  if (oracle.index == c.index) return;
  if (!oracle.session) {
    c.refused = "there is nothing to compare it with: " + oracle.refused;
    return;
  }
  auto const tolerance = largest_over_mean * std::max(1.0, all_[c.index].error);
  if (auto const wrong = c.session->disagreement(*oracle.session, tolerance); !wrong.empty())
    c.refused = "computes something else than " + name(oracle.index) + ": " + wrong;
}

/// Measures the first kernels a second time, unless they are far slower than the best. The first trials decide where
/// the next ones go, and for kernels of several stages the fluctuations of a machine exceed the differences between
/// kernels (C1 of ResNet-18: 2.0 ms in a first trial of a kernel that takes 0.9 ms).
void alternatives_session::remeasure() {
  auto const best = best_seconds();
  for (auto& c : candidates_)
    if (c.may_win() && c.best_seconds() > best && c.best_seconds() < far_behind * best && budget_.exhausted().empty())
      c.again = c.session->seconds_now();
}

/// Measures the best kernels within a few milliseconds of each other, and returns the seconds of the fastest: the
/// selection for the final comparison must not depend on the moments at which they were tried.
double alternatives_session::time_together() {
  auto const best = best_seconds();
  double fastest = std::numeric_limits<double>::infinity();
  for (auto& c : candidates_) {
    if (!c.may_win() || c.best_seconds() > far_behind * best) continue;
    c.together = c.session->seconds_now();
    fastest = std::min(fastest, c.together);
  }
  return fastest;
}

double alternatives_session::best_seconds() const {
  if (found_) return found_->report.seconds;
  candidate const* best = nullptr;
  for (auto const& c : candidates_)
    if (c.may_win() && (!best || cost_of(c) < cost_of(*best))) best = &c;
  return best ? best->best_seconds() : std::numeric_limits<double>::infinity();
}

/// Returns the first alternative with the same layouts; only then the operands mean the same to both.
std::size_t alternatives_session::oracle_of(std::size_t i) const {
  std::size_t first = 0;
  while (all_[first].layouts != all_[i].layouts) ++first;
  return first;
}

/// Returns the name with the layouts that are not plain: "conv2d of I (d0, d2, d3, d1)".
std::string alternatives_session::name(std::size_t i) const {
  auto made = all_[i].in.program->name;
  bool first = true;
  for (auto const& l : all_[i].layouts) {
    if (l.layout.is_plain()) continue;
    made += (first ? " of " : ", ") + l.operand + " " + l.layout.text();
    first = false;
  }
  return made;
}

/// Returns the alternative with the lowest expected final time: its best time minus an expected improvement, which
/// decreases with the number of its trials; null if no alternative can go on.
alternatives_session::candidate* alternatives_session::most_promising() {
  constexpr double hope = 0.5;     // share of the seconds, at the first trial
  constexpr double patience = 16;  // trials
  candidate* chosen = nullptr;
  double least = 0;
  for (auto& c : candidates_) {
    if (!c.refused.empty() || c.session->over()) continue;
    auto const optimism = hope / std::sqrt(1 + static_cast<double>(c.session->trials()) / patience);
    auto const reach = cost_of(c) - c.best_seconds() * optimism;
    if (!chosen || reach < least) chosen = &c, least = reach;
  }
  return chosen;
}

/// Ends the alternatives that take at most so many times as long as the fastest, and the best exact one. Selects the
/// winner, which comes first. Kernels near the best are compared in pairs, since measurements at different times differ
/// by the load of the machine.
std::vector<ended_compute> alternatives_session::end_within(double share_of_fastest) {
  auto const fastest = time_together();
  std::optional<ended_compute> best;
  std::vector<ended_compute> others;
  for (auto& c : candidates_) {
    bool const near = c.may_win() && c.together <= near_behind * fastest;
    bool const wanted =
        share_of_fastest > near_behind && c.may_win() && (c.together <= share_of_fastest * fastest || is_best_exact(c));
    if (!near && !wanted) continue;
    ended_compute found{c.index, end(c)};
    if (near && best && is_faster(finished(found), finished(*best))) std::swap(*best, found);
    if (near && !best) best = std::move(found);
    else others.push_back(std::move(found));
  }
  if (!best) refuse();
  best->result.report.effort = effort();
  records_.keep(best->result, best->index, best->result.report.effort);
  describe(best->result.report, best->index);
  std::vector<ended_compute> made;
  made.push_back(std::move(*best));
  std::move(others.begin(), others.end(), std::back_inserter(made));
  return made;
}

tuning_result alternatives_session::end(candidate& c) {
  auto made = c.session->finish();
  made.layouts = all_[c.index].layouts;
  made.report.workload = name(0);
  made.report.alternative = name(c.index);
  return made;
}

finished_alternative alternatives_session::finished(ended_compute& c) {
  auto& of = candidates_[c.index];
  return {*of.session, c.result, of.best_seconds()};
}

/// Returns true if no other alternative that only reassociates is faster.
bool alternatives_session::is_best_exact(candidate const& c) const {
  return all_[c.index].error == 0 && std::none_of(candidates_.begin(), candidates_.end(), [&](candidate const& other) {
           return all_[other.index].error == 0 && other.may_win() && other.best_seconds() < c.best_seconds();
         });
}

/// Throws what kept each alternative from winning.
void alternatives_session::refuse() const {
  std::string failures;
  for (auto const& c : candidates_)
    if (!c.refused.empty()) failures += "; " + name(c.index) + " " + c.refused;
  throw backend_error("no alternative of " + name(0) + " gives a kernel" + failures);
}

void alternatives_session::describe(tuning_report& report, std::size_t winner) const {
  report.workload = name(0);
  report.alternative = name(winner);
  if (!records_.fallback().empty()) report.fallback = records_.fallback();
  report.trials = trials();
  report.tuning_seconds = seconds_spent();
  for (auto const& c : candidates_) {
    alternative_outcome outcome{name(c.index), all_[c.index].error, 0, 0, c.refused};
    if (c.session) {
      outcome.trials = c.session->trials();
      outcome.seconds = c.best_seconds();
    }
    report.alternatives.push_back(std::move(outcome));
  }
}

}}}  // namespace ttune::v0::detail
