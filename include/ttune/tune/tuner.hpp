// SPDX-License-Identifier: Apache-2.0
// The tuner: propose, compile, measure, learn (AutoTVM's loop). All dependencies are passed as arguments.
#pragma once

#include <memory>
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

namespace detail {
class one_at_a_time;
}

/// An operator of the DSL, or another type that returns a program and for which `make_tuned` makes a kernel.
template <class Op>
concept tunable = requires(Op const& op) { op.program(); };

/// An operator that states several equivalent computes (expr/op.hpp, `alternatives`).
template <class Op>
concept has_alternatives = requires(Op const& op) { op.all().front().program(); };

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
      return make_tuned(op, tune_alternatives(computes_of(op), budget), options_.executor);
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
    return make_tuned(direct(all), tune_alternatives(computes_of(all), budget, allowed), options_.executor);
  }
  [[nodiscard]] tuning_result tune_alternatives(std::vector<alternative> all, tuning_budget const& budget = {},
                                                numerics const& allowed = {});

  /// Tunes several workloads within one budget: trials go to the workload with the highest expected saving of time.
  /// Results are in the order of `spaces`.
  [[nodiscard]] std::vector<tuning_result> tune_all(std::vector<space> const& spaces, tuning_budget const& budget = {});
  /// The same for operators with several computes or layouts: in the order of `all`, the fastest of each.
  [[nodiscard]] std::vector<tuning_result> tune_all_alternatives(std::vector<std::vector<alternative>> all,
                                                                 tuning_budget const& budget = {},
                                                                 numerics const& allowed = {});
  /// Tunes operators of the DSL, and operators with alternatives: `auto [a, b] = tuner.tune_all(std::tuple{matmul,
  /// alternatives(conv, winograd)}, {.time = 2s}, numerics::error_within(2.5));` Operands with free layout get the
  /// fastest layout.
  template <class... Ops>
    requires((tunable<Ops> || has_alternatives<Ops>) && ...)
  [[nodiscard]] auto tune_all(std::tuple<Ops...> const& ops, tuning_budget const& budget = {},
                              numerics const& allowed = {}) {
    auto found = std::apply(
        [&](Ops const&... op) {
          if constexpr ((has_one_compute<Ops> && ...))
            return tune_all(std::vector<space>{space_of(op.program())...}, budget);
          else return tune_all_alternatives({computes_of(op)...}, budget, allowed);
        },
        ops);
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::tuple(make_tuned(direct(std::get<I>(ops)), std::move(found[I]), options_.executor)...);
    }(std::index_sequence_for<Ops...>());
  }
  /// Tunes operators of one type, such as one for each shape that is known at start-up.
  template <class Op>
    requires(tunable<Op> || has_alternatives<Op>)
  [[nodiscard]] auto tune_all(std::vector<Op> const& ops, tuning_budget const& budget = {},
                              numerics const& allowed = {}) {
    std::vector<tuning_result> found;
    if constexpr (has_one_compute<Op>) {
      std::vector<space> spaces;
      for (auto const& op : ops) spaces.push_back(space_of(op.program()));
      found = tune_all(spaces, budget);
    } else {
      std::vector<std::vector<alternative>> all;
      for (auto const& op : ops) all.push_back(computes_of(op));
      found = tune_all_alternatives(std::move(all), budget, allowed);
    }
    std::vector<decltype(make_tuned(direct(ops[0]), std::move(found[0]), options_.executor))> made;
    for (std::size_t i = 0; i < ops.size(); ++i)
      made.push_back(make_tuned(direct(ops[i]), std::move(found[i]), options_.executor));
    return made;
  }

  [[nodiscard]] ttune::backend& compiler() const noexcept { return *backend_; }
  [[nodiscard]] tuner_options const& options() const noexcept { return options_; }
  [[nodiscard]] std::shared_ptr<ttune::executor> const& kernel_executor() const noexcept { return options_.executor; }
  /// Returns a tuner with the same parts, but no records and no reports of progress, which may run while this one
  /// tunes: for kernels that are only compiled.
  [[nodiscard]] tuner without_records() const;
  /// Returns the same tuner with another objective. Both share their parts; one tunes at a time.
  [[nodiscard]] tuner with_objective(objective goal) const;

 private:
  friend class tuning_tasks;
  [[nodiscard]] space space_of(handle<ir::program> const& program) const;

  template <class Op>
  static constexpr bool has_one_compute = !has_alternatives<Op> && !has_free_layouts<Op>;

  /// Returns the operator, or the first of its alternatives, whose operands the kernel has.
  template <class Op>
  [[nodiscard]] static auto const& direct(Op const& op) {
    if constexpr (has_alternatives<Op>) return op.all().front();
    else return op;
  }
  /// Returns all computes of an operator in all promising layouts of its free operands.
  template <class Op>
  [[nodiscard]] std::vector<alternative> computes_of(Op const& op) const {
    std::vector<unarranged_alternative> declared;
    if constexpr (has_alternatives<Op>)
      for (auto const& one : op.all()) declared.push_back({one.program(), one.error()});
    else declared.push_back({op.program(), 0});
    return arranged_alternatives(declared, backend_->target(), options_.derive);
  }

  std::shared_ptr<backend> backend_;
  tuner_options options_;
  bool model_knows_ = false;  ///< the model was fitted by the user, and knowledge from records does not replace that
  std::shared_ptr<detail::one_at_a_time> one_at_a_time_;
};

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/tuner.inl.hpp"
#endif
