// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

#include "ttune/runtime/cpu_features.hpp"
#include "ttune/runtime/machine.hpp"
#include "ttune/runtime/tile_permission.hpp"
#include "ttune/support/clock.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

/// Returns the CPU quota of the container in processors, rounded up; a large number if there is no quota.
inline std::int32_t container_quota() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  double quota = 0;
  double period = 0;
  if (!(file >> quota >> period) || quota <= 0 || period <= 0) return 1 << 20;  // "max" does not parse as a number
  return static_cast<std::int32_t>(std::clamp(quota / period + 0.999, 1.0, 1048576.0));
}

/// Returns the size of the first processor's data cache of a level, `otherwise` if the system does not tell. sysconf is
/// wrong about the third level on virtual machines.
inline std::int64_t cache_bytes(int level, std::int64_t otherwise) {
  for (int index = 0; index < 8; ++index) {
    auto const folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    int its_level = 0;
    std::string kind;
    std::int64_t kilobytes = 0;
    if (!(std::ifstream(folder + "level") >> its_level)) break;
    if (its_level == level && std::ifstream(folder + "type") >> kind && kind != "Instruction" &&
        std::ifstream(folder + "size") >> kilobytes && kilobytes > 0)
      return kilobytes << 10;  // as "32K"
  }
  constexpr int names[] = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE};
  auto const bytes = sysconf(names[level - 1]);
  return bytes > 0 ? static_cast<std::int64_t>(bytes) : otherwise;
}

#if defined(__x86_64__)

/// Returns the register sets that the system saves at thread switches (XCR0); 0 if none of the wide ones.
inline std::uint64_t saved_registers() noexcept {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
  std::uint32_t d = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d) || (c & (1U << 27)) == 0) return 0;
  asm volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
  return std::uint64_t{d} << 32 | a;
}

inline bool has_feature(cpuid_feature const& f) noexcept {
  std::uint32_t words[4] = {};
  if (!__get_cpuid_count(f.leaf, f.subleaf, &words[0], &words[1], &words[2], &words[3])) return false;
  return (words[f.word] >> f.bit & 1U) != 0 && (f.saved == 0 || (saved_registers() & f.saved) == f.saved);
}

/// Returns the features that this machine may have or not.
inline auto const& host_features() noexcept { return cpuid_features; }

#elif defined(__aarch64__)

inline bool has_feature(hwcap_feature const& f) noexcept {
  return (getauxval(f.word == 0 ? AT_HWCAP : AT_HWCAP2) >> f.bit & 1U) != 0;
}
inline auto const& host_features() noexcept { return hwcap_features; }

#endif

/// Returns true if this machine has a feature, by LLVM's name; `otherwise` if that cannot be told.
inline bool host_feature([[maybe_unused]] std::string_view name, bool otherwise) noexcept {
#if defined(__x86_64__) || defined(__aarch64__)
  // The processor is asked once per feature: cpuid is slow on virtual machines.
  enum class answer : char { unknown, no, yes };
  auto const& all = host_features();
  static std::array<std::atomic<answer>, std::extent_v<std::remove_reference_t<decltype(all)>>> known{};
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (name != all[i].name) continue;
    if (known[i] == answer::unknown) known[i] = has_feature(all[i]) ? answer::yes : answer::no;
    return known[i] == answer::yes;
  }
#endif
  return otherwise;
}

inline char const* host_architecture() noexcept {
#if defined(__x86_64__)
  return "x86_64";
#elif defined(__aarch64__)
  return "aarch64";
#else
  return "unknown";
#endif
}

