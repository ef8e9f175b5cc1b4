// SPDX-License-Identifier: Apache-2.0
// ttune on the operators of suite ops. Operators that are not in ttune/ops are written here.
#include "ttune.hpp"

#include <ttune/ops/conv2d.hpp>
#include <ttune/ops/depthwise_conv2d.hpp>
#include <ttune/ops/elementwise.hpp>
#include <ttune/ops/layer_norm.hpp>
#include <ttune/ops/matmul.hpp>
#include <ttune/ops/pool2d.hpp>
#include <ttune/ops/softmax.hpp>

#include "../ops_problem.hpp"

namespace {

using namespace ttune_bench;

/// (m, n) -> (n, m)
auto transpose(std::int64_t m, std::int64_t n) {
  auto const [i, j] = ttune::axes<"i", "j">;
  ttune::tensor<"A", float, 2> const A{{m, n}};
  auto const T = ttune::compute<"T">(j, i) = A(i, j);
  return ttune::op(inputs(A), outputs(T), "transpose");
}

/// The discrete Laplacian of a cube, zero outside.
auto stencil(std::int64_t n) {
  auto const [z, y, x] = ttune::axes<"z", "y", "x">;
  ttune::tensor<"V", float, 3> const V{{n, n, n}};
  auto const v = ttune::zero_outside(V);
  auto const L = ttune::compute<"L">(z.in(n), y.in(n), x.in(n)) = v(z - 1, y, x) + v(z + 1, y, x) + v(z, y - 1, x) +
                                                                  v(z, y + 1, x) + v(z, y, x - 1) + v(z, y, x + 1) -
                                                                  6 * V(z, y, x);
  return ttune::op(inputs(V), outputs(L), "laplacian");
}

auto sum(std::int64_t n) {
  auto const [i] = ttune::axes<"i">;
  ttune::tensor<"A", float, 1> const A{{n}};
  auto const S = ttune::compute<"S">() = ttune::sum(over(i), A(i));
  return ttune::op(inputs(A), outputs(S), "sum");
}

auto column_sums(std::int64_t m, std::int64_t n) {
  auto const [i, j] = ttune::axes<"i", "j">;
  ttune::tensor<"A", float, 2> const A{{m, n}};
  auto const S = ttune::compute<"S">(j) = ttune::sum(over(i), A(i, j));
  return ttune::op(inputs(A), outputs(S), "column_sums");
}

std::span<double const> wide(buffer const& b) { return {doubles(b), static_cast<std::size_t>(b.size()) / 2}; }
std::span<double> wide_out(buffer const& b) { return {doubles(b), static_cast<std::size_t>(b.size()) / 2}; }

/// Calls `op` with the operands of the problem; constants are prepared.
template <class Op, class... Operands>
peer_case serve(Op const& op, options const& chosen, bool tune, Operands... operands) {
  auto const found = find_kernel(op, chosen, tune);
  auto const kernel = found.prepare(operands...);
  return made_by(found, tune, [=] { kernel(operands...); });
}

template <bool Tune>
peer_case prepare(ops_problem const& p, buffer const& out, options const& chosen) {
  auto const& s = p.shape;
  auto const& c = s.image;
  auto const to = out_of(out);
  ttune::ops::window2d_shape const window{1, c.channels, c.height, c.width, c.kernel, c.stride, c.padding};
  switch (s.what) {
    case operation::conv_bias_relu:
      return serve(
          ttune::ops::conv2d_bias_relu({1, c.channels, c.height, c.width, c.filters, c.kernel, c.stride, c.padding}),
          chosen, Tune, in(p.in[0]), in(p.in[1]), in(p.in[2]), to);
    case operation::conv_nhwc:
      return serve(
          ttune::ops::conv2d_nhwc({1, c.channels, c.height, c.width, c.filters, c.kernel, c.stride, c.padding}), chosen,
          Tune, in(p.in[0]), in(p.in[1]), to);
    case operation::grouped_conv:
      return serve(
          ttune::ops::conv2d({1, c.channels, c.height, c.width, c.filters, c.kernel, c.stride, c.padding, 1, s.groups}),
          chosen, Tune, in(p.in[0]), in(p.in[1]), to);
    case operation::depthwise:
      return serve(ttune::ops::depthwise_conv2d(window), chosen, Tune, in(p.in[0]), in(p.in[1]), to);
    case operation::max_pool: return serve(ttune::ops::max_pool2d(window), chosen, Tune, in(p.in[0]), to);
    case operation::avg_pool: return serve(ttune::ops::avg_pool2d(window), chosen, Tune, in(p.in[0]), to);
    case operation::softmax: return serve(ttune::ops::softmax(s.m, s.n), chosen, Tune, in(p.in[0]), to);
    case operation::layer_norm:
      return serve(ttune::ops::layer_norm(s.m, s.n), chosen, Tune, in(p.in[0]), in(p.in[1]), in(p.in[2]), to);
    case operation::bias_gelu:
      return serve(ttune::ops::bias_gelu(s.m, s.n), chosen, Tune, in(p.in[0]), in(p.in[1]), to);
    case operation::transpose: return serve(transpose(s.m, s.n), chosen, Tune, in(p.in[0]), to);
    case operation::stencil: return serve(stencil(s.n), chosen, Tune, in(p.in[0]), to);
    case operation::batched_matmul:
      return serve(ttune::ops::batched_matmul(s.batch, s.m, s.n, s.k), chosen, Tune, in(p.in[0]), in(p.in[1]), to);
    case operation::matmul_nt:
      return serve(ttune::ops::matmul(s.m, s.n, s.k, {.b = true}), chosen, Tune, in(p.in[0]), in(p.in[1]), to);
    case operation::matmul_f64:
      return serve(ttune::ops::matmul<double>(s.m, s.n, s.k), chosen, Tune, wide(p.in[0]), wide(p.in[1]),
                   wide_out(out));
    case operation::sum: return serve(sum(s.n), chosen, Tune, in(p.in[0]), to);
    case operation::column_sums: return serve(column_sums(s.m, s.n), chosen, Tune, in(p.in[0]), to);
  }
  return without("ttune", "no such operator");
}

add_system<ops_problem> const tuned{{0, "ttune", prepare<true>}};
add_system<ops_problem> const untuned{{1, "ttune-untuned", prepare<false>}};

}  // namespace
