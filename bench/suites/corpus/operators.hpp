// SPDX-License-Identifier: Apache-2.0
// Adds operators to the corpus: a program as a function of its extents, the source of its shape, the content of its
// inputs. Its plain loops are found by its name (loops.hpp).
#pragma once

#include <ttune/expr.hpp>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "loops.hpp"

namespace ttune_bench::corpus {

/// Content of an input: uniform in [low, high); whole numbers for operands of integers.
struct distribution {
  double low = 0;
  double high = 0;      ///< both 0: [-1, 1) for floats, all values for bytes, else the operand's range, or [-100, 100)
  double diagonal = 0;  ///< added where the last two indices are equal
};
[[nodiscard]] inline distribution uniform(double low, double high) { return {low, high}; }
/// Returns square matrices with `side` rows. Elements of the diagonal are at least one and a half times as large as all
/// others of their row together, so that inverses and solutions have about as many right digits as their operands.
[[nodiscard]] inline distribution diagonally_dominant(double side) { return {-1, 1, 1 + 1.5 * side}; }

/// A function from extents to an operator, with erased types.
class program_maker {
 public:
  template <class Op, class... Extents>
  program_maker(Op (*make)(Extents...))
      : extents_(sizeof...(Extents)), make_([make](std::span<index const> sizes) {
          return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return make(sizes[I]...).program();
          }(std::index_sequence_for<Extents...>());
        }) {}
  [[nodiscard]] std::size_t extents() const noexcept { return extents_; }
  [[nodiscard]] ttune::handle<ttune::ir::program> operator()(std::span<index const> sizes) const {
    return make_(sizes);
  }

 private:
  std::size_t extents_;
  std::function<ttune::handle<ttune::ir::program>(std::span<index const>)> make_;
};

struct corpus_operator {
  std::string name;
  std::string source;          ///< source of the shape
  std::vector<index> extents;  ///< as the source gives them
  std::vector<index> small;    ///< small and uneven, for the check
  program_maker make;
  std::vector<distribution> inputs = {};  ///< in their order; missing ones as `distribution` says
  double tolerance = 2e-4;                ///< difference from the plain loops, by the root mean square of an output
};

struct family {
  std::string name;
  std::vector<corpus_operator> operators;
};

/// Returns all families, in the order of their names after the suite has sorted them.
inline std::vector<family>& families() {
  static std::vector<family> all;
  return all;
}

/// Adds a family: `static add_family const f{{"polybench", {{"gemm", "LARGE", {1000, 1100, 1200}, {5, 7, 9}, gemm}}}};`
struct add_family {
  explicit add_family(family f) { families().push_back(std::move(f)); }
};

}  // namespace ttune_bench::corpus