// Peaks are measured with inline assembly, not C++: compilers fold a naive loop of multiply-adds to nothing, and fuse a
// * b + c or not, depending on their flags. Twelve accumulators hide the latency of two FMA units.
#if defined(__x86_64__)
// All registers are zeroed first: left-over values could be denormal.
#define TTUNE_FMA_ROUNDS(instruction, r)                                                                           \
  asm volatile("vzeroall\n1:\n.irp n,0,1,2,3,4,5,6,7,8,9,10,11\n" instruction " %%" r "14, %%" r "15, %%" r        \
               "\\n\n.endr\ndec %0\njnz 1b\nvzeroupper"                                                            \
               : "+r"(rounds)                                                                                      \
               :                                                                                                   \
               : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", \
                 "xmm12", "xmm13", "xmm14", "xmm15", "cc")

/// Runs `rounds` rounds of twelve multiply-adds; returns the lanes of one instruction, 0 if the processor has no FMA.
inline std::int32_t fma_rounds(dtype type, std::int64_t rounds) {
  bool const single = type == dtype::f32;
  if (host_feature("avx512f", false)) {
    if (single) TTUNE_FMA_ROUNDS("vfmadd231ps", "zmm");
    else TTUNE_FMA_ROUNDS("vfmadd231pd", "zmm");
    return single ? 16 : 8;
  }
  if (!host_feature("fma", false)) return 0;
  if (single) TTUNE_FMA_ROUNDS("vfmadd231ps", "ymm");
  else TTUNE_FMA_ROUNDS("vfmadd231pd", "ymm");
  return single ? 8 : 4;
}
#undef TTUNE_FMA_ROUNDS
#elif defined(__aarch64__)
#define TTUNE_FMA_ROUNDS(s)                                                                                   \
  asm volatile("movi v30.16b, #0\nmovi v31.16b, #0\n1:\n.irp n,0,1,2,3,4,5,6,7,16,17,18,19\nfmla v\\n\\()." s \
               ", v30." s ", v31." s "\n.endr\nsubs %0, %0, #1\nb.ne 1b"                                      \
               : "+r"(rounds)                                                                                 \
               :                                                                                              \
               : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19", "v30", "v31", "cc")
inline std::int32_t fma_rounds(dtype type, std::int64_t rounds) {
  bool const single = type == dtype::f32;
  if (single) TTUNE_FMA_ROUNDS("4s");
  else TTUNE_FMA_ROUNDS("2d");
  return single ? 4 : 2;
}
#undef TTUNE_FMA_ROUNDS
#else
inline std::int32_t fma_rounds(dtype, std::int64_t) { return 0; }
#endif

/// Runs work(thread) on `threads` threads at once, repeatedly, for `seconds`. Returns for each thread the seconds of
/// its fastest run (so a disturbed core does not affect the others), and as the last element those of the fastest run
/// of all threads together.
template <class Work>
std::vector<double> fastest_runs(std::int32_t threads, double seconds, Work const& work) {
  std::atomic<std::int32_t> ready{0};
  std::atomic<std::int32_t> round{0};
  std::atomic<bool> stop{false};
  std::vector<double> best(static_cast<std::size_t>(threads) + 1, 1e30);
  std::vector<std::thread> others;
  auto const wait_for = [](std::atomic<std::int32_t>& count, std::int32_t value) {
    while (count.load(std::memory_order_acquire) < value) std::this_thread::yield();
  };
  auto const run = [&](std::int32_t t) {
    auto const from = steady::now();
    work(t);
    auto& mine = best[static_cast<std::size_t>(t)];
    mine = std::min(mine, seconds_since(from));
  };
  for (std::int32_t t = 1; t < threads; ++t)
    others.emplace_back([&, t] {
      for (std::int32_t r = 1;; ++r) {
        ready.fetch_add(1, std::memory_order_release);
        wait_for(round, r);
        if (stop.load()) return;
        run(t);
      }
    });
  auto const start = steady::now();
  for (std::int32_t r = 1; r <= 4 || seconds_since(start) < seconds; ++r) {
    wait_for(ready, r * (threads - 1));
    auto const from = steady::now();
    round.store(r, std::memory_order_release);
    run(0);
    wait_for(ready, (r + 1) * (threads - 1));
    best.back() = std::min(best.back(), seconds_since(from));
  }
  stop.store(true);
  round.store(1 << 30);
  for (auto& t : others) t.join();
  return best;
}

}  // namespace detail

std::int32_t usable_cpus() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  auto cpus = sched_getaffinity(0, sizeof allowed, &allowed) == 0
                  ? CPU_COUNT(&allowed)
                  : static_cast<std::int32_t>(std::thread::hardware_concurrency());  // more than 1024 processors
  return std::max(1, std::min(cpus, detail::container_quota()));
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      if (auto const colon = line.find(':'); colon != std::string::npos && colon + 2 < line.size())
        return line.substr(colon + 2);
  return "unknown processor";
}

