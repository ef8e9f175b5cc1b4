// SPDX-License-Identifier: Apache-2.0
// The tuner: propose, compile, measure, learn (AutoTVM's loop). All dependencies are passed as arguments.
#pragma once

#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/expr/op.hpp"
#include "ttune/runtime/backend.hpp"
#include "ttune/runtime/worker/entry.hpp"
#include "ttune/tune/alternatives.hpp"
#include "ttune/tune/tuner_options.hpp"
#include "ttune/tune/tuning_result.hpp"

namespace ttune { inline namespace v0 {

/// An operator of the DSL, or another type that returns a program and for which `make_tuned` makes a kernel.
template <class Op>
concept tunable = requires(Op const& op) { op.program(); };

/// Tunes one workload at a time; concurrent calls wait for each other.
class tuner {
 public:
  /// Throws argument_error inside a worker process, since each worker would start workers.
  tuner(std::shared_ptr<backend> compiler, tuner_options options);
  template <class Backend>
    requires(std::is_base_of_v<backend, Backend>)
  explicit tuner(Backend compiler, tuner_options options = {})
      : tuner(std::make_shared<Backend>(std::move(compiler)), std::move(options)) {}

  /// Tunes in the given space, or in the derived one. Throws backend_error if the seed kernel itself cannot be compiled
  /// or run, and rethrows exceptions of `on_progress`.
  [[nodiscard]] tuning_result tune(space const& in, tuning_budget const& budget = {});
  [[nodiscard]] tuning_result tune(handle<ir::program> const& program, tuning_budget const& budget = {});
  /// Tunes an operator of the DSL; returns a typed kernel with its report (<ttune/ttune.hpp>). Operands with free
  /// layout get the fastest layout.
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

  /// Tunes equivalent computes of one operator: trials go to the most promising of those that `allowed` allows. The
  /// report names the winner. Throws argument_error if none is allowed.
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

  /// Tunes several workloads within one budget: trials go to the workload with the highest expected saving of time.
  /// Results are in the order of `spaces`. Operands with free layout use the plain one.
  [[nodiscard]] std::vector<tuning_result> tune_all(std::vector<space> const& spaces, tuning_budget const& budget = {});
  /// Tunes operators of the DSL: `auto [a, b] = tuner.tune_all(std::tuple{matmul, conv}, {.time = 2s});`
  template <tunable... Ops>
  [[nodiscard]] auto tune_all(std::tuple<Ops...> const& ops, tuning_budget const& budget = {}) {
    auto found = std::apply(
        [&](Ops const&... op) { return tune_all(std::vector<space>{space_of(op.program())...}, budget); }, ops);
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::tuple(make_tuned(std::get<I>(ops), std::move(found[I]), options_.executor)...);
    }(std::index_sequence_for<Ops...>());
  }
  /// Tunes operators of one type, such as one for each shape that is known at start-up.
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
  [[nodiscard]] tuner_options const& options() const noexcept { return options_; }
  [[nodiscard]] std::shared_ptr<ttune::executor> const& kernel_executor() const noexcept { return options_.executor; }

 private:
  friend class tuning_tasks;
  [[nodiscard]] space space_of(handle<ir::program> const& program) const;

  std::shared_ptr<backend> backend_;
  tuner_options options_;
  bool model_knows_ = false;  ///< the model was fitted by the user, and knowledge from records does not replace that
  std::shared_ptr<std::mutex> one_at_a_time_ = std::make_shared<std::mutex>();
};

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/tuner.inl.hpp"
#endif
