// SPDX-License-Identifier: Apache-2.0
// ttune, tuned within the budget and untuned (the heuristic seed), with prepared weights.
#include "ttune.hpp"

#include <ttune/ops/conv2d.hpp>
#include <ttune/ops/matmul.hpp>
#include <ttune/ops/winograd.hpp>

#include <map>

namespace {

using namespace ttune_bench;

/// Returns the earlier result of `find` for this case: a case is tuned once, for all sets of operands.
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

/// Returns the operators with the layouts of a mode for input and output; in mode free these stay free.
template <class Free>
Free in_mode(conv_shape const& s, Free const& op) {
  if (s.mode == "free") return op;
  auto const order = s.channels_last() ? ttune::operand_layout({0, 2, 3, 1}) : ttune::operand_layout(4);
  return op.template with_layout<"I">(order).template with_layout<"O">(order);
}

/// Prepares a convolution. In mode free, input and output have the kernel's layouts and are converted outside of calls.
template <bool Tune>
peer_case prepare_conv(conv_problem const& problem, buffer const& out, options const& chosen) {
  auto const& s = problem.shape;
  ttune::ops::conv2d_shape const shape{s.batch,  s.channels, s.height,  s.width,    s.filters,
                                       s.kernel, s.stride,   s.padding, s.dilation, s.groups};
  auto const& found = found_once(s, chosen, Tune, [&] {
    if constexpr (Tune)
      return find_kernel(in_mode(s, ttune::ops::conv2d_alternatives(shape).with_free_layouts()), chosen, true);
    else return find_kernel(in_mode(s, ttune::ops::conv2d(shape).with_free_layouts()), chosen, false);
  });
  auto const from = s.mode == "free" ? std::make_shared<buffer>(problem.in.size()) : nullptr;
  auto const to = s.mode == "free" ? std::make_shared<buffer>(out.size()) : nullptr;
  if (from) found.template pack<"I">(in(problem.in), out_of(*from));
  auto const image = from ? in(*from) : in(problem.in);
  auto const result = to ? out_of(*to) : out_of(out);
  auto const kernel = found.prepare(image, in(problem.weights), result);
  auto made =
      made_by(found, Tune, [kernel, from, to, image, result, &problem] { kernel(image, in(problem.weights), result); });
  if (to) made.finish = [kernel, to, &out] { kernel.template unpack<"O">(in(*to), out_of(out)); };
  return made;
}

add_system<gemm_problem> const tuned_gemm{{0, "ttune", prepare_gemm<true>}};
add_system<gemm_problem> const untuned_gemm{{1, "ttune-untuned", prepare_gemm<false>}};
add_system<conv_problem> const tuned_conv{{0, "ttune", prepare_conv<true>}};
add_system<conv_problem> const untuned_conv{{1, "ttune-untuned", prepare_conv<false>}};

}  // namespace
