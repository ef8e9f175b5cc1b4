// SPDX-License-Identifier: Apache-2.0
// The functions of network_search that choose kernels, within the limits of the network.
#pragma once

#include <algorithm>
#include <limits>
#include <utility>

#include "ttune/network/copy_program.hpp"
#include "ttune/network/network_search.hpp"
#include "ttune/network/network_search_choice.hpp"
#include "ttune/network/output_error.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Returns the price of a byte for one of the operators of a workload: operators with the same weights share it.
double network_search::price_of(workload const& of) const noexcept { return price_ * of.laid_out / of.count; }

/// Returns the computes of a variant, as far as they are known.
std::vector<compute_state> network_search::states_of(variant const& one) const {
  if (!one.ended()) return tasks_->states(one.task);
  std::vector<compute_state> made;
  for (auto const& each : one.kernels) made.push_back(each.state);
  return made;
}

/// Returns true if a variant has a compute with the arithmetic of the first one.
bool network_search::has_exact(variant const& one) const {
  auto const all = states_of(one);
  return std::any_of(all.begin(), all.end(), [](compute_state const& s) { return s.error == 0; });
}

/// Returns the compute of least cost.
compute_state network_search::best_of(workload const& of, variant const& one) const {
  auto all = states_of(one);
  if (of.exact && has_exact(one)) std::erase_if(all, [](compute_state const& s) { return s.error != 0; });
  return cheapest(all, price_of(of));
}

/// Returns true for a variant that a workload may not use: it is to be exact, and other variants are.
bool network_search::errs_too_much(workload const& of, variant const& one) const {
  return of.exact && !has_exact(one) &&
         std::any_of(of.variants.begin(), of.variants.end(), [&](variant const& other) { return has_exact(other); });
}

/// Returns the kernel that a variant has in the choice; it has ended.
variant_kernel const& network_search::kernel_of(workload const& of, std::size_t number) const {
  auto const& one = of.variants[number];
  auto const best = best_of(of, one).index;
  return *std::find_if(one.kernels.begin(), one.kernels.end(),
                       [&](variant_kernel const& each) { return each.state.index == best; });
}

double network_search::seconds_of(variant const& one) const {
  return one.ended() ? one.kernels.front().state.seconds : tasks_->best_seconds(one.task);
}

double network_search::copy_seconds(network_tensor const& what, operand_layout const& from,
                                    operand_layout const& to) const {
  auto const known = copies_.find(copy_name(what, from, to));
  if (known != copies_.end() && known->second.seconds > 0) return known->second.seconds;
  return least_copy_seconds(what, bandwidth_);
}

chosen_kernels network_search::choose(std::optional<std::pair<std::size_t, std::size_t>> forced) const {
  std::vector<std::vector<kernel_choice>> of_workload(found_.workloads.size());
  for (std::size_t w = 0; w < found_.workloads.size(); ++w) {
    auto const& of = found_.workloads[w];
    for (std::size_t v = 0; v < of.variants.size(); ++v) {
      auto const& one = of.variants[v];
      bool const forbidden = (forced && forced->first == w && forced->second != v) || errs_too_much(of, one);
      auto const cost = forbidden ? std::numeric_limits<double>::infinity() : cost_of(best_of(of, one), price_of(of));
      of_workload[w].push_back({one.inputs, one.results, cost});
    }
  }
  std::vector<std::vector<kernel_choice>> choices;
  for (auto const w : found_.workload_of) choices.push_back(of_workload[w]);
  return choose_kernels(net_, choices,
                        [this](network_tensor const& what, operand_layout const& from, operand_layout const& to) {
                          return copy_seconds(what, from, to);
                        });
}

/// Returns the bytes of the weights that the kernels of a choice read.
double network_search::weights_in(chosen_kernels const& choice) const {
  double sum = 0;
  for (std::size_t op = 0; op < choice.choices.size(); ++op) {
    auto const& of = found_.workloads[found_.workload_of[op]];
    if (of.variants.empty()) continue;
    auto const bytes = best_of(of, of.variants[choice.choices[op]]).constant_bytes;
    sum += static_cast<double>(bytes) * of.laid_out / of.count;
  }
  return sum;
}

/// Chooses at a price of a byte; returns true if the limit of the bytes of weights holds.
bool network_search::choose_at(double price) {
  price_ = price;
  chosen_ = choose();
  return weights_in(chosen_) <= limits_.weights_growth * given_bytes_;
}

