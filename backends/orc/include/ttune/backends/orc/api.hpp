// SPDX-License-Identifier: Apache-2.0
// The only file that includes LLVM: its C API, with owners for what has to be disposed of.
// LLVM's C++ headers of ORC would cost every user's file ten seconds; these cost 0.03.
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

#include <memory>
#include <string>
#include <type_traits>

#include "ttune/support/config.hpp"

#if LLVM_VERSION_MAJOR < 15
#error "ttune needs LLVM 15 or newer: install llvm-19-dev"
#endif
/// Whether ORC's C API lets us say where sections go: since 16.
#define TTUNE_ORC_PLACES_SECTIONS (LLVM_VERSION_MAJOR >= 16)

namespace ttune::inline v0::orc {

/// What a kernel's text gains from: the emitter has unrolled and vectorised it already. Chosen by measurement,
/// see backends/README.md.
#if LLVM_VERSION_MAJOR >= 18
// Since 18 the instruction combiner ends the whole process where it reaches no fixpoint, unless told not to check.
inline constexpr char const* lean_passes = "function(early-cse,instcombine<no-verify-fixpoint>,simplifycfg)";
#else
inline constexpr char const* lean_passes = "function(early-cse,instcombine,simplifycfg)";
#endif

template <class Handle, void (*Dispose)(Handle)>
struct disposer {
  using pointer = Handle;
  void operator()(Handle h) const { Dispose(h); }
};
template <class Handle, void (*Dispose)(Handle)>
using owner = std::unique_ptr<std::remove_pointer_t<Handle>, disposer<Handle, Dispose>>;

using context_owner = owner<LLVMContextRef, LLVMContextDispose>;
using module_owner = owner<LLVMModuleRef, LLVMDisposeModule>;
using machine_owner = owner<LLVMTargetMachineRef, LLVMDisposeTargetMachine>;
using layout_owner = owner<LLVMTargetDataRef, LLVMDisposeTargetData>;
using options_owner = owner<LLVMPassBuilderOptionsRef, LLVMDisposePassBuilderOptions>;
using buffer_owner = owner<LLVMMemoryBufferRef, LLVMDisposeMemoryBuffer>;

/// Takes over a message of LLVM; null is empty.
[[nodiscard]] inline std::string take(char* message) {
  std::string text = message ? message : "";
  LLVMDisposeMessage(message);
  return text;
}

/// Takes over an error; empty if it is none.
[[nodiscard]] inline std::string take(LLVMErrorRef error) {
  if (!error) return {};
  auto* const raw = LLVMGetErrorMessage(error);
  std::string text = raw;
  LLVMDisposeErrorMessage(raw);
  return text.empty() ? "unknown error" : text;
}

}  // namespace ttune::inline v0::orc
