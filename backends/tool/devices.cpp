// SPDX-License-Identifier: Apache-2.0
// `ttune devices`: properties of this machine, and the backends and libraries found on it.
#include <dlfcn.h>
#include <sqlite3.h>

#include <cstdio>
#include <utility>

#include "tool.hpp"
#include "ttune/records/work_json.hpp"
#include "ttune/runtime/machine.hpp"
#include "ttune/runtime/worker/process.hpp"
#if TTUNE_WITH_ORC
#include "ttune/backends/orc.hpp"
#endif

namespace ttune_tool {
namespace {

struct part {
  std::string name;
  bool found = false;
  std::string what;  ///< version and devices, or the reason why it was not found
};

/// A library that is opened by name, as programs that use ttune do.
class library {
 public:
  explicit library(char const* name) : handle_(::dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
    if (!handle_) reason_ = ::dlerror();
  }
  explicit operator bool() const noexcept { return handle_; }
  [[nodiscard]] std::string const& reason() const noexcept { return reason_; }
  template <class Function>
  [[nodiscard]] Function* find(char const* name) const noexcept {
    return reinterpret_cast<Function*>(::dlsym(handle_, name));
  }

 private:
  void* handle_;  ///< never closed: drivers do not support that well
  std::string reason_;
};

part find_orc() {
#if TTUNE_WITH_ORC
  ttune::orc_backend const orc;
  if (auto const there = orc.availability(); !there) return {"orc", false, there.reason};
  auto const& t = orc.target();
  return {"orc", true, orc.name() + ", for " + t.name + " (" + t.cpu + ")"};
#else
  return {"orc", false, "this program was built without LLVM (llvm-19-dev)"};
#endif
}

part find_xgboost() {
  library first("libxgboost.so.0");
  auto const there = first ? first : library("libxgboost.so");
  if (!there) return {"xgboost", false, there.reason()};
  int version[3] = {};
  if (auto* const ask = there.find<void(int*, int*, int*)>("XGBoostVersion")) ask(version, version + 1, version + 2);
  return {"xgboost", true,
          std::to_string(version[0]) + "." + std::to_string(version[1]) + "." + std::to_string(version[2])};
}

part find_cuda() {
  library const there("libcuda.so.1");
  if (!there) return {"cuda", false, there.reason()};
  auto* const init = there.find<int(unsigned)>("cuInit");
  auto* const version = there.find<int(int*)>("cuDriverGetVersion");
  auto* const count = there.find<int(int*)>("cuDeviceGetCount");
  auto* const name = there.find<int(char*, int, int)>("cuDeviceGetName");
  if (!init || !version || !count || !name) return {"cuda", false, "libcuda.so.1 lacks functions of the driver API"};
  if (int const code = init(0); code != 0)
    return {"cuda", false, "the driver does not start: cuInit gives " + std::to_string(code)};
  int v = 0, devices = 0;
  if (version(&v) != 0 || count(&devices) != 0) return {"cuda", false, "the driver does not name its devices"};
  part found{"cuda", devices > 0, "driver " + std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10)};
  if (devices == 0) found.what += ", but no device";
  for (int d = 0; d < devices; ++d) {
    char text[128] = "";
    if (name(text, sizeof text - 1, d) == 0) found.what += std::string(", ") + text;
  }
  return found;
}

part find_opencl() {
  library const there("libOpenCL.so.1");
  if (!there) return {"opencl", false, there.reason()};
  auto* const ids = there.find<int(unsigned, void**, unsigned*)>("clGetPlatformIDs");
  auto* const info = there.find<int(void*, unsigned, std::size_t, void*, std::size_t*)>("clGetPlatformInfo");
  if (!ids || !info) return {"opencl", false, "libOpenCL.so.1 lacks functions"};
  void* platforms[16] = {};
  unsigned count = 0;
  if (ids(16, platforms, &count) != 0 || count == 0) return {"opencl", false, "the loader is there, but no platform"};
  part found{"opencl", true, {}};
  constexpr unsigned platform_version = 0x0901, platform_name = 0x0902;
  for (unsigned p = 0; p < count && p < 16; ++p)
    for (auto const what : {platform_name, platform_version}) {
      char text[256] = "";
      if (info(platforms[p], what, sizeof text - 1, text, nullptr) == 0)
        found.what += std::string(found.what.empty() ? "" : ", ") + text;
    }
  return found;
}

part find_worker() {
  std::string tried;
  auto const path = ttune::worker::find_program(tried);
  return {"worker", !path.empty(), path.empty() ? "looked for " + tried : path};
}

}  // namespace

int show_devices(bool measure, bool json) {
  auto const host = ttune::probe_host();
  auto const cpus = ttune::usable_cpus();
  std::vector<part> const parts{
      find_orc(), find_cuda(), find_opencl(), find_xgboost(), {"sqlite", true, sqlite3_libversion()}, find_worker()};
  double const gflops = measure ? ttune::measure_fma_peak(cpus) : 0;
  auto const roof = measure ? roof_here() : ttune::machine_roof();
  double const bandwidth = measure ? ttune::measure_copy_bandwidth(cpus) : 0;
  if (json) {
    ttune::json_value::object machine{{"processor", {ttune::processor_name()}},
                                      {"target", {host.name}},
                                      {"usable_cpus", {std::int64_t{cpus}}},
                                      {"vector_bytes", {std::int64_t{host.vector_bytes}}},
                                      {"vector_registers", {std::int64_t{host.vector_registers}}},
                                      {"fma", {host.has_fma}},
                                      {"masks", {host.has_masks}},
                                      {"l1_bytes", {host.l1_bytes}},
                                      {"l2_bytes", {host.l2_bytes}},
                                      {"l3_bytes", {host.l3_bytes}}};
    if (measure) {
      machine.push_back({"peak_gflops", {gflops}});
      machine.push_back({"copy_gb_per_second", {bandwidth}});
    }
    ttune::json_value::array items;
    for (auto const& p : parts)
      items.push_back({ttune::json_value::object{
          {"name", {p.name}}, {"found", {p.found}}, {p.found ? "version" : "reason", {p.what}}}});
    ttune::json_value::object all{{"machine", {std::move(machine)}}, {"parts", {std::move(items)}}};
    if (roof.known()) all.push_back({"roof", json_of(roof)});
    print_json({std::move(all)});
    return 0;
  }
  std::printf("%s\n  target      %s\n  processors  %d that may be used\n", ttune::processor_name().c_str(),
              host.name.c_str(), cpus);
  std::printf("  vectors     %d registers of %d bytes%s%s\n", host.vector_registers, host.vector_bytes,
              host.has_fma ? ", fma" : "", host.has_masks ? ", masks" : "");
  std::printf("  caches      %lld KiB, %lld KiB a core; %lld KiB shared\n", static_cast<long long>(host.l1_bytes >> 10),
              static_cast<long long>(host.l2_bytes >> 10), static_cast<long long>(host.l3_bytes >> 10));
  if (measure) std::printf("  measured    %.1f GFLOP/s (f32), %.1f GB/s copied\n", gflops, bandwidth);
  if (roof.known()) std::printf("%s\n", text_of(roof, "              ").c_str());
  std::puts("");
  for (auto const& p : parts)
    std::printf("%-8s %-9s  %s\n", p.name.c_str(), p.found ? "found" : "not found", p.what.c_str());
  return 0;
}

}  // namespace ttune_tool
