// SPDX-License-Identifier: Apache-2.0
// Random programs and operators as kernels: those derived for a GPU, and those of random schedules on blocks and
// threads. They become cubins; if there is a device, it must compute the interpreter's results.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/cuda_toolkit.hpp"
#include "support/device_run.hpp"
#include "support/kernel_trial.hpp"
#include "support/program_count.hpp"
#include "support/program_kinds.hpp"
#include "support/random_schedule.hpp"
#include "support/require.hpp"
#include "support/rounding_bounds.hpp"
#include "support/seed.hpp"
#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/ops/attention.hpp"
#include "ttune/ops/conv_transpose2d.hpp"
#include "ttune/ops/depthwise_conv2d.hpp"
#include "ttune/ops/fused.hpp"
#include "ttune/ops/layer_norm.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/ops/pool2d.hpp"
#include "ttune/ops/softmax.hpp"
#include "ttune/ops/winograd.hpp"
#include "ttune/runtime/machine.hpp"
#include "ttune/schedule/to_cpp.hpp"
#include "ttune/space/sampler.hpp"

namespace random_kernels_tests {

using namespace ttune;
using ttune_test::trial_kind;
using ttune_test::trial_outcome;

namespace {

enum class schedule_source : std::uint8_t { seed, derived, written };
constexpr int sources = 3;
constexpr char const* names[] = {"derived seed", "derived", "written"};

struct scheduled {
  space of;
  configuration chosen;
};

/// The device if there is one, otherwise an architecture that NVRTC compiles for.
struct machine {
  target on;
  bool runs = false;
};

machine machine_for(std::uint64_t seed) {
  if (auto const devices = cuda::devices(); !devices.empty()) return {cuda::target_of(devices[0]), true};
  auto const all = ttune_test::wanted_architectures();
  return {cuda::target_of_architecture(all[seed % all.size()])};
}

/// Returns a backend that compiles in a process of its own, beside the others.
std::unique_ptr<backend> backend_for(target const& on) {
  static std::mutex mutex;
  static std::map<std::string, cuda_backend> first;
  std::scoped_lock const lock(mutex);
  return first.try_emplace(on.cpu, on).first->second.another();
}

scheduled schedule_for(handle<ir::program> const& p, schedule_source from, target const& on, rng& random) {
  if (from == schedule_source::written) {
    ttune_test::primitive_counts counts;
    auto const s = ttune_test::random_schedule(random, p, counts, ttune_test::gpu_schedules());
    return {s, ttune_test::random_choices(random, s.knobs)};
  }
  auto const s = derive_space(p, on);
  if (from == schedule_source::seed) return {s, s.seed};
  return {s, sampler(s.knobs, s.constraints).draw(random)};
}

/// Compiles and, where there is a device, runs one kernel; `judge` compares its results.
trial_outcome try_kernel(machine const& m, handle<ir::program> const& p, schedule_source from, rng& random,
                         std::vector<ir::ndarray> const& operands,
                         std::function<std::string(std::vector<ir::ndarray> const&)> const& judge) {
  auto const without_kernel = from == schedule_source::written ? trial_kind::inapplicable : trial_kind::refused;
  scheduled what;
  ir::lowered made;
  try {
    what = schedule_for(p, from, m.on, random);
    made = lower(what.of, what.chosen);
  } catch (schedule_error const& failure) {
    return {without_kernel, failure.what()};
  }
  auto const by = backend_for(m.on);
  auto const compiled = by->compile(made, signature_of(p));
  if (!compiled.image) {
    bool const too_much = compiled.diagnostics.find(" device ") != std::string::npos;  // of threads or memory
    return {too_much ? without_kernel : trial_kind::refused, compiled.diagnostics};
  }
  if (!m.runs) return {};
  // A random schedule may be one that a device does not survive. Others run in this process: a worker for each kernel
  // would create a context, which takes longer than the rest.
  auto const where = from == schedule_source::written ? worker_choice{} : worker_choice{worker::in_process{}};
  auto const got = ttune_test::run_on(*by, made, p, operands, where);
  auto const found = got.how.ok() ? judge(got.results) : std::string(name_of(got.how.status)) + ": " + got.how.message;
  if (found.empty()) return {};
  return {trial_kind::wrong, found + "\n" + ir::print(*p) + "\n" + to_cpp(what.of, what.chosen) + "\n" +
                                 by->source(made, compiled.image->signature)};
}

/// Runs numbered trials on all processors: workers compile, and a device runs one kernel after the other.
class trials {
 public:
  void run(std::size_t count, std::function<trial_outcome(std::size_t)> const& one) {
    std::atomic<std::size_t> next = 0;
    auto const end = std::chrono::steady_clock::now() +
                     std::chrono::duration_cast<std::chrono::steady_clock::duration>(most_seconds());
    auto const work = [&] {
      for (auto i = next++; i < count; i = next++) {
        trial_outcome made;
        auto const begin = std::chrono::steady_clock::now();
        if (begin > end) return;
        try {
          made = one(i);
        } catch (std::exception const& failure) {
          made = {trial_kind::refused, std::string("throws: ") + failure.what()};
        }
        std::chrono::duration<double> const took = std::chrono::steady_clock::now() - begin;
        std::scoped_lock const lock(mutex_);
        slowest_ = std::max(slowest_, {took.count(), i});
        ++counts_[static_cast<std::size_t>(made.kind)];
        if (made.kind != trial_kind::right) said_[made.kind].push_back(std::to_string(i) + ": " + made.text);
      }
    };
    std::vector<std::jthread> workers;
    for (int w = 0; w < std::clamp(usable_cpus(), 1, 16); ++w) workers.emplace_back(work);
  }

