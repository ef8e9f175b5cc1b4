// SPDX-License-Identifier: Apache-2.0
// The frozen public interface: users' programs depend on these declarations. The test is that it compiles. A change
// here breaks programs of users, and belongs into the changelog.
#include <ttune/live.hpp>
#include <ttune/schedule.hpp>
#include <ttune/ttune.hpp>

#include <span>
#include <type_traits>

#include "ttune/model/linear_model.hpp"
#include "ttune/records/export_kernels.hpp"
#include "ttune/records/memory_store.hpp"
#include "ttune/runtime/interpreter_backend.hpp"
#include "ttune/search/annealing.hpp"
#include "ttune/search/genetic.hpp"
#include "ttune/search/grid_search.hpp"
#include "ttune/search/random_search.hpp"
#include "ttune/tune/progress_line.hpp"
#include "ttune/tune/stop_on_interrupt.hpp"

namespace {

template <class A, class B>
constexpr bool same = std::is_same_v<A, B>;

// ---------------------------------------------------------------------------------------------- the notation

using A = ttune::tensor<"A", float, 2>;
using W = ttune::constant<"W", ttune::f16, 2>;
using U = ttune::tensor<"U", std::int8_t, 2, ttune::col_major, ttune::tensor_kind::inout>;
static_assert(A::rank == 2 && same<A::element_type, float> && same<A::layout, ttune::row_major>);
static_assert(A::kind == ttune::tensor_kind::input && W::kind == ttune::tensor_kind::constant &&
              U::kind == ttune::tensor_kind::inout);
static_assert(
    same<ttune::tensor<"S", double, 0>, ttune::tensor<"S", double, 0, ttune::row_major, ttune::tensor_kind::input>>);

/// Never called; the compiler checks all of it.
[[maybe_unused]] void notation() {
  auto const [i, j, k] = ttune::axes<"i", "j", "k">;
  A const a{{512, 256}};  // (M, K)
  ttune::tensor<"B", float, 2> const b{{256, 1024}};
  ttune::tensor<"X", std::int32_t, 1> const x{{16}, ttune::values(0, 4)};
  ttune::table<"T", float, 1> const t{{2}, {0.5, 2}};
  auto const product = ttune::compute<"C">(i, j) = ttune::sum(over(k), a(i, k) * b(k, j));
  auto const largest = ttune::compute<"D">(i) = ttune::max(over(k), ttune::abs(a(i, k)));
  auto const mean = ttune::compute<"E">(i.in(510)) =
      (ttune::zero_outside(a)(i - 1, 0) + ttune::wrap_outside(a)(i, 1) + ttune::mirror_outside(a)(i, 2) +
       ttune::clamp_outside(a)(i, 3) + ttune::value_outside(a, 1.0F)(i, 4)) /
      5;
  auto const chosen = ttune::compute<"F">(i.in(16)) = ttune::select(x(i) > 0, ttune::cast<float>(x(i)) * t(0), t(1));
  auto const functions = ttune::compute<"G">(i) = ttune::relu(
      ttune::exp(largest(i)) + ttune::log(ttune::sqrt(largest(i))) + ttune::tanh(mean(i % 510)) +
      ttune::erf(chosen(i % 16)) + ttune::pow(largest(i), 2) + ttune::gelu(largest(i)) +
      ttune::sigmoid(ttune::min(largest(i), 1)) + ttune::rsqrt(largest(i)) + ttune::sin(mean(0)) + ttune::cos(mean(1)));
  auto const op = ttune::op(inputs(a, b), outputs(product));
  static_assert(same<ttune::kernel_of_t<decltype(op)>,
                     ttune::kernel<ttune::operand<"A", float, 2, ttune::row_major, ttune::tensor_kind::input, false>,
                                   ttune::operand<"B", float, 2, ttune::row_major, ttune::tensor_kind::input, false>,
                                   ttune::operand<"C", float, 2, ttune::row_major, ttune::tensor_kind::input, true>>>);
  static_assert(same<decltype(op.program()), ttune::handle<ttune::ir::program> const&> ||
                same<decltype(op.program()), ttune::handle<ttune::ir::program>>);
  static_assert(same<decltype(op.at({{ttune::dim{"b", 1, 2}, 1}})), std::decay_t<decltype(op)>>);
  static_cast<void>(functions);
}

// ---------------------------------------------------------------------------------------------- schedules

[[maybe_unused]] ttune::space schedules() {
  auto const [i, j, k, io, ii, jo, ji, ij] = ttune::axes<"i", "j", "k", "io", "ii", "jo", "ji", "ij">;
  A const a{{512, 256}};
  ttune::tensor<"B", float, 2> const b{{256, 512}};
  auto const c = ttune::compute<"C">(i, j) = ttune::sum(over(k), a(i, k) * b(k, j));
  return ttune::schedule(c)
      .split(i, ttune::factors<2>("tile_y"), io, ii)
      .split(j, ttune::powers_of_two<2>("tile_x"), jo, ji)
      .reorder(ttune::permutation("order"), io, jo)
      .fuse(io, jo, ij)
      .parallel(ij)
      .unroll(ttune::maybe("unroll"), ii)
      .vectorize(ji)
      .where(extent(ii) * extent(ji) <= 1024 && ttune::min(extent(ii), 8) > 1);
}
static_assert(same<decltype(ttune::space::seed), ttune::configuration>);
static_assert(same<decltype(ttune::space::knobs), std::vector<ttune::knob>>);

// ---------------------------------------------------------------------------------------------- tuning

[[maybe_unused]] ttune::tuning_budget const budget{.trials = 1,
                                                   .time = std::chrono::seconds(1),
                                                   .patience = 1,
                                                   .share_of_peak = 0.95,
                                                   .stop = {},
                                                   .calls = {},
                                                   .effort = ttune::effort::patient,
                                                   .deadline = {}};
[[maybe_unused]] void options() {
  ttune::tuner_options const all{.model = ttune::linear_model{},
                                 .search = ttune::annealing{{.chains = 1, .steps = 1}},
                                 .records = ttune::memory_store{},
                                 .worker = ttune::worker::self{},
                                 .executor = nullptr,
                                 .seed = 1,
                                 .objective = ttune::objective::cold,
                                 .batch = 1,
                                 .peak_flops_per_second = 1,
                                 .on_progress = [](ttune::progress const&) {},
                                 .device = "",
                                 .recorded = nullptr};
  ttune::tuner_options const others{.model = std::make_shared<ttune::linear_model>(),
                                    .search = ttune::random_search{},
                                    .worker = ttune::worker::program{"p"}};
  static_cast<void>(all), static_cast<void>(others);
}
[[maybe_unused]] void exports(ttune::record_store const& from) {
  ttune::export_options const all{.folder = ".",
                                  .name = "kernels",
                                  .kernels = {"OPERATOR=FUNCTION"},
                                  .targets = {"x86_64"},
                                  .archive = ttune::export_archive::never,
                                  .compiler = "cc",
                                  .archiver = "ar",
                                  .compiler_flags = "-O2",
                                  .from = "the store"};
  auto const made = ttune::export_kernels(from, all);
  static_assert(same<decltype(made), ttune::export_report const>);
  static_cast<void>(made.functions.front().name + made.functions.front().title + made.functions.front().targets[0] +
                    made.files[0] + made.left_out[0] + made.no_archive);
}
static_assert(std::is_constructible_v<ttune::worker_choice, ttune::worker::in_process>);
static_assert(std::is_constructible_v<ttune::worker_choice, ttune::worker::command>);
static_assert(std::is_constructible_v<ttune::any_search, ttune::genetic_search> &&
              std::is_constructible_v<ttune::any_search, ttune::grid_search>);
static_assert(std::is_constructible_v<ttune::tuner, std::shared_ptr<ttune::backend>, ttune::tuner_options>);
static_assert(std::is_constructible_v<std::function<void(ttune::progress const&)>, ttune::progress_line>);
static_assert(same<decltype(ttune::is_worker(0, nullptr)), bool> && same<decltype(ttune::run_worker()), int>);

using copy_operand = ttune::operand<"A", float, 2, ttune::row_major, ttune::tensor_kind::input, false>;
using copied = ttune::op_type<copy_operand>;
using tuned_copy = ttune::tuned<ttune::kernel<copy_operand>>;
[[maybe_unused]] void tuning(ttune::tuner& t, copied const& op, ttune::space const& in,
                             ttune::handle<ttune::ir::program> const& program) {
  static_assert(same<decltype(t.tune(op)), tuned_copy> && same<decltype(t.tune(op, budget)), tuned_copy>);
  static_assert(same<decltype(t.tune(op, in)), tuned_copy> && same<decltype(t.tune(op, in, budget)), tuned_copy>);
  static_assert(same<decltype(t.tune(in, budget)), ttune::tuning_result> &&
                same<decltype(t.tune(program, budget)), ttune::tuning_result>);
  static_assert(same<decltype(t.tune(op, ttune::effort::patient)), tuned_copy>);
  static_assert(same<decltype(t.tune_all(std::tuple{op, op}, budget)), std::tuple<tuned_copy, tuned_copy>>);
  static_assert(same<decltype(t.tune_all(std::vector{op, op}, budget)), std::vector<tuned_copy>>);
  static_assert(same<decltype(t.tune_all(std::vector{in}, budget)), std::vector<ttune::tuning_result>>);
}

// ---------------------------------------------------------------------------------------------- kernels

[[maybe_unused]] void kernels(tuned_copy const& kernel, std::span<float const> in) {
  static_assert(same<decltype(kernel(in)), void> && same<decltype(kernel.prepare(in)), ttune::kernel<copy_operand>>);
  static_assert(same<decltype(kernel.workspace_bytes()), std::size_t> &&
                same<decltype(kernel.report()), ttune::tuning_report const&>);
}
static_assert(std::is_nothrow_move_constructible_v<tuned_copy> && std::is_copy_constructible_v<tuned_copy>);
static_assert(same<decltype(ttune::tuning_report::source), ttune::tuning_report::origin>);
static_assert(same<decltype(std::declval<ttune::tuning_report const&>().text()), std::string>);

// ---------------------------------------------------------------------------------------------- live tuning

using live_copy = ttune::live_kernel<ttune::kernel<copy_operand>>;
static_assert(
    std::is_constructible_v<ttune::live_tuner, ttune::interpreter_backend, ttune::tuner_options, ttune::live_options>);
[[maybe_unused]] void live_tuning(ttune::live_tuner& live, copied const& op, std::span<float const> in,
                                  live_copy const& kernel, ttune::live_operator<copied> const& shapes) {
  static_assert(same<decltype(live.tune(op)), live_copy>);
  static_assert(same<decltype(live.tune_shapes(op)), ttune::live_operator<copied>>);
  static_assert(same<decltype(live.step()), bool> && same<decltype(live.stop()), void>);
  static_assert(same<decltype(live.report()), ttune::live_report>);
  static_assert(same<decltype(kernel(in)), void> && same<decltype(kernel.prepare(in)), live_copy>);
  static_assert(same<decltype(shapes(in)), void> && same<decltype(shapes.at({})), live_copy>);
}
[[maybe_unused]] ttune::live_options const live{.share = 0.05,
                                                .nice = 10,
                                                .effort = ttune::effort::patient,
                                                .allowed = {},
                                                .least_gain = 0.02,
                                                .background = true,
                                                .clock = {},
                                                .processor_seconds = {},
                                                .pause = {}};

// ---------------------------------------------------------------------------------------------- errors

static_assert(std::is_base_of_v<std::exception, ttune::error>);
static_assert(std::is_base_of_v<ttune::error, ttune::argument_error> &&
              std::is_base_of_v<ttune::error, ttune::schedule_error> &&
              std::is_base_of_v<ttune::error, ttune::backend_error> &&
              std::is_base_of_v<ttune::error, ttune::record_error> &&
              std::is_base_of_v<ttune::error, ttune::program_error>);

}  // namespace

int main() {}
