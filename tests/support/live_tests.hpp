// SPDX-License-Identifier: Apache-2.0
// Parts of tests of live tuning: a clock and a share of the processor that the test decides, and an operator.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "support/scripted_backend.hpp"
#include "ttune/live.hpp"
#include "ttune/records/memory_store.hpp"
#include "ttune/runtime/interpreter_backend.hpp"

namespace ttune_test {

/// Time passes by a millisecond at each look at the clock, and by pauses; a pause is not a wait.
class counted_time {
 public:
  [[nodiscard]] ttune::live_options options(double share = 0.05) {
    ttune::live_options made;
    made.share = share;
    made.background = false;
    made.clock = [s = state_] { return 1e-6 * static_cast<double>(s->microseconds += 1000); };
    made.processor_seconds = [s = state_] { return 1e-6 * static_cast<double>(s->used.load()); };
    made.pause = [s = state_](double seconds) {
      s->microseconds += static_cast<std::int64_t>(seconds * 1e6);
      ++s->pauses;
    };
    return made;
  }
  void pass(double seconds) { state_->microseconds += static_cast<std::int64_t>(seconds * 1e6); }
  void use(double seconds) { state_->used += static_cast<std::int64_t>(seconds * 1e6); }
  [[nodiscard]] double now() const { return 1e-6 * static_cast<double>(state_->microseconds.load()); }
  [[nodiscard]] int pauses() const { return state_->pauses; }

 private:
  struct state {
    std::atomic<std::int64_t> microseconds{0};
    std::atomic<std::int64_t> used{0};
    std::atomic<int> pauses{0};
  };
  std::shared_ptr<state> state_ = std::make_shared<state>();
};

/// C(i, j) = the sum of 12 terms A(i, k) B(k, j), as `ops::matmul(m, 16, 12)`, with ones in A and threes in B.
struct small_product {
  std::vector<float> a, b, c;
  explicit small_product(std::size_t m) : a(m * 12, 1), b(12 * 16, 3), c(m * 16) {}
  /// Calls a kernel some times; returns true if all results are right.
  template <class Kernel>
  [[nodiscard]] bool call(Kernel const& kernel, int times = 1) {
    bool right = true;
    for (int i = 0; i < times; ++i) {
      std::ranges::fill(c, 0.0F);
      kernel(a, b, c);
      right &= c == std::vector<float>(c.size(), 36);
    }
    return right;
  }
};

/// The operator of a scripted backend's kernels: C(i) = A(i).
[[nodiscard]] inline auto copy_operator() {
  using namespace ttune;
  auto const [i] = axes<"i">;
  tensor<"A", float, 1> const A{{scripted_elements}};
  auto const C = compute<"C">(i) = A(i);
  return op(inputs(A), outputs(C), "copy");
}

struct copy_data {
  std::vector<float> a = std::vector<float>(scripted_elements, 2), c = std::vector<float>(scripted_elements);
  /// Calls a kernel some times; returns true if all results are right.
  template <class Kernel>
  [[nodiscard]] bool call(Kernel const& kernel, int times = 64) {
    bool good = true;
    for (int i = 0; i < times; ++i) {
      std::ranges::fill(c, 0.0F);
      kernel(a, c);
      good &= c == a;
    }
    return good;
  }
};

}  // namespace ttune_test