namespace detail {

/// Returns a name of the processor's kind, as "AuthenticAMD-25-17" (vendor, family, model) or "0x41-0xd0c"
/// (implementer, part). Cloud providers sell the same processor under many marketing names.
inline std::string processor_kind() {
#if defined(__x86_64__)
  unsigned leaf = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(0, &leaf, &b, &c, &d) == 0) return "generic";
  char vendor[12];
  std::memcpy(vendor, &b, 4);
  std::memcpy(vendor + 4, &d, 4);
  std::memcpy(vendor + 8, &c, 4);
  unsigned version = 0;
  if (__get_cpuid(1, &version, &b, &c, &d) == 0) return "generic";
  auto const family = (version >> 8 & 15) == 15 ? 15 + (version >> 20 & 255) : version >> 8 & 15;
  auto const model = (version >> 4 & 15) + (version >> 12 & 0xF0);
  return std::string(vendor, sizeof vendor) + "-" + std::to_string(family) + "-" + std::to_string(model);
#else
  auto const field = [](char const* name) -> std::string {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
      if (auto const colon = line.find(": "); line.starts_with(name) && colon != std::string::npos)
        return line.substr(colon + 2);
    return "generic";
  };
  return field("CPU implementer") + "-" + field("CPU part");
#endif
}

}  // namespace detail

target probe_host() {
  target t;
  t.name = std::string(detail::host_architecture()) + " " + detail::processor_kind();
  t.triple = std::string(detail::host_architecture()) + "-unknown-linux-gnu";
  t.cpu = "native";
  t.cores = usable_cpus();
#if defined(__aarch64__)
  t.vector_registers = 32;
  t.has_fma = true;
#endif
  t.has_fma = detail::host_feature("fma", t.has_fma);
  if (detail::host_feature("avx512f", false) && detail::host_feature("avx512vl", false)) {
    t.vector_bytes = 64;
    t.vector_registers = 32;
    t.has_masks = true;
    t.has_byte_dot = detail::host_feature("avx512vnni", false);
    t.has_bfloat_dot = detail::host_feature("avx512bf16", false);
    t.has_tiles = detail::host_feature("amx-tile", false) && detail::host_feature("amx-bf16", false) &&
                  detail::host_feature("amx-int8", false) && detail::system_has_tiles();
    t.has_byte_distances = detail::host_feature("avx512bw", false);
  } else if (detail::host_feature("avx2", false)) {
    t.vector_bytes = 32;
    t.has_byte_dot = detail::host_feature("avxvnni", false);
  }
  t.l1_bytes = detail::cache_bytes(1, t.l1_bytes);
  t.l2_bytes = detail::cache_bytes(2, t.l2_bytes);
  t.l3_bytes = detail::cache_bytes(3, t.l3_bytes);
  if (auto const line = sysconf(_SC_LEVEL1_DCACHE_LINESIZE); line > 0) t.line_bytes = static_cast<std::int32_t>(line);
  return t;
}

std::string missing_features(std::string_view features) {
  std::string missing;
  detail::for_each_feature(features, [&](std::string_view one) {
    if (!detail::host_feature(one, true)) missing.append(missing.empty() ? "" : ", ").append(one);
  });
  return missing;
}

bool is_host_architecture(std::string_view target_name) noexcept {
  return detail::architecture_of(target_name) == detail::host_architecture();
}

double measure_fma_peak(std::int32_t threads, dtype type, double seconds) {
  if (type != dtype::f32 && type != dtype::f64) return 0;
  constexpr std::int64_t rounds = 200'000;  // about a millisecond
  auto const lanes = detail::fma_rounds(type, 1);
  if (lanes == 0) return 0;
  threads = std::max(1, threads);
  auto took = detail::fastest_runs(threads, seconds, [&](std::int32_t) { detail::fma_rounds(type, rounds); });
  took.pop_back();
  double rate = 0;
  for (auto const t : took) rate += 2.0 * 12 * lanes * static_cast<double>(rounds) / t * 1e-9;
  return rate;
}

double measure_copy_bandwidth(std::int32_t threads, double seconds) {
  threads = std::max(1, threads);
  auto const cached = std::max<std::int64_t>(probe_host().l3_bytes, 8 << 20);
  auto const each = static_cast<std::size_t>(std::min<std::int64_t>(cached * 2, 256 << 20) / threads);
  std::vector<std::vector<char>> from(static_cast<std::size_t>(threads));
  std::vector<std::vector<char>> to(from.size());
  auto const took = detail::fastest_runs(threads, seconds, [&](std::int32_t t) {
    auto& source = from[static_cast<std::size_t>(t)];
    auto& copy = to[static_cast<std::size_t>(t)];
    if (source.empty()) source.assign(each, 1), copy.assign(each, 2);  // first touch by its thread
    std::memcpy(copy.data(), source.data(), each);
  });
  return 2.0 * static_cast<double>(each) * threads / took.back() * 1e-9;
}

}}  // namespace ttune::v0
