// SPDX-License-Identifier: Apache-2.0
// One constraint as a layered automaton: it reads the choices of its knobs in a fixed order and accepts the valid ones.
//
// An expression is partially evaluated one knob at a time (partial_evaluator.hpp). Equal remainders are one state, and
// intervals decide remainders early. Afterwards states that accept the same choices are merged, and so are choices with
// the same transitions. Counting and drawing under many
// constraints then costs table look-ups only (decision_diagram.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ttune/space/constraint.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// The transition tables. States of a layer are numbered; state 0 accepts all choices.
struct constraint_automaton {
  static constexpr std::uint32_t rejected = 0xffffffffU;
  struct layer {
    std::int32_t knob = 0;
    std::uint32_t classes = 1;
    std::vector<std::uint32_t> class_of;  ///< [choice]
    std::vector<std::uint32_t> next;      ///< [state][class]: a state of the next layer, or `rejected`
  };
  std::vector<layer> layers;
  std::uint32_t start = 0;

  /// Returns true if the choices of its knobs are valid together.
  [[nodiscard]] bool accepts(std::span<std::int32_t const> choices) const noexcept {
    auto state = start;
    for (auto const& l : layers) {
      if (state == 0 || state == rejected) break;
      state = l.next[std::size_t{state} * l.classes +
                     l.class_of[static_cast<std::size_t>(choices[static_cast<std::size_t>(l.knob)])]];
    }
    return state == 0;
  }
  [[nodiscard]] std::size_t entries() const noexcept {
    std::size_t n = 0;
    for (auto const& l : layers) n += l.next.size();
    return n;
  }
};

/// Builds the automaton. Returns false if it needs more than `work` transitions; subtracts the transitions made.
[[nodiscard]] bool build_automaton(knob_expression const& condition, std::vector<knob> const& knobs,
                                   std::span<std::int32_t const> order, std::size_t& work, constraint_automaton& out);

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/space/solver/constraint_automaton.inl.hpp"
#endif
