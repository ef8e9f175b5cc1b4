// SPDX-License-Identifier: Apache-2.0
// Common parts of the suites of GPUs: memory of the device, kernels that are tuned and called with it, and timing by
// events, with samples of all systems in turn.
#pragma once

#include <ttune/backends/cuda.hpp>
#include <ttune/models/xgboost.hpp>
#include <ttune/ttune.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../harness.hpp"
#include "../relative_error.hpp"
#include "../suite.hpp"
#include "gpu_libraries.hpp"

namespace ttune_bench::gpu {

/// The first device: its context, a stream, two events.
class device {
 public:
  device() : info_(ttune::cuda::devices().at(0)) {
    using namespace ttune::cuda;
    int number = 0;
    check(cuDeviceGet(&number, info_.ordinal), "cuDeviceGet");
    check(cuDevicePrimaryCtxRetain(&context_, number), "cuDevicePrimaryCtxRetain");
    check(cuCtxPushCurrent(context_), "cuCtxPushCurrent");
    check(cuStreamCreate(&stream_, 0), "cuStreamCreate");
    check(cuEventCreate(&start_, 0), "cuEventCreate");
    check(cuEventCreate(&stop_, 0), "cuEventCreate");
    check(cuDeviceGetAttribute(&kilohertz_, attribute_clock, number), "cuDeviceGetAttribute");
  }
  device(device const&) = delete;
  device& operator=(device const&) = delete;
  ~device() = default;  // its context is destroyed when the process ends

  [[nodiscard]] ttune::cuda::stream stream() const noexcept { return stream_; }
  /// Returns the peak in GFLOP/s at the largest clock: of f32 multiply-adds, or of tensor cores in a mode.
  /// Multiply-adds per clock come from the architectures' white papers; cheap models have half as many.
  [[nodiscard]] double peak_gflops(std::string const& mode) const {
    auto const architecture = info_.architecture;
    int const of_16_bits = architecture / 10 == 10 ? 4096 : architecture == 90 ? 2048 : architecture == 80 ? 1024 : 512;
    int const of_f32 = architecture == 80 ? 64 : 128;
    int const each = mode == "f16" || mode == "bf16" ? of_16_bits : mode == "tf32" ? of_16_bits / 2 : of_f32;
    return 2e-6 * each * info_.processors * kilohertz_;
  }
  [[nodiscard]] double seconds(std::function<void()> const& enqueue, std::int64_t calls) const {
    using namespace ttune::cuda;
    check(cuEventRecord(start_, stream_), "cuEventRecord");
    for (std::int64_t i = 0; i < calls; ++i) enqueue();
    check(cuEventRecord(stop_, stream_), "cuEventRecord");
    check(cuEventSynchronize(stop_), "cuEventSynchronize");
    float milliseconds = 0;
    check(cuEventElapsedTime(&milliseconds, start_, stop_), "cuEventElapsedTime");
    return 1e-3 * static_cast<double>(milliseconds);
  }

 private:
  static constexpr int attribute_clock = 13;  ///< CU_DEVICE_ATTRIBUTE_CLOCK_RATE
  ttune::cuda::device_info info_;
  ttune::cuda::context context_ = nullptr;
  ttune::cuda::stream stream_ = nullptr;
  ttune::cuda::event start_ = nullptr;
  ttune::cuda::event stop_ = nullptr;
  int kilohertz_ = 0;
};

/// A copy of a buffer on the device.
class memory {
 public:
  explicit memory(std::size_t bytes) : bytes_(bytes) {
    ttune::cuda::check(ttune::cuda::cuMemAlloc(&at_, std::max<std::size_t>(bytes, 16)), "cuMemAlloc");
  }
  explicit memory(buffer const& from) : memory(static_cast<std::size_t>(from.size()) * sizeof(float)) {
    fill(from.data());
  }
  explicit memory(std::vector<std::uint8_t> const& from) : memory(from.size()) { fill(from.data()); }
  memory(memory const&) = delete;
  memory& operator=(memory const&) = delete;
  ~memory() { (void)ttune::cuda::cuMemFree(at_); }
  void copy_to(buffer const& to) const {
    ttune::cuda::check(ttune::cuda::cuMemcpyDtoH(to.data(), at_, bytes_), "cuMemcpyDtoH");
  }
  [[nodiscard]] ttune::cuda::device_pointer at() const noexcept { return at_; }
  [[nodiscard]] void* pointer() const noexcept { return reinterpret_cast<void*>(at_); }

