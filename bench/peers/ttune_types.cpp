// SPDX-License-Identifier: Apache-2.0
// ttune on products of narrow elements.
#include <memory>

#include "../types_problem.hpp"
#include "ttune.hpp"

namespace {

using namespace ttune_bench;

template <class T>
std::span<T const> elements(std::vector<std::uint8_t> const& of) {
  return {reinterpret_cast<T const*>(of.data()), of.size() / sizeof(T)};
}

/// Stores sums in memory of their own, since `out` holds floats.
template <class X, class Y, class Sum>
peer_case product(types_problem const& problem, buffer const& out, options const& chosen, bool tune) {
  auto const [i, j, k] = ttune::axes<"i", "j", "k">;
  auto const& s = problem.shape;
  ttune::tensor<"A", X, 2> const A{{s.m, s.k}};
  ttune::constant<"B", Y, 2> const B{{s.k, s.n}};
  auto const C = ttune::compute<"C">(i, j) = sum(over(k), ttune::cast<Sum>(A(i, k)) * ttune::cast<Sum>(B(k, j)));
  auto const found = find_kernel(ttune::op(ttune::inputs(A, B), ttune::outputs(C), "product"), chosen, tune);
  auto const a = elements<X>(problem.a);
  auto const b = elements<Y>(problem.b);
  auto const sums = std::make_shared<std::vector<Sum>>(static_cast<std::size_t>(problem.outputs()));
  auto const kernel = found.prepare(a, b, std::span<Sum>(*sums));
  auto made = made_by(found, tune, [=] { kernel(a, b, std::span<Sum>(*sums)); });
  made.finish = [sums, &out] {
    for (std::size_t e = 0; e < sums->size(); ++e) out.data()[e] = static_cast<float>((*sums)[e]);
  };
  return made;
}

template <bool Tune>
peer_case prepare(types_problem const& problem, buffer const& out, options const& chosen) {
  switch (problem.shape.type) {
    case narrow_type::bytes: return product<std::uint8_t, std::int8_t, std::int32_t>(problem, out, chosen, Tune);
    case narrow_type::bf16: return product<ttune::bf16, ttune::bf16, float>(problem, out, chosen, Tune);
    default: return product<ttune::f16, ttune::f16, float>(problem, out, chosen, Tune);
  }
}

add_system<types_problem> const tuned{{0, "ttune", prepare<true>}};
add_system<types_problem> const untuned{{1, "ttune-untuned", prepare<false>}};

}  // namespace
