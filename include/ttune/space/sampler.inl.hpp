// SPDX-License-Identifier: Apache-2.0
// Components, their diagrams, and draws and moves that use them.
#pragma once

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "ttune/space/knob_adjacency.inl.hpp"
#include "ttune/space/sampler.hpp"
#include "ttune/space/solver/backtracking.hpp"
#include "ttune/space/solver/constraint_automaton.hpp"
#include "ttune/space/solver/decision_diagram.hpp"
#include "ttune/space/solver/reading_order.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 {

std::string space_size::text() const {
  std::string digits;
  for (auto rest = count; rest > 0 || digits.empty(); rest /= 10)
    digits.push_back(static_cast<char>('0' + static_cast<int>(rest % 10)));
  std::reverse(digits.begin(), digits.end());
  return (saturated ? "at least " : exact ? "" : "about ") + digits;
}

// ---- building -------------------------------------------------------------------------------------------------

sampler::sampler(std::vector<knob> knobs, std::vector<constraint> constraints, sampler_options options)
    : knobs_(std::move(knobs)), constraints_(std::move(constraints)) {
  check_names();
  automata_.resize(constraints_.size());
  tabulated_.assign(constraints_.size(), false);
  constraints_of_.resize(knobs_.size());
  for (std::size_t c = 0; c < constraints_.size(); ++c)
    for (auto const k : constraints_[c].condition.depends_on())
      constraints_of_[static_cast<std::size_t>(k)].push_back(static_cast<std::int32_t>(c));
  bool possible = true;
  for (std::size_t k = 0; k < knobs_.size(); ++k) {
    possible = possible && knobs_[k].choices() > 0;
    if (knobs_[k].choices() > 1) movable_.push_back(static_cast<std::int32_t>(k));
    auto [first, to] = detail::adjacent_choices(knobs_[k]);
    adjacency_.push_back({std::move(first), std::move(to)});
  }
  for (auto const& c : constraints_)
    if (c.condition.depends_on().empty()) possible = possible && c.condition.evaluate({}, {}) != 0;
  if (!possible) return;
  find_components();
  for (auto& part : components_) solve(part, options.work_limit);
  count();
}

void sampler::check_names() const {
  for (auto const& c : constraints_)
    for (auto const& item : c.condition.items()) {
      if (item.what != knob_expression::op::value || item.value.is_literal()) continue;
      auto const k = static_cast<std::size_t>(item.value.knob);
      if (k >= knobs_.size())
        throw argument_error("where(" + c.text + "): there is no knob number " + std::to_string(item.value.knob));
      if (item.value.column < 0 || item.value.column >= knobs_[k].width)
        throw argument_error("where(" + c.text + "): the knob " + knobs_[k].name + " has " +
                             std::to_string(knobs_[k].width) + " parts, number " + std::to_string(item.value.column) +
                             " is asked for");
    }
}

/// Finds components: knobs are connected if a constraint uses both.
void sampler::find_components() {
  std::vector<std::int32_t> leader(knobs_.size());
  std::iota(leader.begin(), leader.end(), 0);
  auto const find = [&leader](std::int32_t k) {
    while (leader[static_cast<std::size_t>(k)] != k) k = leader[static_cast<std::size_t>(k)];
    return k;
  };
  for (auto const& c : constraints_) {
    auto const scope = c.condition.depends_on();
    for (auto const k : scope) leader[static_cast<std::size_t>(find(k))] = find(scope.front());
  }
  std::vector<std::int32_t> part_of(knobs_.size(), -1);
  for (std::int32_t k = 0; k < static_cast<std::int32_t>(knobs_.size()); ++k) {
    auto& part = part_of[static_cast<std::size_t>(find(k))];
    if (part < 0) {
      part = static_cast<std::int32_t>(components_.size());
      components_.emplace_back();
    }
    components_[static_cast<std::size_t>(part)].knobs.push_back(k);
  }
  for (std::size_t c = 0; c < constraints_.size(); ++c)
    if (auto const scope = constraints_[c].condition.depends_on(); !scope.empty())
      components_[static_cast<std::size_t>(part_of[static_cast<std::size_t>(find(scope.front()))])]
          .constraints.push_back(static_cast<std::int32_t>(c));
}

