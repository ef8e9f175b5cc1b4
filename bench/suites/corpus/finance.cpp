// SPDX-License-Identifier: Apache-2.0
// Finance.
#include "operators.hpp"

namespace {

using namespace ttune_bench::corpus;
using namespace ttune;

/// Prices of European options; rate and volatility are the same for all.
/// Shape: S, K, T (n) -> call, put (n)
auto black_scholes(index n) {
  auto const [i] = axes<"i">;
  tensor<"S", float, 1> const S{{n}};
  tensor<"K", float, 1> const K{{n}};
  tensor<"T", float, 1> const T{{n}};
  double const rate = 0.02, volatility = 0.3;
  auto const root = volatility * sqrt(T(i));
  auto const d1 = (log(S(i) / K(i)) + (rate + 0.5 * volatility * volatility) * T(i)) / root;
  auto const d2 = d1 - root;
  auto const discounted = K(i) * exp(-rate * T(i));
  auto const normal = [](auto const& x) { return 0.5 + 0.5 * erf(x * 0.70710678118654752440); };
  auto const call = compute<"call">(i) = S(i) * normal(d1) - discounted * normal(d2);
  auto const put = compute<"put">(i) = discounted * normal(-d2) - S(i) * normal(-d1);
  return op(inputs(S, K, T), outputs(call, put), "black_scholes");
}

/// The mean payoff of a basket's call over drawn paths (four assets).
/// Shape: Z (paths, 4), drift, volatility (4), strike () -> price ()
auto basket_call(index paths) {
  auto const [i, a] = axes<"i", "a">;
  tensor<"Z", float, 2> const Z{{paths, 4}};
  tensor<"drift", float, 1> const drift{{4}};
  tensor<"volatility", float, 1> const volatility{{4}};
  auto const value = compute<"value">(i) = 25 * sum(over(a), exp(drift(a) + volatility(a) * Z(i, a)));
  auto const price = compute<"price">() = sum(over(i), relu(value(i) - 100)) / static_cast<double>(paths);
  return op(inputs(Z, drift, volatility), outputs(price), "basket_call");
}

/// Losses of a portfolio in scenarios: bonds have the values of their discounted payments.
/// Shape: rates (scenarios), payments (bonds, years) -> V (scenarios, bonds)
auto bonds(index scenarios, index all, index years) {
  auto const [s, b, y] = axes<"s", "b", "y">;
  tensor<"rates", float, 1> const rates{{scenarios}};
  tensor<"payments", float, 2> const payments{{all, years}};
  auto const D = compute<"D">(s, y.in(years)) = exp(-rates(s) * cast<float>(y + 1));
  auto const V = compute<"V">(s, b) = sum(over(y), D(s, y) * payments(b, y));
  return op(inputs(rates, payments), outputs(V), "bonds");
}

/// Means and standard deviations of a price over a moving window.
/// Shape: P (assets, days + window - 1) -> M, S (assets, days)
auto bollinger(index assets, index days, index window) {
  auto const [a, d, t] = axes<"a", "d", "t">;
  tensor<"P", float, 2> const P{{assets, days + window - 1}};
  auto const each = 1 / static_cast<double>(window);
  auto const M = compute<"M">(a, d.in(days)) = each * sum(over(t.in(window)), P(a, d + t));
  auto const Q = compute<"Q">(a, d.in(days)) = each * sum(over(t.in(window)), P(a, d + t) * P(a, d + t));
  auto const S = compute<"S">(a, d) = sqrt(max(Q(a, d) - M(a, d) * M(a, d), 0));
  return op(inputs(P), outputs(M, S), "bollinger");
}

add_family const finance{{"finance",
                          {{"black_scholes",
                            "a million options",
                            {1'000'000},
                            {101},
                            black_scholes,
                            {uniform(10, 100), uniform(10, 100), uniform(0.25, 2)}},
                           {"basket_call",
                            "a million paths of four assets",
                            {1'000'000},
                            {101},
                            basket_call,
                            {uniform(-1.7, 1.7), uniform(0, 0.05), uniform(0.1, 0.4)}},
                           {"bonds",
                            "4096 scenarios, 1000 bonds of 30 years",
                            {4096, 1000, 30},
                            {19, 7, 5},
                            bonds,
                            {uniform(0, 0.05), uniform(0, 10)}},
                           {"bollinger",
                            "500 assets, 2520 days, windows of 20",
                            {500, 2520, 20},
                            {3, 37, 5},
                            bollinger,
                            {uniform(0, 1)},
                            2e-3}}}};

}  // namespace
