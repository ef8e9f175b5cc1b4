// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ttune/core/target.hpp"
#include "ttune/runtime/machine.inl.hpp"
#include "ttune/runtime/measure_roof.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

// Each function runs `rounds` rounds of eight instructions on whole vectors. Those that access memory go through
// [at, end) once instead, which is a multiple of eight vectors: reads go through its four quarters side by side, since
// one stream alone does not get all of the bandwidth of memory.
#if defined(__x86_64__)
#define TTUNE_ROOF_REGISTERS "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm14", "xmm15", "cc"
#define TTUNE_ROOF_READ(r, bytes)                                                                        \
  asm volatile("1:\n.irp n,0,1\nvmovups " bytes "*\\n(%0), %%" r "0\nvmovups " bytes "*\\n(%0,%2), %%" r \
               "1\nvmovups " bytes "*\\n(%0,%2,2), %%" r "2\nvmovups " bytes "*\\n(%0,%3), %%" r         \
               "3\n.endr\nadd $2*" bytes ", %0\ncmp %1, %0\njb 1b\nvzeroupper"                           \
               : "+r"(at)                                                                                \
               : "r"(at + quarter), "r"(quarter), "r"(3 * quarter)                                       \
               : TTUNE_ROOF_REGISTERS, "memory")
#define TTUNE_ROOF_WRITE(r, bytes)                                                                       \
  asm volatile("1:\n.irp n,0,1,2,3,4,5,6,7\nvmovups %%" r "\\n, " bytes "*\\n(%0)\n.endr\nadd $8*" bytes \
               ", %0\ncmp %1, %0\njb 1b\nvzeroupper"                                                     \
               : "+r"(at)                                                                                \
               : "r"(end)                                                                                \
               : TTUNE_ROOF_REGISTERS, "memory")
#define TTUNE_ROOF_ROUNDS(r, first, each)                                                                         \
  asm volatile("vbroadcastss %1, %%" r "14\nvbroadcastss %1, %%" r "15\nvbroadcastss %1, %%" r                    \
               "0\n"                                                                                              \
               "1:\n.irp n,0,1,2,3,4,5,6,7\n" first " %%" r "14, %%" r each "\n.endr\ndec %0\njnz 1b\nvzeroupper" \
               : "+r"(rounds)                                                                                     \
               : "m"(number)                                                                                      \
               : TTUNE_ROOF_REGISTERS)

[[nodiscard]] inline bool has_wide_vectors() noexcept { return host_feature("avx512f", false); }

