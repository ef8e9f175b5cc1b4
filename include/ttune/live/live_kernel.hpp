// SPDX-License-Identifier: Apache-2.0
// A kernel that works at once, and that a live tuner replaces by faster ones.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "ttune/live/typed_workload.hpp"
#include "ttune/runtime/argument.hpp"

namespace ttune { inline namespace v0 {

/// A callable kernel, which `live_tuner::tune` makes. Copies share the kernel, which works on after the tuner's end.
/// Thread-safe. A call takes no lock, allocates nothing, and waits for nothing that the tuner does; it costs some two
/// nanoseconds more than that of `Kernel`.
template <class Kernel>
class live_kernel {
 public:
  live_kernel() = default;
  explicit live_kernel(std::shared_ptr<detail::typed_workload<Kernel>> of) : of_(std::move(of)) {}

  /// Calls the present kernel; throws what that throws.
  template <class... Arguments>
  void operator()(Arguments&&... arguments) const {
    auto const& kernel = present();
    if (!of_->calls.count()) return kernel(arguments...);
    auto const began = of_->now();
    kernel(arguments...);
    of_->calls.add_time(of_->now() - began);
  }
  /// Returns the same kernel with the constants among these arguments laid out once, and once more for each kernel that
  /// replaces it: the constants stay where they are, unchanged, while a copy of the result lives. Outputs may be any
  /// objects of the right type. Constants of replaced kernels stay in memory as those kernels do.
  template <class... Arguments>
  [[nodiscard]] live_kernel prepare(Arguments&&... arguments) const {
    (void)present().prepare(arguments...);  // checks the arguments
    live_kernel made = *this;
    made.prepared_ = of_->prepare({address_of(arguments)...});
    return made;
  }
  /// Returns the present kernel, which nothing replaces.
  [[nodiscard]] Kernel const& present() const noexcept { return prepared_ ? prepared_->present.get() : of_->present(); }
  /// Returns false for an object without a kernel, which cannot be called.
  explicit operator bool() const noexcept { return of_ != nullptr; }

 private:
  template <class X>
  [[nodiscard]] static void* address_of(X& x) {
    return const_cast<void*>(static_cast<void const*>(argument_traits<std::remove_cvref_t<X>>::data(x)));
  }

  std::shared_ptr<detail::typed_workload<Kernel>> of_;
  std::shared_ptr<detail::prepared_kernel<Kernel>> prepared_;
};

}}  // namespace ttune::v0