 private:
  void fill(void const* from) const {
    ttune::cuda::check(ttune::cuda::cuMemcpyHtoD(at_, from, bytes_), "cuMemcpyHtoD");
  }
  ttune::cuda::device_pointer at_ = 0;
  std::size_t bytes_;
};

/// A system prepared for a case.
struct contender {
  std::string system;
  std::function<void()> enqueue;  ///< one call on the device's stream; empty if `status` has a fault
  std::string status = "ok";
  double tuning_seconds = 0;
  std::int64_t trials = 0;
};

/// Makes a contender. `make` fills in the rest; the message of its exception becomes the status.
template <class Make>
contender contender_of(std::string system, Make const& make) {
  contender made{std::move(system), {}};
  try {
    make(made);
  } catch (std::exception const& failure) {
    made.status = failure.what();
    made.enqueue = {};
  }
  return made;
}

/// Tunes one operator.
template <class Op>
ttune::tuning_result found_by(ttune::tuner& tuner, Op const& op, ttune::tuning_budget const& budget,
                              ttune::numerics const&) {
  return tuner.tune(op.program(), budget);
}
/// Tunes several computes of an operator, those whose error is allowed.
template <class Op>
ttune::tuning_result found_by(ttune::tuner& tuner, ttune::alternatives_type<Op> const& all,
                              ttune::tuning_budget const& budget, ttune::numerics const& allowed) {
  std::vector<ttune::alternative> each;
  for (auto const& op : all.all())
    each.push_back({ttune::derive_space(op.program(), tuner.compiler().target()), op.error()});
  return tuner.tune_alternatives(std::move(each), budget, allowed);
}

/// Returns the backend of the first device, if requested without products of four warps.
inline std::shared_ptr<ttune::cuda_backend> first_device(bool four_warps = true) {
  auto machine = ttune::cuda::target_of(ttune::cuda::devices().at(0));
  if (four_warps) return std::make_shared<ttune::cuda_backend>();
  machine.features.clear();
  return std::make_shared<ttune::cuda_backend>(machine);
}

/// Makes the contender ttune, tuned within the budget; constants are prepared.
template <class Computes>
contender tuned(Computes const& all, std::vector<ttune::cuda::device_pointer> operands, device const& on,
                options const& chosen, std::shared_ptr<ttune::cuda_backend> const& compiler = first_device()) {
  return contender_of("ttune", [&](contender& made) {
    ttune::tuner tuner{compiler, {.model = ttune::xgboost{}}};
    ttune::tuning_budget budget;
    budget.trials = chosen.trials > 0 ? chosen.trials : 1'000'000;
    budget.time = std::chrono::duration<double>(chosen.budget_seconds);
    auto const found = found_by(
        tuner, all, budget, chosen.numerics > 0 ? ttune::numerics::error_within(chosen.numerics) : ttune::numerics{});
    auto const kernel = std::make_shared<ttune::cuda::resident_kernel>(found.image);
    kernel->prepare(operands, on.stream());
    made.enqueue = [kernel, operands = std::move(operands), stream = on.stream()] {
      kernel->enqueue(operands, stream);
    };
    made.tuning_seconds = found.report.tuning_seconds;
    made.trials = found.report.trials;
  });
}

inline std::int64_t calls_for(device const& on, std::function<void()> const& enqueue, double seconds) {
  (void)on.seconds(enqueue, 1);  // warms up
  auto const each = on.seconds(enqueue, 3) / 3;
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(seconds / std::max(each, 1e-7)), 1, 100'000);
}

/// Checks results at 256 places, then times alternately and reports the medians.
template <class Problem>
void run_case(std::string const& suite, Problem const& problem, memory const& result_memory, buffer const& out,
              std::vector<contender> all, device const& on, options const& chosen, reporter& report) {
  double const tolerance = chosen.mode == "tf32" ? 5e-3 : 2e-4;
  std::vector<std::int64_t> calls;
  std::vector<std::vector<double>> samples(all.size());
  for (auto& c : all) {
    calls.push_back(1);
    if (!c.enqueue) continue;
    try {
      out.fill(std::numeric_limits<float>::quiet_NaN());
      ttune::cuda::check(ttune::cuda::cuMemcpyHtoD(result_memory.at(), out.data(),
                                                   static_cast<std::size_t>(out.size()) * sizeof(float)),
                         "cuMemcpyHtoD");
      (void)on.seconds(c.enqueue, 1);
      result_memory.copy_to(out);
      auto const error = relative_error(problem, out, 256);
      if (!(error < tolerance)) {
        c.status = "wrong result: differs by " + std::to_string(error);
        c.enqueue = {};
      } else {
        calls.back() = calls_for(on, c.enqueue, chosen.sample_seconds);
      }
    } catch (std::exception const& failure) {
      c.status = failure.what();
      c.enqueue = {};
    }
  }
  for (int sample = 0; sample < chosen.samples; ++sample)
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].enqueue) samples[i].push_back(on.seconds(all[i].enqueue, calls[i]) / static_cast<double>(calls[i]));
  std::vector<result> results;
  for (std::size_t i = 0; i < all.size(); ++i) {
    result r{suite, problem.shape.name, all[i].system};
    r.peak_gflops = on.peak_gflops(chosen.mode);
    r.tuning_seconds = all[i].tuning_seconds;
    r.trials = all[i].trials;
    r.status = all[i].status;
    r.mode = chosen.mode;
    if (auto& s = samples[i]; !s.empty()) {
      std::ranges::sort(s);
      r.seconds = s[s.size() / 2];
      r.gflops = problem.shape.flops() / r.seconds * 1e-9;
    }
    results.push_back(std::move(r));
  }
  report.add(results);
}

/// Returns true if there is a device; otherwise prints the reason.
inline bool has_device(std::string const& suite) {
  ttune::cuda_backend const backend;
  auto const there = backend.availability();
  if (!there) std::printf("%s: skipped: %s\n", suite.c_str(), there.reason.c_str());
  else std::printf("%s\n", backend.name().c_str());
  return static_cast<bool>(there);
}

}  // namespace ttune_bench::gpu
