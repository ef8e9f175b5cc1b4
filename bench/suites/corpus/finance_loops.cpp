// SPDX-License-Identifier: Apache-2.0
// Finance as plain loops.
#include <cmath>
#include <vector>

#include "product_loops.hpp"

namespace {

using namespace ttune_bench::corpus;

void black_scholes(index n, float const* __restrict S, float const* __restrict K, float const* __restrict T,
                   float* __restrict call, float* __restrict put) {
  constexpr float rate = 0.02F, volatility = 0.3F;
#pragma omp parallel for simd
  for (index i = 0; i < n; ++i) {
    float const root = volatility * std::sqrt(T[i]);
    float const d1 = (std::log(S[i] / K[i]) + (rate + 0.5F * volatility * volatility) * T[i]) / root;
    float const d2 = d1 - root;
    float const discounted = K[i] * std::exp(-rate * T[i]);
    float const n1 = 0.5F + 0.5F * std::erf(d1 * 0.70710678F), n2 = 0.5F + 0.5F * std::erf(d2 * 0.70710678F);
    call[i] = S[i] * n1 - discounted * n2;
    put[i] = discounted * (1 - n2) - S[i] * (1 - n1);
  }
}

void basket_call(index paths, float const* __restrict Z, float const* __restrict drift,
                 float const* __restrict volatility, float* __restrict price) {
  float total = 0;
#pragma omp parallel for simd reduction(+ : total)
  for (index i = 0; i < paths; ++i) {
    float value = 0;
    for (index a = 0; a < 4; ++a) value += std::exp(drift[a] + volatility[a] * Z[4 * i + a]);
    total += larger(25 * value - 100, 0.0F);
  }
  price[0] = total / static_cast<float>(paths);
}

void bonds(index scenarios, index all, index years, float const* rates, float const* payments, float* V) {
  std::vector<float> factors(static_cast<std::size_t>(scenarios * years)),
      by_year(static_cast<std::size_t>(all * years));
  float *const D = factors.data(), *const T = by_year.data();
#pragma omp parallel for
  for (index s = 0; s < scenarios; ++s)
#pragma omp simd
    for (index y = 0; y < years; ++y)
      D[s * years + y] = std::exp(-rates[s] * static_cast<float>(static_cast<int>(y + 1)));
  for (index b = 0; b < all; ++b)
    for (index y = 0; y < years; ++y) T[y * all + b] = payments[b * years + y];
  multiply(
      scenarios, all, years, [&](index s, index y) { return D[s * years + y]; }, T, all,
      [&](index s, index b, float total) { V[s * all + b] = total; });
}

/// Computes neighbouring days in the lanes of vectors.
void bollinger(index assets, index days, index window, float const* __restrict P, float* __restrict M,
               float* __restrict S) {
  constexpr index block = 64;
#pragma omp parallel for
  for (index a = 0; a < assets; ++a)
    for (index from = 0; from < days; from += block) {
      auto const some = smaller(block, days - from);
      float const* const p = P + a * (days + window - 1) + from;
      float total[block] = {}, squares[block] = {};
      for (index t = 0; t < window; ++t)
#pragma omp simd
        for (index d = 0; d < some; ++d) total[d] += p[d + t], squares[d] += p[d + t] * p[d + t];
#pragma omp simd
      for (index d = 0; d < some; ++d) {
        float const mean = total[d] / static_cast<float>(window);
        M[a * days + from + d] = mean;
        S[a * days + from + d] = std::sqrt(larger(squares[d] / static_cast<float>(window) - mean * mean, 0.0F));
      }
    }
}

add_functions const all{
    "openmp",
    {{"black_scholes", black_scholes}, {"basket_call", basket_call}, {"bonds", bonds}, {"bollinger", bollinger}}};

}  // namespace
