// SPDX-License-Identifier: Apache-2.0
// Suite shared: five operators tuned at the start of an application in two common seconds (`ttune`), compared with each
// tuned alone for the whole budget (`alone`).
#include <ttune/ops/conv2d.hpp>
#include <ttune/ops/depthwise_conv2d.hpp>
#include <ttune/ops/matmul.hpp>
#include <ttune/ops/softmax.hpp>
#include <ttune/runtime/machine.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../harness.hpp"
#include "../peers/ttune.hpp"
#include "../suite.hpp"

namespace {

using namespace ttune_bench;

constexpr double shared_seconds = 2;

/// An operator with its operands, the result last. Constants are prepared.
template <class Op, std::size_t Operands>
struct part {
  std::string name;
  double flops;
  Op op;
  std::array<buffer, Operands> operands;

  template <class Kernel>
  [[nodiscard]] std::function<void()> call(Kernel const& found) const {
    return [&]<std::size_t... I>(std::index_sequence<I...>) -> std::function<void()> {
      auto const kernel = found.prepare(in(operands[I])..., out_of(operands.back()));
      return [this, kernel] { kernel(in(operands[I])..., out_of(operands.back())); };
    }(std::make_index_sequence<Operands - 1>{});
  }
};

template <class Op, class... Sizes>
auto make_part(std::string name, double flops, Op op, Sizes... sizes) {
  std::uint64_t seed = 1;
  return part<Op, sizeof...(Sizes)>{std::move(name), flops, std::move(op), {buffer(sizes, seed++)...}};
}

/// Returns the operators of examples/05_startup.cpp.
auto application() {
  using namespace ttune::ops;
  return std::tuple{
      make_part("matmul 256x256x256", 2.0 * 256 * 256 * 256, matmul(256, 256, 256), 65536, 65536, 65536),
      make_part("matmul 8x1000x512", 2.0 * 8 * 1000 * 512, matmul(8, 1000, 512), 8 * 512, 512 * 1000, 8 * 1000),
      make_part("conv 64x28x28", 2.0 * 64 * 64 * 9 * 28 * 28, conv2d({1, 64, 28, 28, 64, 3, 1, 1}), 64 * 784,
                64 * 64 * 9, 64 * 784),
      make_part("depthwise 64x28x28", 2.0 * 64 * 9 * 28 * 28, depthwise_conv2d({1, 64, 28, 28, 3, 1, 1}), 64 * 784,
                64 * 9, 64 * 784),
      make_part("softmax 64x1000", 5.0 * 64 * 1000, softmax(64, 1000), 64000, 64000)};
}

result line(std::string const& name, std::string system, double flops, timing const& taken) {
  result made{"shared", name, std::move(system)};
  made.seconds = taken.seconds;
  made.gflops = flops / taken.seconds * 1e-9;
  made.disturbed = taken.disturbed;
  return made;
}

result tuned_line(result made, ttune::tuning_report const& by) {
  made.tuning_seconds = by.tuning_seconds;
  made.trials = by.trials;
  return made;
}

int run(options const& chosen) {
  reporter report("shared", "", {"ttune", "ttune-untuned", "alone"}, chosen);
  auto const pool = std::make_shared<ttune::thread_pool>(chosen.threads);
  ttune::tuner tuner{ttune::orc_backend{}, {.model = ttune::xgboost{}, .executor = pool}};
  auto const parts = application();
  ttune::tuning_budget budget;
  budget.trials = 1'000'000;
  budget.time = std::chrono::duration<double>(shared_seconds);
  auto const kernels = std::apply([&](auto const&... p) { return tuner.tune_all(std::tuple{p.op...}, budget); }, parts);

  auto const compare = [&](auto const& p, auto const& shared) {
    if (!chosen.wants_case(p.name)) return;
    auto const alone = find_kernel(p.op, chosen, true);
    auto const untuned = find_kernel(p.op, chosen, false);
    auto const timed = std::array{p.call(shared), p.call(untuned), p.call(alone)};
    double peak = 0;
    auto const taken = time_interleaved(timed, chosen, [&] {
      peak = std::max(peak, ttune::measure_fma_peak(chosen.threads, ttune::dtype::f32, 0.01));
    });
    std::vector<result> results = {tuned_line(line(p.name, "ttune", p.flops, taken[0]), shared.report()),
                                   line(p.name, "ttune-untuned", p.flops, taken[1]),
                                   tuned_line(line(p.name, "alone", p.flops, taken[2]), alone.report())};
    for (auto& r : results) r.peak_gflops = peak;
    report.add(results);
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (compare(std::get<I>(parts), std::get<I>(kernels)), ...);
  }(std::make_index_sequence<std::tuple_size_v<decltype(parts)>>{});
  return report.finish();
}

add_suite const shared{{"shared", "five operators that share two seconds, against each tuned alone", run}};

}  // namespace
