// SPDX-License-Identifier: Apache-2.0
// The second stage of a trial: the program of a configuration.
#pragma once

#include <cstdint>
#include <exception>
#include <new>
#include <optional>
#include <string>

#include "ttune/ir/print.hpp"
#include "ttune/ir/stmt.hpp"
#include "ttune/support/hash.hpp"
#include "ttune/tune/workload.hpp"

namespace ttune { inline namespace v0 { namespace detail {

struct lowered_candidate {
  configuration chosen;
  ir::lowered program;
  /// Hash of the printed program: candidates of the same program have the same hash, and the same result. Nothing: the
  /// trial needs no program, and is made for each configuration.
  std::optional<std::uint64_t> text = {};
  std::string diagnostics = {};  ///< if not empty, there is no program
};

/// Makes the program of a configuration. If lowering refuses the configuration or fails, the result says why.
[[nodiscard]] inline lowered_candidate lower_candidate(workload const& of, configuration const& chosen) {
  lowered_candidate made{chosen, {}};
  try {
    made.program = of.lower(chosen);
    made.text = hasher{}.add(ir::print(made.program)).value();
  } catch (std::bad_alloc const&) {
    throw;
  } catch (std::exception const& failure) {  // `error`, or a fault such as std::out_of_range
    made.diagnostics = failure.what();
    made.text = hasher{}.add(made.diagnostics).value();
  }
  return made;
}

}}}  // namespace ttune::v0::detail