  /// Returns the time after which no trial begins: minutes of a device may be counted.
  [[nodiscard]] static std::chrono::duration<double> most_seconds() {
    char const* const given = std::getenv("TTUNE_TRIAL_SECONDS");
    return std::chrono::duration<double>(given ? std::strtod(given, nullptr) : 3600.0);
  }

  [[nodiscard]] std::string text() const {
    return std::to_string(counts_[0]) + " right, " + std::to_string(counts_[1]) + " inapplicable, " +
           std::to_string(counts_[2]) + " refused, " + std::to_string(counts_[3]) + " wrong; the slowest, trial " +
           std::to_string(slowest_.second) + ", took " + std::to_string(slowest_.first) + " s";
  }
  [[nodiscard]] std::uint64_t count(trial_kind kind) const { return counts_[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] std::vector<std::string> const& said(trial_kind kind) { return said_[kind]; }

 private:
  std::mutex mutex_;
  std::array<std::uint64_t, 4> counts_{};
  std::map<trial_kind, std::vector<std::string>> said_;
  std::pair<double, std::size_t> slowest_;
};

/// Operators whose kernels use all that the GPU's derivation knows: tensor cores of all types, shared memory, shuffles,
/// sums shared by blocks, edges.
std::vector<handle<ir::program>> operators() {
  ops::conv2d_shape const layer{1, 32, 14, 14, 32, 3, 1, 1};
  ops::conv2d_shape const strided{2, 16, 15, 15, 24, 3, 2, 1};
  return {ops::matmul<float>(128, 96, 64).program(),
          ops::matmul<float>(61, 53, 47).program(),
          ops::matmul<float>(64, 64, 64, {true, false}).program(),
          ops::matmul<float>(64, 64, 64, {false, true}).program(),
          ops::matmul<double>(64, 48, 32).program(),
          ops::matmul<f16>(128, 128, 128).program(),
          ops::matmul<f16>(192, 64, 96, {false, true}).program(),
          ops::matmul<bf16>(64, 128, 64, {true, true}).program(),
          ops::matmul<f16>(48, 40, 80).program(),
          ops::matmul<std::int8_t>(64, 64, 64).program(),
          ops::matmul_tf32(64, 64, 64).program(),
          ops::matmul_tf32(48, 72, 56, {true, false}).program(),
          ops::matmul<float>(4, 256, 1024).program(),
          ops::matmul<float>(1, 512, 512).program(),
          ops::batched_matmul<f16>(3, 64, 64, 32).program(),
          ops::batched_matmul<float>(5, 33, 20, 17).program(),
          ops::matmul_bias_gelu<f16>(64, 64, 64).program(),
          ops::matmul_bias_gelu<float>(50, 64, 30).program(),
          ops::conv2d(layer).program(),
          ops::conv2d(strided).program(),
          ops::conv2d_bias_residual_relu<float>(layer).program(),
          ops::conv2d_bias_residual_relu<bf16>({1, 32, 8, 8, 64, 1, 1, 0}).program(),
          ops::softmax<float>(7, 1000).program(),
          ops::softmax<float>(300, 33).program(),
          ops::layer_norm<float>(5, 513).program(),
          ops::attention<float>(33, 64, 24).program(),
          ops::attention_in_chunks<float>(40, 96, 20, 32).program(),
          ops::attention_in_chunks<f16>(64, 128, 64, 64).program()};
}

}  // namespace

TEST_CASE("cuda: operators in configurations of their derived spaces become cubins, and run where there is a device") {
  TTUNE_SKIP_UNLESS_NVRTC();
  auto const all = operators();
  bool const runs = machine_for(0).runs;
  std::uint64_t const each = runs ? ttune_test::program_count(6, 6) : 1;
  auto const seed = ttune_test::seed();
  trials made;
  made.run(all.size() * each, [&](std::size_t i) {
    auto const& p = all[i / each];
    auto const m = machine_for(seed + i);
    rng random(seed + i);
    auto const operands = ttune_test::random_operands(*p, random);
    auto const wanted = runs ? ir::evaluate(*p, operands) : std::vector<ir::ndarray>{};
    auto const from = i % each == 0 && runs ? schedule_source::seed : schedule_source::derived;
    auto said = try_kernel(m, p, from, random, operands,
                           [&](auto const& got) { return ttune_test::difference(wanted, got, 2e-3); });
    if (!said.text.empty()) said.text = p->name + ", " + said.text;
    return said;
  });
  MESSAGE(made.text());
  for (auto const kind : {trial_kind::refused, trial_kind::wrong})
    for (auto const& said : made.said(kind)) CHECK_MESSAGE(false, "TTUNE_SEED=", seed, ", trial ", said);
}

TEST_CASE("cuda: random programs on blocks and threads become cubins, and run where there is a device") {
  TTUNE_SKIP_UNLESS_NVRTC();
  auto const seed = ttune_test::seed();
  std::uint64_t const usual = machine_for(0).runs ? 60 : 8;
  auto const count = ttune_test::program_count(usual, usual);
  trials made;
  made.run(sources * count, [&](std::size_t i) {
    auto const from = static_cast<schedule_source>(i % sources);
    auto const number = seed + i / sources;
    auto const m = machine_for(number);
    auto const p = ttune_test::dense_program_for(number);
    auto const operands = ttune_test::operands_for(number, *p);
    auto const expected = m.runs ? ttune_test::expect(*p, operands) : ttune_test::expected_results{};
    rng random(number);
    auto said = try_kernel(m, p, from, random, operands,
                           [&](auto const& got) { return ttune_test::difference_from(expected, got); });
    if (!said.text.empty())
      said.text = "TTUNE_SEED=" + std::to_string(number) + " TTUNE_PROGRAMS=1, " +
                  names[static_cast<std::size_t>(from)] + ", " + said.text;
    return said;
  });
  MESSAGE(made.text());
  for (auto const kind : {trial_kind::refused, trial_kind::wrong})
    for (auto const& said : made.said(kind)) CHECK_MESSAGE(false, said);
}

}  // namespace random_kernels_tests
