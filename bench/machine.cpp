// SPDX-License-Identifier: Apache-2.0
// Peak arithmetic and copy bandwidth.
#include "machine.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace ttune_bench {

namespace {

using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point start) { return std::chrono::duration<double>(clock::now() - start).count(); }

/// Each returns the floating-point operations that it did. Sixteen or twelve independent chains cover latency times
/// throughput of all known cores without spilling; the result escapes, so that nothing is left out.
#if defined(__x86_64__)
__attribute__((target("avx512f"))) double work_avx512(float* sink) {
  __m512 sums[16];
  for (int i = 0; i < 16; ++i) sums[i] = _mm512_set1_ps(sink[i]);
  auto const a = _mm512_set1_ps(0.999F), b = _mm512_set1_ps(1e-3F);
  for (int n = 0; n < 4096; ++n) {
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) sums[i] = _mm512_fmadd_ps(sums[i], a, b);
  }
  float lanes[16];
  for (int i = 0; i < 16; ++i) {
    _mm512_storeu_ps(lanes, sums[i]);
    sink[i] = lanes[0];
  }
  return 4096.0 * 16 * 16 * 2;
}
__attribute__((target("avx2,fma"))) double work_avx2(float* sink) {
  __m256 sums[12];
  for (int i = 0; i < 12; ++i) sums[i] = _mm256_set1_ps(sink[i]);
  auto const a = _mm256_set1_ps(0.999F), b = _mm256_set1_ps(1e-3F);
  for (int n = 0; n < 4096; ++n) {
#pragma GCC unroll 12
    for (int i = 0; i < 12; ++i) sums[i] = _mm256_fmadd_ps(sums[i], a, b);
  }
  float lanes[8];
  for (int i = 0; i < 12; ++i) {
    _mm256_storeu_ps(lanes, sums[i]);
    sink[i] = lanes[0];
  }
  return 4096.0 * 12 * 8 * 2;
}
#endif

/// What the compiler makes of it: on AArch64 full vectors of fused multiply-adds.
double work_portable(float* sink) {
  using vector [[gnu::vector_size(16)]] = float;
  vector sums[12];
  for (int i = 0; i < 12; ++i) sums[i] = vector{} + sink[i];
  vector const a = vector{} + 0.999F, b = vector{} + 1e-3F;
  for (int n = 0; n < 4096; ++n) {
#pragma GCC unroll 12
    for (int i = 0; i < 12; ++i) sums[i] = sums[i] * a + b;
  }
  for (int i = 0; i < 12; ++i) sink[i] = sums[i][0];
  return 4096.0 * 12 * 4 * 2;
}

double (*best_work())(float*) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return work_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return work_avx2;
#endif
  return work_portable;
}

/// Runs `work`, which returns an amount, on all threads from a common start until `seconds` are over; the sum of rates.
template <class Work>
double rate(int threads, double seconds, Work const& work) {
  std::atomic<int> ready{0};
  std::vector<double> rates(static_cast<std::size_t>(threads));
  auto const body = [&](int t) {
    auto task = work(t);
    task();
    for (++ready; ready < threads;) std::this_thread::yield();
    double amount = 0;
    auto const start = clock::now();
    while (seconds_since(start) < seconds) amount += task();
    rates[static_cast<std::size_t>(t)] = amount / seconds_since(start);
  };
  std::vector<std::thread> others;
  for (int t = 1; t < threads; ++t) others.emplace_back(body, t);
  body(0);
  double sum = rates[0];
  for (int t = 1; t < threads; ++t) {
    others[static_cast<std::size_t>(t - 1)].join();
    sum += rates[static_cast<std::size_t>(t)];
  }
  return sum;
}

}  // namespace

double fma_peak(int threads, double seconds) {
  return rate(threads, seconds, [work = best_work()](int) {
    return [work, sink = std::vector<float>(16, 0.5F)]() mutable { return work(sink.data()); };
  });
}

double copy_bandwidth(int threads, double seconds) {
  constexpr std::size_t bytes = std::size_t{64} << 20;
  return rate(threads, seconds, [](int) {
    return [from = std::vector<char>(bytes, 1), to = std::vector<char>(bytes, 2)]() mutable {
      std::memcpy(to.data(), from.data(), bytes);
      return 2.0 * static_cast<double>(bytes);
    };
  });
}

}  // namespace ttune_bench
