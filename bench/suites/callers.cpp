// SPDX-License-Identifier: Apache-2.0
// Suite callers: two application threads that call a kernel each. With pools of half the cores, their calls per second
// are compared with those of both alone; with one common pool, with those of one thread alone.
#include <ttune/backends/orc.hpp>
#include <ttune/ops/matmul.hpp>
#include <ttune/ops/softmax.hpp>
#include <ttune/ttune.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "../figures.hpp"
#include "../suite.hpp"

namespace {

using namespace ttune_bench;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

using call = std::function<void()>;

/// Returns calls per second.
double rate_of(call const& f) {
  constexpr double seconds = 0.2;
  f();
  std::int64_t calls = 0;
  auto const start = now();
  for (; now() - start < seconds; ++calls) f();
  return static_cast<double>(calls) / (now() - start);
}

/// Returns the sum of the calls per second of two threads that run at once.
double rate_of_both(call const& first, call const& second) {
  double of_second = 0;
  std::thread other([&] { of_second = rate_of(second); });
  auto const of_first = rate_of(first);
  other.join();
  return of_first + of_second;
}

/// A kernel of an operator with its own operands, on a pool; untuned.
template <class Op>
call call_of(Op const& op, std::vector<std::int64_t> const& elements, std::shared_ptr<ttune::executor> pool) {
  ttune::tuner tuner(ttune::orc_backend{}, {.executor = pool});
  auto const found = tuner.tune(op.program(), {.trials = 0});
  auto const memory = std::make_shared<std::vector<std::vector<float>>>();
  std::vector<void*> operands;
  for (auto const count : elements) memory->emplace_back(static_cast<std::size_t>(count), 0.5F);
  for (auto& one : *memory) operands.push_back(one.data());
  ttune::kernel_call const kernel(ttune::load(found.image), std::move(pool));
  return [kernel, memory, operands] { kernel(operands); };
}

template <class Op>
void measure(std::string const& name, Op const& op, std::vector<std::int64_t> const& elements, options const& chosen,
             figure_table& table) {
  if (!chosen.wants_case(name)) return;
  auto const half = std::max(1, chosen.threads / 2);
  auto const made = [&](std::shared_ptr<ttune::executor> pool) { return call_of(op, elements, std::move(pool)); };
  auto const first = made(std::make_shared<ttune::thread_pool>(half));
  auto const second = made(std::make_shared<ttune::thread_pool>(half));
  auto const common = std::make_shared<ttune::thread_pool>(chosen.threads);
  auto const third = made(common), fourth = made(common);
  double apart = 0, shared = 0;
  for (int round = 0; round < std::min(chosen.samples, 3); ++round) {
    apart = std::max(apart, rate_of_both(first, second) / (rate_of(first) + rate_of(second)));
    shared = std::max(shared, rate_of_both(third, fourth) / std::max(rate_of(third), rate_of(fourth)));
  }
  char text[160];
  std::snprintf(text, sizeof text, "pools of half the cores %.2f of both alone; one pool %.2f of one thread alone",
                apart, shared);
  table.add({"", name, "ttune", 1 / rate_of(third)}, text);
}

int run(options const& chosen) {
  figure_table table("callers", chosen,
                     "two application threads with a kernel each, untuned; the best of three rounds");
  measure("matmul 512", ttune::ops::matmul(512, 512, 512), {512 * 512, 512 * 512, 512 * 512}, chosen, table);
  measure("softmax 512", ttune::ops::softmax(512, 1000), {512 * 1000, 512 * 1000}, chosen, table);
  measure("matmul 64", ttune::ops::matmul(64, 64, 64), {64 * 64, 64 * 64, 64 * 64}, chosen, table);
  return table.status();
}

add_suite const callers_suite{{"callers", "two application threads that call a kernel each", run}};

}  // namespace
