// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cctype>

#include "ttune/backends/cuda/compiler.hpp"
#include "ttune/core/warpgroup_product.hpp"

namespace ttune { inline namespace v0 { namespace cuda {

namespace detail {

/// Returns the number before `unit` in a line; 0 if the line has none.
inline std::int32_t number_before(std::string const& line, std::string const& unit) {
  auto const at = line.find(unit);
  if (at == std::string::npos || at == 0) return 0;
  auto begin = at;
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(line[begin - 1])) != 0) --begin;
  std::int32_t made = 0;
  for (auto i = begin; i < at && made < 100'000'000; ++i) made = 10 * made + (line[i] - '0');
  return made;
}

/// Returns true if NVRTC has the options -Ofc and --no-cache, as version 13 has.
inline bool is_nvrtc_13() {
  int major = 0;
  int minor = 0;
  return nvrtcVersion(&major, &minor) == 0 && major >= 13;
}

inline std::string architecture_option(int architecture, bool portable) {
  auto const number = std::to_string(architecture);
  if (portable) return "-arch=compute_" + number;
  // sm_90a has warpgroup products, which no other architecture has.
  return "-arch=sm_" + number + (architecture == warpgroup_product::architecture ? "a" : "");
}

struct program_owner {
  program handle = nullptr;
  program_owner() = default;
  program_owner(program_owner const&) = delete;
  program_owner& operator=(program_owner const&) = delete;
  ~program_owner() {
    if (handle) (void)nvrtcDestroyProgram(&handle);
  }
};

}  // namespace detail

std::string nvrtc_version() {
  int major = 0;
  int minor = 0;
  if (!nvrtc().failure().empty() || nvrtcVersion(&major, &minor) != 0) return {};
  return std::to_string(major) + "." + std::to_string(minor);
}

std::vector<int> architectures() {
  int count = 0;
  if (!nvrtc().failure().empty() || nvrtcGetNumSupportedArchs(&count) != 0 || count <= 0) return {};
  std::vector<int> made(static_cast<std::size_t>(count));
  if (nvrtcGetSupportedArchs(made.data()) != 0) return {};
  return made;
}

std::vector<kernel_resources> resources_of(std::string const& log) {
  std::vector<kernel_resources> found;
  for (std::size_t at = 0; at < log.size();) {
    auto const end = std::min(log.find('\n', at), log.size());
    auto const line = log.substr(at, end - at);
    at = end + 1;
    if (auto const name = line.find("Compiling entry function '"); name != std::string::npos) {
      auto const first = name + 26;
      found.push_back({line.substr(first, line.find('\'', first) - first)});
    }
    if (found.empty()) continue;
    auto& k = found.back();
    if (line.find("bytes stack frame") != std::string::npos) {
      k.stack_bytes = detail::number_before(line, " bytes stack frame");
      k.spill_bytes =
          detail::number_before(line, " bytes spill stores") + detail::number_before(line, " bytes spill loads");
    }
    if (line.find(" registers") != std::string::npos) {
      k.registers = detail::number_before(line, " registers");
      k.block_bytes = detail::number_before(line, " bytes smem");
    }
  }
  return found;
}

std::optional<compiled_code> compile(std::string const& source, int architecture, std::string& diagnostics,
                                     compile_options const& options) {
  diagnostics = nvrtc().failure();
  if (diagnostics.empty() && options.portable && source.find("wgmma.") != std::string::npos)
    diagnostics =
        "products of four warps (wgmma) run on sm_90 alone: tune a portable kernel for "
        "cuda::target_of_architecture(80)";
  if (!diagnostics.empty()) return std::nullopt;
  detail::program_owner p;
  auto const fails = [&](int code, char const* what) {
    if (code != 0) diagnostics = std::string("NVRTC: ") + what + ": " + nvrtcGetErrorString(code);
    return code != 0;
  };
  if (fails(nvrtcCreateProgram(&p.handle, source.c_str(), "kernel.cu", 0, nullptr, nullptr), "nvrtcCreateProgram"))
    return std::nullopt;
  auto const target = detail::architecture_option(architecture, options.portable);
  std::vector<char const*> list{target.c_str(), "-std=c++17", "-w"};
  if (!options.portable) list.push_back("--ptxas-options=-v");
  bool const is_new = detail::is_nvrtc_13();
  // Candidates would replace an application's own kernels in the driver's cache, and code from there has no log.
  if (is_new) list.push_back("--no-cache");
  if (options.fast && is_new) list.push_back("-Ofc=min");
  int const code = nvrtcCompileProgram(p.handle, static_cast<int>(list.size()), list.data());
  std::size_t size = 0;
  std::string log;
  if (nvrtcGetProgramLogSize(p.handle, &size) == 0 && size > 1) {
    log.resize(size);
    (void)nvrtcGetProgramLog(p.handle, log.data());
    log.resize(std::min(log.find('\0'), log.size()));
  }
  if (code != 0) {
    diagnostics = log.empty() ? std::string("NVRTC: ") + nvrtcGetErrorString(code) : log;
    return std::nullopt;
  }
  compiled_code made;
  if (options.portable) {
    if (fails(nvrtcGetPTXSize(p.handle, &size), "nvrtcGetPTXSize")) return std::nullopt;
    made.code.resize(size);
    if (fails(nvrtcGetPTX(p.handle, reinterpret_cast<char*>(made.code.data())), "nvrtcGetPTX")) return std::nullopt;
    return made;
  }
  if (fails(nvrtcGetCUBINSize(p.handle, &size), "nvrtcGetCUBINSize")) return std::nullopt;
  made.code.resize(size);
  if (fails(nvrtcGetCUBIN(p.handle, reinterpret_cast<char*>(made.code.data())), "nvrtcGetCUBIN")) return std::nullopt;
  made.kernels = resources_of(log);
  return made;
}

}}}  // namespace ttune::v0::cuda
