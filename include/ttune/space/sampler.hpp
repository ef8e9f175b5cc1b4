// SPDX-License-Identifier: Apache-2.0
// Draws, moves and counts in a constrained space. Every returned configuration is valid.
//
// Constraints are solved when the sampler is built, not checked after a draw. Knobs that no constraint connects are
// independent; each connected component is a decision diagram (decision_diagram.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ttune/space/constraint.hpp"
#include "ttune/space/solver/constraint_automaton.hpp"
#include "ttune/space/solver/decision_diagram.hpp"
#include "ttune/support/rng.hpp"

namespace ttune { inline namespace v0 {

/// The number of valid configurations.
struct space_size {
  uint128 count = 0;
  bool exact = true;       ///< false if `count` is an estimate
  bool saturated = false;  ///< true if the number exceeds 128 bits; `count` is then their largest number

  [[nodiscard]] double approximate() const noexcept { return static_cast<double>(count); }
  /// Returns a text such as "100", "about 3200", "at least 3402…".
  [[nodiscard]] std::string text() const;
  /// Returns true for exactly this number.
  friend bool operator==(space_size const& a, std::uint64_t b) noexcept {
    return a.exact && !a.saturated && a.count == b;
  }
};

/// Limits of the work that a sampler does ahead of its first draw.
struct sampler_options {
  /// Maximum of table entries and diagram edges to examine for one component (some 10 ns each). A component with more
  /// is drawn without its hardest constraints, and draws that violate those are discarded.
  std::size_t work_limit = 2'000'000;
};

/// Sampler of a space. Const member functions may be called from many threads at once, each with its own rng.
class sampler {
 public:
  sampler() = default;
  /// Throws argument_error if a constraint names a knob or a column that does not exist.
  explicit sampler(std::vector<knob> knobs, std::vector<constraint> constraints = {}, sampler_options options = {});

  [[nodiscard]] std::vector<knob> const& knobs() const noexcept { return knobs_; }
  [[nodiscard]] space_size const& size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_.count == 0; }
  /// Returns true if there is a choice in range for each knob and all constraints hold. Takes about 50 ns.
  [[nodiscard]] bool valid(configuration const& c) const;
  /// Returns the first constraint that does not hold; null if all hold.
  [[nodiscard]] constraint const* violated(configuration const& c) const;

  /// Returns a valid configuration, all equally likely if size().exact. Throws schedule_error if the space is empty.
  [[nodiscard]] configuration draw(rng& random) const;
  /// Draws into existing memory.
  void draw(rng& random, configuration& out) const;

  /// Changes one knob to another valid choice; all valid choices of that knob are equally likely. Returns false and
  /// does not change `c` if there is none. Requires valid(c), as all moves do.
  bool mutate(configuration& c, rng& random) const;
  /// Moves one knob to a neighbouring choice: a prime factor changes its tile level, two loops swap places, or a number
  /// moves up or down its list by one. (Ansor's MutateTileSize; AutoTVM's random walk has no such neighbourhood.) Calls
  /// `mutate` if no neighbour is valid.
  bool shift(configuration& c, rng& random) const;
  /// Takes each knob from one of the parents, if the result is valid; otherwise takes whole components.
  [[nodiscard]] configuration crossover(configuration const& a, configuration const& b, rng& random) const;
  /// Returns all valid configurations that a shift can reach.
  [[nodiscard]] std::vector<configuration> neighbours(configuration const& c) const;

  /// Returns the configuration with a number below size().count; a bijection. Throws argument_error unless size().exact
  /// and not saturated. Knobs without constraints vary fastest, the last of them first, if they come last: results that
  /// do not depend on such a knob can be reused for the next number.
  [[nodiscard]] configuration unrank(uint128 number) const;
  [[nodiscard]] uint128 rank(configuration const& c) const;
  /// Returns all configurations in the order of their numbers. Throws argument_error if there are more than `limit`.
  [[nodiscard]] std::vector<configuration> all(std::size_t limit = 10'000'000) const;

  /// Returns the choices that a shift reaches from a choice of a knob.
  [[nodiscard]] std::span<std::int32_t const> neighbours_of(std::int32_t knob, std::int32_t choice) const;

 private:
  struct component {
    std::vector<std::int32_t> knobs;
    std::vector<std::int32_t> constraints;
    std::vector<std::int32_t> unsolved;  ///< constraints that the diagram leaves out
    detail::decision_diagram diagram;
    uint128 count = 0;
    bool exact = true;
    bool rare = false;  ///< true if draws from the diagram are hardly ever valid: search is used instead
  };
  struct adjacency {
    std::vector<std::uint32_t> first;  ///< [choice], with one more entry at the end
    std::vector<std::int32_t> to;
  };

  void check_names() const;
  void find_components();
  void solve(component& part, std::size_t work_limit);
  [[nodiscard]] bool try_order(component& part, std::span<std::int32_t const> order, std::size_t work, bool must);
  void estimate(component& part);
  void count();
  [[nodiscard]] bool holds(std::int32_t constraint, std::vector<std::int32_t> const& choices) const;
  [[nodiscard]] bool hold(std::span<std::int32_t const> constraints, std::vector<std::int32_t> const& choices) const;
  bool draw(component const& part, rng& random, std::vector<std::int32_t>& choices) const;
  bool search(component const& part, rng& random, std::vector<std::int32_t>& choices) const;
  bool redraw(std::int32_t knob, rng& random, std::vector<std::int32_t>& choices) const;
  bool shift(std::int32_t knob, rng& random, std::vector<std::int32_t>& choices) const;
  [[noreturn]] void throw_empty() const;
  void require_exact() const;

  std::vector<knob> knobs_;
  std::vector<constraint> constraints_;
  std::vector<detail::constraint_automaton> automata_;     ///< [constraint]
  std::vector<bool> tabulated_;                            ///< [constraint]: true if it has an automaton
  std::vector<std::vector<std::int32_t>> constraints_of_;  ///< [knob]
  std::vector<std::int32_t> movable_;                      ///< knobs with more than one choice
  std::vector<adjacency> adjacency_;                       ///< [knob]
  std::vector<component> components_;
  space_size size_;
};

/// Returns a hash of the choices, the same on all platforms.
[[nodiscard]] inline std::uint64_t hash_of(configuration const& c) noexcept {
  std::uint64_t hash = 0x2545f4914f6cdd1dU;
  for (auto const choice : c.choices) {
    hash = (hash ^ static_cast<std::uint32_t>(choice)) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 32;
  }
  return hash;
}

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/space/sampler.inl.hpp"
#endif
