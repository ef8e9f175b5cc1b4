// SPDX-License-Identifier: Apache-2.0
// Suite call: the cost of a call beyond the machine code's own entry, for operators so small that nothing else takes
// time; and the cost of a parallel loop beyond its tasks.
#include <ttune/backends/orc.hpp>
#include <ttune/live.hpp>
#include <ttune/ops/conv2d.hpp>
#include <ttune/ops/matmul.hpp>
#include <ttune/ttune.hpp>
#include <ttune/tune/workload.hpp>
#if TTUNE_WITH_EIGEN
#include <ttune/eigen.hpp>
#endif

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../figures.hpp"
#include "../harness.hpp"
#include "../problem.hpp"
#include "../suite.hpp"

namespace {

using namespace ttune_bench;

constexpr int calls = 1000;  // calls of one timed function, so that std::function does not count

struct way_to_call {
  std::string system;
  std::function<void()> run;
};

/// Returns the first kernel of an operator's space.
template <class Op>
std::shared_ptr<ttune::loaded_image const> seed_code(Op const& op, ttune::orc_backend& compiler) {
  ttune::workload const work(ttune::derive_space(op.program(), compiler.target()), compiler.target());
  auto const& signature = work.signature();
  auto const lowered = work.lower(work.seed());
  auto const made = compiler.compile(lowered, signature);
  if (!made.image) throw ttune::backend_error(made.diagnostics);
  return ttune::load(*made.image);
}

template <class Call>
std::function<void()> many(Call call) {
  return [call] {
    for (int i = 0; i < calls; ++i) call();
  };
}

/// Calls the entry itself, with prepared pointers, table and workspace.
TTUNE_CALLS_MACHINE_CODE void call_raw(ttune::kernel_function entry, void* const* operands,
                                       ttune::runtime_table const& table, void* workspace) {
  for (int i = 0; i < calls; ++i) entry(operands, &table, workspace);
}

void report_case(std::string const& name, std::vector<way_to_call> const& ways, options const& chosen,
                 figure_table& table) {
  std::vector<std::function<void()>> functions;
  for (auto const& w : ways)
    if (chosen.wants_system(w.system)) functions.push_back(w.run);
  auto const timings = time_interleaved(functions, chosen);
  double raw = 0;
  std::size_t next = 0;
  for (auto const& w : ways) {
    if (!chosen.wants_system(w.system)) continue;
    result r{"", name, w.system};
    r.seconds = timings[next++].seconds / calls;
    if (w.system == "raw") raw = r.seconds;
    auto text = time_text(r.seconds);
    if (raw > 0 && w.system != "raw") text += ", " + time_text(std::max(0.0, r.seconds - raw)) + " over raw";
    table.add(r, text);
  }
}

std::span<float const> in(buffer const& b) { return {b.data(), static_cast<std::size_t>(b.size())}; }
std::span<float> out_of(buffer const& b) { return {b.data(), static_cast<std::size_t>(b.size())}; }

void measure_matmul(ttune::orc_backend& compiler, options const& chosen, figure_table& table) {
  auto const name = "4x4x4";
  if (!chosen.wants_case(name)) return;
  auto const op = ttune::ops::matmul(4, 4, 4);
  auto const code = seed_code(op, compiler);
  auto const executor = std::make_shared<ttune::thread_pool>(1);
  ttune::kernel_call const call(code, executor);
  ttune::kernel_of_t<std::remove_cvref_t<decltype(op)>> const kernel(call);
  gemm_problem const problem(make_gemm(4, 4, 4));
  buffer const c(16);
  std::array<void*, 3> const operands{problem.a.data(), problem.b.data(), c.data()};
  buffer const workspace(static_cast<std::int64_t>(call.workspace_bytes() / 4 + 16));
  auto const runtime = ttune::make_runtime_table(*executor);
  ttune::live_tuner tuner(ttune::orc_backend{}, {.executor = executor}, {.background = false});
  auto const live = tuner.tune(op);
  std::vector<way_to_call> ways{{"raw", [&] { call_raw(code->main(), operands.data(), runtime, workspace.data()); }},
                                {"ttune-unchecked", many([&] { call(operands); })},
                                {"ttune", many([&] { kernel(in(problem.a), in(problem.b), out_of(c)); })},
                                {"ttune-live", many([&] { live(in(problem.a), in(problem.b), out_of(c)); })}};
#if TTUNE_WITH_EIGEN
  using matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  matrix const a = matrix::Random(4, 4), b = matrix::Random(4, 4);
  matrix product(4, 4);
  ways.push_back({"ttune-eigen", many([&] { kernel(a, b, product); })});
#endif
  report_case(name, ways, chosen, table);
}

/// Measures a convolution with prepared weights, a batch and padding: four operands, and buffers of the kernel.
void measure_conv(ttune::orc_backend& compiler, options const& chosen, figure_table& table) {
  auto const name = "conv 4x4";
  if (!chosen.wants_case(name)) return;
  conv_shape const s{name, 1, 4, 4, 4, 4, 1, 1, 0};
  auto const op =
      ttune::ops::conv2d({s.batch, s.channels, s.height, s.width, s.filters, s.kernel, s.stride, s.padding});
  auto const code = seed_code(op, compiler);
  auto const executor = std::make_shared<ttune::thread_pool>(1);
  conv_problem const problem(s);
  buffer const out(problem.outputs());
  std::vector<void*> operands{problem.in.data(), problem.weights.data(), out.data()};
  auto const call = ttune::kernel_call(code, executor).prepare(operands);
  ttune::kernel_of_t<std::remove_cvref_t<decltype(op)>> const kernel(call);

  // the raw entry takes the prepared constants after the operands
  auto const runtime = ttune::make_runtime_table(*executor);
  buffer const workspace(static_cast<std::int64_t>(code->workspace_bytes(1) / 4 + 16));
  std::vector<buffer> prepared;
  auto all = operands;
  for (auto const bytes : code->signature().prepared_bytes) {
    prepared.emplace_back(bytes / 4 + 16);
    all.push_back(prepared.back().data());
  }
  if (code->prepare()) code->prepare()(all.data(), &runtime, workspace.data());
  report_case(name,
              {{"raw", [&] { call_raw(code->main(), all.data(), runtime, workspace.data()); }},
               {"ttune-unchecked", many([&] { call(operands); })},
               {"ttune", many([&] { kernel(in(problem.in), in(problem.weights), out_of(out)); })}},
              chosen, table);
}

/// Measures parallel loops called one after the other, with one and with four tasks per thread.
void measure_fork_join(options const& chosen, figure_table& table) {
  auto const pool = std::make_shared<ttune::thread_pool>(chosen.threads);
  for (int const each : {1, 4}) {
    auto const name = "fork-join x" + std::to_string(each);
    if (!chosen.wants_case(name)) continue;
    auto const tasks = std::int64_t{each} * chosen.threads;
    std::vector<way_to_call> ways{
        {"ttune", many([=] { pool->parallel([](void*, std::int64_t, std::int32_t) {}, nullptr, tasks); })}};
#if defined(_OPENMP)
    ways.push_back({"openmp", many([=, threads = chosen.threads] {
#pragma omp parallel for schedule(dynamic) num_threads(threads)
                      for (std::int64_t t = 0; t < tasks; ++t) asm volatile("");
                    })});
#endif
    report_case(name, ways, chosen, table);
  }
}

int run(options const& chosen) {
  figure_table table("call", chosen,
                     "seconds of a call; raw is the machine code's own entry, ttune checks all arguments");
  ttune::orc_backend compiler{};
  measure_matmul(compiler, chosen, table);
  measure_conv(compiler, chosen, table);
  measure_fork_join(chosen, table);
  return table.status();
}

add_suite const call_suite{{"call", "a kernel's call with argument checks over the raw function", run}};

}  // namespace
