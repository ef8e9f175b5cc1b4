// SPDX-License-Identifier: Apache-2.0
// Entry header: kernels that work at once, and become faster while the application runs.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ttune/live/live_engine.hpp"
#include "ttune/live/live_kernel.hpp"
#include "ttune/live/live_options.hpp"
#include "ttune/live/live_report.hpp"
#include "ttune/live/shape_table.hpp"
#include "ttune/open/open_extents.hpp"
#include "ttune/open/read_extents.hpp"
#include "ttune/ttune.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

template <class Op>
[[nodiscard]] auto const& first_compute(Op const& op) {
  if constexpr (has_alternatives<Op>) return op.all().front();
  else return op;
}

template <class Op>
using live_kernel_of = live_kernel<kernel_of_t<decltype(first_compute(std::declval<Op const&>()))>>;

template <class Op>
[[nodiscard]] std::vector<unarranged_alternative> declared_computes(Op const& op) {
  std::vector<unarranged_alternative> made;
  if constexpr (has_alternatives<Op>)
    for (auto const& one : op.all()) made.push_back({one.program(), one.error()});
  else made.push_back({op.program(), op.error()});
  return made;
}

/// Returns the live kernel of an operator: one for all requests of equal programs, as long as it is in use.
template <class Op>
[[nodiscard]] live_kernel_of<Op> make_live(live_engine& by, Op const& op) {
  using kernel_type = kernel_of_t<decltype(first_compute(op))>;
  using workload_type = typed_workload<kernel_type>;
  auto const alone = by.look_up();
  auto computes = arranged_alternatives(declared_computes(op), by.target(), by.derive());
  auto named = by.text_of(computes);
  for (auto const& known : by.workloads())
    if (auto same = std::dynamic_pointer_cast<workload_type>(known); same && same->named.id == named.id)
      return live_kernel<kernel_type>(std::move(same));
  auto const first = by.first_kernel(computes, alone);
  auto made = std::make_shared<workload_type>(std::move(named), std::move(computes),
                                              kernel_parts{first_compute(op).layouts(), by.kernel_executor()},
                                              by.clock(), first.image);
  by.add(made, first);
  return live_kernel<kernel_type>(std::move(made));
}

}  // namespace detail

/// The live kernels of an operator with run-time extents; `live_tuner::tune_shapes` makes it.
template <class Op>
class live_operator;

/// Tunes the kernels of an application while it runs, on one thread of low priority, within a share of a core:
///
///   ttune::live_tuner live{ttune::orc_backend{}, {.records = ttune::sqlite{"ttune.db"}}, {.share = 0.05}};
///   auto const product = live.tune(matmul);  // the kernel of the records, or the untuned one
///   product(a, b, c);                        // faster after a while, and at the next start
///
/// Kernels whose calls take most time in total are tuned first. Errors of the tuning do not reach the application:
/// `report` has them. All functions are thread-safe.
class live_tuner {
 public:
  /// Throws argument_error for a share outside of (0, 1], and inside a worker process. `options` are those of `tuner`;
  /// its clock and its number of compilers are not used. Without records, results are kept until this object ends.
  live_tuner(std::shared_ptr<backend> compiler, tuner_options options = {}, live_options how = {})
      : engine_(std::make_shared<detail::live_engine>(std::move(compiler), std::move(options), std::move(how))) {}
  template <class Backend>
    requires(std::is_base_of_v<backend, Backend>)
  explicit live_tuner(Backend compiler, tuner_options options = {}, live_options how = {})
      : live_tuner(std::make_shared<Backend>(std::move(compiler)), std::move(options), std::move(how)) {}
  live_tuner(live_tuner const&) = delete;
  live_tuner& operator=(live_tuner const&) = delete;
  /// Stops the tuning; kernels work on.
  ~live_tuner() { engine_->stop(); }

