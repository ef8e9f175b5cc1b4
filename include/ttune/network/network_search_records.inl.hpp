// SPDX-License-Identifier: Apache-2.0
// The members of network_search that read and write records: the search takes the network from them, goes on, and keeps
// its choice.
#pragma once

#include <algorithm>
#include <utility>

#include "ttune/network/network_search.hpp"
#include "ttune/network/network_search_choice.hpp"
#include "ttune/network/network_search_records.hpp"
#include "ttune/support/clock.hpp"
#include "ttune/support/error.hpp"
#include "ttune/tune/session/session_effort.hpp"

namespace ttune { inline namespace v0 { namespace detail {

recorded_effort network_search::effort_now() const {
  auto const kinds = std::ranges::count_if(found_.workloads, [](workload const& w) { return !w.variants.empty(); });
  auto const each = tasks_->trials() / std::max<std::int64_t>(1, kinds);
  return {earlier_.trials + each, earlier_.seconds + seconds_since(start_), ending_of(tasks_->exhausted()), asked_};
}

/// Records which layouts each operator uses, also of a search that was cut short: it is used until one goes on.
void network_search::keep() const {
  if (!effort_) return;
  recorded_network made{{}, seconds_of_choice(), effort_};
  for (std::size_t op = 0; op < found_.workload_of.size(); ++op) {
    auto const& w = found_.workloads[found_.workload_of[op]];
    auto& kept = made.kernels.emplace_back();
    if (w.of->is_view()) continue;
    auto const& used = kernel_of(w, chosen_.choices[op]);
    kept.layouts = static_cast<std::int32_t>(w.variants[chosen_.choices[op]].number);
    kept.compute = static_cast<std::int32_t>(used.state.index);
    keep_kernel(key_of_kernel(*w.of, kept, tuner_, allowed_), used.kernel, tuner_);
  }
  keep_network(net_, made, tuner_, allowed_, limits_);
}

/// Returns the calls if the records have the network and each kernel that it uses. Nothing is measured then.
std::optional<network_steps> network_search::from_records() {
  auto const known = find_network(net_, tuner_, allowed_, limits_, hashes_);
  if (!known || goes_on_from(*known)) return std::nullopt;
  task_limits limits{budget_, 1};
  limits.asked = {effort_level::estimate};  // kernels are taken as they are
  tasks_.emplace(tuner_, limits);
  chosen_.seconds = known->seconds;
  effort_ = known->effort;
  for (std::size_t op = 0; op < found_.workload_of.size(); ++op) {
    auto& w = found_.workloads[found_.workload_of[op]];
    chosen_.choices.push_back(0);
    if (w.of->is_view()) continue;
    auto const place = find_recorded(w, known->kernels[op]);
    if (!place) return forget_recorded();
    chosen_.choices.back() = *place;
  }
  auto made = plan();
  trials_ = tasks_->trials();
  return made;
}

/// Returns true if the search goes on, since the recorded one is of less effort than what is asked for.
bool network_search::goes_on_from(recorded_network const& known) {
  if (suffices(known.effort, asked_) || !tuner_.options().records->lasting()) return false;
  continued_ = true;
  if (known.effort && known.effort.ended == recorded_effort::ending::cut_short) earlier_ = known.effort;
  return true;
}

/// Returns the position of a variant that has only the recorded kernel; adds it if it is not there yet. Nothing if the
/// records lack it.
std::optional<std::size_t> network_search::find_recorded(workload& of, recorded_kernel const& which) {
  for (std::size_t v = 0; v < of.variants.size(); ++v)
    if (static_cast<std::int32_t>(of.variants[v].number) == which.layouts &&
        static_cast<std::int32_t>(of.variants[v].kernels.front().state.index) == which.compute)
      return v;
  auto const layouts = layouts_of(of, machine());
  if (which.layouts < 0 || static_cast<std::size_t>(which.layouts) >= layouts.size()) return std::nullopt;
  auto const at = static_cast<std::size_t>(which.layouts);
  auto made = without_computes(of, at, layouts[at]);
  if (auto kernel = find_kernel(key_of_kernel(*of.of, which, tuner_, allowed_, hashes_), tuner_, &fallback_)) {
    kernel->inputs = made.inputs;
    kernel->results = made.results;
    compute_state const state{static_cast<std::size_t>(which.compute), kernel->seconds,
                              kernel->image->constant_bytes()};
    made.kernels.push_back({state, std::move(*kernel)});
  } else if (!find_winner(of, made, which, layouts[at])) {
    return std::nullopt;
  }
  of.variants.push_back(std::move(made));
  return of.variants.size() - 1;
}

/// Takes the kernel that won an earlier tuning of all computes in a choice of layouts, if it is the recorded one.
bool network_search::find_winner(workload const& of, variant& into, recorded_kernel const& which,
                                 std::vector<named_layout> const& layouts) {
  try {
    into = make_variant(of, into.number, layouts, machine(), tuner_.options().derive);
  } catch (program_error const&) {
    return false;
  }
  if (!tasks_->add_recorded(into.computes, allowed_)) return false;
  into.task = tasks_->size() - 1;
  end(into, true);
  return static_cast<std::int32_t>(into.kernels.front().state.index) == which.compute;
}

std::nullopt_t network_search::forget_recorded() {
  tasks_.reset();
  effort_ = {};  // a search without trials that follows is not its outcome
  chosen_ = {};
  for (auto& w : found_.workloads) w.variants.clear();
  return std::nullopt;
}

}}}  // namespace ttune::v0::detail
