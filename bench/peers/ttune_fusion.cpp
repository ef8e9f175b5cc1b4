// SPDX-License-Identifier: Apache-2.0
// ttune on the operations of suite fusion. Operations that are not in ttune/ops are written here.
#include "ttune.hpp"

#include <ttune/ops/attention.hpp>
#include <ttune/ops/block_differences.hpp>
#include <ttune/ops/depthwise_conv2d.hpp>
#include <ttune/ops/fused.hpp>
#include <ttune/ops/layer_norm.hpp>

#include "../fusion_problem.hpp"

namespace {

using namespace ttune_bench;

/// Weights all 27 neighbours in a cube, zero outside; neighbours at one distance are added first.
auto stencil27(std::int64_t n) {
  auto const [z, y, x] = ttune::axes<"z", "y", "x">;
  ttune::tensor<"V", float, 3> const V{{n, n, n}};
  auto const v = ttune::zero_outside(V);
  auto const at = [&](auto const& dz, auto const& dy) {  // an element of a row and its two neighbours
    return std::pair(v(dz, dy, x), v(dz, dy, x - 1) + v(dz, dy, x + 1));
  };
  auto const [centre, centre_sides] = at(z, y);
  auto const [n0, s0] = at(z - 1, y);
  auto const [n1, s1] = at(z + 1, y);
  auto const [n2, s2] = at(z, y - 1);
  auto const [n3, s3] = at(z, y + 1);
  auto const [f0, c0] = at(z - 1, y - 1);
  auto const [f1, c1] = at(z - 1, y + 1);
  auto const [f2, c2] = at(z + 1, y - 1);
  auto const [f3, c3] = at(z + 1, y + 1);
  auto const& w = stencil27_weights;
  auto const L = ttune::compute<"L">(z.in(n), y.in(n), x.in(n)) =
      w[0] * centre + w[1] * (centre_sides + n0 + n1 + n2 + n3) + w[2] * (s0 + s1 + s2 + s3 + f0 + f1 + f2 + f3) +
      w[3] * (c0 + c1 + c2 + c3);
  return ttune::op(inputs(V), outputs(L), "stencil27");
}

struct functions_of_dsl {
  static auto tanh(auto const& e) { return ttune::tanh(e); }
  static auto exp(auto const& e) { return ttune::exp(e); }
  static auto sqrt(auto const& e) { return ttune::sqrt(e); }
  static auto abs(auto const& e) { return ttune::abs(e); }
  static auto max(auto const& a, auto const& b) { return ttune::max(a, b); }
};

auto chain(std::int64_t n) {
  auto const [i] = ttune::axes<"i">;
  ttune::tensor<"X", float, 1> const X{{n}};
  ttune::tensor<"Y", float, 1> const Y{{n}};
  auto const Z = ttune::compute<"Z">(i) = chained(functions_of_dsl{}, X(i), Y(i));
  return ttune::op(inputs(X, Y), outputs(Z), "chain");
}

/// Calls `op` with the operands of the problem; constants are prepared.
template <class Op, class... Operands>
peer_case serve(Op const& op, options const& chosen, bool tune, Operands... operands) {
  auto const found = find_kernel(op, chosen, tune);
  auto const kernel = found.prepare(operands...);
  return made_by(found, tune, [=] { kernel(operands...); });
}

peer_case prepare(fusion_problem const& p, buffer const& out, options const& chosen, bool tune) {
  auto const& s = p.shape;
  auto const& c = s.image;
  auto const to = out_of(out);
  auto const operand = [&](std::size_t i) { return in(p.in[i]); };
  switch (s.what) {
    case fusion::conv_residual:
      return serve(ttune::ops::conv2d_bias_residual_relu(
                       {1, c.channels, c.height, c.width, c.filters, c.kernel, c.stride, c.padding}),
                   chosen, tune, operand(0), operand(1), operand(2), operand(3), to);
    case fusion::matmul_gelu:
      return serve(ttune::ops::matmul_bias_gelu(s.m, s.n, s.k), chosen, tune, operand(0), operand(1), operand(2), to);
    case fusion::attention:
      return serve(ttune::ops::attention(s.m, s.n, s.k), chosen, tune, operand(0), operand(1), operand(2), to);
    case fusion::depthwise_pointwise:
      return serve(
          ttune::ops::depthwise_pointwise({1, c.channels, c.height, c.width, c.kernel, c.stride, c.padding}, c.filters),
          chosen, tune, operand(0), operand(1), operand(2), to);
    case fusion::layer_norm:
      return serve(ttune::ops::layer_norm(s.m, s.n), chosen, tune, operand(0), operand(1), operand(2), to);
    case fusion::mttkrp:
      return serve(ttune::ops::mttkrp(s.batch, s.m, s.k, s.n), chosen, tune, operand(0), operand(1), operand(2), to);
    case fusion::small_products:
      return serve(ttune::ops::batched_matmul(s.batch, s.m, s.n, s.k), chosen, tune, operand(0), operand(1), to);
    case fusion::stencil27: return serve(stencil27(s.n), chosen, tune, operand(0), to);
    case fusion::chain: return serve(chain(s.n), chosen, tune, operand(0), operand(1), to);
    case fusion::absolute_differences: {
      std::span<std::uint8_t const> const blocks{bytes_of(p.in[0]), static_cast<std::size_t>(s.m * s.n * 256)};
      std::span<std::uint8_t const> const image{bytes_of(p.in[1]),
                                                static_cast<std::size_t>(s.search_height() * s.search_width())};
      std::span<std::int32_t> const sums{integers_of(out), static_cast<std::size_t>(s.outputs())};
      return serve(ttune::ops::block_differences({s.m, s.n, 16, s.displacements()}), chosen, tune, blocks, image, sums);
    }
  }
  return without("ttune", "no such operation");
}

add_system<fusion_problem> const tuned{
    {0, "ttune", [](auto const& p, auto const& out, auto const& chosen) { return prepare(p, out, chosen, true); }}};
add_system<fusion_problem> const untuned{{1, "ttune-untuned", [](auto const& p, auto const& out, auto const& chosen) {
                                            return prepare(p, out, chosen, false);
                                          }}};

}  // namespace
