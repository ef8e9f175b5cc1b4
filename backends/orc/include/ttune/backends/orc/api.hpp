// SPDX-License-Identifier: Apache-2.0
// The only file that includes LLVM: its C API, with owners for objects that must be disposed of. LLVM's C++ headers of
// ORC would add ten seconds to the compile time of every user's file; these add 0.03. The library itself is opened at
// the first call of one of its functions: a program that finds its kernels in a database starts without it (17 ms for
// its relocations alone), and runs on machines without it.
#pragma once

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/OrcEE.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <llvm/Config/llvm-config.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <type_traits>

#include "ttune/support/shared_library.hpp"

#if LLVM_VERSION_MAJOR < 15
#error "ttune needs LLVM 15 or newer: install llvm-19-dev"
#endif
/// 1 if ORC's C API can place sections: since LLVM 16.
#define TTUNE_ORC_PLACES_SECTIONS (LLVM_VERSION_MAJOR >= 16)

namespace ttune { inline namespace v0 { namespace orc {

/// The passes that improve emitted text, which is already unrolled and vectorised. The last one gives every loop a
/// block before it, which keeps the registers of consecutive loops apart. Chosen by measurement, see
/// backends/README.md.
#if LLVM_VERSION_MAJOR >= 18
// Since 18 the instruction combiner ends the process if it reaches no fixpoint, unless that check is switched off.
inline constexpr char const* lean_passes =
    "function(early-cse,instcombine<no-verify-fixpoint>,simplifycfg,loop-simplify)";
#else
inline constexpr char const* lean_passes = "function(early-cse,instcombine,simplifycfg,loop-simplify)";
#endif

/// Opens the library of the version whose headers were compiled, under LLVM's and Debian's names. The environment
/// variable TTUNE_LLVM_LIBRARY has priority.
inline shared_library const& llvm() {
  static shared_library const one = [] {
    std::string const major = std::to_string(LLVM_VERSION_MAJOR);
    auto const* const named = std::getenv("TTUNE_LLVM_LIBRARY");
    return shared_library({named ? named : "", "libLLVM.so." + major + "." + std::to_string(LLVM_VERSION_MINOR),
                           "libLLVM-" + major + ".so.1", "libLLVM-" + major + ".so"});
  }();
  return one;
}

// Each of these hides the function of the C header with the same name.
#define TTUNE_LLVM_FUNCTION(name) inline constexpr detail::lazy_function<&llvm, #name, decltype(::name)> name{};
TTUNE_LLVM_FUNCTION(LLVMAddAttributeAtIndex)
TTUNE_LLVM_FUNCTION(LLVMContextCreate)
TTUNE_LLVM_FUNCTION(LLVMContextDispose)
TTUNE_LLVM_FUNCTION(LLVMContextSetDiagnosticHandler)
TTUNE_LLVM_FUNCTION(LLVMCreateEnumAttribute)
TTUNE_LLVM_FUNCTION(LLVMCreateMemoryBufferWithMemoryRange)
TTUNE_LLVM_FUNCTION(LLVMCreateMemoryBufferWithMemoryRangeCopy)
TTUNE_LLVM_FUNCTION(LLVMCreatePassBuilderOptions)
TTUNE_LLVM_FUNCTION(LLVMCreateTargetDataLayout)
TTUNE_LLVM_FUNCTION(LLVMCreateTargetMachine)
TTUNE_LLVM_FUNCTION(LLVMDisposeErrorMessage)
TTUNE_LLVM_FUNCTION(LLVMDisposeMemoryBuffer)
TTUNE_LLVM_FUNCTION(LLVMDisposeMessage)
TTUNE_LLVM_FUNCTION(LLVMDisposeModule)
TTUNE_LLVM_FUNCTION(LLVMDisposePassBuilderOptions)
TTUNE_LLVM_FUNCTION(LLVMDisposeTargetData)
TTUNE_LLVM_FUNCTION(LLVMDisposeTargetMachine)
TTUNE_LLVM_FUNCTION(LLVMGetBufferSize)
TTUNE_LLVM_FUNCTION(LLVMGetBufferStart)
TTUNE_LLVM_FUNCTION(LLVMGetDiagInfoDescription)
TTUNE_LLVM_FUNCTION(LLVMGetDiagInfoSeverity)
TTUNE_LLVM_FUNCTION(LLVMGetEnumAttributeKindForName)
TTUNE_LLVM_FUNCTION(LLVMGetErrorMessage)
TTUNE_LLVM_FUNCTION(LLVMGetFirstFunction)
TTUNE_LLVM_FUNCTION(LLVMGetFirstGlobal)
TTUNE_LLVM_FUNCTION(LLVMGetHostCPUFeatures)
TTUNE_LLVM_FUNCTION(LLVMGetHostCPUName)
TTUNE_LLVM_FUNCTION(LLVMGetIntrinsicID)
TTUNE_LLVM_FUNCTION(LLVMGetNamedFunction)
TTUNE_LLVM_FUNCTION(LLVMGetNextFunction)
TTUNE_LLVM_FUNCTION(LLVMGetNextGlobal)
TTUNE_LLVM_FUNCTION(LLVMGetTargetFromTriple)
TTUNE_LLVM_FUNCTION(LLVMGetTargetMachineTriple)
TTUNE_LLVM_FUNCTION(LLVMGetValueName2)
TTUNE_LLVM_FUNCTION(LLVMIsDeclaration)
TTUNE_LLVM_FUNCTION(LLVMIsGlobalConstant)
TTUNE_LLVM_FUNCTION(LLVMParseCommandLineOptions)
TTUNE_LLVM_FUNCTION(LLVMParseIRInContext)
TTUNE_LLVM_FUNCTION(LLVMRemoveEnumAttributeAtIndex)
TTUNE_LLVM_FUNCTION(LLVMRunPasses)
TTUNE_LLVM_FUNCTION(LLVMSetModuleDataLayout)
TTUNE_LLVM_FUNCTION(LLVMSetTarget)
TTUNE_LLVM_FUNCTION(LLVMTargetMachineEmitToMemoryBuffer)
TTUNE_LLVM_FUNCTION(LLVMVerifyModule)
TTUNE_LLVM_FUNCTION(LLVMOrcCreateLLJIT)
TTUNE_LLVM_FUNCTION(LLVMOrcCreateLLJITBuilder)
TTUNE_LLVM_FUNCTION(LLVMOrcDisposeLLJIT)
TTUNE_LLVM_FUNCTION(LLVMOrcExecutionSessionCreateBareJITDylib)
TTUNE_LLVM_FUNCTION(LLVMOrcExecutionSessionIntern)
TTUNE_LLVM_FUNCTION(LLVMOrcExecutionSessionLookup)
TTUNE_LLVM_FUNCTION(LLVMOrcExecutionSessionSetErrorReporter)
TTUNE_LLVM_FUNCTION(LLVMOrcJITDylibCreateResourceTracker)
TTUNE_LLVM_FUNCTION(LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine)
TTUNE_LLVM_FUNCTION(LLVMOrcLLJITAddObjectFileWithRT)
TTUNE_LLVM_FUNCTION(LLVMOrcLLJITBuilderSetJITTargetMachineBuilder)
TTUNE_LLVM_FUNCTION(LLVMOrcLLJITBuilderSetObjectLinkingLayerCreator)
TTUNE_LLVM_FUNCTION(LLVMOrcLLJITGetExecutionSession)
TTUNE_LLVM_FUNCTION(LLVMOrcReleaseResourceTracker)
TTUNE_LLVM_FUNCTION(LLVMOrcResourceTrackerRemove)
#if TTUNE_ORC_PLACES_SECTIONS
TTUNE_LLVM_FUNCTION(LLVMOrcCreateRTDyldObjectLinkingLayerWithMCJITMemoryManagerLikeCallbacks)
#endif
#undef TTUNE_LLVM_FUNCTION

/// Registers the processors that code can be generated for: only the host's, which is faster, or all that LLVM
/// supports.
inline void initialise_targets(bool all) {
#define TTUNE_TEXT_OF(name) #name
#define TTUNE_TEXT(name) TTUNE_TEXT_OF(name)
#define LLVM_TARGET(name) #name,
  static constexpr char const* every[] = {
#include <llvm/Config/Targets.def>
  };
  static constexpr char const* own[] = {TTUNE_TEXT(LLVM_NATIVE_ARCH)};
#undef TTUNE_TEXT
#undef TTUNE_TEXT_OF
  auto const initialise = [](std::string const& target) {
    for (auto const* part : {"TargetInfo", "Target", "TargetMC", "AsmPrinter", "AsmParser"})
      if (auto* const found = llvm().find(("LLVMInitialize" + target + part).c_str()))
        reinterpret_cast<void (*)()>(found)();
  };
  if (all)
    for (auto const* target : every) initialise(target);
  else
    for (auto const* target : own) initialise(target);
}

template <class Handle, auto const& Dispose>
struct disposer {
  using pointer = Handle;
  void operator()(Handle h) const { Dispose(h); }
};
template <class Handle, auto const& Dispose>
using owner = std::unique_ptr<std::remove_pointer_t<Handle>, disposer<Handle, Dispose>>;

using context_owner = owner<LLVMContextRef, LLVMContextDispose>;
using module_owner = owner<LLVMModuleRef, LLVMDisposeModule>;
using machine_owner = owner<LLVMTargetMachineRef, LLVMDisposeTargetMachine>;
using layout_owner = owner<LLVMTargetDataRef, LLVMDisposeTargetData>;
using options_owner = owner<LLVMPassBuilderOptionsRef, LLVMDisposePassBuilderOptions>;
using buffer_owner = owner<LLVMMemoryBufferRef, LLVMDisposeMemoryBuffer>;

/// Takes ownership of a message of LLVM; null becomes an empty text.
[[nodiscard]] inline std::string take(char* message) {
  std::string text = message ? message : "";
  LLVMDisposeMessage(message);
  return text;
}

/// Takes ownership of an error; returns an empty text for success.
[[nodiscard]] inline std::string take(LLVMErrorRef error) {
  if (!error) return {};
  auto* const raw = LLVMGetErrorMessage(error);
  std::string text = raw;
  LLVMDisposeErrorMessage(raw);
  return text.empty() ? "unknown error" : text;
}

}}}  // namespace ttune::v0::orc
