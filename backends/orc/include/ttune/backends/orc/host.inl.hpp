// SPDX-License-Identifier: Apache-2.0
// LLVM tells CPU and features, the affinity mask the cores, sysfs the caches.
#pragma once

#include <sched.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "ttune/backends/orc/api.hpp"
#include "ttune/backends/orc/host.hpp"

namespace ttune::inline v0 {

namespace orc {

inline bool has_feature(std::string const& features, std::string const& name) {
  return ("," + features + ",").find(",+" + name + ",") != std::string::npos;
}

inline void derive_vectors(target& machine) {
  auto const has = [&](char const* name) { return has_feature(machine.features, name); };
  auto const architecture = machine.triple.substr(0, machine.triple.find('-'));
  machine.name = (architecture == "x86_64" ? "x86-64" : architecture) + " " + machine.cpu;
  machine.vector_bytes = 16;
  machine.vector_registers = architecture == "aarch64" ? 32 : 16;
  machine.has_fma = architecture == "aarch64" || has("fma");
  machine.has_masks = false;
  if (has("avx512f") && has("avx512vl")) {
    machine.vector_bytes = 64;
    machine.vector_registers = 32;
    machine.has_masks = true;
  } else if (has("avx")) {
    machine.vector_bytes = 32;
  }
}

/// A line of a cache's folder in sysfs; empty if there is none.
inline std::string cache_fact(int index, char const* fact) {
  auto const path = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/" + fact;
  char line[64] = "";
  if (auto* const file = std::fopen(path.c_str(), "re")) {
    if (!std::fgets(line, sizeof line, file)) line[0] = 0;
    std::fclose(file);
  }
  std::string text = line;
  return text.substr(0, text.find('\n'));
}

inline void read_caches(target& machine) {
  for (int index = 0; index < 8; ++index) {
    auto const size = cache_fact(index, "size");  // as "1024K"
    if (size.empty() || cache_fact(index, "type") == "Instruction") continue;
    auto const bytes = std::atoll(size.c_str()) << (size.back() == 'M' ? 20 : size.back() == 'K' ? 10 : 0);
    auto const level = cache_fact(index, "level");
    if (bytes <= 0) continue;
    (level == "1" ? machine.l1_bytes : level == "2" ? machine.l2_bytes : machine.l3_bytes) = bytes;
    if (auto const line = std::atoi(cache_fact(index, "coherency_line_size").c_str()); line > 0)
      machine.line_bytes = line;
  }
}

inline std::int32_t usable_cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
}

}  // namespace orc

inline target host_target() {
  target machine;
  machine.triple = orc::take(LLVMGetDefaultTargetTriple());
  machine.cpu = orc::take(LLVMGetHostCPUName());
  machine.features = orc::take(LLVMGetHostCPUFeatures());
  machine.cores = orc::usable_cores();
  orc::derive_vectors(machine);
  orc::read_caches(machine);
  return machine;
}

}  // namespace ttune::inline v0
