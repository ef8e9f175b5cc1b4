// SPDX-License-Identifier: Apache-2.0
// Runs programs in Halide as functions of the corpus: with a schedule by hand, or with its autoscheduler Adams2019.
#pragma once

#include <Halide.h>
#include <omp.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "loops.hpp"

namespace ttune_bench::corpus {

/// A program in Halide. Shapes begin with the innermost extent, as Halide's do.
struct halide_program {
  struct input {
    Halide::ImageParam image;
    std::vector<int> shape;
  };
  struct output {
    Halide::Func function;
    std::vector<int> shape;
  };
  std::vector<input> inputs;
  std::vector<output> outputs;
  std::function<void()> by_hand;

  /// Adds an operand; `shape` begins with the outermost extent, as the corpus writes it.
  template <class T>
  Halide::ImageParam add(std::string const& name, std::vector<index> const& shape) {
    Halide::ImageParam const image(Halide::type_of<T>(), static_cast<int>(shape.size()), name);
    inputs.push_back({image, reversed(shape)});
    return image;
  }
  void result(Halide::Func const& function, std::vector<index> const& shape) {
    outputs.push_back({function, reversed(shape)});
  }

 private:
  static std::vector<int> reversed(std::vector<index> const& shape) { return {shape.rbegin(), shape.rend()}; }
};

/// A compiled program; a call only sets the addresses of the operands.
class halide_kernel {
 public:
  halide_kernel(halide_program program, bool automatic) : program_(std::move(program)) {
    auto const threads = std::to_string(omp_get_max_threads());
    setenv("HL_NUM_THREADS", threads.c_str(), 1);
    std::vector<Halide::Func> results;
    for (auto const& o : program_.outputs) results.push_back(o.function);
    pipeline_ = Halide::Pipeline(results);
    auto const target = Halide::get_jit_target_from_environment();
    if (!is_small() && automatic) schedule(target, threads);
    if (!is_small() && !automatic) program_.by_hand();
    pipeline_.compile_jit(target);
  }

  void run(std::vector<void const*> const& from, std::vector<void*> const& to) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      auto& [image, shape] = program_.inputs[i];
      image.set(Halide::Buffer<>(image.type(), const_cast<void*>(from[i]), shape));
    }
    std::vector<Halide::Buffer<>> results;
    for (std::size_t i = 0; i < to.size(); ++i) {
      auto const& [function, shape] = program_.outputs[i];
      results.emplace_back(function.type(), to[i], shape);
    }
    pipeline_.realize(Halide::Realization(std::move(results)));
  }

 private:
  /// Returns true for extents of tests, which are narrower than the vectors and tiles of schedules.
  [[nodiscard]] bool is_small() const {
    constexpr int least = 64;
    auto const& shape = program_.outputs[0].shape;
    return *std::max_element(shape.begin(), shape.end()) < least;
  }
  void schedule(Halide::Target const& target, std::string const& threads) {
    static bool const loaded = (Halide::load_plugin(TTUNE_HALIDE_AUTOSCHEDULER), true);
    (void)loaded;
    for (auto& [image, shape] : program_.inputs)
      for (int d = 0; d < image.dimensions(); ++d) image.dim(d).set_estimate(0, shape[static_cast<std::size_t>(d)]);
    for (auto& [function, shape] : program_.outputs)
      for (int d = 0; d < function.dimensions(); ++d)
        function.set_estimate(function.args()[static_cast<std::size_t>(d)], 0, shape[static_cast<std::size_t>(d)]);
    pipeline_.apply_autoscheduler(target, {"Adams2019", {{"parallelism", threads}}});
  }

  halide_program program_;
  Halide::Pipeline pipeline_;
};

/// Runs a program that `make` returns for these extents; the first call compiles it.
template <bool Automatic, class Make>
void run_halide(Make const& make, std::vector<index> const& extents, std::vector<void const*> const& from,
                std::vector<void*> const& to) {
  static std::map<std::vector<index>, halide_kernel> known;
  try {
    auto at = known.find(extents);
    if (at == known.end()) at = known.emplace(extents, halide_kernel(make(), Automatic)).first;
    at->second.run(from, to);
  } catch (Halide::Error const& failure) {  // is no std::exception
    throw std::runtime_error(failure.what());
  }
}

}  // namespace ttune_bench::corpus