void sampler::solve(component& part, std::size_t work_limit) {
  std::vector<std::vector<std::int32_t>> scopes;
  std::vector<std::int32_t> mentions(knobs_.size());
  for (auto const c : part.constraints) {
    auto const& condition = constraints_[static_cast<std::size_t>(c)].condition;
    scopes.push_back(condition.depends_on());
    for (auto const& item : condition.items())
      if (item.what == knob_expression::op::value && !item.value.is_literal())
        ++mentions[static_cast<std::size_t>(item.value.knob)];
  }
  auto const first = detail::reading_order(part.knobs, knobs_, scopes, mentions, true);
  auto const second = detail::reading_order(part.knobs, knobs_, scopes, mentions, false);
  if (try_order(part, first, work_limit / 4, false)) return;
  if (try_order(part, second, work_limit / 4, false)) return;
  std::vector<std::int32_t> const third(second.rbegin(), second.rend());
  if (try_order(part, third, work_limit / 4, false)) return;
  (void)try_order(part, first, work_limit, true);
  if (!part.exact) estimate(part);
}

/// Builds the automata and the diagram of a component with its knobs in this order. With `must`, constraints with the
/// largest automata are left out until that takes at most `work`.
bool sampler::try_order(component& part, std::span<std::int32_t const> order, std::size_t work, bool must) {
  std::vector<std::int32_t> solved;
  part.unsolved.clear();
  auto left = work;
  for (auto const c : part.constraints) {
    auto const scope = constraints_[static_cast<std::size_t>(c)].condition.depends_on();
    std::vector<std::int32_t> reads;
    std::copy_if(order.begin(), order.end(), std::back_inserter(reads),
                 [&](auto k) { return std::binary_search(scope.begin(), scope.end(), k); });
    auto& automaton = automata_[static_cast<std::size_t>(c)];
    automaton = {};
    auto budget = must ? work / 4 : left;
    bool const done =
        detail::build_automaton(constraints_[static_cast<std::size_t>(c)].condition, knobs_, reads, budget, automaton);
    tabulated_[static_cast<std::size_t>(c)] = done;
    if (!done && !must) return false;
    (done ? solved : part.unsolved).push_back(c);
    left = budget;
  }
  auto const size_of = [&](std::int32_t c) { return std::pair{automata_[static_cast<std::size_t>(c)].entries(), c}; };
  std::sort(solved.begin(), solved.end(), [&](auto a, auto b) { return size_of(a) < size_of(b); });
  for (;;) {
    std::vector<detail::constraint_automaton const*> automata;
    for (auto const c : solved) automata.push_back(&automata_[static_cast<std::size_t>(c)]);
    auto budget = must ? work : left;
    if (part.diagram.build(knobs_, order, automata, budget)) break;
    if (!must) return false;
    if (solved.empty()) {  // more than 64 bits without any constraint: knobs are drawn one by one
      part.rare = true;
      break;
    }
    part.unsolved.push_back(solved.back());
    solved.pop_back();
  }
  part.exact = part.unsolved.empty();
  part.count = part.diagram.count();
  return true;
}

/// Estimates the share of valid draws from an incomplete diagram.
void sampler::estimate(component& part) {
  constexpr int tries = 2000;
  rng random(tries);  // a fixed seed, so that equal spaces have equal sizes
  std::vector<std::int32_t> choices(knobs_.size());
  int hits = 0;
  for (int i = 0; i < tries && part.count > 0 && !part.rare; ++i) {
    part.diagram.unrank(random.below(static_cast<std::uint64_t>(part.count)), choices);
    hits += hold(part.unsolved, choices) ? 1 : 0;
  }
  if (hits > 0) {
    part.count = std::max<uint128>(part.count * static_cast<unsigned>(hits) / tries, 1);
  } else if (part.count > 0 || part.rare) {
    part.rare = true;
    bool const any = search(part, random, choices);
    part.count = any ? std::max<uint128>(part.count / tries, 1) : 0;
  }
}

void sampler::count() {
  constexpr auto most = ~uint128{0};
  size_ = {1, true, false};
  for (auto const& part : components_) {
    size_.exact = size_.exact && part.exact;
    if (part.count != 0 && size_.count > most / part.count) size_.saturated = true;
    size_.count = size_.saturated && part.count != 0 ? most : size_.count * part.count;
  }
  if (size_.count == 0) size_.saturated = false;
}

