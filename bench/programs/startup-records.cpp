// SPDX-License-Identifier: Apache-2.0
// startup-records DATABASE TRIPLE CPU FEATURES NAME: the same without a compiler linked in, for kernels that are in the
// database. What LLVM would say of the host comes from whoever starts this, so the difference to startup-orc is what
// linking LLVM costs.
#include <ttune/models/xgboost.hpp>
#include <ttune/runtime/machine.hpp>

#include "startup.hpp"

namespace {

class no_compiler final : public ttune::backend {
 public:
  explicit no_compiler(ttune::target machine) : target_(std::move(machine)) {}
  [[nodiscard]] std::string name() const override { return "none"; }
  [[nodiscard]] ttune::availability availability() const override { return {true, {}}; }
  [[nodiscard]] ttune::target const& target() const override { return target_; }
  [[nodiscard]] ttune::compile_result compile(ttune::ir::lowered const&, ttune::kernel_signature) override {
    return {std::nullopt, "the kernel is not in the database, and this program has no compiler", 0};
  }
  [[nodiscard]] std::string source(ttune::ir::lowered const&, ttune::kernel_signature const&) const override {
    return {};
  }

 private:
  ttune::target target_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return EXIT_FAILURE;
  return ttune_bench::first_result(argv[1], [&](char const* database) {
    auto machine = ttune::probe_host();
    machine.triple = argv[2];
    machine.cpu = argv[3];
    machine.features = argv[4];
    machine.name = argv[5];
    return ttune::tuner{
        no_compiler{machine},
        {.model = ttune::xgboost{}, .records = ttune::sqlite{database}, .worker = ttune::worker::in_process{}}};
  });
}
