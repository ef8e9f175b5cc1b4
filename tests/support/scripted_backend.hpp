// SPDX-License-Identifier: Apache-2.0
// A backend with hand-written kernels: the test chooses what candidates of a tuning do.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/machine_code.hpp"
#include "ttune/core/target.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/runtime/backend.hpp"

namespace ttune_test {

inline constexpr std::int64_t scripted_elements = 4096;

/// C(i) = A(i).
inline ttune::handle<ttune::ir::program> copy_program(std::string const& name = "copy",
                                                      std::int64_t elements = scripted_elements) {
  ttune::ir::tensor a;
  a.name = "A";
  a.shape.emplace_back(elements);
  auto const from = ttune::share(std::move(a));
  ttune::ir::stage s;
  s.name = "C";
  s.axes.push_back({"i", 0, elements});
  s.components.push_back({"", ttune::dtype::f32, ttune::ir::make_access(from, {ttune::ir::make_variable("i")})});
  auto const to = ttune::share(std::move(s));
  return ttune::share(ttune::ir::program{{}, name, {from}, {to}, {to}});
}

/// Returns the given kernels of a program in order, then always the last one; missing code is a compile failure.
class scripted_backend final : public ttune::backend {
 public:
  explicit scripted_backend(std::vector<code> script) : scripts_{{"copy", std::move(script)}} {}
  explicit scripted_backend(std::map<std::string, std::vector<code>> scripts) : scripts_(std::move(scripts)) {}

  [[nodiscard]] std::string name() const override { return "scripted"; }
  [[nodiscard]] ttune::availability availability() const override { return {}; }
  [[nodiscard]] ttune::target const& target() const override { return target_; }
  [[nodiscard]] std::string source(ttune::ir::lowered const& program, ttune::kernel_signature const&) const override {
    return ttune::ir::print(program);
  }
  [[nodiscard]] ttune::compile_result compile(ttune::ir::lowered const&, ttune::kernel_signature signature) override {
    auto const& script = scripts_.at(signature.name);
    auto const& next = script[std::min(compiled_[signature.name]++, script.size() - 1)];
    if (next.get().empty()) return {std::nullopt, "no register is left", 0};
    return {image_of(std::move(signature), code(next).then(code::ret())), {}, 1e-3};
  }
  [[nodiscard]] std::size_t compiled(std::string const& program = "copy") { return compiled_[program]; }

 private:
  std::map<std::string, std::vector<code>> scripts_;
  std::map<std::string, std::size_t> compiled_;
  ttune::target target_ = [] {
    ttune::target t;
    t.name = "x86_64 generic";
    return t;
  }();
};

}  // namespace ttune_test
