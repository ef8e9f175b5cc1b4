// SPDX-License-Identifier: Apache-2.0
// Suite rows: one open kernel for any number of rows against a kernel tuned for each number.
#include <ttune/backends/orc.hpp>
#include <ttune/open_kernel.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "../figures.hpp"
#include "../statistics.hpp"
#include "../suite.hpp"

namespace {

using namespace ttune_bench;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Returns the least seconds of two calls, which take turns.
template <class First, class Second>
std::pair<double, double> least_seconds(First const& first, Second const& second, int rounds) {
  auto const time = [](auto const& call, int calls) {
    auto const began = now();
    for (int i = 0; i < calls; ++i) call();
    return (now() - began) / calls;
  };
  auto const calls = std::max(1, static_cast<int>(1e-3 / std::max({1e-9, time(first, 2), time(second, 2)})));
  std::pair best{1e9, 1e9};
  for (int i = 0; i < rounds; ++i) {
    best.first = std::min(best.first, time(first, calls));
    best.second = std::min(best.second, time(second, calls));
  }
  return best;
}

/// A product with weights, which are laid out ahead if they are constants.
/// Shape: X (n, width), W (width, width) -> Y (n, width)
template <ttune::tensor_kind Weights>
auto product(ttune::extent_value const& n, std::int64_t width) {
  auto const [i, j, k] = ttune::axes<"i", "j", "k">;
  ttune::tensor<"X", float, 2> const X{{n, width}};
  ttune::tensor<"W", float, 2, ttune::row_major, Weights> const W{{width, width}};
  auto const Y = ttune::compute<"Y">(i, j) = ttune::sum(over(k), X(i, k) * W(k, j));
  return ttune::op(inputs(X, W), outputs(Y), "product");
}

/// Shape: X (n, 1000) -> Y (n, 1000)
auto softmax(ttune::extent_value const& n) {
  auto const [i, j, k] = ttune::axes<"i", "j", "k">;
  ttune::tensor<"X", float, 2> const X{{n, 1000}};
  auto const e = ttune::compute<"e">(i, j) = ttune::exp(X(i, j) - ttune::max(over(k), X(i, k)));
  auto const Y = ttune::compute<"Y">(i, j) = e(i, j) / ttune::sum(over(k), e(i, k));
  return ttune::op(inputs(X), outputs(Y), "softmax");
}

/// Shape: I (n, 32, 28, 28), W (32, 32, 3, 3) laid out ahead -> O (n, 32, 28, 28), padded by 1
auto convolution(ttune::extent_value const& n) {
  auto const [b, f, y, x, c, r, s] = ttune::axes<"b", "f", "y", "x", "c", "r", "s">;
  ttune::tensor<"I", float, 4> const I{{n, 32, 28, 28}};
  ttune::constant<"W", float, 4> const W{{32, 32, 3, 3}};
  auto const O = ttune::compute<"O">(b, f, y.in(28), x.in(28)) =
      ttune::sum(over(c, r, s), ttune::zero_outside(I)(b, c, y + r - 1, x + s - 1) * W(f, c, r, s));
  return ttune::op(inputs(I, W), outputs(O), "convolution");
}

struct sizes {
  std::int64_t in, constant, out;  ///< floats, of a row
};

/// Calls a kernel of two or three operands.
template <bool HasWeights, class Kernel>
void call(Kernel const& kernel, std::int64_t rows, sizes const& of, std::vector<float>& x, std::vector<float>& w,
          std::vector<float>& y) {
  auto const all = [&](std::vector<float>& v, std::int64_t each) {
    return std::span(v).first(static_cast<std::size_t>(rows * each));
  };
  if constexpr (HasWeights) kernel(all(x, of.in), std::span(w), all(y, of.out));
  else kernel(all(x, of.in), all(y, of.out));
}

template <bool HasWeights, class Make>
void measure(std::string const& name, Make const& make, sizes const& of, options const& chosen, figure_table& table) {
  if (!chosen.wants_case(name)) return;
  constexpr std::int64_t most = 500;
  // Some numbers of each octave.
  std::vector<std::int64_t> const numbers{1,  2,  3,  5,   7,   11,  14,  19,  27,  33,
                                          50, 61, 75, 100, 131, 190, 250, 317, 401, 500};
  ttune::tuner tuner(ttune::orc_backend{});
  ttune::tuning_budget budget;
  budget.time = std::chrono::duration<double>(chosen.has_budget ? chosen.budget_seconds : 6);
  std::vector<float> x(static_cast<std::size_t>(most * of.in), 0.5F);
  std::vector<float> w(static_cast<std::size_t>(std::max<std::int64_t>(of.constant, 1)), 0.25F);
  std::vector<float> y(static_cast<std::size_t>(most * of.out));
  auto const prepared = [&](auto const& kernel, std::int64_t rows) {
    if constexpr (HasWeights)
      return kernel.prepare(std::span(x).first(static_cast<std::size_t>(rows * of.in)), std::span(w),
                            std::span(y).first(static_cast<std::size_t>(rows * of.out)));
    else return kernel;
  };
  auto const began = now();
  auto const open = prepared(ttune::tune_open(tuner, make(ttune::dim{"n", 1, most}), {.most_kernels = 8}, budget), 1);
  auto const seconds = now() - began;
  std::vector<double> ratios;
  double worst = 1e9;
  std::int64_t worst_rows = 0;
  for (auto const rows : numbers) {
    auto const own = prepared(tuner.tune(make(rows), {.time = std::chrono::seconds(1)}), rows);
    auto const [all, one] = least_seconds([&] { call<HasWeights>(open, rows, of, x, w, y); },
                                          [&] { call<HasWeights>(own, rows, of, x, w, y); }, chosen.samples);
    ratios.push_back(one / all);
    if (ratios.back() < worst) worst = ratios.back(), worst_rows = rows;
  }
  char text[200];
  std::snprintf(
      text, sizeof text,
      "%zu kernels in %s; of the speed of a kernel tuned 1 s for each of %zu numbers of rows: %.3f, geometric "
      "mean; least %.3f (%lld rows)",
      open.kernels().size(), time_text(seconds).c_str(), numbers.size(), geometric_mean(ratios), worst,
      static_cast<long long>(worst_rows));
  table.add({"", name, "ttune:open", 1 / geometric_mean(ratios)}, text);
}

int run(options const& chosen) {
  figure_table table("rows", chosen, "open kernels, 1 to 500 rows, against kernels of each number of rows");
  measure<true>(
      "dense", [](auto const& n) { return product<ttune::tensor_kind::constant>(n, 1024); }, {1024, 1024 * 1024, 1024},
      chosen, table);
  measure<true>(
      "product", [](auto const& n) { return product<ttune::tensor_kind::input>(n, 512); }, {512, 512 * 512, 512},
      chosen, table);
  measure<false>("softmax", [](auto const& n) { return softmax(n); }, {1000, 0, 1000}, chosen, table);
  measure<true>(
      "convolution", [](auto const& n) { return convolution(n); }, {32 * 28 * 28, 32 * 32 * 9, 32 * 28 * 28}, chosen,
      table);
  return table.status();
}

add_suite const rows_suite{{"rows", "one kernel for any number of rows against one for each number", run}};

}  // namespace
