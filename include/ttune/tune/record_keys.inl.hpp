// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/ir/equal.hpp"
#include "ttune/ir/own_instruction.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/support/hash.hpp"
#include "ttune/tune/record_keys.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

/// Replaces every number in a printed program: the result is equal for all shapes of an operator.
inline std::string without_numbers(std::string const& text) {
  std::string made;
  bool in_word = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    bool const digit = text[i] >= '0' && text[i] <= '9';
    bool const word =
        digit || text[i] == '_' || (text[i] >= 'a' && text[i] <= 'z') || (text[i] >= 'A' && text[i] <= 'Z');
    if (digit && !in_word) {
      made += '#';
      while (i + 1 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '9') ++i;
      continue;
    }
    in_word = word;
    made += text[i];
  }
  return made;
}

inline std::uint64_t hash_of_space(space const& s) {
  hasher h;
  for (auto const& st : s.steps) {
    h.add(static_cast<std::uint64_t>(st.what)).add(st.stage);
    for (auto const& l : st.loops) h.add(l);
    for (auto const& r : st.results) h.add(r);
    for (auto const& v : st.values)
      h.add(static_cast<std::uint64_t>(v.knob))
          .add(static_cast<std::uint64_t>(v.column))
          .add(static_cast<std::uint64_t>(v.literal));
  }
  for (auto const& k : s.knobs) {
    h.add(k.name);
    for (auto const v : k.values) h.add(static_cast<std::uint64_t>(v));
  }
  for (auto const& c : s.constraints) h.add(c.text);
  for (auto const e : s.trial_extents) h.add(static_cast<std::uint64_t>(e));
  return h.value();
}

}  // namespace detail

std::string target_text(target const& machine) {
  auto made = machine.name + " x" + std::to_string(machine.cores);
  for (auto const& own : machine.instructions)
    if (own->is_on(machine)) made += " +" + own->statement().name;
  return made;
}

record_key key_of(space const& in, target const& machine, objective goal) {
  record_key key;
  auto const text = ir::print(*in.program);
  key.compute = ir::hash(*in.program);
  key.compute_text = detail::without_numbers(text);
  for (auto const& t : in.program->inputs)
    for (auto const& e : t->shape) key.extents.push_back(e.value);
  for (auto const& st : in.program->stages) {
    for (auto const& a : st->axes) key.extents.push_back(a.size());
    for (auto const& a : st->reduction.axes) key.extents.push_back(a.size());
  }
  key.target = target_text(machine);
  key.space = detail::hash_of_space(in);
  key.objective = name_of(goal);
  return key;
}

}}  // namespace ttune::v0
