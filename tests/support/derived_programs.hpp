// SPDX-License-Identifier: Apache-2.0
// Lowered candidates compared with an oracle: the interpreted configurations of a space must compute the program.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <string>
#include <vector>

#include "support/seed.hpp"
#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/core/named_target.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/loop_nest/instantiate.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/space/sampler.hpp"
#include "ttune/support/rng.hpp"

namespace ttune_test {

/// Makes floats of [-1, 1) and small integers.
[[nodiscard]] inline std::vector<ttune::ir::ndarray> uniform_operands(ttune::ir::program const& p, ttune::rng& random) {
  std::vector<ttune::ir::ndarray> made;
  for (auto const& t : p.inputs) {
    if (t->role == ttune::ir::tensor_role::table) continue;
    std::vector<std::int64_t> shape;
    for (auto const& e : t->shape) shape.push_back(e.value);
    ttune::ir::ndarray a(t->type, shape);
    for (std::size_t i = 0; i < static_cast<std::size_t>(a.elements()); ++i) {
      if (t->has_range)
        a.set_number(i, static_cast<double>(t->low) +
                            static_cast<double>(random.below(static_cast<std::uint64_t>(t->high - t->low))));
      else if (ttune::is_float(t->type)) a.set_number(i, random.uniform() * 2 - 1);
      else a.set_number(i, static_cast<double>(random.below(8)));
    }
    made.push_back(std::move(a));
  }
  return made;
}

/// Derives the space of a program for two cores with AVX-512.
[[nodiscard]] inline ttune::space derived_for_two_cores(ttune::handle<ttune::ir::program> const& p) {
  auto machine = ttune::named_target("x86-64-v4");
  machine.cores = 2;
  return ttune::derive_space(p, machine);
}

[[nodiscard]] inline std::ptrdiff_t count_steps(ttune::space const& s, ttune::primitive what) {
  return std::count_if(s.steps.begin(), s.steps.end(), [&](ttune::step const& one) { return one.what == what; });
}

/// Returns the first difference, or nothing.
[[nodiscard]] inline std::string first_difference(std::vector<ttune::ir::ndarray> const& got,
                                                  std::vector<ttune::ir::ndarray> const& want) {
  if (got.size() != want.size()) return "another number of outputs";
  for (std::size_t o = 0; o < want.size(); ++o)
    for (std::size_t e = 0; e < static_cast<std::size_t>(want[o].elements()); ++e) {
      auto const a = got[o].number(e);
      auto const b = want[o].number(e);
      double const tolerance = ttune::is_float(want[o].type) ? 1e-5 : 0;
      if (!(a == b || std::abs(a - b) <= tolerance * (1 + std::abs(b))))
        return "output " + std::to_string(o) + "[" + std::to_string(e) + "] is " + std::to_string(a) + ", should be " +
               std::to_string(b);
    }
  return {};
}

[[nodiscard]] inline ttune::ir::lowered build(ttune::plan const& p, ttune::configuration const& chosen) {
  return lower(p, chosen);
}

/// Checks the seed and random configurations of a space against `program`.
inline void check_space(ttune::space const& in, int configurations) {
  auto const seed = ttune_test::seed();
  INFO("TTUNE_SEED=", seed);
  INFO(ttune::ir::print(*in.program));
  ttune::rng random(seed);
  auto const operands = uniform_operands(*in.program, random);
  auto const expected = ttune::ir::evaluate(*in.program, operands);
  auto const plan = ttune::make_plan(in);
  ttune::sampler const draws(in.knobs, in.constraints);
  REQUIRE(!draws.empty());
  for (int i = 0; i <= configurations; ++i) {
    bool const first = i == 0 && !in.seed.choices.empty();
    if (first) CHECK(draws.valid(in.seed));
    auto const chosen = first ? in.seed : draws.draw(random);
    std::string found;
    ttune::ir::lowered made;
    try {
      made = build(plan, chosen);
      found = first_difference(ttune::ir::run(made, *in.program, operands), expected);
    } catch (std::exception const& failure) {
      found = failure.what();
    }
    INFO("configuration ", i, ": ", ttune::detail::describe_choices(in.knobs, chosen));
    CHECK_MESSAGE(found.empty(), found, "\n", found.empty() || !made.body ? std::string() : ttune::ir::print(made));
  }
}

/// Returns machines with few and many, narrow and wide registers.
[[nodiscard]] inline std::vector<ttune::target> machines() {
  ttune::target narrow;
  ttune::target wide;
  wide.vector_bytes = 64;
  wide.vector_registers = 32;
  wide.has_masks = true;
  wide.cores = 8;
  return {narrow, wide};
}

template <class Op>
void check_derived(Op const& op, int configurations = 20) {
  for (auto const& machine : machines()) check_space(ttune::derive_space(op.program(), machine), configurations);
}

}  // namespace ttune_test