inline void read_vectors(char* at, char const* end) {
  auto const quarter = (end - at) / 4;
  if (has_wide_vectors()) TTUNE_ROOF_READ("zmm", "64");
  else TTUNE_ROOF_READ("ymm", "32");
}
inline void write_vectors(char* at, char const* end) {
  if (has_wide_vectors()) TTUNE_ROOF_WRITE("zmm", "64");
  else TTUNE_ROOF_WRITE("ymm", "32");
}
inline void divide_vectors(std::int64_t rounds) {
  float const number = 1.5F;
  if (has_wide_vectors()) TTUNE_ROOF_ROUNDS("zmm", "vdivps %%zmm15,", "\\n");
  else TTUNE_ROOF_ROUNDS("ymm", "vdivps %%ymm15,", "\\n");
}
inline void add_in_chain(std::int64_t rounds) {
  float const number = 0;
  if (has_wide_vectors()) TTUNE_ROOF_ROUNDS("zmm", "vaddps %%zmm0,", "0");
  else TTUNE_ROOF_ROUNDS("ymm", "vaddps %%ymm0,", "0");
}
#undef TTUNE_ROOF_ROUNDS
#undef TTUNE_ROOF_WRITE
#undef TTUNE_ROOF_READ
#undef TTUNE_ROOF_REGISTERS
#elif defined(__aarch64__)
#define TTUNE_ROOF_ROUNDS(instruction)                                                                            \
  asm volatile("fmov v0.4s, #1.5\nfmov v30.4s, #1.5\nfmov v31.4s, #1.5\n1:\n.irp n,0,1,2,3,4,5,6,7\n" instruction \
               "\n.endr\nsubs %0, %0, #1\nb.ne 1b"                                                                \
               : "+r"(rounds)                                                                                     \
               :                                                                                                  \
               : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v30", "v31", "cc")

[[nodiscard]] inline bool has_wide_vectors() noexcept { return false; }
inline void read_vectors(char* at, char const* end) {
  auto const quarter = (end - at) / 4;
  auto *second = at + quarter, *third = second + quarter, *fourth = third + quarter;
  asm volatile(
      "1:\nldp q0, q1, [%0], #32\nldp q2, q3, [%1], #32\nldp q4, q5, [%2], #32\nldp q6, q7, [%3], #32\ncmp %3, "
      "%4\nb.lo 1b"
      : "+r"(at), "+r"(second), "+r"(third), "+r"(fourth)
      : "r"(end)
      : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "cc", "memory");
}
inline void write_vectors(char* at, char const* end) {
  asm volatile(
      "1:\nstp q0, q1, [%0]\nstp q2, q3, [%0, #32]\nstp q4, q5, [%0, #64]\nstp q6, q7, [%0, #96]\nadd %0, %0, #128\n"
      "cmp %0, %1\nb.lo 1b"
      : "+r"(at)
      : "r"(end)
      : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "cc", "memory");
}
inline void divide_vectors(std::int64_t rounds) { TTUNE_ROOF_ROUNDS("fdiv v\\n\\().4s, v30.4s, v31.4s"); }
inline void add_in_chain(std::int64_t rounds) { TTUNE_ROOF_ROUNDS("fadd v0.4s, v0.4s, v31.4s"); }
#undef TTUNE_ROOF_ROUNDS
#else
[[nodiscard]] inline bool has_wide_vectors() noexcept { return false; }
inline void read_vectors(char*, char const*) {}
inline void write_vectors(char*, char const*) {}
inline void divide_vectors(std::int64_t) {}
inline void add_in_chain(std::int64_t) {}
#endif

/// Measures the resources of one machine.
class roof_measurement {
 public:
  roof_measurement(executor& on, double seconds) : on_(on), seconds_(seconds), host_(probe_host()) {}

  [[nodiscard]] machine_roof measure() {
    machine_roof made;
    made.target = host_.name;
    made.threads = std::max(1, on_.threads());
    auto const lanes = fma_rounds(dtype::f32, 1);
    if (lanes == 0) return made;
    vector_ = static_cast<std::int64_t>(lanes) * 4;
    made.arithmetic = each_of(12, [](std::int64_t rounds) { fma_rounds(dtype::f32, rounds); });
    made.division = each_of(8, divide_vectors);
    made.latency = each_of(8, add_in_chain);
    auto const in_l1 = host_.l1_bytes / 2;
    made.load = static_cast<double>(vector_) / stream(in_l1, 1, read_vectors);
    made.store = static_cast<double>(vector_) / stream(in_l1, 1, write_vectors);
    made.start = start();
    measure_bandwidth(made);
    return made;
  }

 private:
  /// Returns the seconds of one of `count` instructions of a round.
  template <class Rounds>
  [[nodiscard]] double each_of(double count, Rounds const& work) const {
    constexpr std::int64_t rounds = 20'000;
    auto const took = fastest_runs(1, seconds_, [&](std::int32_t) { work(rounds); });
    return took.back() / (count * static_cast<double>(rounds));
  }

  /// Returns the bytes a second when each thread goes through `bytes` of its own repeatedly.
  template <class Pass>
  [[nodiscard]] double stream(std::int64_t bytes, std::int32_t threads, Pass const& pass) const {
    auto const step = 8 * vector_;
    auto const each = static_cast<std::size_t>(std::max<std::int64_t>(1, bytes / step) * step);
    auto const passes = std::max<std::size_t>(1, (std::size_t{1} << 20) / each);
    std::vector<std::vector<char>> of(static_cast<std::size_t>(threads));
    auto const took = fastest_runs(threads, seconds_, [&](std::int32_t t) {
      auto& own = of[static_cast<std::size_t>(t)];
      if (own.empty()) own.assign(each + 64, 0);  // first touch by its thread
      auto* const begin = own.data() + (64 - reinterpret_cast<std::uintptr_t>(own.data()) % 64) % 64;
      for (std::size_t i = 0; i < passes; ++i) pass(begin, begin + each);
    });
    return static_cast<double>(each * passes) * threads / took.back();
  }

  /// Reads as much as fits into each level and not into the one before.
  void measure_bandwidth(machine_roof& to) const {
    for (auto const threads : {std::int32_t{1}, to.threads}) {
      auto& rates = threads == 1 ? to.one_core : to.all_cores;
      auto const from_l3 = std::min(4 * host_.l2_bytes, host_.l3_bytes / (2 * to.threads));
      std::array<std::int64_t, 3> const bytes = {host_.l2_bytes / 2, std::max(from_l3, 2 * host_.l2_bytes),
                                                 std::min<std::int64_t>(2 * host_.l3_bytes, 256 << 20) / threads};
      for (std::size_t level = 0; level < bytes.size(); ++level) {
        rates[level] = stream(bytes[level], threads, read_vectors);
        to.start = std::min(to.start, start());  // now and then, since another program may be busy for a while
      }
    }
    if (to.threads == 1) to.all_cores = to.one_core;
  }

  /// Returns what a parallel loop with a task for each thread takes longer than one task does. Tasks take some
  /// microseconds, so that threads find them before the caller has done them all.
  [[nodiscard]] double start() const {
    auto const task = [](void*, std::int64_t, std::int32_t) { fma_rounds(dtype::f32, 1000); };
    auto const alone = typical([&] { task(nullptr, 0, 0); });
    return std::max(0.0, typical([&] { on_.parallel(task, nullptr, on_.threads()); }) - alone);
  }

  /// Returns the time of a run that nothing disturbed: a quarter of the runs are faster.
  template <class Work>
  [[nodiscard]] static double typical(Work const& work) {
    std::vector<double> took;
    for (int i = 0; i < 400; ++i) {
      auto const from = steady::now();
      work();
      took.push_back(seconds_since(from));
    }
    std::nth_element(took.begin(), took.begin() + 100, took.end());
    return took[100];
  }

  executor& on_;
  double seconds_;
  target host_;
  std::int64_t vector_ = 16;  ///< bytes
};

}  // namespace detail

machine_roof measure_roof(executor& on, double seconds) { return detail::roof_measurement(on, seconds).measure(); }

}}  // namespace ttune::v0
