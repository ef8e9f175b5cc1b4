// SPDX-License-Identifier: Apache-2.0
// Random small networks as machine code against the interpreter: branches, residual sums, concatenations, several
// readers, several outputs, views; kernels in random layouts with copies between them, and what `tune_network` chooses.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "support/require.hpp"
#include "support/seed.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/network.hpp"
#include "ttune/network/copy_program.hpp"
#include "ttune/network/evaluate.hpp"
#include "ttune/network/join_elementwise.hpp"
#include "ttune/network/network_workloads.hpp"
#include "ttune/network/settle_roles.hpp"
#include "ttune/ops/add.hpp"
#include "ttune/ops/concat.hpp"
#include "ttune/ops/conv2d.hpp"
#include "ttune/ops/dense.hpp"
#include "ttune/ops/elementwise.hpp"
#include "ttune/ops/pool2d.hpp"
#include "ttune/ops/winograd.hpp"
#include "ttune/support/rng.hpp"

namespace random_networks_tests {

using namespace ttune;

namespace {

std::vector<float> numbers(std::int64_t count, rng& random) {
  std::vector<float> made(static_cast<std::size_t>(count));
  for (auto& x : made) x = static_cast<float>(random.below(201)) / 100 - 1;
  return made;
}

/// Draws operators on images, each of which reads earlier values, mostly the latest.
class network_generator {
 public:
  explicit network_generator(std::uint64_t seed) : random_(seed), net_("random") {
    auto const height = 4 + static_cast<std::int64_t>(random_.below(3));
    for (int i = 0; i < 2; ++i)
      images_.push_back({net_.input<float>("x" + std::to_string(i), {1, 8, height, height}), 8, height});
  }

  network make(int operators) {
    for (int i = 0; i < operators; ++i) add_one();
    auto const flat = images_.back();
    auto const features = flat.channels * flat.height * flat.height;
    auto const row = net_.reshape(flat.value, {1, features});
    net_.output("classes", net_.add(ops::dense({1, features, 5}), row, weights<2>({features, 5}), weights<1>({5})));
    for (std::size_t i = 2; i + 1 < images_.size(); ++i)
      if (random_.below(4) == 0) net_.output("out" + std::to_string(i), images_[i].value);
    net_.output("last", images_.back().value);
    return std::move(net_);
  }

 private:
  struct image {
    network_value<float, 4> value;
    std::int64_t channels;
    std::int64_t height;
  };

  template <int Rank>
  network_value<float, Rank> weights(std::int64_t const (&shape)[Rank]) {
    std::int64_t count = 1;
    for (auto const extent : shape) count *= extent;
    return net_.weights("w" + std::to_string(weights_++), shape, numbers(count, random_));
  }
  image const& any() {
    auto const back = std::min<std::size_t>(images_.size(), 1 + random_.below(3));
    return images_[images_.size() - back];
  }
  /// Returns another image of the same shape; the same one if there is no other.
  image const& like(image const& one) {
    for (auto const& other : images_)
      if (other.channels == one.channels && other.height == one.height && other.value.index() != one.value.index())
        return other;
    return one;
  }

  void add_one() {
    auto const x = any();
    switch (random_.below(6)) {
      case 0: return convolve(x, 3);
      case 1: return convolve(x, 1);
      case 2: return join(x, true);
      case 3: return join(x, false);
      case 4: return shrink(x);
      default: return activate(x);
    }
  }
  void convolve(image const& x, std::int64_t kernel) {
    auto const filters = 8 * (1 + static_cast<std::int64_t>(random_.below(2)));
    ops::conv2d_shape const s{1, x.channels, x.height, x.height, filters, kernel, 1, kernel / 2};
    auto const w = weights<4>({filters, x.channels, kernel, kernel});
    auto const made = kernel == 3 ? net_.add(ops::conv2d_alternatives(s), x.value, w)
                                  : net_.add(ops::conv2d_bias_relu(s), x.value, w, weights<1>({filters}));
    images_.push_back({made, filters, x.height});
  }
  void join(image const& x, bool sum) {
    auto const other = like(x);
    if (sum) {
      auto const made = net_.add(ops::add_relu<4>({1, x.channels, x.height, x.height}), x.value, other.value);
      return images_.push_back({made, x.channels, x.height});
    }
    if (x.channels > 16) return activate(x);
    auto const joined = ops::concat<4, 2>({1, 0, x.height, x.height}, 1, {x.channels, other.channels});
    images_.push_back({net_.add(joined, x.value, other.value), x.channels + other.channels, x.height});
  }
  void shrink(image const& x) {
    if (x.height < 4) return activate(x);
    ops::window2d_shape const s{1, x.channels, x.height, x.height, 2, 2, 0};
    images_.push_back({net_.add(ops::max_pool2d(s), x.value), x.channels, s.out_height()});
  }
  void activate(image const& x) {
    auto const op = ops::activate<4>({1, x.channels, x.height, x.height}, ops::activation::sigmoid);
    images_.push_back({net_.add(op, x.value), x.channels, x.height});
  }

