// SPDX-License-Identifier: Apache-2.0
// Suite live: what tuning in the background costs the calls of an application, and how soon it gains. One thread calls
// a kernel without a pause; in turns, the tuning is held.
#include <ttune/backends/orc.hpp>
#include <ttune/live.hpp>
#include <ttune/ops/depthwise_conv2d.hpp>
#include <ttune/ops/matmul.hpp>
#include <ttune/ops/softmax.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../figures.hpp"
#include "../suite.hpp"

namespace {

using namespace ttune_bench;
using namespace ttune::literals;

constexpr double turn_seconds = 1;  // with the tuning; half of it without
constexpr double near_enough = 0.95;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// A gate at which the tuning rests while it is closed.
class gate {
 public:
  void pause(double seconds) {
    std::unique_lock lock(guard_);
    auto const until = now() + seconds;
    resting_ = true;
    changed_.notify_all();
    while (closed_ || now() < until)
      changed_.wait_for(lock, std::chrono::duration<double>(closed_ ? 1 : until - now()));
    resting_ = false;
  }
  /// Returns when the tuning rests.
  void close() {
    std::unique_lock lock(guard_);
    closed_ = true;
    changed_.wait_for(lock, 3s, [&] { return resting_; });  // what is done never rests again
  }
  void open() {
    std::scoped_lock const lock(guard_);
    closed_ = false;
    changed_.notify_all();
  }

 private:
  std::mutex guard_;
  std::condition_variable changed_;
  bool closed_ = false;
  bool resting_ = false;
};

/// Keeps a core busy while it lives, if wanted.
struct other_work {
  std::jthread thread;
  explicit other_work(bool wanted) {
    if (!wanted) return;
    thread = std::jthread([](std::stop_token const& stop) {
      for (std::atomic<int> n{0}; !stop.stop_requested();) ++n;
    });
  }
};

struct percentiles {
  double median = 0;
  double p99 = 0;
};

/// Calls for some seconds, and times each call.
template <class Call>
percentiles time_calls(Call const& call, double seconds, std::vector<double>& samples) {
  samples.clear();
  auto const end = now() + seconds;
  for (auto begin = now(); begin < end;) {
    call();
    auto const after = now();
    samples.push_back(after - begin);
    begin = after;
  }
  auto const at = [&](double share) {
    auto const nth = samples.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(samples.size() - 1));
    std::ranges::nth_element(samples, nth);
    return *nth;
  };
  return {at(0.5), at(0.99)};
}

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// Returns seconds(first) / seconds(second) of samples in turns.
template <class First, class Second>
double ratio_of(First const& first, Second const& second) {
  auto const seconds_of = [](auto const& call, int calls) {
    auto const began = now();
    for (int i = 0; i < calls; ++i) call();
    return now() - began;
  };
  auto const calls = std::max(1, static_cast<int>(2e-3 / std::max(1e-9, seconds_of(first, 1))));
  std::vector<double> ratios;
  for (int i = 0; i < 15; ++i) {
    auto const a = seconds_of(first, calls);
    ratios.push_back(a / seconds_of(second, calls));
  }
  return median_of(ratios);
}

/// The results of the turns of one case.
struct findings {
  std::vector<double> p99_ratios, median_ratios;  ///< with the tuning over without, of turns without a swap
  percentiles with, without;                      ///< of the last turn
  double at_first = 0;                            ///< speed of the first kernel over that of the one tuned offline
  double at_last = 0;
  double until_near = 0;     ///< seconds of tuning until `near_enough`; 0: not reached
  double tuned_seconds = 0;  ///< of turns with the tuning
  double seconds = 0;        ///< of all
  double processor_seconds = 0;
  ttune::live_kernel_report kernel;
};

/// The largest element of a window of 25 x 25, rows then columns: an operator that gains by tuning.
/// Shape: I (h + 24, w + 24) -> O (h, w)
auto max_filter(std::int64_t h, std::int64_t w) {
  auto const [y, x, r] = ttune::axes<"y", "x", "r">;
  ttune::tensor<"I", float, 2> const I{{h + 24, w + 24}};
  auto const V = ttune::compute<"V">(y.in(h), x.in(w + 24)) = ttune::max(over(r.in(25)), I(y + r, x));
  auto const O = ttune::compute<"O">(y, x.in(w)) = ttune::max(over(r.in(25)), V(y, x + r));
  return ttune::op(inputs(I), outputs(O), "max_filter");
}

