// SPDX-License-Identifier: Apache-2.0
// The tests of runners share a runner of copies, and the measurement of a bad candidate between two good ones.
#pragma once

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "support/machine_code.hpp"
#include "ttune/runtime/measure/make_runner.hpp"

namespace ttune_test {

constexpr std::int64_t copied = 1000;  ///< elements

inline ttune::runner_options one_thread() {
  ttune::runner_options o;
  o.threads = 1;
  return o;
}

inline std::unique_ptr<ttune::runner> make_copier(ttune::worker_choice how = ttune::worker::self{},
                                                  ttune::runner_options options = one_thread()) {
  return ttune::make_runner(std::move(how), copy_signature(copied), std::move(options));
}

/// Measures a bad candidate with the right one before and after it.
inline ttune::measurement planted(ttune::kernel_image const& bad, ttune::trial_limits const& limits = {},
                                  ttune::worker_choice how = ttune::worker::self{}) {
  auto m = make_copier(how);
  auto const good = m->set_reference(copy_image(copied), {});
  CHECK_MESSAGE(good.ok(), good.message);
  auto result = m->measure(bad, limits);
  auto const after = m->measure(copy_image(copied), {});
  CHECK_MESSAGE(after.ok(), after.message);
  INFO(name_of(result.status), ": ", result.message);
  return result;
}

inline bool has(std::string const& text, char const* part) { return text.find(part) != std::string::npos; }

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace ttune_test
