// SPDX-License-Identifier: Apache-2.0
// The code of README.md and of the pages in docs/ that is in no example. Pages show the text between "// [NAME]" and
// "// [/NAME]"; tests/tools/check_snippets.py compares them.
#include <doctest/doctest.h>
#include <ttune/backends/orc.hpp>
#include <ttune/complex.hpp>
#include <ttune/eigen.hpp>
#include <ttune/live.hpp>
#include <ttune/lowering/lower.hpp>
#include <ttune/models/xgboost.hpp>
#include <ttune/records/sqlite.hpp>
#include <ttune/roof/count_work.hpp>
#include <ttune/roof/judge.hpp>
#include <ttune/runtime/interpreter_backend.hpp>
#include <ttune/runtime/machine.hpp>
#include <ttune/runtime/measure_roof.hpp>
#include <ttune/schedule.hpp>
#include <ttune/testing/check.hpp>
#include <ttune/ttune.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <iostream>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/temporary_folder.hpp"

namespace {

using namespace ttune::literals;
using matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Is only compiled, since it would tune for ten seconds.
[[maybe_unused]] void readme(matrix const& a, matrix const& b, matrix& c) {
  // [readme]
  auto const [i, j, k] = ttune::axes<"i", "j", "k">;
  ttune::tensor<"A", float, 2> const A{{512, 256}};   // (M, K), row-major
  ttune::tensor<"B", float, 2> const B{{256, 1024}};  // (K, N)
  auto const C = ttune::compute<"C">(i, j) = ttune::sum(over(k), A(i, k) * B(k, j));
  auto const matmul = ttune::op(inputs(A, B), outputs(C));
  // ttune::compute<"C">(i, j) = A(i);      // does not compile: A has 2 dimensions, 1 index given

  ttune::tuner tuner{ttune::orc_backend{}, {.model = ttune::xgboost{}, .records = ttune::sqlite{"ttune.db"}}};
  auto const tuned = tuner.tune(matmul, {.trials = 256, .time = 10s});  // from the database on the next run
  tuned(a, b, c);                                                       // Eigen matrices, spans, views
  std::cout << tuned.report();
  // [/readme]
}

// [fused]
/// A layer: a product, a bias and the rectifier, in one kernel.
/// Shape: X (rows, 256), W (256, 128), bias (128) -> Y (rows, 128)
auto layer(std::int64_t rows) {
  auto const [i, j, k] = ttune::axes<"i", "j", "k">;
  ttune::tensor<"X", float, 2> const X{{rows, 256}};
  ttune::constant<"W", float, 2> const W{{256, 128}};  // the same in every call: it may be laid out ahead
  ttune::tensor<"bias", float, 1> const bias{{128}};
  auto const Z = ttune::compute<"Z">(i, j) = ttune::sum(over(k), X(i, k) * W(k, j));  // an intermediate stage
  auto const Y = ttune::compute<"Y">(i, j) = ttune::relu(Z(i, j) + bias(j));
  return ttune::op(inputs(X, W, bias), outputs(Y), "layer");
}
// [/fused]

// [window]
/// Three rows around each element are averaged; outside of the image the nearest row counts.
/// Shape: A (height, width) -> B (height, width)
auto smooth(std::int64_t height, std::int64_t width) {
  auto const [y, x] = ttune::axes<"y", "x">;
  ttune::tensor<"A", float, 2> const A{{height, width}};
  auto const inside = ttune::clamp_outside(A);
  auto const B = ttune::compute<"B">(y, x) = (inside(y - 1, x) + inside(y, x) + inside(y + 1, x)) / 3;
  return ttune::op(inputs(A), outputs(B), "smooth");
}
// [/window]

TEST_CASE("tutorial: an operator is compared with plain loops, without any compiler") {
  // [check]
  CHECK(ttune::testing::check(smooth(7, 5), [](auto const& A, auto const& B) {
    for (std::int64_t y = 0; y < 7; ++y)
      for (std::int64_t x = 0; x < 5; ++x) {
        auto const above = std::max<std::int64_t>(y - 1, 0), below = std::min<std::int64_t>(y + 1, 6);
        B(y, x) = (A(above, x) + A(y, x) + A(below, x)) / 3;
      }
  }));
  // [/check]
}

/// Is only compiled, since it would tune for seconds.
[[maybe_unused]] std::string tune_by_effort() {
  // [effort]
  ttune::tuner tuner{ttune::orc_backend{}, {.records = ttune::sqlite{"ttune.db"}}};
  auto const quick = tuner.tune(layer(16), ttune::effort::measure);
  auto const in_5s = std::chrono::steady_clock::now() + 5s;
  auto const better = tuner.tune(layer(16), {.effort = ttune::effort::patient, .deadline = in_5s});  // goes on
  std::cout << better.report().json() << "\n";
  // [/effort]
  return quick.report().text();
}

TEST_CASE("how-to: a schedule under the roof of this machine") {
  auto const [i, j] = ttune::axes<"i", "j">;
  ttune::tensor<"A", float, 2> const A{{64, 64}};
  auto const O = ttune::compute<"O">(j.in(64), i.in(64)) = A(i, j) * 2.0F;
  auto const transpose = ttune::op(inputs(A), outputs(O));
  // [roof]
  ttune::space const chosen = ttune::schedule(transpose, O).reorder(i, j).vectorize(j);
  auto const work = ttune::count_work(ttune::lower(chosen, chosen.seed), ttune::probe_host());
  auto const machine = ttune::measure_roof(*ttune::default_executor());
  auto const judged = ttune::judge(work, machine);
  std::cout << judged.sentence() << "\n";  // store-bound: 100 % of the time is the transposed store of O along O.j
  // [/roof]
  CHECK(judged.known() == machine.known());
  CHECK(judged.sentence().empty() != machine.known());
}

TEST_CASE("tutorial: a layer with its weights laid out ahead") {
  // [tune]
  ttune::tuner tuner{ttune::orc_backend{}};
  auto const kernel = tuner.tune(layer(16), {.trials = 8, .time = 2s});
  // [/tune]
  // [prepare]
  std::vector<float> const x(16 * 256, 0.5F), w(256 * 128, 0.25F), bias(128, 1);
  std::vector<float> y(16 * 128);
  auto const prepared = kernel.prepare(x, w, bias, y);  // lays W out as the loops want it; owns the copy
  prepared(x, w, bias, y);
  // [/prepare]
  CHECK(std::ranges::all_of(y, [](float v) { return v == 33; }));  // 256 · 0.5 · 0.25 + 1
  // [report]
  ttune::tuning_report const& report = kernel.report();
  std::cout << report;                   // all of it, for people
  bool const better = report.gain > 1;   // over the untuned kernel, from a paired comparison
  std::string chosen = report.schedule;  // the knobs of the winner
  // [/report]
  CHECK((better || report.source == ttune::tuning_report::origin::seed));
  CHECK(!chosen.empty());
}

TEST_CASE("tutorial: the second start finds what the first one tuned") {
  ttune_test::temporary_folder const folder;
  auto const file = folder / "ttune.db";
  for (bool const first : {true, false}) {
    // [records]
    ttune::tuner tuner{ttune::orc_backend{}, {.records = ttune::sqlite{file}}};
    auto const kernel = tuner.tune(smooth(64, 64), {.trials = 4});
    bool const found = kernel.report().source == ttune::tuning_report::origin::record;
    // [/records]
    CHECK(found != first);
  }
}

// [argmax]
/// The largest score of each row, and where it is; of equal ones the first.
/// Shape: S (rows, n) -> best (rows), at (rows)
auto argmax(std::int64_t rows, std::int64_t n) {
  auto const [i, k] = ttune::axes<"i", "k">;
  ttune::tensor<"S", float, 2> const S{{rows, n}};
  auto const [best, at] = ttune::reduce<"best", "at">(
      over(k), ttune::identity(-std::numeric_limits<float>::infinity(), 0),
      [](auto left, auto right) {
        auto const take = left.template get<0>() < right.template get<0>();
        return ttune::components(ttune::select(take, right.template get<0>(), left.template get<0>()),
                                 ttune::select(take, right.template get<1>(), left.template get<1>()));
      },
      ttune::law{.associative = true, .commutative = false}, S(i, k), ttune::cast<int>(k));
  auto const Best = ttune::compute<"Best">(i) = best;
  auto const At = ttune::compute<"At">(i) = at;
  return ttune::op(inputs(S), outputs(Best, At), "argmax");
}
// [/argmax]

TEST_CASE("how-to: a reduction of two values") {
  CHECK(ttune::testing::check(argmax(3, 7), [](auto const& S, auto const& Best, auto const& At) {
    for (std::int64_t i = 0; i < 3; ++i) {
      std::int64_t at = 0;
      for (std::int64_t k = 1; k < 7; ++k) at = S(i, k) > S(i, at) ? k : at;
      Best(i) = S(i, at);
      At(i) = static_cast<int>(at);
    }
  }));
}

// [nearest]
/// The three nearest of `n` numbers to each number, and how far they are. Shape: X (m), Y (n) -> at (m, 3), far (m, 3)
auto nearest(std::int64_t m, std::int64_t n) {
  auto const [i, j, r] = ttune::axes<"i", "j", "r">;
  ttune::tensor<"X", float, 1> const X{{m}};
  ttune::tensor<"Y", float, 1> const Y{{n}};
  auto const near = ttune::smallest<"near">(over(j), ttune::abs(X(i) - Y(j)), 3);
  auto const at = ttune::compute<"at">(i, r.in(3)) = near.place(r);
  auto const far = ttune::compute<"far">(i, r.in(3)) = near.value(r);
  return ttune::op(inputs(X, Y), outputs(at, far), "nearest");
}
// [/nearest]

TEST_CASE("how-to: the smallest elements") {
  CHECK(ttune::testing::check(nearest(5, 40), [](auto const& X, auto const& Y, auto const& at, auto const& far) {
    for (std::int64_t i = 0; i < 5; ++i) {
      std::vector<std::pair<float, int>> all;
      for (std::int64_t j = 0; j < 40; ++j) all.emplace_back(std::abs(X(i) - Y(j)), static_cast<int>(j));
      std::sort(all.begin(), all.end());
      for (std::int64_t r = 0; r < 3; ++r) std::tie(far(i, r), at(i, r)) = all[static_cast<std::size_t>(r)];
    }
  }));
}

// [beams]
/// Signals of antennas, turned and added for each direction, and the power of each beam.
/// Shape: W (beams, antennas), X (antennas, times) -> B (beams, times), P (beams)
auto beams(std::int64_t directions, std::int64_t antennas, std::int64_t times) {
  auto const [b, a, t] = ttune::axes<"b", "a", "t">;
  ttune::constant<"W", std::complex<float>, 2> const W{{directions, antennas}};
  ttune::tensor<"X", std::complex<float>, 2> const X{{antennas, times}};
  auto const B = ttune::compute<"B">(b, t) = ttune::sum(over(a), ttune::conj(W(b, a)) * X(a, t));
  auto const P = ttune::compute<"P">(b) = ttune::sum(over(t), ttune::norm(B(b, t)));
  return ttune::op(inputs(W, X), outputs(B, P), "beams");
}
// [/beams]
TEST_CASE("docs: operators of complex elements are what their text says") {
  using number = std::complex<float>;
  CHECK(ttune::testing::check(beams(3, 5, 20), [](auto const& W, auto const& X, auto const& B, auto const& P) {
    for (std::int64_t b = 0; b < 3; ++b) {
      P(b) = 0;
      for (std::int64_t t = 0; t < 20; ++t) {
        number sum = 0;
        for (std::int64_t a = 0; a < 5; ++a) sum += std::conj(W(b, a)) * X(a, t);
        B(b, t) = sum;
        P(b) += std::norm(sum);
      }
    }
  }));
}

// [drawdown]
/// How far each price is below the highest one so far.
/// Shape: P (rows, n) -> D (rows, n)
auto drawdown(std::int64_t rows, std::int64_t n) {
  auto const [i, t, k] = ttune::axes<"i", "t", "k">;
  ttune::tensor<"P", float, 2> const P{{rows, n}};
  auto const highest = ttune::compute<"highest">(i, t.in(n)) =
      ttune::max(over(k), ttune::select(k <= t, P(i, k), -std::numeric_limits<float>::infinity()));
  auto const D = ttune::compute<"D">(i, t.in(n)) = 1 - P(i, t) / highest(i, t);
  return ttune::op(inputs(P), outputs(D), "drawdown");
}
// [/drawdown]

TEST_CASE("how-to: a scan") {
  CHECK(ttune::testing::check(drawdown(3, 7), [](auto const& P, auto const& D) {
    for (std::int64_t i = 0; i < 3; ++i)
      for (std::int64_t t = 0; t < 7; ++t) {
        auto highest = P(i, 0);
        for (std::int64_t k = 1; k <= t; ++k) highest = P(i, k) > highest ? P(i, k) : highest;
        D(i, t) = 1 - P(i, t) / highest;
      }
  }));
}

// [group_means]
/// Means of the values of each group. Shape: G (n), V (n) -> M (groups)
auto group_means(std::int64_t n, std::int64_t groups) {
  auto const [g, i] = ttune::axes<"g", "i">;
  ttune::tensor<"G", std::int32_t, 1> const G{{n}};
  ttune::tensor<"V", float, 1> const V{{n}};
  auto const total = ttune::compute<"total">(g.in(groups)) = ttune::sum(over(i), ttune::select(G(i) == g, V(i), 0));
  auto const members = ttune::compute<"members">(g.in(groups)) = ttune::sum(over(i), ttune::cast<float>(G(i) == g));
  auto const M = ttune::compute<"M">(g.in(groups)) = total(g) / ttune::max(members(g), 1);
  return ttune::op(inputs(G, V), outputs(M), "group_means");
}
// [/group_means]

TEST_CASE("how-to: a scatter") {
  CHECK(ttune::testing::check(group_means(40, 9), [](auto const& G, auto const& V, auto const& M) {
    for (std::int32_t g = 0; g < 9; ++g) {
      float total = 0;
      float members = 0;
      for (std::int64_t i = 0; i < 40; ++i)
        if (G(i) == g) total += V(i), ++members;
      M(g) = total / std::max(members, 1.0F);
    }
  }));
}

TEST_CASE("how-to: tuning in steps, with a clock of the test") {
  // [steps]
  double seconds = 0;
  ttune::live_tuner live{ttune::interpreter_backend{},
                         {},
                         {.effort = ttune::effort::measure,
                          .background = false,
                          .clock = [&] { return seconds += 0.01; },  // a call takes as long as two looks at the clock
                          .processor_seconds = [] { return 0; },
                          .pause = [&](double rest) { seconds += rest; }}};
  auto const kernel = live.tune(smooth(6, 4));
  std::vector<float> const a(24, 2);
  std::vector<float> b(24);
  for (int i = 0; i < 64; ++i) kernel(a, b);
  while (live.step()) continue;
  bool const tuned = live.report().kernels.at(0).now == ttune::live_kernel_report::state::done;
  // [/steps]
  CHECK(tuned);
  CHECK(b == a);
}

/// A backend that computes the cost of a program itself; nothing is compiled for the machine and no trial runs.
// [backend]
class counting_backend final : public ttune::analytic_backend {
 public:
  [[nodiscard]] std::string name() const override { return "counting"; }
  [[nodiscard]] ttune::availability availability() const override { return {}; }
  [[nodiscard]] ttune::target const& target() const override { return inner_.target(); }
  [[nodiscard]] ttune::compile_result compile(ttune::ir::lowered const& program,
                                              ttune::kernel_signature signature) override {
    ++compiled;
    return inner_.compile(program, std::move(signature));
  }
  [[nodiscard]] std::string source(ttune::ir::lowered const& program,
                                   ttune::kernel_signature const& signature) const override {
    return inner_.source(program, signature);
  }
  [[nodiscard]] double seconds(ttune::ir::lowered const& program) const override { return inner_.seconds(program); }

  int compiled = 0;

 private:
  ttune::interpreter_backend inner_;
};
// [/backend]

TEST_CASE("how-to: a custom backend") {
  auto const own = std::make_shared<counting_backend>();
  ttune::tuner tuner{own, {}};
  auto const kernel = tuner.tune(smooth(6, 4), {.trials = 5});
  std::vector<float> const a(24, 2);
  std::vector<float> b(24);
  kernel(a, b);
  CHECK(b == a);
  CHECK(own->compiled > 0);
}

}  // namespace
