// SPDX-License-Identifier: Apache-2.0
// A user-defined search strategy: takes the fastest configuration so far and tries all choices of one knob after the
// other. It runs in the tuner like any other strategy, and also on recorded or synthetic measurements, with thousands
// of trials in no time: strategies are compared in that way.
#include <ttune/ops/matmul.hpp>
#include <ttune/runtime/interpreter_backend.hpp>
#include <ttune/search/random_search.hpp>
#include <ttune/space/factors.hpp>
#include <ttune/ttune.hpp>
#include <ttune/tune/recorded/recorded_search.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <vector>

namespace {

class one_knob_at_a_time final : public ttune::search_strategy {
 public:
  [[nodiscard]] std::string name() const override { return "one knob at a time"; }

  void start(ttune::sampler const& space, std::uint64_t seed) override {
    space_ = &space;
    random_ = ttune::rng(seed);
    knob_ = 0;
  }

  // [propose]
  [[nodiscard]] std::vector<ttune::configuration> propose(ttune::search_request const& request) override {
    std::vector<ttune::configuration> proposed;
    ttune::configuration_set taken;
    auto const& knobs = space_->knobs();
    // Tries each knob once: if no knob has an untried choice left, random draws follow.
    for (std::size_t turn = 0; turn < knobs.size() && !request.incumbents.empty(); ++turn, ++knob_) {
      auto const k = knob_ % knobs.size();
      std::vector<ttune::configuration> line;
      for (std::int32_t choice = 0; choice < knobs[k].choices(); ++choice) {
        auto c = request.incumbents[0].chosen;
        c.choices[k] = choice;
        if (space_->valid(c) && !request.visited.contains(c)) line.push_back(std::move(c));
      }
      sort_by_score(line, request.score);
      for (auto& c : line) {
        if (proposed.size() == request.batch) return proposed;
        if (taken.insert(c).second) proposed.push_back(std::move(c));
      }
    }
    auto fresh = ttune::draw_unvisited(*space_, random_, request.visited, taken, request.batch - proposed.size());
    proposed.insert(proposed.end(), fresh.begin(), fresh.end());
    return proposed;
  }
  // [/propose]

 private:
  /// Sorts by the model's score, if there is a model.
  static void sort_by_score(std::vector<ttune::configuration>& line, ttune::batch_scorer const& score) {
    if (!score || line.empty()) return;
    std::vector<float> scores(line.size());
    score(line, scores);
    std::vector<std::size_t> order(line.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(-scores[i], i); });
    std::vector<ttune::configuration> sorted;
    for (auto const i : order) sorted.push_back(line[i]);
    line = std::move(sorted);
  }

  ttune::sampler const* space_ = nullptr;
  ttune::rng random_{0};
  std::size_t knob_ = 0;  ///< the next knob to vary
};

/// Returns the share of the fastest speed that is found after `trials` trials on a synthetic device, as a mean over
/// seeds.
double share_found(ttune::any_search const& by, std::size_t trials) {
  ttune::sampler const space({ttune::factors_knob("rows", 512, 3), ttune::factors_knob("columns", 512, 3),
                              ttune::one_of_knob("unroll", {1, 2, 4, 8})});
  ttune::recorded_device device(space.knobs());
  auto const seconds = [&](ttune::configuration const& c) {
    auto const log = [&](std::size_t k, std::size_t column) {
      return std::log2(static_cast<double>(space.knobs()[k].choice(c.choices[k])[column]));
    };
    return std::exp(0.2 * std::pow(log(0, 2) - 2, 2) + 0.3 * std::pow(log(1, 2) - 4, 2) +
                    0.1 * std::pow(log(0, 1) + log(1, 1) - 6, 2) + 0.2 * std::abs(log(2, 0) - 2));
  };
  device.estimate_by(seconds);
  double best = seconds(space.unrank(0));
  for (auto const& c : space.all()) best = std::min(best, seconds(c));
  double sum = 0;
  constexpr std::uint64_t seeds = 5;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    sum += ttune::recorded_search(space, device, by.another(), {}, [](auto const&, auto&) {},
                                  {.trials = trials, .batch = 16, .seed = seed})
               .share_of(best, trials);
  return sum / seeds;
}

}  // namespace

int main() {
  auto const own = share_found(one_knob_at_a_time{}, 128), blind = share_found(ttune::random_search{}, 128);
  std::cout << "share of the fastest after 128 trials: one knob at a time " << own << ", random " << blind << "\n";

  ttune::tuner tuner{ttune::interpreter_backend{}, {.search = one_knob_at_a_time{}}};
  auto const product = tuner.tune(ttune::ops::matmul(12, 16, 20), {.trials = 64});
  std::cout << product.report();
  std::vector<float> const a(12 * 20, 0.5F), b(20 * 16, 3);
  std::vector<float> c(12 * 16);
  product(a, b, c);
  bool const right = std::ranges::all_of(c, [](float x) { return x == 30; });
  return right && own > blind && product.report().trials == 64 ? EXIT_SUCCESS : EXIT_FAILURE;
}
