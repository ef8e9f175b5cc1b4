// SPDX-License-Identifier: Apache-2.0
// Lowers and compiles the candidates of one batch in parallel; nothing is measured meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ttune/runtime/backend.hpp"
#include "ttune/space/knob.hpp"
#include "ttune/tune/session/compiled_candidate.hpp"
#include "ttune/tune/session/deadline.hpp"
#include "ttune/tune/session/lowered_candidate.hpp"
#include "ttune/tune/workload.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Compiler of batches. Keeps references to its arguments. Both functions return their results in the order of the
/// candidates, and fewer if the deadline passes.
class parallel_compiler {
 public:
  /// Uses the backend and as many copies as it can make, `at_once` in total; 0 means one per processor.
  parallel_compiler(workload const& of, backend& by, std::int32_t at_once);

  [[nodiscard]] std::vector<lowered_candidate> lower(std::span<configuration const> batch, deadline const& until) const;
  [[nodiscard]] std::vector<compiled_candidate> compile(std::vector<lowered_candidate> batch, deadline const& until);

 private:
  void make_others(std::size_t wanted);

  workload const& work_;
  backend& by_;
  std::size_t at_once_;
  std::vector<std::unique_ptr<backend>> others_;
  bool no_more_ = false;  ///< the backend cannot make more copies
};

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/session/parallel_compiler.inl.hpp"
#endif