template <class Live, class Offline>
findings take_turns(ttune::live_tuner const& live, gate& tuning, Live const& call, Offline const& call_offline,
                    int turns) {
  findings made;
  std::vector<double> samples;
  bool reached = false;
  for (int turn = 0; turn <= turns; ++turn) {
    tuning.close();
    made.at_last = ratio_of(call_offline, call);
    if (turn == 0) made.at_first = made.at_last;
    if (!reached && made.at_last >= near_enough) reached = true, made.until_near = std::max(1e-9, made.tuned_seconds);
    if (turn == turns) break;
    auto const without = time_calls(call, turn_seconds / 2, samples);
    auto const before = live.report();
    tuning.open();
    auto const with = time_calls(call, turn_seconds, samples);
    tuning.close();
    auto const after = live.report();
    made.tuned_seconds += after.seconds - before.seconds;
    made.seconds = after.seconds;
    made.processor_seconds = after.processor_seconds;
    made.kernel = after.kernels.at(0);
    made.with = with;
    made.without = without;
    bool const same = after.kernels.at(0).swaps == before.kernels.at(0).swaps;
    if (same && made.kernel.now == ttune::live_kernel_report::state::tuning) {
      made.p99_ratios.push_back(with.p99 / without.p99);
      made.median_ratios.push_back(with.median / without.median);
    }
    if (made.kernel.now == ttune::live_kernel_report::state::done) turns = turn + 1;
  }
  return made;
}

void report(figure_table& table, std::string const& name, findings const& f) {
  char text[240];
  std::snprintf(
      text, sizeof text,
      "99th percentile %s while it tunes, %s without; %.3f times in the median of %zu turns, median call %.3f",
      time_text(f.with.p99).c_str(), time_text(f.without.p99).c_str(), median_of(f.p99_ratios), f.p99_ratios.size(),
      median_of(f.median_ratios));
  table.add({"", name, "ttune:p99", f.with.p99}, text);
  std::snprintf(text, sizeof text, "%.2f %% of a core: %s of processor time in %s, %lld trials",
                100 * f.processor_seconds / f.seconds, time_text(f.processor_seconds).c_str(),
                time_text(f.seconds).c_str(), static_cast<long long>(f.kernel.trials));
  table.add({"", name, "ttune:share", std::max(1e-9, f.processor_seconds)}, text);
  auto const until = f.until_near > 1e-6 ? "after " + time_text(f.until_near)
                     : f.until_near > 0  ? std::string("at once")
                                         : std::string("not reached");
  std::snprintf(text, sizeof text, "%.2f of the kernel tuned offline: %s; %.2f at first, %.2f after %s, %lld swaps",
                near_enough, until.c_str(), f.at_first, f.at_last, time_text(f.tuned_seconds).c_str(),
                static_cast<long long>(f.kernel.swaps));
  table.add({"", name, "ttune:near", std::max(1e-9, f.until_near)}, text);
}

/// Calls a kernel of two or three operands of floats.
template <class Kernel, std::size_t... I>
void call_with(Kernel const& kernel, std::array<std::vector<float>, sizeof...(I)>& operands,
               std::index_sequence<I...>) {
  kernel(operands[I]...);
}

template <std::size_t Operands, class Op>
void measure(std::string const& name, Op const& op, std::array<std::size_t, Operands> const& elements, bool busy,
             options const& chosen, figure_table& table) {
  if (!chosen.wants_case(name)) return;
  std::array<std::vector<float>, Operands> operands;
  for (std::size_t i = 0; i < Operands; ++i) operands[i].assign(elements[i], 0.5F);
  auto const one_thread = std::make_shared<ttune::thread_pool>(1);
  ttune::tuning_budget offline;
  offline.time = std::chrono::duration<double>(chosen.has_budget ? chosen.budget_seconds : 6);
  if (chosen.trials > 0) offline.trials = chosen.trials;
  ttune::tuner tuner(ttune::orc_backend{}, {.executor = one_thread});
  auto const best = tuner.tune(op, offline);

  gate tuning;
  ttune::live_options how;
  how.pause = [&](double seconds) { tuning.pause(seconds); };
  ttune::live_tuner live(ttune::orc_backend{}, {.executor = one_thread}, how);
  auto const kernel = live.tune(op);
  other_work const other(busy);
  auto const with = [&](auto const& callee) {
    return [&] { call_with(callee, operands, std::make_index_sequence<Operands>()); };
  };
  auto const found = take_turns(live, tuning, with(kernel), with(best), chosen.samples * 2);
  tuning.open();
  live.stop();
  report(table, name, found);
}

int run(options const& chosen) {
  auto const mode = mode_of(chosen, "live", {"idle", "busy"});
  figure_table table("live", chosen,
                     "one thread calls without a pause, kernels of one thread, share 0.05; " +
                         std::string(mode == "busy" ? "another thread keeps a core busy" : "nothing else runs"));
  bool const busy = mode == "busy";
  measure<3>("matmul 128x128x128", ttune::ops::matmul(128, 128, 128), {128 * 128, 128 * 128, 128 * 128}, busy, chosen,
             table);
  measure<2>("softmax 64x1000", ttune::ops::softmax(64, 1000), {64 * 1000, 64 * 1000}, busy, chosen, table);
  measure<2>("max_filter 100x100", max_filter(100, 100), {124 * 124, 100 * 100}, busy, chosen, table);
  return table.status();
}

add_suite const live_suite{{"live", "calls while kernels are tuned in the background", run}};

}  // namespace
