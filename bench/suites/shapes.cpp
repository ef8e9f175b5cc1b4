// SPDX-License-Identifier: Apache-2.0
// Suite shapes: a few kernels for many shapes of products against a kernel tuned for each shape, and against libraries.
#include <ttune/backends/orc.hpp>
#include <ttune/shape_kernel.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "../figures.hpp"
#include "../problem.hpp"
#include "../statistics.hpp"
#include "../suite.hpp"
#include "../system.hpp"
#include "ttune/support/rng.hpp"

namespace {

using namespace ttune_bench;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Runs a call for some time, in parts of a tenth of a millisecond, and returns the least seconds of a call in a part.
double least_seconds_within(std::function<void()> const& call, double limit) {
  constexpr double part = 1e-4;
  double best = 1e9;
  auto const began = now();
  for (auto before = began; before - began < limit;) {
    auto const times = std::clamp(static_cast<int>(part / best), 1, 5'000);
    for (int i = 0; i < times; ++i) call();
    auto const after = now();
    best = std::min(best, (after - before) / times);
    before = after;
  }
  return best;
}

/// Returns the least seconds of each of several calls, which take turns. Before each turn the threads of the one before
/// stop spinning, and calls warm up: threads that slept need up to some milliseconds until each has a core of its own.
std::vector<double> least_seconds(std::vector<std::function<void()>> const& calls, int rounds, double pause) {
  std::vector<double> best(calls.size(), 1e9);
  for (int r = 0; r < rounds; ++r)
    for (std::size_t c = 0; c < calls.size(); ++c) {
      std::this_thread::sleep_for(std::chrono::duration<double>(pause));
      (void)least_seconds_within(calls[c], 3e-3);
      best[c] = std::min(best[c], least_seconds_within(calls[c], 2e-3));
    }
  return best;
}

/// Draws an extent in [8, most]: each octave has the same share.
std::int64_t draw(ttune::rng& random, std::int64_t most) {
  auto const octaves = std::log2(static_cast<double>(most + 1)) - 3;
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::exp2(3 + octaves * random.uniform())), 8, most);
}

/// Shape: A (M, K), B (K, N) -> C (M, N)
auto product(ttune::extent_value const& m, ttune::extent_value const& n, ttune::extent_value const& k) {
  auto const [i, j, t] = ttune::axes<"i", "j", "t">;
  ttune::tensor<"A", float, 2> const A{{m, k}};
  ttune::tensor<"B", float, 2> const B{{k, n}};
  auto const C = ttune::compute<"C">(i, j) = ttune::sum(over(t), A(i, t) * B(t, j));
  return ttune::op(inputs(A, B), outputs(C), "product");
}

std::string text_of(char const* of, std::vector<double> const& ratios, std::string const& worst) {
  char text[160];
  std::snprintf(text, sizeof text, "%s: %.3f, geometric mean; least %.3f (%s)", of, geometric_mean(ratios),
                *std::min_element(ratios.begin(), ratios.end()), worst.c_str());
  return text;
}

int run(options const& chosen) {
  constexpr std::int64_t most = 1024;
  figure_table table("shapes", chosen, "products of unseen shapes, extents 8 to 1024, by at most eight kernels");
  auto const count = chosen.trials > 0 ? chosen.trials : 200;
  ttune::tuner tuner(ttune::orc_backend{});
  ttune::tuning_budget budget;
  budget.time = std::chrono::duration<double>(chosen.has_budget ? chosen.budget_seconds : 30);
  ttune::dim const m{"M", 8, most};
  ttune::dim const n{"N", 8, most};
  ttune::dim const k{"K", 8, most};
  auto const began = now();
  auto const all = ttune::tune_shapes(tuner, product(m, n, k), {.most_kernels = 8}, budget);
  auto const seconds = now() - began;
  ttune::rng random(7);
  std::vector<double> of_own;
  std::vector<double> of_peers;
  std::string worst_own;
  std::string worst_peers;
  for (std::int64_t i = 0; i < count; ++i) {
    gemm_problem const problem(make_gemm(draw(random, most), draw(random, most), draw(random, most)));
    auto const& shape = problem.shape;
    auto const own = tuner.tune(product(shape.m, shape.n, shape.k), {.time = std::chrono::milliseconds(300)});
    buffer const out(problem.outputs());
    auto* const a = problem.a.data();
    auto* const b = problem.b.data();
    ttune::view<float const, 2> const left{a, {shape.m, shape.k}};
    ttune::view<float const, 2> const right{b, {shape.k, shape.n}};
    ttune::view<float, 2> const result{out.data(), {shape.m, shape.n}};
    std::vector<std::function<void()>> calls{[&] { all(left, right, result); }, [&] { own(left, right, result); }};
    for (auto const& s : systems<gemm_problem>()) {
      if (s.name.starts_with("ttune") || s.name == "eigen") continue;
      auto const peer = s.prepare(problem, out, chosen);
      if (peer.run) calls.push_back(peer.run);
    }
    auto const times = least_seconds(calls, chosen.samples + 1, chosen.pause_seconds);
    auto const note = [&](double ratio, std::vector<double>& ratios, std::string& worst) {
      if (ratios.empty() || ratio < *std::min_element(ratios.begin(), ratios.end())) worst = shape.name;
      ratios.push_back(ratio);
    };
    note(times[1] / times[0], of_own, worst_own);
    if (times.size() > 2) note(*std::min_element(times.begin() + 2, times.end()) / times[0], of_peers, worst_peers);
  }
  table.add({"", "matmul", "ttune:own", 1 / geometric_mean(of_own)},
            std::to_string(all.kernel_count()) + " kernels in " + time_text(seconds) + "; " +
                text_of("of the speed of a kernel tuned 0.3 s for each shape", of_own, worst_own));
  if (!of_peers.empty())
    table.add({"", "matmul", "ttune:peers", 1 / geometric_mean(of_peers)},
              text_of("over the best library for each shape", of_peers, worst_peers));
  return table.status();
}

add_suite const shapes_suite{{"shapes", "a few kernels for many shapes of products against one for each shape", run}};

}  // namespace
