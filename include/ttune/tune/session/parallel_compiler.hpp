// SPDX-License-Identifier: Apache-2.0
// Candidates of one batch, lowered and compiled side by side: nothing is measured meanwhile.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ttune/runtime/backend.hpp"
#include "ttune/schedule/knob.hpp"
#include "ttune/tune/workload.hpp"

namespace ttune::inline v0::detail {

struct compiled_candidate {
  std::uint64_t text = 0;              ///< `candidate::text`
  std::optional<compile_result> made;  ///< nothing: the text is known, or there was no time
};

/// Needs its arguments as long as it lives.
class parallel_compiler {
 public:
  /// The backend itself and as many others as it can make, `at_once` in all; 0: one a processor.
  parallel_compiler(workload const& of, backend& by, std::int32_t at_once) : work_(of), by_(by), at_once_(at_once) {}

  /// One for each member of the batch. A program whose text `is_known` is not compiled, nor one twice. `is_over` is
  /// asked by the calling thread only; `is_known` by any, one at a time.
  [[nodiscard]] std::vector<compiled_candidate> compile(std::span<configuration const> batch,
                                                        std::function<bool(std::uint64_t)> const& is_known,
                                                        std::function<bool()> const& is_over);

 private:
  class batch_job;
  void make_others(std::size_t wanted);

  workload const& work_;
  backend& by_;
  std::int32_t at_once_;
  bool no_more_ = false;  ///< others can be made
  std::vector<std::unique_ptr<backend>> others_;
};

}  // namespace ttune::inline v0::detail

#if TTUNE_HEADER_ONLY
#include "ttune/tune/session/parallel_compiler.inl.hpp"
#endif
