// SPDX-License-Identifier: Apache-2.0
#include "tuning.hpp"

#include <ttune/model/transfer_model.hpp>
#include <ttune/ops/conv2d.hpp>
#include <ttune/ops/matmul.hpp>
#include <ttune/runtime/measure/make_runner.hpp>
#include <ttune/tune/record_keys.hpp>
#include <ttune/tune/workload.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "../../problem.hpp"

namespace ttune_bench {

using namespace ttune;

namespace {

subject convolution(conv_shape const& s, target const& machine) {
  ops::conv2d_shape const shape{s.batch, s.channels, s.height, s.width, s.filters, s.kernel, s.stride, s.padding};
  return {s.name, derive_space(ops::conv2d(shape).program(), machine)};
}

}  // namespace

std::vector<subject> convolutions(std::vector<std::string> const& names, target const& machine) {
  std::vector<subject> made;
  for (auto const& s : conv_cases())
    if (names.empty() || std::ranges::find(names, s.name) != names.end()) made.push_back(convolution(s, machine));
  return made;
}

std::vector<subject> products(target const& machine, std::int64_t least, std::int64_t most) {
  std::vector<subject> made;
  for (auto const& s : gemm_cases())
    if (s.m * s.n * s.k >= least && s.m * s.n * s.k <= most && s.threads == 0)
      made.push_back({s.name, derive_space(ops::matmul(s.m, s.n, s.k).program(), machine)});
  return made;
}

double outcome::trials_to(double seconds) const {
  auto const at = std::ranges::find_if(best_seconds, [&](double s) { return s <= seconds; });
  return static_cast<double>(at - best_seconds.begin() + 1);
}

bench_tuner::bench_tuner(options const& chosen)
    : compiler_(std::make_shared<orc_backend>()), pool_(std::make_shared<thread_pool>(chosen.threads)) {}

bench_tuner::bench_tuner(target const& machine)
    : compiler_(std::make_shared<orc_backend>(machine)), pool_(std::make_shared<thread_pool>(machine.cores)) {}

outcome bench_tuner::tune(subject const& s, setting const& how) const {
  outcome made;
  tuner with(compiler_, {.model = how.model,
                         .records = how.records,
                         .executor = pool_,
                         .seed = how.seed,
                         .on_progress = [&](progress const& p) {
                           if (!p.finished) made.best_seconds.push_back(p.best_seconds);
                         }});
  auto in = s.in;
  if (how.withhold_seed) {
    rng random(how.seed);
    in.seed = sampler(in.knobs, in.constraints).draw(random);
  }
  made.found = with.tune(in, {.trials = how.trials});
  return made;
}

kernel_image bench_tuner::tune_once(subject const& s, sqlite& known, std::int64_t trials) const {
  auto const own = known.best(key_of(s.in, machine(), objective::warm)) ? copy_of(known)  // is found again
                                                                        : std::make_shared<memory_store>();
  auto made = tune(s, {.trials = trials, .records = own}).found.image;
  known.append_all(*own);
  return made;
}

std::vector<double> bench_tuner::time_in_turns(subject const& s, std::vector<kernel_image> const& kernels) const {
  constexpr int rounds = 15;
  workload const work(s.in, machine());
  auto const on = make_runner(worker::program{}, work.signature(),
                              runner_options{1, objective::warm, pool_->threads(), 2 * machine().l3_bytes});
  std::vector<std::vector<double>> all(kernels.size());
  if (!on->set_reference(kernels.front(), trial_limits{}).ok()) return {};
  for (int r = 0; r < rounds; ++r)
    for (std::size_t i = 0; i < kernels.size(); ++i)
      if (auto const m = on->measure(kernels[i], trial_limits{}); m.ok()) all[i].push_back(m.seconds);
  std::vector<double> medians;
  for (auto& samples : all) {
    if (samples.empty()) return {};
    std::ranges::sort(samples);
    medians.push_back(samples[samples.size() / 2]);
  }
  return medians;
}

std::shared_ptr<memory_store> copy_of(record_store const& from) {
  auto made = std::make_shared<memory_store>();
  merge_records(from, *made);
  return made;
}

any_cost_model model_with_base(std::vector<subject> const& sources, record_store const& records,
                               target const& machine) {
  std::vector<float> rows;
  std::vector<model_target> targets;
  std::int32_t group = 0;
  for (auto const& s : sources) {
    auto const found = records.all(key_of(s.in, machine, objective::warm));
    double best = std::numeric_limits<double>::infinity();
    for (auto const& r : found)
      if (r.result.ok()) best = std::min(best, r.result.seconds);
    if (!std::isfinite(best)) continue;
    workload const work(s.in, machine);
    for (auto const& r : found) {
      auto const chosen = find_configuration(s.in.knobs, r.choices);
      if (!chosen) continue;
      bool const timed = r.result.ok() || r.result.status == trial_status::cut_off;
      work.featurise(std::span(&*chosen, 1), rows);
      targets.push_back({timed ? static_cast<float>(best / r.result.seconds) : 0.0F, !timed, group});
    }
    ++group;
  }
  transfer_model made([] { return any_cost_model(xgboost{}); });
  if (!targets.empty()) made.learn_base({rows.data(), targets.size(), feature_count}, targets);
  return made;
}

}  // namespace ttune_bench
