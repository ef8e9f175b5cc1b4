// SPDX-License-Identifier: Apache-2.0
// Entry header of the engine: declare operators, tune them, call the kernels. Backends, models and stores have separate
// headers.
#pragma once

#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/kernel.hpp"
#include "ttune/runtime/add_instruction.hpp"
#include "ttune/tune/tuner.hpp"

namespace ttune { inline namespace v0 {

using namespace std::chrono_literals;
namespace literals {
using namespace std::chrono_literals;
}

/// A kernel with the report of its tuning.
template <class Kernel>
class tuned : public Kernel {
 public:
  tuned(Kernel found, tuning_report report) : Kernel(std::move(found)), report_(std::move(report)) {}
  [[nodiscard]] tuning_report const& report() const noexcept { return report_; }

 private:
  tuning_report report_;
};

template <class Stream>
auto operator<<(Stream& out, tuning_report const& report) -> decltype(out << report.text()) {
  return out << report.text();
}

/// Converts a tuning result to a kernel with the operator's types; `tuner.tune(op)` calls it.
template <class... Operands>
[[nodiscard]] auto make_tuned(op_type<Operands...> const& op, tuning_result found,
                              std::shared_ptr<executor> const& on) {
  auto layouts = op.layouts();
  layouts.insert(layouts.end(), found.layouts.begin(), found.layouts.end());
  return tuned<kernel<Operands...>>(kernel<Operands...>(kernel_call(load(found.image), on), std::move(layouts)),
                                    std::move(found.report));
}

}}  // namespace ttune::v0
