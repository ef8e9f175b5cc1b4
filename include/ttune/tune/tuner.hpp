// SPDX-License-Identifier: Apache-2.0
// The tuner: propose, compile, measure, learn (AutoTVM's loop), with everything it needs given as arguments.
#pragma once

#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

#include "ttune/expr/op.hpp"
#include "ttune/runtime/backend.hpp"
#include "ttune/schedule/derive.hpp"
#include "ttune/tune/alternatives.hpp"
#include "ttune/tune/tuner_options.hpp"
#include "ttune/tune/tuning_result.hpp"

namespace ttune::inline v0 {

/// An operator of the DSL, or anything that gives a program and that `make_tuned` makes a kernel for.
template <class Op>
concept tunable = requires(Op const& op) { op.program(); };

/// Tunes one workload at a time; calls from several threads wait for each other.
class tuner {
 public:
  /// Throws argument_error inside a worker process: each worker would start workers.
  tuner(std::shared_ptr<backend> compiler, tuner_options options);
  template <class Backend>
    requires(std::is_base_of_v<backend, Backend>)
  explicit tuner(Backend compiler, tuner_options options = {})
      : tuner(std::make_shared<Backend>(std::move(compiler)), std::move(options)) {}

  /// Tunes in a space of the caller's, or in the derived one. Throws backend_error if the seed itself cannot be
  /// compiled or run, and what `on_progress` throws.
  [[nodiscard]] tuning_result tune(space const& in, tuning_budget const& budget = {});
  [[nodiscard]] tuning_result tune(handle<ir::program> const& program, tuning_budget const& budget = {});
  /// An operator of the DSL gives a typed kernel with its report (<ttune/ttune.hpp>).
  /// Operands of free layout get the one with which the operator is fastest.
  template <tunable Op>
  [[nodiscard]] auto tune(Op const& op, tuning_budget const& budget = {}) {
    if constexpr (has_free_layouts<Op>)
      return make_tuned(op, tune_alternatives(arranged_alternatives({{op.program(), 0}}, backend_->target()), budget),
                        options_.executor);
    else return make_tuned(op, tune(op.program(), budget), options_.executor);
  }
  template <tunable Op>
  [[nodiscard]] auto tune(Op const& op, space const& in, tuning_budget const& budget = {}) {
    return make_tuned(op, tune(in, budget), options_.executor);
  }

  /// Equivalent computes of one operator: trials go to what promises to be fastest, among those that `allowed` allows.
  /// The report says which won. Throws argument_error if none is allowed.
  template <class Op>
  [[nodiscard]] auto tune(alternatives_type<Op> const& all, tuning_budget const& budget = {},
                          numerics const& allowed = {}) {
    std::vector<unarranged_alternative> as_declared;
    for (auto const& op : all.all()) as_declared.push_back({op.program(), op.error()});
    auto each = arranged_alternatives(as_declared, backend_->target());
    return make_tuned(all.all().front(), tune_alternatives(std::move(each), budget, allowed), options_.executor);
  }
  [[nodiscard]] tuning_result tune_alternatives(std::vector<alternative> all, tuning_budget const& budget = {},
                                                numerics const& allowed = {});

  /// Several workloads within one budget: trials go where they may save most time. Results in the same order. Operands
  /// of free layout are plain.
  [[nodiscard]] std::vector<tuning_result> tune_all(std::vector<space> const& spaces, tuning_budget const& budget = {});
  /// Operators of the DSL: `auto [a, b] = tuner.tune_all(std::tuple{matmul, conv}, {.time = 2s});`
  template <tunable... Ops>
  [[nodiscard]] auto tune_all(std::tuple<Ops...> const& ops, tuning_budget const& budget = {}) {
    auto found = std::apply(
        [&](Ops const&... op) { return tune_all(std::vector<space>{space_of(op.program())...}, budget); }, ops);
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::tuple(make_tuned(std::get<I>(ops), std::move(found[I]), options_.executor)...);
    }(std::index_sequence_for<Ops...>());
  }
  /// Operators of one type, such as one for each shape that is known at start-up.
  template <tunable Op>
  [[nodiscard]] auto tune_all(std::vector<Op> const& ops, tuning_budget const& budget = {}) {
    std::vector<space> spaces;
    for (auto const& op : ops) spaces.push_back(space_of(op.program()));
    auto found = tune_all(spaces, budget);
    std::vector<decltype(make_tuned(ops[0], std::move(found[0]), options_.executor))> made;
    for (std::size_t i = 0; i < ops.size(); ++i)
      made.push_back(make_tuned(ops[i], std::move(found[i]), options_.executor));
    return made;
  }

  [[nodiscard]] ttune::backend& compiler() const noexcept { return *backend_; }
  [[nodiscard]] std::shared_ptr<ttune::executor> const& kernel_executor() const noexcept { return options_.executor; }

 private:
  [[nodiscard]] space space_of(handle<ir::program> const& program) const;

  std::shared_ptr<backend> backend_;
  tuner_options options_;
  bool model_knows_ = false;  ///< the model came with knowledge, which what the records know does not replace
  std::shared_ptr<std::mutex> one_at_a_time_ = std::make_shared<std::mutex>();
};

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/tune/tuner.inl.hpp"
#endif