// ---- questions ------------------------------------------------------------------------------------------------

bool sampler::holds(std::int32_t number, std::vector<std::int32_t> const& choices) const {
  auto const c = static_cast<std::size_t>(number);
  if (tabulated_[c]) return automata_[c].accepts(choices);
  return detail::evaluate_postfix(constraints_[c].condition.items(), [&](knob_value const& v) -> std::int64_t {
           auto const k = static_cast<std::size_t>(v.knob);
           return knobs_[k].choice(choices[k])[static_cast<std::size_t>(v.column)];
         }) != 0;
}

bool sampler::hold(std::span<std::int32_t const> numbers, std::vector<std::int32_t> const& choices) const {
  return std::all_of(numbers.begin(), numbers.end(), [&](auto c) { return holds(c, choices); });
}

constraint const* sampler::violated(configuration const& c) const {
  for (std::size_t i = 0; i < constraints_.size(); ++i)
    if (!holds(static_cast<std::int32_t>(i), c.choices)) return &constraints_[i];
  return nullptr;
}

bool sampler::valid(configuration const& c) const {
  if (c.choices.size() != knobs_.size()) return false;
  for (std::size_t k = 0; k < knobs_.size(); ++k)
    if (c.choices[k] < 0 || c.choices[k] >= knobs_[k].choices()) return false;
  return violated(c) == nullptr;
}

std::span<std::int32_t const> sampler::neighbours_of(std::int32_t knob_number, std::int32_t choice) const {
  auto const& list = adjacency_[static_cast<std::size_t>(knob_number)];
  auto const c = static_cast<std::size_t>(choice);
  return std::span(list.to).subspan(list.first[c], list.first[c + 1] - list.first[c]);
}

void sampler::throw_empty() const {
  std::string all;
  for (auto const& c : constraints_) all += (all.empty() ? "" : ", ") + c.text;
  throw schedule_error("where", all, "no configuration fulfils all constraints: relax one of them");
}

void sampler::require_exact() const {
  if (!size_.exact || size_.saturated)
    throw argument_error("configurations have no numbers in a space whose size is " + size_.text() +
                         ": draw them instead");
}

// ---- draws ----------------------------------------------------------------------------------------------------

/// Finds valid choices of a component whose draws are hardly ever valid; they are not equally likely.
bool sampler::search(component const& part, rng& random, std::vector<std::int32_t>& choices) const {
  detail::backtracking search(knobs_, part.diagram.knobs());
  for (auto const c : part.constraints) search.watch(constraints_[static_cast<std::size_t>(c)].condition);
  return search.run(random, choices);
}

bool sampler::draw(component const& part, rng& random, std::vector<std::int32_t>& choices) const {
  if (part.exact) {
    part.diagram.unrank(random.below(static_cast<std::uint64_t>(part.count)), choices);
    return true;
  }
  constexpr int tries = 20'000;
  for (int i = 0; i < tries && !part.rare; ++i) {
    part.diagram.unrank(random.below(part.diagram.count()), choices);
    if (hold(part.unsolved, choices)) return true;
  }
  return search(part, random, choices);
}

void sampler::draw(rng& random, configuration& out) const {
  if (empty()) throw_empty();
  out.choices.resize(knobs_.size());
  for (auto const& part : components_)
    if (!draw(part, random, out.choices)) throw_empty();
}

configuration sampler::draw(rng& random) const {
  configuration c;
  draw(random, c);
  return c;
}

// ---- moves ----------------------------------------------------------------------------------------------------

bool sampler::redraw(std::int32_t knob_number, rng& random, std::vector<std::int32_t>& choices) const {
  auto const& watching = constraints_of_[static_cast<std::size_t>(knob_number)];
  auto& chosen = choices[static_cast<std::size_t>(knob_number)];
  auto const before = chosen;
  auto const n = knobs_[static_cast<std::size_t>(knob_number)].choices();
  constexpr int tries = 8;  // afterwards examining all choices is cheaper
  for (int i = 0; i < tries; ++i) {
    auto const other = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(n - 1)));
    chosen = other < before ? other : other + 1;
    if (hold(watching, choices)) return true;
  }
  std::vector<std::int32_t> fitting;
  for (chosen = 0; chosen < n; ++chosen)
    if (chosen != before && hold(watching, choices)) fitting.push_back(chosen);
  chosen = fitting.empty() ? before : fitting[random.below(fitting.size())];
  return !fitting.empty();
}

