// SPDX-License-Identifier: Apache-2.0
// One search for the kernels of all operators of a network.
//
// Equal operators are one workload. In each promising layout it is a task (tune/tuning_tasks.hpp), of which first
// kernels are made. Then rounds of trials go where they are expected to save most time of the whole network
// (task_scheduler.hpp). Layouts that are too far behind for the network to use them (layout_problem.hpp) are dropped on
// the way. In the end, the best kernels of what the network uses are compared, and copies between layouts are measured;
// that may change what it uses, so it is chosen again until nothing changes.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ttune/expr/numerics.hpp"
#include "ttune/network/graph.hpp"
#include "ttune/network/layout_problem.hpp"
#include "ttune/network/network_limits.hpp"
#include "ttune/network/network_records.hpp"
#include "ttune/network/network_report.hpp"
#include "ttune/network/network_steps.hpp"
#include "ttune/network/network_workloads.hpp"
#include "ttune/network/task_scheduler.hpp"
#include "ttune/tune/tuner.hpp"
#include "ttune/tune/tuning_tasks.hpp"

namespace ttune { inline namespace v0 { namespace detail {

class output_error_meter;

class network_search {
 public:
  /// Keeps references to its arguments.
  network_search(network_graph const& net, tuner& by, tuning_budget const& budget, numerics const& allowed,
                 network_limits const& limits = {});
  ~network_search();

  /// Returns the calls of the network. Throws what `tuner::tune` throws.
  [[nodiscard]] network_steps run();
  [[nodiscard]] std::int64_t trials() const noexcept { return trials_; }
  /// Returns what the report says of the search.
  [[nodiscard]] search_cost cost() const {
    return {trials_, seconds_, limit_seconds_, output_error_, unchecked_, continued_, effort_, fallback_};
  }

 private:
  using variant = network_variant;
  using workload = network_workload;

  [[nodiscard]] target const& machine() const noexcept { return tuner_.compiler().target(); }
  void arrange();
  void make_tasks(double seconds_spent);

  void start_all();
  void start_first(workload& of);
  void start_others(workload& of);
  [[nodiscard]] bool add_recorded(variant& one);
  [[nodiscard]] bool has_several(std::vector<alternative> const& computes) const;
  [[nodiscard]] std::size_t add_task(std::vector<alternative> computes);

  void search();
  void schedule_all(task_scheduler& by);
  void weigh(task_scheduler& by);
  void advance(task_scheduler& by, std::size_t scheduled);
  [[nodiscard]] double seconds_behind(std::size_t of_workload, std::size_t number) const;

  [[nodiscard]] network_steps conclude();
  bool end_used();
  void end_others();
  void end(variant& one, bool with_comparisons);
  static void add_kernel(variant& to, compute_state state, tuning_result found);
  [[nodiscard]] network_steps plan();
  [[nodiscard]] chosen_kernel const& copy(network_tensor const& what, operand_layout const& from,
                                          operand_layout const& to);

  [[nodiscard]] double price_of(workload const& of) const noexcept;
  [[nodiscard]] std::vector<compute_state> states_of(variant const& one) const;
  [[nodiscard]] bool has_exact(variant const& one) const;
  [[nodiscard]] compute_state best_of(workload const& of, variant const& one) const;
  [[nodiscard]] bool errs_too_much(workload const& of, variant const& one) const;
  [[nodiscard]] variant_kernel const& kernel_of(workload const& of, std::size_t number) const;
  [[nodiscard]] double seconds_of(variant const& one) const;
  [[nodiscard]] double copy_seconds(network_tensor const& what, operand_layout const& from,
                                    operand_layout const& to) const;
  /// Returns the choice for all operators. `forced` may name a variant that its workload has to use.
  [[nodiscard]] chosen_kernels choose(std::optional<std::pair<std::size_t, std::size_t>> forced = {}) const;
  [[nodiscard]] double weights_in(chosen_kernels const& choice) const;
  [[nodiscard]] double seconds_of_choice() const { return chosen_.seconds - price_ * weights_in(chosen_); }
  [[nodiscard]] bool choose_at(double price);
  void choose_within_limits();
  [[nodiscard]] std::vector<std::size_t> inexact() const;
  [[nodiscard]] bool can_measure_errors();
  [[nodiscard]] bool chooses_what_errs() const;
  [[nodiscard]] std::vector<double> errors_with(std::vector<std::size_t> const& exact);
  [[nodiscard]] bool replace_inexact(network_steps const& steps);
  [[nodiscard]] std::vector<std::vector<double>> uses() const;

  [[nodiscard]] std::optional<network_steps> from_records();
  [[nodiscard]] bool goes_on_from(recorded_network const& known);
  [[nodiscard]] std::optional<std::size_t> find_recorded(workload& of, recorded_kernel const& which);
  [[nodiscard]] bool find_winner(workload const& of, variant& into, recorded_kernel const& which,
                                 std::vector<named_layout> const& layouts);
  std::nullopt_t forget_recorded();
  [[nodiscard]] recorded_effort effort_now() const;
  void keep() const;

  network_graph const& net_;
  tuner& tuner_;
  asked_effort asked_;    ///< what counts for records
  tuning_budget budget_;  ///< with the trials of a level, if there is one
  numerics const& allowed_;
  network_limits limits_;
  program_hashes hashes_;
  network_workloads found_;
  std::optional<tuning_tasks> tasks_;
  chosen_kernels chosen_;  ///< a variant for each operator
  std::map<std::string, chosen_kernel> copies_;
  double price_ = 0;              ///< of a byte of weights, in seconds, for a choice within the limits
  double given_bytes_ = 0;        ///< of all weights
  double unlimited_seconds_ = 0;  ///< of the choice without a limit
  double bandwidth_ = 0;          ///< of copies, in GB/s
  double limit_seconds_ = 0;
  std::unique_ptr<output_error_meter> errors_;  ///< made when it is needed
  double output_error_ = 0;
  std::string unchecked_;
  std::string fallback_;  ///< the reason of the last recorded kernel that was not used
  std::chrono::steady_clock::time_point start_;
  recorded_effort earlier_;  ///< of earlier starts, which were cut short
  recorded_effort effort_;   ///< behind the result
  bool continued_ = false;   ///< the records have the network, with less effort than what is asked for
  std::int64_t trials_ = 0;
  double seconds_ = 0;
};

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/network/network_search.inl.hpp"
#endif
