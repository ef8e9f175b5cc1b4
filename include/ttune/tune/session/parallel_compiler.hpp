// SPDX-License-Identifier: Apache-2.0
// Lowers and compiles the candidates of one batch in parallel; nothing is measured meanwhile.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ttune/runtime/backend.hpp"
#include "ttune/space/knob.hpp"
#include "ttune/tune/workload.hpp"

namespace ttune { inline namespace v0 { namespace detail {

struct compiled_candidate {
  std::uint64_t text = 0;              ///< `candidate::text`
  std::optional<compile_result> made;  ///< nothing if the text is known already, or there was no time
};

/// Compiler of batches. Keeps references to its arguments.
class parallel_compiler {
 public:
  /// Uses the backend and as many copies as it can make, `at_once` in total; 0 means one per processor.
  parallel_compiler(workload const& of, backend& by, std::int32_t at_once) : work_(of), by_(by), at_once_(at_once) {}

  /// Returns one result for each member of the batch. Does not compile a program whose text `is_known`, nor one program
  /// twice. Only the calling thread calls `is_over`; all threads call `is_known`, one at a time.
  [[nodiscard]] std::vector<compiled_candidate> compile(std::span<configuration const> batch,
                                                        std::function<bool(std::uint64_t)> const& is_known,
                                                        std::function<bool()> const& is_over);

 private:
  class batch_job;
  void make_others(std::size_t wanted);

  workload const& work_;
  backend& by_;
  std::int32_t at_once_;
  bool no_more_ = false;  ///< true if the backend cannot be copied any more
  std::vector<std::unique_ptr<backend>> others_;
};

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/session/parallel_compiler.inl.hpp"
#endif
