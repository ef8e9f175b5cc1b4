// SPDX-License-Identifier: Apache-2.0
// Tunings with a backend of hand-written kernels: the test chooses what candidates do.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/machine_code.hpp"
#include "support/scripted_backend.hpp"
#include "ttune/tune/tuner.hpp"

namespace ttune_test {

[[nodiscard]] inline code right() { return code::copy(0, 1, scripted_elements * 4); }
[[nodiscard]] inline code slow() { return code::spin(300).then(right()); }

[[nodiscard]] inline ttune::tuner_options options_with(ttune::worker_choice worker = ttune::worker::self{}) {
  ttune::tuner_options o;
  o.worker = std::move(worker);
  o.executor = std::make_shared<ttune::thread_pool>(1);
  o.batch = 4;
  return o;
}

struct outcome {
  ttune::tuning_result result;
  std::size_t compiled;
};

/// Tunes `copy_program()` with candidates that do what the script says.
[[nodiscard]] inline outcome tune(std::vector<code> script, ttune::tuner_options options, ttune::tuning_budget budget) {
  auto const compiler = std::make_shared<scripted_backend>(std::move(script));
  ttune::tuner made(compiler, std::move(options));
  auto result = made.tune(copy_program(), budget);
  return {std::move(result), compiler->compiled()};
}

[[nodiscard]] inline bool has(std::string const& text, char const* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace ttune_test
