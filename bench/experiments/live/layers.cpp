// SPDX-License-Identifier: Apache-2.0
// Measures how much the records of other layers help a layer.
#include <ttune/records/sqlite.hpp>
#include <ttune/tune/record_keys.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "../../statistics.hpp"
#include "../live.hpp"
#include "tuning.hpp"

namespace {

using namespace ttune;
using namespace ttune_bench;

/// Returns a copy of the records without those of one key.
std::shared_ptr<memory_store> without(record_store const& from, record_key const& left_out) {
  auto made = std::make_shared<memory_store>();
  from.for_each([&](record const& r) {
    if (r.key != left_out) made->append(r);
    return true;
  });
  for (auto const& l : from.transfer_samples())
    if (l.of != left_out) made->put_transfer_sample(l);
  return made;
}

constexpr std::int64_t few = 16;
constexpr char const* sources_of_knowledge[] = {"untuned", "nothing", "other layers", "other layers and model"};

/// Returns kernels of one layer, in the order of `sources_of_knowledge`.
std::vector<kernel_image> tuned_in_few_trials(bench_tuner const& with, subject const& s,
                                              std::vector<subject> const& layers, record_store const& known,
                                              std::uint64_t seed) {
  auto const others = without(known, key_of(s.in, with.machine(), objective::warm));
  auto const by_model = model_with_base(layers, *others, with.machine());
  setting const settings[] = {{.trials = 1},
                              {.trials = few, .seed = seed},
                              {.trials = few, .seed = seed, .records = copy_of(*others)},
                              {.trials = few, .seed = seed, .records = copy_of(*others), .model = by_model}};
  std::vector<kernel_image> made;
  for (auto const& how : settings) made.push_back(with.tune(s, how).found.image);
  return made;
}

/// Tunes each layer in 16 trials with records of the other eleven, and compares with many trials without records.
void layers_from_layers(options const& chosen) {
  bench_tuner const with(chosen);
  auto const many = trials_of(chosen, 1000);
  auto const layers = convolutions({}, with.machine());
  sqlite known(out_file("live-many-" + std::to_string(many) + ".db"));
  std::vector<kernel_image> wanted;
  for (auto const& s : layers) wanted.push_back(with.tune_once(s, known, many));
  std::ofstream csv(out_file("live-layers.csv"));
  csv << "layer,knowledge,seed,trials,share\n";
  std::printf(
      "live-layers: share of the speed that %lld trials from nothing found, kernels timed in turns; %lld trials\n",
      static_cast<long long>(many), static_cast<long long>(few));
  std::vector<std::vector<double>> shares(std::size(sources_of_knowledge));  // geometric means over the seeds
  for (std::size_t i = 0; i < layers.size(); ++i) {
    auto const& s = layers[i];
    std::vector<std::vector<double>> of_layer(shares.size());
    for (int seed = 1; seed <= std::max(chosen.samples, 1); ++seed) {
      auto kernels = tuned_in_few_trials(with, s, layers, known, static_cast<std::uint64_t>(seed));
      kernels.push_back(wanted[i]);
      auto const seconds = with.time_in_turns(s, kernels);
      for (std::size_t k = 0; k + 1 < seconds.size(); ++k) {
        of_layer[k].push_back(seconds.back() / seconds[k]);
        csv << s.name << ',' << sources_of_knowledge[k] << ',' << seed << ',' << (k == 0 ? 1 : few) << ','
            << of_layer[k].back() << '\n';
      }
    }
    std::printf("live-layers %-5s", s.name.c_str());
    for (std::size_t k = 0; k < shares.size() && !of_layer[k].empty(); ++k) {
      shares[k].push_back(geometric_mean(of_layer[k]));
      std::printf("  %s %.3f", sources_of_knowledge[k], shares[k].back());
    }
    std::printf("\n");
    std::fflush(stdout);
    csv.flush();
  }
  std::printf("live-layers mean ");
  for (std::size_t k = 0; k < shares.size(); ++k)
    std::printf("  %s %.3f", sources_of_knowledge[k], geometric_mean(shares[k]));
  std::printf("\n");
}

add_live const added("live-layers", layers_from_layers);

}  // namespace
