// SPDX-License-Identifier: Apache-2.0
// The LLVM backend, with a count of what it compiles.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "ttune/backends/orc.hpp"

namespace ttune_test {

class counted_orc final : public ttune::backend {
 public:
  explicit counted_orc(std::shared_ptr<std::atomic<int>> count) : count_(std::move(count)) {}
  [[nodiscard]] std::string name() const override { return orc_.name(); }
  [[nodiscard]] ttune::availability availability() const override { return orc_.availability(); }
  [[nodiscard]] ttune::target const& target() const override { return orc_.target(); }
  [[nodiscard]] ttune::compile_result compile(ttune::ir::lowered const& program,
                                              ttune::kernel_signature signature) override {
    ++*count_;
    return orc_.compile(program, std::move(signature));
  }
  [[nodiscard]] std::string source(ttune::ir::lowered const& program,
                                   ttune::kernel_signature const& signature) const override {
    return orc_.source(program, signature);
  }

 private:
  ttune::orc_backend orc_;
  std::shared_ptr<std::atomic<int>> count_;
};

}  // namespace ttune_test
