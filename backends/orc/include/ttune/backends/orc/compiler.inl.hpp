// SPDX-License-Identifier: Apache-2.0
// The phases of a compilation, in the order in which a text passes through them.
#pragma once

#include <algorithm>
#include <iterator>
#include <utility>

#include "ttune/backends/orc/compiler.hpp"
#include "ttune/backends/orc/host.hpp"
#include "ttune/backends/orc/known_names.hpp"
#include "ttune/runtime/machine.hpp"

namespace ttune { inline namespace v0 { namespace orc {

/// Registers targets and switches off passes that cost time on unrolled kernels and gain nothing: loop strength
/// reduction, merging of stores (quadratic in the stores of a block), both schedulers after instruction selection, and
/// on x86 the move of scalar operations to mask registers (it visits all chains of them: up to 20 s). These are options
/// of the process, not of a target machine; LLVM 15 to 19 know all of them. backends/README.md has the measurements.
void compiler::initialise_process(bool all_targets) {
  static bool const once = [] {
    initialise_targets(false);
    char const* const arguments[] = {
        "ttune",
        "-disable-lsr",
        "-combiner-store-merging=0",
        "-disable-post-ra",
        "-enable-misched=0",
#ifdef __x86_64__
        "-disable-x86-domain-reassignment",  // an LLVM that has no code for x86 does not know it
#endif
    };
    LLVMParseCommandLineOptions(static_cast<int>(std::size(arguments)), arguments, nullptr);
    return true;
  }();
  (void)once;
  if (all_targets) {
    static bool const also = (initialise_targets(true), true);
    (void)also;
  }
}

compiler::compiler(ttune::target machine_facts, compiler_options options)
    : target_(std::move(machine_facts)), options_(std::move(options)) {
  if (failure_ = llvm().failure(); !failure_.empty()) {
    failure_ +=
        "; install libllvm" + std::to_string(LLVM_VERSION_MAJOR) + ", or name the library with TTUNE_LLVM_LIBRARY";
    return;
  }
  target_ = named_by_llvm(std::move(target_));
  auto const& t = target_;
  initialise_process(!is_host_architecture(t.triple.substr(0, t.triple.find('-'))));
  LLVMTargetRef description = nullptr;
  char* message = nullptr;
  if (LLVMGetTargetFromTriple(t.triple.c_str(), &description, &message) != 0) {
    failure_ = take(message);
    return;
  }
  // The feature +64bit is part of every CPU that LLVM knows. Without it, code for x86-64 with an unknown CPU name would
  // end the process.
  bool const says_64 = t.triple.starts_with("x86_64");
  auto const names = known_names(description, t.triple,
                                 {t.cpu, t.features + (says_64 ? t.features.empty() ? "+64bit" : ",+64bit" : "")});
  auto const create = [&] {
    auto const level = static_cast<LLVMCodeGenOptLevel>(std::clamp(options_.level, 0, 3));
    return machine_owner(LLVMCreateTargetMachine(description, t.triple.c_str(), names.cpu.c_str(),
                                                 names.features.c_str(), level, LLVMRelocPIC, LLVMCodeModelSmall));
  };
  machine_ = create();
  if (!machine_) {
    failure_ = "LLVM generates no code for " + t.triple;
    return;
  }
  triple_ = take(LLVMGetTargetMachineTriple(machine_.get()));
  layout_.reset(LLVMCreateTargetDataLayout(machine_.get()));
  pass_options_.reset(LLVMCreatePassBuilderOptions());
  linker_.emplace(create());
  failure_ = linker_->failure();
}

/// Renews the context from time to time, since types and constants live as long as their context.
void compiler::renew_context() {
  if (context_ && ++uses_ < 256) return;
  context_.reset(LLVMContextCreate());
  LLVMContextSetDiagnosticHandler(context_.get(), &compiler::note, this);
  uses_ = 0;
}

void compiler::note(LLVMDiagnosticInfoRef info, void* self) {
  auto& c = *static_cast<compiler*>(self);
  auto const severity = LLVMGetDiagInfoSeverity(info);
  if (severity == LLVMDSError) c.error_noted_ = true;
  if (severity <= LLVMDSWarning && c.noted_.size() < 4096) c.noted_ += take(LLVMGetDiagInfoDescription(info)) + "\n";
}

double compiler::lap() noexcept {
  auto const now = clock::now();
  return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
}

inline std::vector<std::uint8_t> bytes_of(LLVMMemoryBufferRef buffer) {
  auto const* const begin = reinterpret_cast<std::uint8_t const*>(LLVMGetBufferStart(buffer));
  return {begin, begin + LLVMGetBufferSize(buffer)};
}

std::optional<linked_code> compiler::compile(std::string const& text, std::string& diagnostics, bool keeps_object) {
  auto const object = generate(text, LLVMObjectFile, diagnostics);
  if (!object) return std::nullopt;
  auto made = linker_->link(object.get(), prepares_, diagnostics);
  if (made && keeps_object) made->object = bytes_of(object.get());
  phases_.link = lap();
  return made;
}

std::optional<std::vector<std::uint8_t>> compiler::object(std::string const& text, std::string& diagnostics) {
  auto const made = generate(text, LLVMObjectFile, diagnostics);
  if (!made) return std::nullopt;
  return bytes_of(made.get());
}

std::optional<std::string> compiler::assembly(std::string const& text, std::string& diagnostics) {
  auto const made = generate(text, LLVMAssemblyFile, diagnostics);
  if (!made) return std::nullopt;
  return std::string(LLVMGetBufferStart(made.get()), LLVMGetBufferSize(made.get()));
}

buffer_owner compiler::generate(std::string const& text, LLVMCodeGenFileType kind, std::string& diagnostics) {
  diagnostics = failure_;
  phases_ = {};
  if (!failure_.empty()) return {};
  noted_.clear();
  error_noted_ = false;
  last_ = clock::now();
  renew_context();
  auto const parsed = parse(text, diagnostics);
  phases_.parse = lap();
  if (!parsed) return {};
  if (options_.passes != "none")
    diagnostics = take(LLVMRunPasses(parsed.get(), options_.passes.c_str(), machine_.get(), pass_options_.get()));
  phases_.passes = lap();
  if (!diagnostics.empty()) return {};
  char* message = nullptr;
  LLVMMemoryBufferRef raw = nullptr;
  bool const failed = LLVMTargetMachineEmitToMemoryBuffer(machine_.get(), parsed.get(), kind, &message, &raw) != 0;
  buffer_owner made(raw);
  if (failed || error_noted_) diagnostics = (failed ? take(message) + "\n" : "") + noted_;
  phases_.codegen = lap();
  return diagnostics.empty() ? std::move(made) : buffer_owner{};
}

module_owner compiler::parse(std::string const& text, std::string& diagnostics) {
  auto* const source = LLVMCreateMemoryBufferWithMemoryRange(text.data(), text.size(), "kernel.ll", 1);
  LLVMModuleRef raw = nullptr;
  char* message = nullptr;
  if (LLVMParseIRInContext(context_.get(), source, &raw, &message) != 0) {  // takes ownership of the buffer
    diagnostics = take(message) + noted_;
    return {};
  }
  module_owner parsed(raw);
  LLVMSetModuleDataLayout(raw, layout_.get());
  LLVMSetTarget(raw, triple_.c_str());
  diagnostics = check(raw);
  if (!diagnostics.empty()) return {};
  without_unwinding(raw);
  prepares_ = LLVMGetNamedFunction(raw, "ttune_prepare") != nullptr;
  return parsed;
}

inline std::string name_of(LLVMValueRef v) {
  std::size_t length = 0;
  auto const* const name = LLVMGetValueName2(v, &length);
  return "@" + std::string(name, length);
}

/// Returns what is wrong with a parsed module; empty if it is valid. The parser accepts modules that would crash the
/// passes, hence the verifier.
std::string compiler::check(LLVMModuleRef parsed) const {
  char* message = nullptr;
  bool const invalid = LLVMVerifyModule(parsed, LLVMReturnStatusAction, &message) != 0;
  auto wrong = take(message);
  if (invalid) return wrong;
  for (auto* v = LLVMGetFirstGlobal(parsed); v; v = LLVMGetNextGlobal(v))
    if (LLVMIsDeclaration(v) || !LLVMIsGlobalConstant(v))
      return "a kernel has constants of its own and no variables, but the text names " + name_of(v);
  for (auto* f = LLVMGetFirstFunction(parsed); f; f = LLVMGetNextFunction(f))
    if (wrong = LLVMIsDeclaration(f) ? check_declaration(f) : ""; !wrong.empty()) return wrong;
  return LLVMGetNamedFunction(parsed, "ttune_main") ? "" : "the text defines no @ttune_main";
}

/// Refuses intrinsics of other processors: LLVM treats code that it cannot select as an internal error and ends the
/// process.
std::string compiler::check_declaration(LLVMValueRef function) const {
  auto const name = name_of(function);
  if (LLVMGetIntrinsicID(function) == 0)
    return "a kernel calls nothing outside of itself but what the runtime table holds, but the text names " + name;
  auto const own = triple_.starts_with("x86_64") ? "x86" : triple_.substr(0, triple_.find('-'));
  for (std::string const processor : {"x86", "aarch64", "arm", "riscv", "ppc", "s390", "loongarch", "nvvm", "amdgcn"})
    if (processor != own && name.starts_with("@llvm." + processor + "."))
      return "the text is for another processor than " + triple_ + ": it names " + name;
  return {};
}

/// Removes unwind tables: kernels do not throw and are not unwound through, and the image must not need relocations for
/// tables.
void compiler::without_unwinding(LLVMModuleRef parsed) const {
  auto const kind = [](char const* name, std::size_t length) { return LLVMGetEnumAttributeKindForName(name, length); };
  auto* const nounwind = LLVMCreateEnumAttribute(context_.get(), kind("nounwind", 8), 0);
  auto const everywhere = static_cast<LLVMAttributeIndex>(LLVMAttributeFunctionIndex);
  for (auto* f = LLVMGetFirstFunction(parsed); f; f = LLVMGetNextFunction(f)) {
    if (LLVMIsDeclaration(f)) continue;
    LLVMAddAttributeAtIndex(f, everywhere, nounwind);
    LLVMRemoveEnumAttributeAtIndex(f, everywhere, kind("uwtable", 7));
  }
}

}}}  // namespace ttune::v0::orc
