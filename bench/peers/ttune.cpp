// SPDX-License-Identifier: Apache-2.0
// ttune, tuned within the budget and untuned (the heuristic seed), with weights laid out ahead.
#include "ttune.hpp"

#include <ttune/ops/conv2d.hpp>
#include <ttune/ops/matmul.hpp>
#include <ttune/ops/winograd.hpp>

#include <map>

namespace {

using namespace ttune_bench;

/// What `find` found for this case before: a case is tuned once, however many sets of operands it is prepared for.
template <class Shape, class Find>
auto const& found_once(Shape const& shape, options const& chosen, bool tune, Find const& find) {
  static std::map<std::string, decltype(find())> all;
  auto const key = shape.name + (tune ? " tuned " : " untuned ") + shape.mode + " x" + std::to_string(chosen.threads);
  auto at = all.find(key);
  if (at == all.end()) at = all.emplace(key, find()).first;
  return at->second;
}

/// Shape: A (M, K), B (K, N) constant -> C (M, N), row-major
auto matmul_by_constant(gemm_shape const& s) {
  using namespace ttune;
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", float, 2> const A{{s.m, s.k}};
  constant<"B", float, 2> const B{{s.k, s.n}};
  auto const C = compute<"C">(i, j) = sum(over(k), A(i, k) * B(k, j));
  return op(inputs(A, B), outputs(C), "matmul_by_constant");
}

template <bool Tune>
peer_case prepare_gemm(gemm_problem const& problem, buffer const& out, options const& chosen) {
  auto const& s = problem.shape;
  auto const run = [&](auto const& found, auto const& kernel) {
    return made_by(found, Tune, [kernel, &problem, &out] { kernel(in(problem.a), in(problem.b), out_of(out)); });
  };
  if (s.mode == "packed") {
    auto const& found = found_once(s, chosen, Tune, [&] { return find_kernel(matmul_by_constant(s), chosen, Tune); });
    return run(found, found.prepare(in(problem.a), in(problem.b), out_of(out)));
  }
  auto const& found =
      found_once(s, chosen, Tune, [&] { return find_kernel(ttune::ops::matmul(s.m, s.n, s.k), chosen, Tune); });
  return run(found, found);
}

/// (F, C, R, S) -> (R, S, C, F)
buffer filters_last(conv_shape const& s, buffer const& weights) {
  buffer made(weights.size());
  auto const taps = s.kernel * s.kernel;
  for (std::int64_t f = 0; f < s.filters; ++f)
    for (std::int64_t c = 0; c < s.channels; ++c)
      for (std::int64_t t = 0; t < taps; ++t)
        made.data()[(t * s.channels + c) * s.filters + f] = weights.data()[(f * s.channels + c) * taps + t];
  return made;
}

template <bool Tune>
peer_case prepare_conv(conv_problem const& problem, buffer const& out, options const& chosen) {
  auto const& s = problem.shape;
  ttune::ops::conv2d_shape const shape{s.batch,   s.channels, s.height, s.width,
                                       s.filters, s.kernel,   s.stride, s.padding};
  if (s.channels_last()) {
    auto const& found =
        found_once(s, chosen, Tune, [&] { return find_kernel(ttune::ops::conv2d_nhwc(shape), chosen, Tune); });
    auto const weights = std::make_shared<buffer>(filters_last(s, problem.weights));
    auto const kernel = found.prepare(in(problem.in), in(*weights), out_of(out));
    return made_by(found, Tune,
                   [kernel, weights, &problem, &out] { kernel(in(problem.in), in(*weights), out_of(out)); });
  }
  auto const& found = found_once(s, chosen, Tune, [&] {
    if constexpr (Tune) return find_kernel(ttune::ops::conv2d_alternatives(shape), chosen, true);
    else return find_kernel(ttune::ops::conv2d(shape), chosen, false);
  });
  auto const kernel = found.prepare(in(problem.in), in(problem.weights), out_of(out));
  return made_by(found, Tune, [kernel, &problem, &out] { kernel(in(problem.in), in(problem.weights), out_of(out)); });
}

add_system<gemm_problem> const tuned_gemm{{0, "ttune", prepare_gemm<true>}};
add_system<gemm_problem> const untuned_gemm{{1, "ttune-untuned", prepare_gemm<false>}};
add_system<conv_problem> const tuned_conv{{0, "ttune", prepare_conv<true>}};
add_system<conv_problem> const untuned_conv{{1, "ttune-untuned", prepare_conv<false>}};

}  // namespace