  /// Returns a kernel of an operator, or of its alternatives, at once: from the records, or untuned and compiled, which
  /// takes some hundredths of a second. Throws backend_error if there is neither a record nor a compiler.
  template <class Op>
    requires(tunable<Op> || has_alternatives<Op>)
  [[nodiscard]] detail::live_kernel_of<Op> tune(Op const& op) {
    static_assert(!has_free_layouts<std::remove_cvref_t<decltype(detail::first_compute(op))>>,
                  "ttune: a live kernel keeps the layouts of its operands: fix them by with_layout");
    return detail::make_live(*engine_, op);
  }
  /// Returns the kernels of an operator with run-time extents: one for each shape that is called.
  template <tunable Op>
  [[nodiscard]] live_operator<Op> tune_shapes(Op const& op) {
    return live_operator<Op>(engine_, op);
  }

  /// Makes a slice of tuning on the calling thread, for tests (`live_options::background`); returns false if there is
  /// nothing to tune.
  bool step() { return engine_->step(); }
  /// Stops the tuning: it ends within about a tenth of a second, or after the compilation that runs. Kernels work on,
  /// and new ones may be made.
  void stop() { engine_->stop(); }
  [[nodiscard]] live_report report() const { return engine_->report(); }

 private:
  std::shared_ptr<detail::live_engine> engine_;
};

/// An operator with run-time extents, with a live kernel for each shape that it was called with. Copies share them.
/// Thread-safe. A call of a known shape takes no lock, and costs some nanoseconds more than that of `live_kernel`; the
/// first call of a shape takes as long as `live_tuner::tune`. Kernels of all shapes stay in memory.
template <class... Operands>
class live_operator<op_type<Operands...>> {
 public:
  using kernel_type = live_kernel<kernel<Operands...>>;

  /// Throws argument_error if the operator has no run-time extents. `live_tuner::tune_shapes` calls it.
  live_operator(std::shared_ptr<detail::live_engine> by, op_type<Operands...> op)
      : parts_(std::make_shared<parts>(std::move(by), std::move(op))) {
    static_assert(!has_free_layouts<op_type<Operands...>>,
                  "ttune: a live kernel keeps the layouts of its operands: fix them by with_layout");
  }

  /// Calls the kernel for the shapes of the arguments. Throws argument_error if they do not tell an extent, as several
  /// spans may not, and what `kernel` throws.
  template <class... Arguments>
  void operator()(Arguments&&... arguments) const {
    static_assert(sizeof...(Arguments) == sizeof...(Operands),
                  "ttune: a kernel is called with another number of arguments than it has operands");
    auto const found =
        detail::read_extents<Operands...>(parts_->open, std::index_sequence_for<Operands...>(), arguments...);
    kernel_for(found.values())(arguments...);
  }
  /// Returns the kernel of some extents: `matmul.at({{n, 64}})`. Throws argument_error if one has no value, and
  /// program_error for a value outside of its range.
  [[nodiscard]] kernel_type at(std::vector<bound_dim> const& values) const {
    return kernel_for(parts_->open.in_order(values));
  }

 private:
  struct parts {
    parts(std::shared_ptr<detail::live_engine> engine, op_type<Operands...> of)
        : by(std::move(engine)), op(std::move(of)), open(*op.program(), {std::string(Operands::name.text)...}) {}

    std::shared_ptr<detail::live_engine> by;
    op_type<Operands...> op;
    detail::open_extents open;
    std::mutex adding;
    detail::shape_table<kernel_type> known;
  };

  [[nodiscard]] kernel_type const& kernel_for(std::span<std::int64_t const> extents) const {
    if (auto const* const known = parts_->known.find(extents)) return *known;
    std::scoped_lock const lock(parts_->adding);
    if (auto const* const known = parts_->known.find(extents)) return *known;
    return parts_->known.insert(extents, detail::make_live(*parts_->by, parts_->op.at(parts_->open.bound(extents))));
  }

  std::shared_ptr<parts> parts_;
};

}}  // namespace ttune::v0