  rng random_;
  network net_;
  std::vector<image> images_;
  int weights_ = 0;
};

/// The largest difference from what the interpreter computes, over the largest element of each output.
class checked_network {
 public:
  explicit checked_network(network_graph const& net, std::uint64_t seed) : net_(net) {
    rng random(seed + 77);
    std::vector<ir::ndarray> given;
    for (auto const input : net.inputs()) {
      auto const& t = net.tensors()[input];
      inputs_.push_back(numbers(t.elements(), random));
      given.push_back(ir::load_ndarray(t.type, t.shape, inputs_.back().data()));
    }
    expected_ = evaluate(net, given);
  }

  /// Calls a network of two inputs, with any number of outputs.
  [[nodiscard]] double error_of(tuned_network const& run) const {
    std::vector<std::vector<float>> outputs;
    for (auto const output : net_.outputs())
      outputs.emplace_back(static_cast<std::size_t>(net_.tensors()[output].elements()), -7.0F);
    call(run, outputs);
    double worst = 0;
    for (std::size_t i = 0; i < outputs.size(); ++i) worst = std::max(worst, error_of(outputs[i], expected_[i]));
    return worst;
  }
  [[nodiscard]] std::size_t outputs() const { return expected_.size(); }

 private:
  void call(tuned_network const& run, std::vector<std::vector<float>>& o) const {
    auto const& in = inputs_;
    switch (o.size()) {
      case 2: return run(in[0], in[1], o[0], o[1]);
      case 3: return run(in[0], in[1], o[0], o[1], o[2]);
      case 4: return run(in[0], in[1], o[0], o[1], o[2], o[3]);
      case 5: return run(in[0], in[1], o[0], o[1], o[2], o[3], o[4]);
      default: FAIL("a network of " << o.size() << " outputs");
    }
  }
  static double error_of(std::vector<float> const& found, ir::ndarray const& wanted) {
    double largest = 1e-3, difference = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      largest = std::max(largest, std::abs(wanted.reals[i]));
      difference = std::max(difference, std::abs(static_cast<double>(found[i]) - wanted.reals[i]));
    }
    return difference / largest;
  }

  network_graph const& net_;
  std::vector<std::vector<float>> inputs_;
  std::vector<ir::ndarray> expected_;
};

tuner fast_tuner() {
  tuner_options options;
  options.worker = worker::in_process{};
  return tuner(orc_backend{}, std::move(options));
}

/// Compiles a network with untuned kernels in layouts drawn at random.
tuned_network in_random_layouts(network_graph const& net, tuner& by, rng& random) {
  auto const& machine = by.compiler().target();
  program_hashes hashes;
  auto const found = detail::find_workloads(net, hashes);
  auto const compiled = [&](std::vector<alternative> all) {
    return std::make_shared<kernel_image const>(by.tune_alternatives(std::move(all), {.trials = 0}).image);
  };
  std::vector<chosen_kernel> kernels;
  for (std::size_t op = 0; op < net.operators().size(); ++op) {
    if (net.operators()[op].is_view()) {
      kernels.emplace_back();
      continue;
    }
    auto variants = detail::variants_of(found.workloads[found.workload_of[op]], machine);
    auto& one = variants[random.below(variants.size())];
    kernels.push_back({compiled(std::move(one.computes)), std::move(one.inputs), std::move(one.results)});
  }
  auto steps = plan_steps(net, kernels, [&](network_tensor const& what, auto const& from, auto const& to) {
    std::vector<unarranged_alternative> const all{{copy_program(what, from, to), 0}};
    return chosen_kernel{compiled(arranged_in({}, all, machine)), {from}, {to}};
  });
  return tuned_network(net, std::move(steps), by.kernel_executor());
}

int copies_in(tuned_network const& net) {
  int count = 0;
  for (std::size_t step = 0; step < net.steps(); ++step) count += net.step_name(step).starts_with("copy of ") ? 1 : 0;
  return count;
}

constexpr double most_error = 1e-4;  ///< relative to the largest element, after several sums of some hundred terms

}  // namespace

TEST_CASE("random networks: kernels in any layouts with copies between them") {
  auto const there = orc_backend{}.availability();
  TTUNE_SKIP_UNLESS("orc", there.available, there.reason);
  auto tuner = fast_tuner();
  int copies = 0;
  for (std::uint64_t i = 0; i < 6; ++i) {
    auto const seed = ttune_test::seed() + i;
    auto const drawn = network_generator(seed).make(6).graph();
    checked_network const checked(drawn, seed);
    if (checked.outputs() > 5) continue;
    CAPTURE(seed);
    CAPTURE(drawn.text());
    rng random(seed);
    for (auto const& net : {settle_roles(drawn), settle_roles(join_elementwise(drawn))}) {
      auto const run = in_random_layouts(net, tuner, random);
      CHECK(checked.error_of(run) < most_error);
      copies += copies_in(run);
    }
  }
  CHECK(copies > 5);
}

TEST_CASE("random networks: what the search chooses") {
  auto const there = orc_backend{}.availability();
  TTUNE_SKIP_UNLESS("orc", there.available, there.reason);
  auto tuner = fast_tuner();
  for (std::uint64_t i = 0; i < 2; ++i) {
    auto const seed = ttune_test::seed() + 100 + i;
    auto const drawn = network_generator(seed).make(5).graph();
    checked_network const checked(drawn, seed);
    if (checked.outputs() > 5) continue;
    CAPTURE(seed);
    CAPTURE(drawn.text());
    CHECK(checked.error_of(tune_network(drawn, tuner, {.trials = 6}, numerics::error_within(4))) < 4 * most_error);
  }
}

}  // namespace random_networks_tests
