// SPDX-License-Identifier: Apache-2.0
// Suite strided: kernels of parts of larger matrices against kernels of whole matrices, and against copying the parts.
#include <ttune/backends/orc.hpp>
#include <ttune/ops/matmul.hpp>
#include <ttune/ops/softmax.hpp>
#include <ttune/ttune.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "../figures.hpp"
#include "../suite.hpp"

namespace {

using namespace ttune_bench;

constexpr std::int64_t line_floats = 16;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// A row-major matrix, or a vector of one row, as a part of a larger one whose rows are whole cache lines.
class part {
 public:
  part(std::int64_t rows, std::int64_t columns, std::int64_t gap)
      : rows_(rows),
        columns_(columns),
        pitch_(gap == 0 ? columns : (columns + line_floats - 1) / line_floats * line_floats + gap),
        memory_(static_cast<std::size_t>(rows * pitch_ + line_floats), 0.5F) {
    auto const address = reinterpret_cast<std::uintptr_t>(memory_.data());
    first_ = (64 - address % 64) % 64 / sizeof(float);
  }
  [[nodiscard]] ttune::strided_view<float, 2> strided() { return {data(), {rows_, columns_}, {pitch_, 1}}; }
  [[nodiscard]] ttune::view<float, 2> dense() { return {data(), {rows_, columns_}}; }
  void copy_from(part const& other) {
    for (std::int64_t r = 0; r < rows_; ++r)
      std::copy_n(other.memory_.data() + other.first_ + r * other.pitch_, columns_, data() + r * pitch_);
  }

 private:
  [[nodiscard]] float* data() { return memory_.data() + first_; }
  std::int64_t rows_, columns_, pitch_;
  std::vector<float> memory_;
  std::size_t first_ = 0;
};

/// Returns the least of several times of a call, with others in turn.
template <std::size_t Count>
std::array<double, Count> least_seconds(std::array<std::function<void()>, Count> const& calls, int rounds) {
  std::array<double, Count> best;
  std::array<int, Count> repeats;
  for (std::size_t i = 0; i < Count; ++i) {
    calls[i]();
    auto const began = now();
    calls[i]();
    best[i] = now() - began;
    repeats[i] = std::max(1, static_cast<int>(1e-3 / std::max(best[i], 1e-9)));
  }
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < Count; ++i) {
      auto const began = now();
      for (int n = 0; n < repeats[i]; ++n) calls[i]();
      best[i] = std::min(best[i], (now() - began) / repeats[i]);
    }
  return best;
}

/// Calls a kernel with the parts that `as` makes of its operands.
template <class Kernel, std::size_t N, class As, std::size_t... I>
void call_with(Kernel const& kernel, std::array<part, N>& operands, As const& as, std::index_sequence<I...>) {
  kernel(as(operands[I])...);
}

/// Matrices of two dimensions each; the last one is the result.
template <std::size_t N, class Op>
void measure(std::string const& name, Op const& op, std::array<std::pair<std::int64_t, std::int64_t>, N> const& shapes,
             options const& chosen, figure_table& table) {
  if (!chosen.wants_case(name)) return;
  ttune::tuning_budget budget;
  budget.time = std::chrono::duration<double>(chosen.has_budget ? chosen.budget_seconds : 4);
  if (chosen.trials > 0) budget.trials = chosen.trials;
  ttune::tuner tuner(ttune::orc_backend{});
  auto const dense = tuner.tune(op, budget);
  auto const strided = tuner.tune(op.with_strides(), budget);
  auto const parts = [&]<std::size_t... I>(std::index_sequence<I...>, std::int64_t gap) {
    return std::array<part, N>{part(shapes[I].first, shapes[I].second, gap)...};
  };
  constexpr auto each = std::make_index_sequence<N>();
  auto whole = parts(each, 0);
  auto larger = parts(each, 4 * line_floats);
  auto const as_view = [](part& p) { return p.dense(); };
  auto const as_strided = [](part& p) { return p.strided(); };
  auto const seconds = least_seconds<3>(
      {[&] { call_with(dense, whole, as_view, each); }, [&] { call_with(strided, larger, as_strided, each); },
       [&] {
         for (std::size_t i = 0; i + 1 < N; ++i) whole[i].copy_from(larger[i]);
         call_with(dense, whole, as_view, each);
         larger[N - 1].copy_from(whole[N - 1]);
       }},
      chosen.samples);
  char text[160];
  std::snprintf(text, sizeof text, "%s, without gaps %s: %.3f of its speed; copying %s: %.2f times as long",
                time_text(seconds[1]).c_str(), time_text(seconds[0]).c_str(), seconds[0] / seconds[1],
                time_text(seconds[2]).c_str(), seconds[2] / seconds[1]);
  table.add({"", name, "ttune:strided", seconds[1]}, text);
}

/// Shape: I (h + 2, w + 2) -> O (h, w)
auto blur3(std::int64_t h, std::int64_t w) {
  auto const [y, x, r, s] = ttune::axes<"y", "x", "r", "s">;
  ttune::tensor<"I", float, 2> const I{{h + 2, w + 2}};
  auto const O = ttune::compute<"O">(y.in(h), x.in(w)) =
      ttune::sum(over(r.in(3), s.in(3)), I(y + r, x + s)) * (1.0F / 9);
  return ttune::op(inputs(I), outputs(O), "blur3");
}

/// Shape: I (h, w) -> O (w, h)
auto transpose(std::int64_t h, std::int64_t w) {
  auto const [y, x] = ttune::axes<"y", "x">;
  ttune::tensor<"I", float, 2> const I{{h, w}};
  auto const O = ttune::compute<"O">(x, y) = I(y, x);
  return ttune::op(inputs(I), outputs(O), "transpose");
}

int run(options const& chosen) {
  figure_table table("strided", chosen,
                     "parts of larger matrices, all operands strided; rows are whole cache lines, four lines apart");
  measure<3>("matmul 256", ttune::ops::matmul(256, 256, 256), {{{256, 256}, {256, 256}, {256, 256}}}, chosen, table);
  measure<3>("matmul 1024x512", ttune::ops::matmul(1024, 512, 768), {{{1024, 768}, {768, 512}, {1024, 512}}}, chosen,
             table);
  measure<3>("matmul 8x1024", ttune::ops::matmul(8, 1024, 1024), {{{8, 1024}, {1024, 1024}, {8, 1024}}}, chosen, table);
  measure<2>("softmax", ttune::ops::softmax(512, 1024), {{{512, 1024}, {512, 1024}}}, chosen, table);
  measure<2>("blur3", blur3(512, 1024), {{{514, 1026}, {512, 1024}}}, chosen, table);
  measure<2>("transpose", transpose(512, 768), {{{512, 768}, {768, 512}}}, chosen, table);
  return table.status();
}

add_suite const strided_suite{{"strided", "parts of larger matrices against whole ones and against copies", run}};

}  // namespace
