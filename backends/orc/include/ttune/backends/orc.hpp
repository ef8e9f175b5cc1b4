// SPDX-License-Identifier: Apache-2.0
// Kernels for CPUs, compiled by LLVM and linked by ORC.
#pragma once

#include <sched.h>
#include <unistd.h>

#include <mutex>

#include "ttune/backends/orc/compiler.hpp"
#include "ttune/emit/llvm_ir.hpp"
#include "ttune/runtime/abi.hpp"
#include "ttune/runtime/backend.hpp"

namespace ttune::inline v0 {

/// This machine as LLVM and the operating system see it.
[[nodiscard]] inline target host_target() {
  target t;
  auto* const triple = LLVMGetDefaultTargetTriple();
  auto* const cpu = LLVMGetHostCPUName();
  auto* const features = LLVMGetHostCPUFeatures();
  t.triple = triple;
  t.cpu = cpu;
  t.features = features;
  for (auto* const message : {triple, cpu, features}) LLVMDisposeMessage(message);
  t.name = t.triple.substr(0, t.triple.find('-')) + " " + t.cpu;
  auto const has = [&](char const* f) { return t.features.find(std::string("+") + f + ",") != std::string::npos || t.features.ends_with(std::string("+") + f); };
  if (has("avx512f") && has("avx512vl")) t.vector_bytes = 64, t.vector_registers = 32, t.has_masks = true;
  else if (has("avx2")) t.vector_bytes = 32;
  if (t.name.starts_with("aarch64")) t.vector_registers = 32, t.has_fma = true;
  t.has_fma = t.has_fma || has("fma");
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) t.cores = CPU_COUNT(&allowed);
  auto const cache = [](int name, std::int64_t otherwise) {
    auto const bytes = sysconf(name);
    return bytes > 0 ? static_cast<std::int64_t>(bytes) : otherwise;
  };
  t.l1_bytes = cache(_SC_LEVEL1_DCACHE_SIZE, t.l1_bytes);
  t.l2_bytes = cache(_SC_LEVEL2_CACHE_SIZE, t.l2_bytes);
  t.l3_bytes = cache(_SC_LEVEL3_CACHE_SIZE, t.l3_bytes);
  return t;
}

class orc_backend final : public backend {
 public:
  orc_backend() : orc_backend(host_target()) {}
  /// For another machine than this one: images are made, and run there.
  explicit orc_backend(ttune::target machine) : target_(std::move(machine)), compiler_(std::make_unique<llvm::compiler>(target_)) {}

  [[nodiscard]] std::string name() const override { return "orc (LLVM " LLVM_VERSION_STRING ")"; }
  [[nodiscard]] ttune::availability availability() const override {
    return {compiler_->failure().empty(), compiler_->failure()};
  }
  [[nodiscard]] ttune::target const& target() const override { return target_; }
  [[nodiscard]] std::string source(ir::lowered const& program, kernel_signature const&) const override { return emit::llvm_ir(program, target_); }

  [[nodiscard]] compile_result compile(ir::lowered const& program, kernel_signature signature) override {
    auto const start = std::chrono::steady_clock::now();
    compile_result result;
    try {
      auto const text = emit::llvm_ir(program, target_);
      if (auto code = compiler_->compile(text, program.prepare.get() != nullptr, result.diagnostics))
        result.image = kernel_image{std::move(signature), target_.name, abi_version, std::move(code->bytes), code->main_offset, code->prepare_offset};
    } catch (std::exception const& failure) {
      result.diagnostics = failure.what();
    }
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
  }
  /// Of the last compilation.
  [[nodiscard]] llvm::phase_seconds const& last_phases() const noexcept { return compiler_->last_phases(); }

 private:
  ttune::target target_;
  std::unique_ptr<llvm::compiler> compiler_;
};

}  // namespace ttune::inline v0
