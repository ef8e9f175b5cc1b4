// SPDX-License-Identifier: Apache-2.0
// Two tuners use one compiler: the one in the background, which rests after each kernel, and the application's.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "ttune/runtime/backend.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// A backend behind a mutex. Makes no copies of itself: what compiles side by side exceeds a share of one core.
class shared_backend final : public backend {
 public:
  /// Calls `after` after each compilation, without the lock; it may be empty, and does not throw.
  shared_backend(std::shared_ptr<backend> by, std::shared_ptr<std::mutex> guard, std::function<void()> after = {})
      : by_(std::move(by)), guard_(std::move(guard)), after_(std::move(after)) {}

  [[nodiscard]] std::string name() const override { return by_->name(); }
  [[nodiscard]] ttune::availability availability() const override { return by_->availability(); }
  [[nodiscard]] ttune::target const& target() const override { return by_->target(); }
  [[nodiscard]] compile_result compile(ir::lowered const& program, kernel_signature signature) override {
    auto made = [&] {
      std::scoped_lock const lock(*guard_);
      return by_->compile(program, std::move(signature));
    }();
    if (after_) after_();
    return made;
  }
  [[nodiscard]] std::string source(ir::lowered const& program, kernel_signature const& signature) const override {
    std::scoped_lock const lock(*guard_);
    return by_->source(program, signature);
  }

 private:
  std::shared_ptr<backend> by_;
  std::shared_ptr<std::mutex> guard_;
  std::function<void()> after_;
};

}}}  // namespace ttune::v0::detail