/// Chooses the kernels of least time in total that hold the limit of the bytes of weights: those of least cost at the
/// least price of a byte that is found (Lagrangian relaxation). If none hold it, those that read least are chosen.
void network_search::choose_within_limits() {
  constexpr int steps = 16;  // of both searches: to a sufficient price, and to the least such price
  bool holds = choose_at(0);
  unlimited_seconds_ = chosen_.seconds;
  if (holds || !(chosen_.seconds > 0)) return;
  auto high = chosen_.seconds / std::max(1.0, given_bytes_) / 64;
  for (int step = 0; step < steps && !(holds = choose_at(high)); ++step) high *= 4;
  if (!holds) return;
  for (double low = high / 4; high - low > high / 64;) {
    auto const middle = (low + high) / 2;
    (choose_at(middle) ? high : low) = middle;
  }
  (void)choose_at(high);
}

/// Returns the workloads that are computed by other arithmetic than that of their first compute, and need not be.
std::vector<std::size_t> network_search::inexact() const {
  std::vector<std::size_t> made;
  for (std::size_t op = 0; op < found_.workload_of.size(); ++op) {
    auto const w = found_.workload_of[op];
    auto const& of = found_.workloads[w];
    if (of.variants.empty() || of.exact || std::find(made.begin(), made.end(), w) != made.end()) continue;
    if (best_of(of, of.variants[chosen_.choices[op]]).error > 0) made.push_back(w);
  }
  return made;
}

/// Returns true if the network can be computed in f64; otherwise the report says why it cannot.
bool network_search::can_measure_errors() {
  if (errors_ || !unchecked_.empty()) return errors_ != nullptr;
  try {
    errors_ = std::make_unique<output_error_meter>(net_, tuner_);
  } catch (error const& failure) {
    unchecked_ = failure.what();
  }
  return errors_ != nullptr;
}

/// Returns true if an operator that is to be exact has no such compute in the layouts that are chosen.
bool network_search::chooses_what_errs() const {
  for (std::size_t op = 0; op < found_.workload_of.size(); ++op) {
    auto const& of = found_.workloads[found_.workload_of[op]];
    if (!of.variants.empty() && errs_too_much(of, of.variants[chosen_.choices[op]])) return true;
  }
  return false;
}

/// Returns the errors of the outputs if some more workloads use exact computes, in the same layouts where these have
/// one, else in others.
std::vector<double> network_search::errors_with(std::vector<std::size_t> const& exact) {
  auto const chosen = chosen_;
  for (auto const w : exact) found_.workloads[w].exact = true;
  if (chooses_what_errs()) {
    do chosen_ = choose();
    while (end_used());
  }
  auto const made = errors_->errors_of(plan());
  for (auto const w : exact) found_.workloads[w].exact = false;
  chosen_ = chosen;
  return made;
}

/// Measures the errors of the network's outputs, and makes the workload exact that contributes most if they are larger
/// than allowed. Returns true if it did: the choice is to be made again.
bool network_search::replace_inexact(network_steps const& steps) {
  auto const suspects = inexact();
  output_error_ = 0;
  if (suspects.empty() || budget_.trials == 0 || tuner_.options().recorded || budget_.stop.stop_requested())
    return false;
  if (!can_measure_errors()) return false;
  auto const direct = errors_with(suspects);
  output_error_ = largest_ratio(errors_->errors_of(steps), direct);
  if (output_error_ <= allowed_.limit()) return false;
  auto worst = suspects.front();
  auto least = std::numeric_limits<double>::infinity();
  for (auto const w : suspects)
    if (auto const without = largest_ratio(errors_with({w}), direct); without < least) worst = w, least = without;
  found_.workloads[worst].exact = true;
  return true;
}

/// Returns how many operators use each variant of each workload.
std::vector<std::vector<double>> network_search::uses() const {
  std::vector<std::vector<double>> made;
  for (auto const& w : found_.workloads) made.emplace_back(w.variants.size(), 0.0);
  for (std::size_t op = 0; op < found_.workload_of.size(); ++op)
    if (auto& of = made[found_.workload_of[op]]; !of.empty()) of[chosen_.choices[op]] += 1;
  return made;
}

/// Returns how many seconds a variant has to gain until the network takes no longer with it.
double network_search::seconds_behind(std::size_t of_workload, std::size_t number) const {
  auto const with = choose(std::pair(of_workload, number)).seconds;
  return std::max(0.0, with - chosen_.seconds) / found_.workloads[of_workload].count;
}

}}}  // namespace ttune::v0::detail
