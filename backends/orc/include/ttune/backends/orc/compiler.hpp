// SPDX-License-Identifier: Apache-2.0
// Text LLVM IR to linked code: parse, a few passes, code generation, link. Made once, used for many kernels.
#pragma once

#include <chrono>
#include <utility>

#include "ttune/backends/orc/linker.hpp"
#include "ttune/core/target.hpp"

namespace ttune::inline v0::llvm {

/// Seconds that the phases of one compilation took.
struct phase_seconds {
  double parse = 0;
  double passes = 0;
  double codegen = 0;
  double link = 0;
};

class compiler {
 public:
  explicit compiler(target const& machine_facts) {
    initialise_targets();
    context_.reset(LLVMContextCreate());
    LLVMContextSetDiagnosticHandler(context_.get(), &compiler::collect, this);
    LLVMTargetRef description = nullptr;
    char* message = nullptr;
    if (LLVMGetTargetFromTriple(machine_facts.triple.c_str(), &description, &message) != 0) {
      failure_ = take(message);
      return;
    }
    machine_.reset(LLVMCreateTargetMachine(description, machine_facts.triple.c_str(), machine_facts.cpu.c_str(), machine_facts.features.c_str(),
                                           LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelSmall));
    options_.reset(LLVMCreatePassBuilderOptions());
    linker_.emplace();
  }
  compiler(compiler const&) = delete;
  compiler& operator=(compiler const&) = delete;

  /// Nothing, and `diagnostics` says why, if the text is wrong.
  [[nodiscard]] std::optional<linked_code> compile(std::string const& text, bool prepares, std::string& diagnostics) {
    if (!failure_.empty()) return diagnostics = failure_, std::nullopt;
    collected_.clear();
    auto last = clock::now();
    auto const lap = [&last] {
      auto const now = clock::now();
      return std::chrono::duration<double>(now - std::exchange(last, now)).count();
    };
    auto parsed = parse(text, diagnostics);
    phases_.parse = lap();
    if (!parsed) return std::nullopt;
    diagnostics = take(LLVMRunPasses(parsed.get(), lean_passes, machine_.get(), options_.get()));
    phases_.passes = lap();
    if (!diagnostics.empty()) return std::nullopt;
    char* message = nullptr;
    LLVMMemoryBufferRef raw = nullptr;
    if (LLVMTargetMachineEmitToMemoryBuffer(machine_.get(), parsed.get(), LLVMObjectFile, &message, &raw) != 0)
      return diagnostics = take(message) + collected_, std::nullopt;
    buffer const object(raw);
    phases_.codegen = lap();
    auto made = linker_->link(object.get(), prepares, diagnostics);
    phases_.link = lap();
    return made;
  }
  [[nodiscard]] phase_seconds const& last_phases() const noexcept { return phases_; }
  [[nodiscard]] std::string const& failure() const noexcept { return failure_; }

 private:
  using clock = std::chrono::steady_clock;

  /// Loop strength reduction is half of the time that code generation takes on unrolled kernels and gains nothing:
  /// it is an option of the process, not of a machine.
  static void initialise_targets() {
    static bool const once = [] {
      LLVMInitializeAllTargetInfos();
      LLVMInitializeAllTargets();
      LLVMInitializeAllTargetMCs();
      LLVMInitializeAllAsmPrinters();
      char const* const arguments[] = {"ttune", "-disable-lsr"};
      LLVMParseCommandLineOptions(2, arguments, "");
      return true;
    }();
    (void)once;
  }

  static void collect(LLVMDiagnosticInfoRef info, void* self) {
    auto& text = static_cast<compiler*>(self)->collected_;
    if (text.size() < 4096) text += take(LLVMGetDiagInfoDescription(info)) + "\n";
  }

  [[nodiscard]] module_owner parse(std::string const& text, std::string& diagnostics) {
    auto* const source = LLVMCreateMemoryBufferWithMemoryRange(text.data(), text.size(), "kernel.ll", 1);
    LLVMModuleRef raw = nullptr;
    char* message = nullptr;
    if (LLVMParseIRInContext(context_.get(), source, &raw, &message) != 0) {  // takes the buffer over
      diagnostics = take(message) + collected_;
      return {};
    }
    module_owner parsed(raw);
    auto* const layout = LLVMCreateTargetDataLayout(machine_.get());
    LLVMSetModuleDataLayout(raw, layout);
    LLVMDisposeTargetData(layout);
    auto* const triple = LLVMGetTargetMachineTriple(machine_.get());
    LLVMSetTarget(raw, triple);
    LLVMDisposeMessage(triple);
    return parsed;
  }

  context context_;
  machine machine_;
  options options_;
  std::optional<linker> linker_;  ///< made once targets are known
  std::string failure_;
  std::string collected_;
  phase_seconds phases_;
};

}  // namespace ttune::inline v0::llvm
