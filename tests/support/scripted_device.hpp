// SPDX-License-Identifier: Apache-2.0
// A device that copies and reports the time of each run itself, so that a test can script good and bad moments of a
// machine.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "support/scripted_backend.hpp"
#include "ttune/runtime/device_code.hpp"

namespace ttune_test {

/// Returns the seconds of the n-th run (from 0) of a kernel.
using run_times = std::function<double(std::int64_t n)>;

/// The times by name of the program, for the programs that are being tuned.
inline std::map<std::string, run_times>& scripted_times() {
  static std::map<std::string, run_times> times;
  return times;
}

class copy_on_device final : public ttune::device_code {
 public:
  copy_on_device(run_times times, std::int64_t bytes) : times_(std::move(times)), bytes_(bytes) {}
  double run(entry, void* const* operands, std::int64_t calls, bool) override {
    std::memcpy(operands[1], operands[0], static_cast<std::size_t>(bytes_));
    return static_cast<double>(calls) * times_(runs_++);
  }

 private:
  run_times times_;
  std::int64_t bytes_;
  std::int64_t runs_ = 0;
};

/// Its images name a device whose loader the test program defines with `TTUNE_SCRIPTED_DEVICE`.
class scripted_device_backend final : public ttune::backend {
 public:
  /// `prepared` has the bytes that kernels lay out, by name of the program.
  explicit scripted_device_backend(std::map<std::string, run_times> times,
                                   std::map<std::string, std::int64_t> prepared = {})
      : prepared_(std::move(prepared)) {
    scripted_times() = std::move(times);
  }

  [[nodiscard]] std::string name() const override { return "scripted device"; }
  [[nodiscard]] ttune::availability availability() const override { return {}; }
  [[nodiscard]] ttune::target const& target() const override { return target_; }
  [[nodiscard]] std::string source(ttune::ir::lowered const& program, ttune::kernel_signature const&) const override {
    return ttune::ir::print(program);
  }
  [[nodiscard]] ttune::compile_result compile(ttune::ir::lowered const&, ttune::kernel_signature signature) override {
    auto image = image_of(std::move(signature), code::ret());
    image.target = target_.name;
    image.device = "opencl";
    if (auto const at = prepared_.find(image.signature.name); at != prepared_.end())
      image.signature.prepared_bytes = {at->second};
    return {std::move(image), {}, 1e-3};
  }

 private:
  std::map<std::string, std::int64_t> prepared_;
  ttune::target target_ = [] {
    ttune::target t;
    t.name = "scripted device";
    return t;
  }();
};

}  // namespace ttune_test

/// Must be used once in a program without the OpenCL backend: images of that kind are the scripted ones.
#define TTUNE_SCRIPTED_DEVICE()                                                                  \
  extern "C" ttune::device_code* ttune_v0_load_opencl(ttune::kernel_image const& image) {        \
    return new ttune_test::copy_on_device(ttune_test::scripted_times().at(image.signature.name), \
                                          image.signature.operands[0].bytes());                  \
  }                                                                                              \
  static_assert(true)
