// SPDX-License-Identifier: Apache-2.0
// The only file that includes LLVM: its C API, with owners for what has to be disposed of.
// The C++ headers of ORC would cost every user's file ten seconds; these cost 0.03.
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

#if LLVM_VERSION_MAJOR < 15
#error "ttune needs LLVM 15 or newer: install llvm-19-dev"
#endif

#include <memory>
#include <string>
#include <type_traits>

namespace ttune::inline v0::llvm {

/// The instruction combiner gives up the whole process where it does not reach its fixpoint, unless told not to check.
#if LLVM_VERSION_MAJOR >= 18
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

using context = owner<LLVMContextRef, LLVMContextDispose>;
using module_owner = owner<LLVMModuleRef, LLVMDisposeModule>;
using machine = owner<LLVMTargetMachineRef, LLVMDisposeTargetMachine>;
using options = owner<LLVMPassBuilderOptionsRef, LLVMDisposePassBuilderOptions>;
using buffer = owner<LLVMMemoryBufferRef, LLVMDisposeMemoryBuffer>;

/// Takes over a message of LLVM.
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

}  // namespace ttune::inline v0::llvm
