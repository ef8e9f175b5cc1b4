// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <utility>

#include "ttune/runtime/measure/trial_operands.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/rng.hpp"

namespace ttune { inline namespace v0 { namespace detail {

trial_operands::trial_operands(kernel_signature const& signature, runner_options& options) : terms_(signature.terms) {
  options.data.resize(signature.operands.size());
  rng seeds(options.seed);
  for (std::size_t i = 0; i < signature.operands.size(); ++i) {
    auto const& info = signature.operands[i];
    auto const seed = seeds();
    auto& own = options.data[i];
    if (!own.empty() && own.size() != static_cast<std::size_t>(info.bytes()))
      throw argument_error("data for operand " + info.name + " has " + std::to_string(own.size()) +
                           " bytes, it takes " + std::to_string(info.bytes()));
    auto& made = all_.emplace_back();
    made.info = info;
    if (made.is_strided()) made.place = {info, trial_strides(info)};
    auto const bytes = made.is_strided() ? made.place.bytes() : info.bytes();
    made.at_end = guarded_memory(bytes, true);
    made.at_start = guarded_memory(bytes, false);
    if (info.direction == operand_direction::out) continue;
    if (info.direction == operand_direction::strides) made.initial = content_of_strides(signature);
    else if (info.direction == operand_direction::extents) made.initial = content_of_extents(signature);
    else made.initial = own.empty() ? make_input(info, seed) : std::move(own);
  }
  for (auto const& o : all_)
    if (!o.initial.empty())
      for (auto const* const memory : {&o.at_end, &o.at_start}) o.fill(*memory, o.initial);
}

std::vector<std::uint8_t> trial_operands::one::content(guarded_memory const& memory) const {
  if (is_strided()) return place.gather(memory.data());
  return {memory.data(), memory.data() + memory.bytes()};
}

void trial_operands::one::fill(guarded_memory const& memory, std::span<std::uint8_t const> content) const {
  if (!is_strided()) return void(std::copy(content.begin(), content.end(), memory.data()));
  auto const all = place.with_gaps(content);
  std::copy(all.begin(), all.end(), memory.data());
}

bool trial_operands::one::has_content(guarded_memory const& memory, std::span<std::uint8_t const> content) const {
  if (!is_strided()) return std::memcmp(memory.data(), content.data(), memory.bytes()) == 0;
  auto const wanted = place.with_gaps(content);
  return std::equal(wanted.begin(), wanted.end(), memory.data());
}

bool trial_operands::one::gaps_intact(guarded_memory const& memory) const {
  return !is_strided() || has_content(memory, content(memory));
}

std::vector<void*> trial_operands::pointers(bool at_end) const {
  std::vector<void*> made;
  for (std::size_t i = 0; i < size(); ++i) made.push_back(memory(i, at_end).data());
  return made;
}

bool trial_operands::updated_in_place() const noexcept {
  return std::any_of(all_.begin(), all_.end(),
                     [](one const& o) { return o.info.direction == operand_direction::inout; });
}

void trial_operands::restore(bool at_end, int round) const {
  for (std::size_t i = 0; i < size(); ++i) {
    auto const& o = all_[i];
    if (!o.is_written()) continue;
    auto const& to = memory(i, at_end);
    if (!o.initial.empty()) {
      o.fill(to, o.initial);
    } else if (o.is_strided()) {
      std::vector<std::uint8_t> garbage(static_cast<std::size_t>(o.info.bytes()));
      poison(o.info, garbage, round);
      o.fill(to, garbage);
    } else {
      poison(o.info, {to.data(), to.bytes()}, round);
    }
  }
}

std::string trial_operands::repair(bool at_end) const {
  std::string first;
  auto const found = [&](std::string what) {
    if (first.empty()) first = std::move(what);
  };
  for (std::size_t i = 0; i < size(); ++i) {
    auto const& o = all_[i];
    auto const& at = memory(i, at_end);
    if (auto const offset = at.overwritten(); offset != 0) {
      auto const past = offset - static_cast<std::int64_t>(at.bytes());
      found(offset < 0 ? "wrote " + std::to_string(-offset) + " bytes before the start of " + o.info.name
                       : "wrote " + std::to_string(past + 1) + " bytes past the end of " + o.info.name);
      at.paint_red_zones();
    }
    if (o.is_written()) {
      if (!o.gaps_intact(at)) found("wrote between the elements of " + o.info.name);
      continue;
    }
    if (o.has_content(at, o.initial)) continue;
    found("changed its input " + o.info.name);
    o.fill(at, o.initial);
  }
  return first;
}

bool trial_operands::has_same_outputs() const {
  return std::all_of(all_.begin(), all_.end(), [](one const& o) {
    return !o.is_written() || std::memcmp(o.at_end.data(), o.at_start.data(), o.at_start.bytes()) == 0;
  });
}

std::vector<std::vector<std::uint8_t>> trial_operands::outputs(bool at_end) const {
  std::vector<std::vector<std::uint8_t>> made(size());
  for (std::size_t i = 0; i < size(); ++i)
    if (all_[i].is_written()) made[i] = all_[i].content(memory(i, at_end));
  return made;
}

std::string trial_operands::unwritten(bool at_end) const {
  for (std::size_t i = 0; i < size(); ++i) {
    auto const& o = all_[i];
    if (!o.is_written() || !o.initial.empty()) continue;
    auto const& at = memory(i, at_end);
    auto found = o.is_strided() ? v0::unwritten(o.info, o.content(at)) : v0::unwritten(o.info, {at.data(), at.bytes()});
    if (!found.empty()) return found;
  }
  return {};
}

void trial_operands::expect(std::vector<std::vector<std::uint8_t>> outputs, double tolerance) {
  outputs.resize(size());
  for (std::size_t i = 0; i < size(); ++i)
    if (auto const& o = all_[i]; o.is_written() && outputs[i].size() != static_cast<std::size_t>(o.info.bytes()))
      throw argument_error("the reference for " + o.info.name + " has " + std::to_string(outputs[i].size()) +
                           " bytes, the operand " + std::to_string(o.info.bytes()));
  for (std::size_t i = 0; i < size(); ++i)
    if (auto& o = all_[i]; o.is_written()) o.expected = {o.info, std::move(outputs[i]), terms_, tolerance};
  has_reference_ = true;
}

void trial_operands::forget_reference() noexcept {
  has_reference_ = false;
  for (auto& o : all_) o.expected = {};
}

std::string trial_operands::difference(bool at_end) const {
  for (std::size_t i = 0; has_reference_ && i < size(); ++i) {
    auto const& o = all_[i];
    auto const& at = memory(i, at_end);
    auto found = o.is_strided() && o.is_written() ? o.expected.difference(o.content(at).data())
                                                  : o.expected.difference(at.data());
    if (!found.empty()) return found;
  }
  return {};
}

bool trial_operands::reference_intact() const noexcept {
  return std::all_of(all_.begin(), all_.end(), [](one const& o) { return !o.is_written() || o.expected.intact(); });
}

std::vector<std::uint8_t> trial_operands::bytes(std::size_t operand) const {
  auto const& o = all_.at(operand);
  if (o.is_written() && has_reference_) return o.expected.bytes();
  if (!o.initial.empty()) return o.initial;
  return o.content(o.at_start);
}

std::vector<std::vector<std::uint8_t>> trial_operands::reference() const {
  std::vector<std::vector<std::uint8_t>> made(size());
  for (std::size_t i = 0; has_reference_ && i < size(); ++i) made[i] = all_[i].expected.bytes();
  return made;
}

}}}  // namespace ttune::v0::detail