bool sampler::mutate(configuration& c, rng& random) const {
  auto const n = movable_.size();
  if (n == 0) return false;
  auto const start = random.below(n);
  for (std::size_t i = 0; i < n; ++i)
    if (redraw(movable_[(start + i) % n], random, c.choices)) return true;
  return false;
}

bool sampler::shift(std::int32_t knob_number, rng& random, std::vector<std::int32_t>& choices) const {
  auto& chosen = choices[static_cast<std::size_t>(knob_number)];
  auto const before = chosen;
  auto const to = neighbours_of(knob_number, before);
  if (to.empty()) return false;
  auto const start = random.below(to.size());
  for (std::size_t i = 0; i < to.size(); ++i) {
    chosen = to[(start + i) % to.size()];
    if (hold(constraints_of_[static_cast<std::size_t>(knob_number)], choices)) return true;
  }
  chosen = before;
  return false;
}

bool sampler::shift(configuration& c, rng& random) const {
  auto const n = movable_.size();
  if (n == 0) return false;
  auto const start = random.below(n);
  for (std::size_t i = 0; i < n; ++i)
    if (shift(movable_[(start + i) % n], random, c.choices)) return true;
  return mutate(c, random);
}

configuration sampler::crossover(configuration const& a, configuration const& b, rng& random) const {
  configuration child = a;
  constexpr int tries = 4;
  for (auto const& part : components_) {
    bool fits = false;
    for (int i = 0; i < tries && !fits; ++i) {
      auto coins = random();
      for (std::size_t j = 0; j < part.knobs.size(); ++j) {
        auto const k = static_cast<std::size_t>(part.knobs[j]);
        if (j % 64 == 63) coins = random();
        child.choices[k] = (coins >> (j % 64) & 1) != 0 ? a.choices[k] : b.choices[k];
      }
      fits = hold(part.constraints, child.choices);
    }
    if (fits) continue;
    auto const& parent = random() >> 63 != 0 ? a : b;
    for (auto const k : part.knobs)
      child.choices[static_cast<std::size_t>(k)] = parent.choices[static_cast<std::size_t>(k)];
  }
  return child;
}

std::vector<configuration> sampler::neighbours(configuration const& c) const {
  std::vector<configuration> found;
  configuration moved = c;
  for (auto const number : movable_) {
    auto const k = static_cast<std::size_t>(number);
    for (auto const choice : neighbours_of(number, c.choices[k])) {
      moved.choices[k] = choice;
      if (hold(constraints_of_[k], moved.choices)) found.push_back(moved);
    }
    moved.choices[k] = c.choices[k];
  }
  return found;
}

// ---- numbers --------------------------------------------------------------------------------------------------

configuration sampler::unrank(uint128 number) const {
  require_exact();
  if (number >= size_.count) throw argument_error("configuration number out of range: there are " + size_.text());
  configuration c;
  c.choices.resize(knobs_.size());
  for (std::size_t i = components_.size(); i-- > 0;) {
    auto const& part = components_[i];
    part.diagram.unrank(static_cast<std::uint64_t>(number % part.count), c.choices);
    number /= part.count;
  }
  return c;
}

uint128 sampler::rank(configuration const& c) const {
  require_exact();
  if (!valid(c)) throw argument_error("a configuration that violates a constraint has no number");
  uint128 number = 0;
  for (auto const& part : components_) number = number * part.count + part.diagram.rank(c.choices);
  return number;
}

std::vector<configuration> sampler::all(std::size_t limit) const {
  if (!empty()) require_exact();
  if (size_.count > limit) throw argument_error("a space of " + size_.text() + " configurations is too large to list");
  std::vector<configuration> list;
  list.reserve(static_cast<std::size_t>(size_.count));
  for (uint128 i = 0; i < size_.count; ++i) list.push_back(unrank(i));
  return list;
}

}}  // namespace ttune::v0
