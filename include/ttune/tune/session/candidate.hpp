// SPDX-License-Identifier: Apache-2.0
// Turns a configuration into the program that is compiled or counted.
#pragma once

#include <cstdint>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "ttune/ir/print.hpp"
#include "ttune/runtime/backend.hpp"
#include "ttune/support/hash.hpp"
#include "ttune/tune/workload.hpp"

namespace ttune { inline namespace v0 { namespace detail {

struct candidate {
  ir::lowered program;
  kernel_signature signature;
  std::uint64_t text = 0;   ///< hash of the printed program: configurations of the same program have the same hash
  std::string diagnostics;  ///< if not empty, there is no program
};

/// Makes the program of a configuration. If lowering refuses the configuration or fails, the result says why.
[[nodiscard]] inline candidate make_candidate(workload const& of, configuration const& chosen) {
  candidate made;
  try {
    made.program = of.lower(chosen);
    made.signature = of.signature();
    made.text = hasher{}.add(ir::print(made.program)).value();
  } catch (std::bad_alloc const&) {
    throw;
  } catch (std::exception const& failure) {  // `error`, or a fault such as std::out_of_range
    made.diagnostics = failure.what();
    made.text = hasher{}.add(made.diagnostics).value();
  }
  return made;
}

/// Compiles a configuration; returns nothing if it is refused or the compiler fails.
[[nodiscard]] inline std::optional<kernel_image> compile_candidate(workload const& of, backend& by,
                                                                   configuration const& chosen) {
  auto made = make_candidate(of, chosen);
  if (!made.diagnostics.empty()) return std::nullopt;
  return by.compile(made.program, std::move(made.signature)).image;
}

}}}  // namespace ttune::v0::detail
