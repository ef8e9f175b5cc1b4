// SPDX-License-Identifier: Apache-2.0
// Compiles textual LLVM IR to linked code: parse, a few passes, code generation, link. A compiler is created once and
// used for many kernels.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "ttune/backends/orc/linker.hpp"
#include "ttune/core/target.hpp"

namespace ttune { inline namespace v0 { namespace orc {

/// Seconds spent in the phases of one compilation.
struct phase_seconds {
  double emit = 0;   ///< from the program to the text
  double parse = 0;  ///< from the text to a verified module
  double passes = 0;
  double codegen = 0;
  double link = 0;
  [[nodiscard]] double total() const noexcept { return emit + parse + passes + codegen + link; }
};

/// Options of `compiler`.
struct compiler_options {
  std::string passes = lean_passes;  ///< in the notation of `opt -passes`; "none" for none
  int level = 2;                     ///< level of code generation, 0 to 3; 0 is for debugging only
  bool lines = false;                ///< keep names and lines in `kernel_image::map`, as if TTUNE_TOOLS asked for them
};

/// Compiler of LLVM IR. Not thread-safe. Every fault of a text is reported as a value, except LLVM's fatal errors (code
/// that it cannot select), which end the process and cannot be caught.
class compiler {
 public:
  explicit compiler(ttune::target machine_facts, compiler_options options = {});
  compiler(compiler const&) = delete;
  compiler& operator=(compiler const&) = delete;

  /// Returns the code of `ttune_main` and, if the text defines it, `ttune_prepare`. Returns nothing, with the reason in
  /// `diagnostics`, if the text is wrong or its code is not self-contained. The object that it links can be kept.
  [[nodiscard]] std::optional<linked_code> compile(std::string const& text, std::string& diagnostics,
                                                   bool keeps_object = false);
  /// Returns the object that `compile` links.
  [[nodiscard]] std::optional<std::vector<std::uint8_t>> object(std::string const& text, std::string& diagnostics);
  /// Returns the assembly of the same code, for reading and for counting spills.
  [[nodiscard]] std::optional<std::string> assembly(std::string const& text, std::string& diagnostics);

  /// Returns the times of the last compilation.
  [[nodiscard]] phase_seconds const& last_phases() const noexcept { return phases_; }
  /// Returns the target, with LLVM's names in place of "native".
  [[nodiscard]] ttune::target const& target() const noexcept { return target_; }
  /// Returns why the compiler cannot be used, such as a target that this LLVM was built without; empty if it can.
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
  int uses_ = 0;  ///< number of uses of the context
  machine_owner machine_;
  std::string triple_;
  layout_owner layout_;
  options_owner pass_options_;
  std::optional<linker> linker_;  ///< created once the target machine is known
  std::string failure_;

  // State of the current text.
  std::string noted_;
  bool error_noted_ = false;
  bool prepares_ = false;
  clock::time_point last_;
  phase_seconds phases_;
};

}}}  // namespace ttune::v0::orc

#if TTUNE_PART_BODIES
#include "ttune/backends/orc/compiler.inl.hpp"
#endif
