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

/// A program in Halide. Its shapes begin with the innermost extent, as Halide's do; those given to it begin with the
/// outermost one, as the corpus writes them.
struct halide_program {
  struct input {
    Halide::ImageParam image;
    std::vector<int> shape;
  };
  std::vector<input> inputs;
  Halide::Func output;
  std::vector<int> output_shape;
  std::function<void()> by_hand;

  void result(Halide::Func const& function, std::vector<index> const& shape) {
    output = function;
    output_shape = reversed(shape);
  }

 protected:
  static std::vector<int> reversed(std::vector<index> const& shape) { return {shape.rbegin(), shape.rend()}; }
};

/// A program whose operands have these elements; the last one is the result.
template <class... Elements>
struct program_of : halide_program {
  /// Adds the next operand.
  Halide::ImageParam operand(std::vector<index> const& shape) {
    Halide::Type const types[] = {Halide::type_of<Elements>()...};
    Halide::ImageParam const image(types[inputs.size()], static_cast<int>(shape.size()));
    inputs.push_back({image, reversed(shape)});
    return image;
  }
};

/// A compiled program; a call only sets the addresses of the operands.
class halide_kernel {
 public:
  halide_kernel(halide_program program, bool automatic) : program_(std::move(program)), pipeline_(program_.output) {
    auto const threads = std::to_string(omp_get_max_threads());
    setenv("HL_NUM_THREADS", threads.c_str(), 1);
    auto const target = Halide::get_jit_target_from_environment();
    if (!is_small() && automatic) schedule(target, threads);
    if (!is_small() && !automatic) program_.by_hand();
    pipeline_.compile_jit(target);
  }

  /// Runs it with operands in their order, the result last.
  void run(std::vector<void*> const& operands) {
    for (std::size_t i = 0; i < program_.inputs.size(); ++i) {
      auto& [image, shape] = program_.inputs[i];
      image.set(Halide::Buffer<>(image.type(), operands[i], shape));
    }
    Halide::Buffer<> result(program_.output.type(), operands.back(), program_.output_shape);
    pipeline_.realize(result);
  }

 private:
  /// Returns true for extents of tests, which are narrower than the vectors and tiles of schedules.
  [[nodiscard]] bool is_small() const {
    constexpr int least = 64;
    return std::ranges::max(program_.output_shape) < least;
  }
  void schedule(Halide::Target const& target, std::string const& threads) {
    static bool const loaded = (Halide::load_plugin(TTUNE_HALIDE_AUTOSCHEDULER), true);
    (void)loaded;
    for (auto& [image, shape] : program_.inputs)
      for (int d = 0; d < image.dimensions(); ++d) image.dim(d).set_estimate(0, shape[static_cast<std::size_t>(d)]);
    auto const axes = program_.output.args();
    for (std::size_t d = 0; d < axes.size(); ++d) program_.output.set_estimate(axes[d], 0, program_.output_shape[d]);
    pipeline_.apply_autoscheduler(target, {"Adams2019", {{"parallelism", threads}, {"random_dropout_seed", "1"}}});
  }

  halide_program program_;
  Halide::Pipeline pipeline_;
};

template <bool Automatic, auto Build>
struct halide_caller;

/// Calls of the program that `Build` describes for its extents; the first call with some extents compiles it.
template <bool Automatic, class... Elements, class... Extents, void (*Build)(program_of<Elements...>&, Extents...)>
struct halide_caller<Automatic, Build> {
  static void run(Extents... extents, Elements*... operands) {
    static std::map<std::vector<index>, halide_kernel> known;
    try {
      auto at = known.find({extents...});
      if (at == known.end()) {
        program_of<Elements...> program;
        Build(program, extents...);
        at = known.emplace(std::vector<index>{extents...}, halide_kernel(std::move(program), Automatic)).first;
      }
      at->second.run({operands...});
    } catch (Halide::Error const& failure) {  // is no std::exception
      throw std::runtime_error(failure.what());
    }
  }
};

/// Returns such a program as a function of the corpus: extents and element types are those of `Build`.
template <bool Automatic, auto Build>
[[nodiscard]] plain_function halide_function(std::string name) {
  return {std::move(name), halide_caller<Automatic, Build>::run};
}

}  // namespace ttune_bench::corpus
