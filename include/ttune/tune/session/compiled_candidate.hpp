// SPDX-License-Identifier: Apache-2.0
// The third stage of a trial: the code of a program that no earlier trial had.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "ttune/ir/stmt.hpp"
#include "ttune/runtime/backend.hpp"
#include "ttune/space/knob.hpp"
#include "ttune/tune/session/lowered_candidate.hpp"

namespace ttune { inline namespace v0 { namespace detail {

struct compiled_candidate {
  configuration chosen;
  ir::lowered program = {};                ///< for trials that count a program instead of running it
  std::optional<kernel_image> image = {};  ///< nothing if it is refused, or if the trial runs no code
  bool refused = false;                    ///< there is nothing to try; `diagnostics` has the reason
  std::string diagnostics = {};
  double seconds = 0;  ///< time of the compilation
};

/// Passes on a candidate that is not compiled, since the trial runs no code.
[[nodiscard]] inline compiled_candidate without_code(lowered_candidate from) {
  bool const refused = !from.diagnostics.empty();
  return {std::move(from.chosen), std::move(from.program), std::nullopt, refused, std::move(from.diagnostics)};
}

/// Compiles a candidate. A failure of lowering or of the compiler is in the result.
[[nodiscard]] inline compiled_candidate compile_candidate(lowered_candidate from, backend& by,
                                                          kernel_signature const& signature) {
  if (!from.diagnostics.empty()) return without_code(std::move(from));
  auto made = by.compile(from.program, signature);
  bool const refused = !made.image;
  return {std::move(from.chosen), {}, std::move(made.image), refused, std::move(made.diagnostics), made.seconds};
}

/// Compiles a configuration; returns nothing if it is refused or the compiler fails.
[[nodiscard]] inline std::optional<kernel_image> compile_configuration(workload const& of, backend& by,
                                                                       configuration const& chosen) {
  return compile_candidate(lower_candidate(of, chosen), by, of.signature()).image;
}

}}}  // namespace ttune::v0::detail
