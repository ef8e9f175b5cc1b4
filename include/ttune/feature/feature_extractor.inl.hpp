// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <vector>

#include "ttune/feature/block_features.hpp"
#include "ttune/feature/cache_features.hpp"
#include "ttune/feature/estimate_features.hpp"
#include "ttune/feature/feature_extractor.hpp"
#include "ttune/feature/feature_row.hpp"
#include "ttune/feature/loop_features.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

/// Returns log2 of a positive normal number with an error of at most 2e-5, exact at powers of two. It is one chain of
/// multiplications, so that loops of it vectorise.
inline float fast_log2(float x) noexcept {
  auto const bits = std::bit_cast<std::int32_t>(x);
  auto const exponent = static_cast<float>((bits >> 23) - 127);
  auto const f = std::bit_cast<float>((bits & 0x007fffff) | 0x3f800000) - 1.0F;  // in [0, 1)
  auto const bend = 0.44183587F + f * (-0.26653628F + f * (0.14701877F + f * -0.04424374F));
  return exponent + f + f * (1.0F - f) * bend;
}

inline constexpr auto feature_is_logarithmic = logarithmic_features();

}  // namespace detail

feature_extractor::feature_extractor(plan const& p, target const& machine)
    : chains_(p, machine),
      blocks_(p, machine),
      machine_{{static_cast<double>(machine.l1_bytes), static_cast<double>(machine.l2_bytes),
                static_cast<double>(machine.l3_bytes)},
               static_cast<double>(machine.vector_registers),
               static_cast<double>(std::max(1, machine.cores))} {
  for (std::size_t other = first_columns, k = 0; k < p.knobs.size(); ++k) {
    auto const& of = p.knobs[k];
    auto const width = static_cast<std::size_t>(of.width);
    knob_slot const first{k, width, knob_values_.size()};
    if (of.name == "auto_unroll_max_step") unroll_limit_ = first;
    if (of.name == "unroll_explicit") unroll_explicit_ = first;
    if (k < first_columns) knob_slots_[k] = first;
    for (std::size_t column = 1; column < width && other < knob_slots; ++column)
      knob_slots_[other++] = {k, width, first.first + column};
    for (auto const value : of.values) knob_values_.push_back(static_cast<float>(std::max(0, value)));
  }
  for (auto& bytes : machine_.cache_bytes) bytes = std::max(bytes, 1024.0);
  std::vector<bool> read(p.knobs.size(), false);
  auto const reads = [&read](knob_value const& v) {
    if (!v.is_literal()) read[static_cast<std::size_t>(v.knob)] = true;
  };
  for (auto const& s : p.stages) {
    reads(s.place);
    reads(s.permutation);
    for (auto const& l : s.loops) {
      reads(l.kind_enabled);
      for (auto const& f : l.factors) reads(f);
    }
  }
  for (std::size_t k = 0; k < read.size(); ++k)
    if (read[k]) nest_knobs_.push_back(k);
}

loop_chain feature_extractor::chain(loop_nest const& n) const {
  loop_chain made;
  chain_builder::work w;
  chains_.count_work(n, w);
  chains_.build(n, w, made);
  return made;
}

bool feature_extractor::same_nest(configuration const& a, configuration const& b) const noexcept {
  return a.choices.size() == b.choices.size() &&
         std::all_of(nest_knobs_.begin(), nest_knobs_.end(), [&](auto k) { return a.choices[k] == b.choices[k]; });
}

void feature_extractor::extract(loop_nest const& n, configuration const& chosen, std::span<float> out) const {
  block_work kept;
  extract(n, chosen, out, kept);
}

void feature_extractor::extract(loop_nest const& n, configuration const& chosen, std::span<float> out,
                                block_work& kept) const {
  assert(out.size() >= size());
  detail::feature_row r(n, out.data(), kept);
  chains_.count_work(n, r.work);
  chains_.build(n, r.work, r.c);
  r.facts = &chains_.facts(static_cast<std::size_t>(r.c.stage));
  blocks_.build(n, chains_, chosen_value(unroll_limit_, chosen), r.block);
  detail::write_task(r);
  detail::write_machine(machine_, r);
  detail::write_tile(machine_, r);
  detail::write_waste(chains_, r);
  detail::write_threads(chains_, machine_, r);
  detail::write_caches(machine_, r);
  detail::write_curve(r);
  detail::write_other_stages(chains_, machine_, r);
  detail::write_estimate(machine_, r);
  detail::write_block(r.block.there ? unrolling(chosen) : detail::unroll_choice(), size() - knob_slots, machine_, r);
  write_knobs(chosen, r);
  assert(r.at == size());
  for (std::size_t i = 0; i < feature_count; ++i) {
    auto const logarithm = detail::fast_log2(1.0F + out[i]);
    out[i] = detail::feature_is_logarithmic[i] ? logarithm : out[i];
  }
}

void feature_extractor::extract_again(loop_nest const& n, configuration const& chosen, block_work& kept,
                                      std::span<float> out) const {
  constexpr auto first_of_unrolling = detail::feature_index("unroll_limit");
  constexpr auto knobs = feature_count - knob_slots;
  detail::feature_row r(n, out.data(), kept);
  auto const finish = [&](std::size_t first) {
    for (auto i = first; i < r.at; ++i)
      if (detail::feature_is_logarithmic[i]) out[i] = detail::fast_log2(1.0F + out[i]);
  };
  if (kept.there) {
    block_builder::unroll_loops(n, chosen_value(unroll_limit_, chosen), kept);
    r.at = first_of_unrolling;
    detail::write_unrolling(unrolling(chosen), r);
    finish(first_of_unrolling);
  }
  r.at = knobs;
  write_knobs(chosen, r);
  finish(knobs);
}

/// Returns the chosen value; 0 if the knob does not exist.
float feature_extractor::chosen_value(knob_slot const& s, configuration const& chosen) const {
  if (s.width == 0 || s.knob >= chosen.choices.size()) return 0;
  return knob_values_[s.first + static_cast<std::size_t>(chosen.choices[s.knob]) * s.width];
}

detail::unroll_choice feature_extractor::unrolling(configuration const& chosen) const {
  return {chosen_value(unroll_limit_, chosen), chosen_value(unroll_explicit_, chosen)};
}

void feature_extractor::write_knobs(configuration const& chosen, detail::feature_row& r) const {
  for (auto const& s : knob_slots_) r.put(chosen_value(s, chosen));
}

}}  // namespace ttune::v0
