// SPDX-License-Identifier: Apache-2.0
// Random layouts of the operands and results of a program: dimensions in any order, one of them in blocks. Also moves
// operands and results into layouts, so that a program can be compared with its form in these layouts.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ttune/capture/layouts.hpp"
#include "ttune/core/operand_layout.hpp"
#include "ttune/ir/ndarray.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/rng.hpp"

namespace ttune_test {

/// A program with other layouts of some of its operands and results.
struct arranged_program {
  ttune::handle<ttune::ir::program> program;
  std::vector<ttune::named_layout> layouts;
  int refused = 0;  ///< drawn layouts that the program cannot have
};

[[nodiscard]] inline std::int64_t drawn_below(ttune::rng& random, std::int64_t bound) {
  return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(bound)));
}

/// Draws an order of the dimensions and often blocks, which need not divide.
[[nodiscard]] inline ttune::operand_layout random_layout(ttune::rng& random, std::vector<std::int64_t> const& shape) {
  std::vector<int> order;
  for (int d = 0; d < static_cast<int>(shape.size()); ++d) order.insert(order.begin() + drawn_below(random, d + 1), d);
  if (shape.empty() || random.chance(0.3)) return ttune::operand_layout(order);
  auto const blocked = drawn_below(random, std::ssize(shape));
  auto const size = shape[static_cast<std::size_t>(blocked)];
  std::vector<std::int64_t> divisors;
  for (std::int64_t b = 2; b <= size; ++b)
    if (size % b == 0) divisors.push_back(b);
  auto block = 2 + drawn_below(random, 8);
  if (!divisors.empty() && random.chance(0.9))
    block = divisors[static_cast<std::size_t>(drawn_below(random, std::ssize(divisors)))];
  return ttune::operand_layout(order, static_cast<int>(blocked), block);
}

/// Draws layouts of some operands and results, one after the other. One that the program cannot have is left out:
/// `capture::arrange` must say so by a program_error.
[[nodiscard]] inline arranged_program in_random_layouts(ttune::rng& random,
                                                        ttune::handle<ttune::ir::program> const& plain) {
  using namespace ttune;
  arranged_program made{plain, {}, 0};
  auto const free = capture::with_free_operands(plain);
  auto const draw = [&](std::string const& name, std::vector<std::int64_t> const& shape) {
    bool const other = random.chance(0.7);
    auto layouts = made.layouts;
    layouts.push_back({name, random_layout(random, shape)});
    if (!other) return;
    try {
      made.program = capture::arrange(free, layouts);
      made.layouts = std::move(layouts);
    } catch (program_error const&) {
      ++made.refused;
    }
  };
  for (auto const& t : free->inputs)
    if (t->order == ir::layout::any) draw(t->name, ir::shape_of(t));
  for (auto const& s : free->outputs)
    if (s->order == ir::layout::any) draw(s->name, ir::shape_of(s));
  return made;
}

/// Returns an array of plain order in a layout.
[[nodiscard]] inline ttune::ir::ndarray packed(ttune::ir::ndarray const& plain, ttune::operand_layout const& to) {
  ttune::ir::ndarray made(plain.type, to.in_memory(plain.shape));
  if (is_float(plain.type)) pack_elements(to, plain.shape, sizeof(double), plain.reals.data(), made.reals.data());
  else pack_elements(to, plain.shape, sizeof(std::int64_t), plain.integers.data(), made.integers.data());
  return made;
}

/// Returns the operands of the program in plain order for the program in layouts.
[[nodiscard]] inline std::vector<ttune::ir::ndarray> packed_operands(ttune::ir::program const& plain,
                                                                     std::vector<ttune::named_layout> const& layouts,
                                                                     std::vector<ttune::ir::ndarray> operands) {
  std::size_t at = 0;
  for (auto const& t : plain.inputs) {
    if (t->role == ttune::ir::tensor_role::table) continue;
    if (auto const* const l = find_layout(layouts, t->name)) operands[at] = packed(operands[at], *l);
    ++at;
  }
  return operands;
}

/// Returns the results of the program in plain order as those of the program in layouts.
[[nodiscard]] inline std::vector<ttune::ir::ndarray> packed_results(ttune::ir::program const& plain,
                                                                    std::vector<ttune::named_layout> const& layouts,
                                                                    std::vector<ttune::ir::ndarray> results) {
  std::size_t at = 0;
  for (auto const& s : plain.outputs)
    for (std::size_t c = 0; c < s->components.size(); ++c, ++at)
      if (auto const* const l = find_layout(layouts, s->name)) results[at] = packed(results[at], *l);
  return results;
}

}  // namespace ttune_test
