// SPDX-License-Identifier: Apache-2.0
// Text LLVM IR to linked code: parse, a few passes, code generation, link. Made once, used for many kernels.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "ttune/backends/orc/linker.hpp"
#include "ttune/core/target.hpp"

namespace ttune::inline v0::orc {

/// Seconds that the phases of one compilation took.
struct phase_seconds {
  double emit = 0;   ///< the program to text
  double parse = 0;  ///< the text to a module, verified
  double passes = 0;
  double codegen = 0;
  double link = 0;
  [[nodiscard]] double total() const noexcept { return emit + parse + passes + codegen + link; }
};

struct compiler_options {
  std::string passes = lean_passes;  ///< in the notation of `opt -passes`; "none" for none
  int level = 2;                     ///< of code generation, 0 to 3; 0 is for debugging alone
};

/// One thread at a time. Whatever a text does wrong is a value; what LLVM itself takes for a fatal error (code that
/// it cannot select) ends the process, as nothing can catch that.
class compiler {
 public:
  explicit compiler(ttune::target machine_facts, compiler_options options = {});
  compiler(compiler const&) = delete;
  compiler& operator=(compiler const&) = delete;

  /// The code of `ttune_main` and, if the text defines it, `ttune_prepare`. Nothing, and `diagnostics` says why, if
  /// the text is wrong or its code cannot stand alone.
  [[nodiscard]] std::optional<linked_code> compile(std::string const& text, std::string& diagnostics);
  /// The object that `compile` links.
  [[nodiscard]] std::optional<std::vector<std::uint8_t>> object(std::string const& text, std::string& diagnostics);
  /// The assembly of the same code, to look at and to count spills in.
  [[nodiscard]] std::optional<std::string> assembly(std::string const& text, std::string& diagnostics);

  /// Of the last text.
  [[nodiscard]] phase_seconds const& last_phases() const noexcept { return phases_; }
  /// What it was made for, with LLVM's names where that was "native".
  [[nodiscard]] ttune::target const& target() const noexcept { return target_; }
  /// Why it cannot be used, as for a target that this LLVM was built without; empty if it can.
  [[nodiscard]] std::string const& failure() const noexcept { return failure_; }

 private:
  using clock = std::chrono::steady_clock;

  static void initialise_process(bool all_targets);
  static void note(LLVMDiagnosticInfoRef info, void* self);
  void renew_context();
  [[nodiscard]] double lap() noexcept;
  [[nodiscard]] module_owner parse(std::string const& text, std::string& diagnostics);
  [[nodiscard]] std::string check(LLVMModuleRef parsed) const;
  [[nodiscard]] std::string check_declaration(LLVMValueRef function) const;
  void without_unwinding(LLVMModuleRef parsed) const;
  [[nodiscard]] buffer_owner generate(std::string const& text, LLVMCodeGenFileType kind, std::string& diagnostics);

  ttune::target target_;
  compiler_options options_;
  context_owner context_;
  int uses_ = 0;  ///< of the context
  machine_owner machine_;
  std::string triple_;
  layout_owner layout_;
  options_owner pass_options_;
  std::optional<linker> linker_;  ///< made once the machine is known
  std::string failure_;

  // of the text being compiled
  std::string noted_;
  bool error_noted_ = false;
  bool prepares_ = false;
  clock::time_point last_;
  phase_seconds phases_;
};

}  // namespace ttune::inline v0::orc

#if TTUNE_PART_BODIES
#include "ttune/backends/orc/compiler.inl.hpp"
#endif
