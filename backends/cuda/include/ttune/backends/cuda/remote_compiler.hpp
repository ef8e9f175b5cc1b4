// SPDX-License-Identifier: Apache-2.0
// Compiles texts in a process of their own: NVRTC compiles one text of a process at a time, whatever its threads.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "ttune/backends/cuda/compiler.hpp"
#include "ttune/runtime/worker/compile_process.hpp"
#include "ttune/support/bytes.hpp"

namespace ttune { inline namespace v0 { namespace cuda {

/// Processes of a backend and its copies. Starting one and opening NVRTC in it takes as long as compiling a kernel, so
/// they serve one tuning after the other.
class compile_processes {
 public:
  /// Returns a process that nobody else holds, or a new one; null if the helper program is not installed. Thread-safe.
  [[nodiscard]] std::shared_ptr<worker::compile_process> idle() {
    std::scoped_lock const lock(mutex_);
    for (auto const& p : all_)
      if (p.use_count() == 1) return p;
    auto made = std::make_shared<worker::compile_process>();
    if (!made->available()) return nullptr;
    all_.push_back(made);
    return made;
  }

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<worker::compile_process>> all_;
};

/// Like `compile`, in the process `by`. A compiler that crashes or takes minutes is a diagnostic.
[[nodiscard]] std::optional<compiled_code> compile_in(worker::compile_process& by, std::string const& source,
                                                      int architecture, std::string& diagnostics,
                                                      compile_options const& options);
/// The other side: reads such a request, compiles, and writes the answer.
void compile_for_parent(byte_source& request, byte_sink& answer);

}}}  // namespace ttune::v0::cuda

#if TTUNE_PART_BODIES
#include "ttune/backends/cuda/remote_compiler.inl.hpp"
#endif
