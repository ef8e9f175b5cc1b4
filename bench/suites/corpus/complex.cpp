// SPDX-License-Identifier: Apache-2.0
// Complex numbers: products, statistics of antennas, filters, spectra.
#include <ttune/complex.hpp>

#include "operators.hpp"

namespace {

using namespace ttune;
using namespace ttune_bench::corpus;
using single = std::complex<float>;

/// Shape: A (m, k), B (k, n) -> C (m, n)
template <class T>
auto product(index m, index n, index k_size, char const* name) {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", T, 2> const A{{m, k_size}};
  tensor<"B", T, 2> const B{{k_size, n}};
  auto const C = compute<"C">(i, j) = sum(over(k), A(i, k) * B(k, j));
  return op(inputs(A, B), outputs(C), name);
}
auto cgemm(index m, index n, index k) { return product<single>(m, n, k, "cgemm"); }
auto zgemm(index m, index n, index k) { return product<std::complex<double>>(m, n, k, "zgemm"); }

/// The correlations of the signals of antennas.
/// Shape: X (times, n) -> R (n, n)
auto antenna_covariance(index times, index n) {
  auto const [i, j, t] = axes<"i", "j", "t">;
  tensor<"X", single, 2> const X{{times, n}};
  auto const R = compute<"R">(i, j) = sum(over(t), conj(X(t, i)) * X(t, j)) / static_cast<double>(times);
  return op(inputs(X), outputs(R), "antenna_covariance");
}

/// Shape: A (m, n), x (n) -> y (m)
auto cgemv(index m, index n) {
  auto const [i, k] = axes<"i", "k">;
  tensor<"A", single, 2> const A{{m, n}};
  tensor<"x", single, 1> const x{{n}};
  auto const y = compute<"y">(i) = sum(over(k), A(i, k) * x(k));
  return op(inputs(A, x), outputs(y), "cgemv");
}

/// Shape: x, y (n) -> s ()
auto cdot(index n) {
  auto const [i] = axes<"i">;
  tensor<"x", single, 1> const x{{n}};
  tensor<"y", single, 1> const y{{n}};
  auto const s = compute<"s">() = sum(over(i), conj(x(i)) * y(i));
  return op(inputs(x, y), outputs(s), "cdot");
}

/// Shape: x (n + taps - 1), h (taps) -> y (n)
auto complex_fir(index n, index taps) {
  auto const [i, r] = axes<"i", "r">;
  tensor<"x", single, 1> const x{{n + taps - 1}};
  tensor<"h", single, 1> const h{{taps}};
  auto const y = compute<"y">(i.in(n)) = sum(over(r), x(i + r) * h(r));
  return op(inputs(x, h), outputs(y), "complex_fir");
}

/// Moves signals to another frequency and scales them, as mixers do.
/// Shape: x (channels, n), carrier (n), gain (channels) -> y (channels, n)
auto mix(index channels, index n) {
  auto const [c, i] = axes<"c", "i">;
  tensor<"x", single, 2> const x{{channels, n}};
  tensor<"carrier", single, 1> const carrier{{n}};
  tensor<"gain", float, 1> const gain{{channels}};
  auto const y = compute<"y">(c, i) = gain(c) * x(c, i) * conj(carrier(i));
  return op(inputs(x, carrier, gain), outputs(y), "mix");
}

/// The mean power of each frequency, of spectra that follow each other.
/// Shape: X (frames, n) -> P (n)
auto mean_power(index frames, index n) {
  auto const [t, f] = axes<"t", "f">;
  tensor<"X", single, 2> const X{{frames, n}};
  auto const P = compute<"P">(f) = sum(over(t), norm(X(t, f))) / static_cast<double>(frames);
  return op(inputs(X), outputs(P), "mean_power");
}

/// Divides spectra by a response, with a term that keeps small ones from growing (Wiener's filter).
/// Shape: Y (rows, n), H (n) -> X (rows, n)
auto deconvolve(index rows, index n) {
  auto const [y, f] = axes<"y", "f">;
  tensor<"Y", single, 2> const Y{{rows, n}};
  tensor<"H", single, 1> const H{{n}};
  auto const X = compute<"X">(y, f) = Y(y, f) * conj(H(f)) / (norm(H(f)) + 0.01);
  return op(inputs(Y, H), outputs(X), "deconvolve");
}

add_family const complex_numbers{
    {"complex",
     {{"cgemm", "512^3", {512, 512, 512}, {19, 33, 17}, cgemm},
      {"zgemm", "256^3", {256, 256, 256}, {19, 33, 17}, zgemm},
      {"antenna_covariance", "4096 times, 192 antennas", {4096, 192}, {37, 19}, antenna_covariance},
      {"cgemv", "1000 x 1000", {1000, 1000}, {17, 35}, cgemv},
      {"cdot", "a million elements", {1'000'000}, {1037}, cdot, {}, 2e-3},
      {"complex_fir", "100 000 samples, 64 taps", {100'000, 64}, {137, 9}, complex_fir},
      {"mix", "16 channels of 65 536 samples", {16, 65'536}, {3, 137}, mix},
      {"mean_power", "256 spectra of 4096", {256, 4096}, {17, 35}, mean_power},
      {"deconvolve", "1024 x 1024", {1024, 1024}, {7, 35}, deconvolve}}}};

}  // namespace
