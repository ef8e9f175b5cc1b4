// SPDX-License-Identifier: Apache-2.0
// Small tunings of hand-written machine code, for tests of faults around them.
#pragma once

#include <dirent.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/scripted_backend.hpp"
#include "ttune/tune/tuner.hpp"

namespace ttune_test {

inline code right(std::int64_t elements = scripted_elements) { return code::copy(0, 1, elements * 4); }
/// Takes about 0.1 ms, many times as long as the right one.
inline code slow(std::int64_t elements = scripted_elements) { return code::spin(300).then(right(elements)); }

inline ttune::tuner_options one_thread_options(ttune::worker_choice worker = ttune::worker::self{}) {
  ttune::tuner_options o;
  o.worker = std::move(worker);
  o.executor = std::make_shared<ttune::thread_pool>(1);
  o.batch = 4;
  return o;
}

inline ttune::tuning_result tune_copy(std::vector<code> script, ttune::tuner_options options,
                                      ttune::tuning_budget budget) {
  return ttune::tuner(std::make_shared<scripted_backend>(std::move(script)), std::move(options))
      .tune(copy_program(), std::move(budget));
}

/// Returns the number of files, sockets and pipes that this process has open.
inline int open_descriptors() {
  int count = 0;
  auto* const folder = ::opendir("/proc/self/fd");
  while (folder && ::readdir(folder)) ++count;
  if (folder) ::closedir(folder);
  return count;
}

}  // namespace ttune_test
