// SPDX-License-Identifier: Apache-2.0
// A workload of a live tuner with its kernels: the present one, and those whose constants were laid out ahead.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "ttune/core/operand_layout.hpp"
#include "ttune/live/current_kernel.hpp"
#include "ttune/live/live_workload.hpp"
#include "ttune/runtime/kernel_call.hpp"
#include "ttune/runtime/load.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// The parts, besides the image, that make a kernel of one operator.
struct kernel_parts {
  std::vector<named_layout> layouts;
  std::shared_ptr<executor> on;

  template <class Kernel>
  [[nodiscard]] Kernel make(kernel_image const& image) const {
    return Kernel(kernel_call(load(image), on), layouts);
  }
};

/// A kernel that has the constants among some arguments laid out.
template <class Kernel>
struct prepared_kernel {
  prepared_kernel(Kernel const& from, std::vector<void*> all, kernel_parts const& parts)
      : arguments(std::move(all)), present(made_of(from, parts)) {}
  [[nodiscard]] Kernel made_of(Kernel const& from, kernel_parts const& parts) const {
    return Kernel(from.call().prepare(arguments), parts.layouts);
  }

  std::vector<void*> const arguments;
  current_kernel<Kernel> present;
};

template <class Kernel>
class typed_workload final : public live_workload {
 public:
  typed_workload(workload_text text, std::vector<alternative> all, kernel_parts parts,
                 std::function<double()> seconds_now, kernel_image const& first)
      : live_workload(std::move(text), std::move(all)),
        parts_(std::move(parts)),
        clock_(std::move(seconds_now)),
        present_(parts_.template make<Kernel>(first)) {}

  [[nodiscard]] Kernel const& present() const noexcept { return present_.get(); }
  [[nodiscard]] double now() const { return clock_(); }

  void use(kernel_image const& image) override {
    auto const made = parts_.template make<Kernel>(image);
    std::scoped_lock const lock(guard_);
    std::erase_if(prepared_, [](auto const& p) { return p.expired(); });
    for (auto const& p : prepared_)
      if (auto const one = p.lock()) one->present.replace(one->made_of(made, parts_));
    present_.replace(made);
  }
  /// Returns a kernel with laid-out constants, which is replaced whenever this one is.
  [[nodiscard]] std::shared_ptr<prepared_kernel<Kernel>> prepare(std::vector<void*> arguments) {
    std::scoped_lock const lock(guard_);
    auto made = std::make_shared<prepared_kernel<Kernel>>(present(), std::move(arguments), parts_);
    prepared_.push_back(made);
    return made;
  }

 private:
  kernel_parts parts_;
  std::function<double()> clock_;
  current_kernel<Kernel> present_;
  std::mutex guard_;  ///< of `prepared_`, and of changes of all kernels together
  std::vector<std::weak_ptr<prepared_kernel<Kernel>>> prepared_;
};

}}}  // namespace ttune::v0::detail
