// SPDX-License-Identifier: Apache-2.0
// Hand-written schedules while they are collected: steps, knobs, constraints and known loop extents. The typed
// interface, which checks loop names at compile time, is <ttune/schedule.hpp>; nothing here is a template.
#pragma once

#include <string>
#include <vector>

#include "ttune/schedule/choices.hpp"
#include "ttune/schedule/space.hpp"

namespace ttune { inline namespace v0 {

/// An integer expression of loop extents, in postfix order; `where` turns it into an expression of knobs.
struct extent_formula {
  struct item {
    knob_expression::op what = knob_expression::op::value;
    std::string loop;  ///< if empty, `constant` is the value
    std::int64_t constant = 0;
  };
  std::vector<item> items;
  std::string text;
  int precedence = 9;  ///< precedence of `text`

  [[nodiscard]] static extent_formula of_loop(std::string name);
  [[nodiscard]] static extent_formula of_number(std::int64_t value);
  [[nodiscard]] static extent_formula negated(extent_formula a);
  [[nodiscard]] static extent_formula join(knob_expression::op what, extent_formula a, extent_formula b);
};

/// The space that a chain of calls makes. Calls that change loops apply to the current stage.
class schedule_builder {
 public:
  schedule_builder(handle<ir::program> program, std::string stage);

  /// Returns the program of one stage; its inputs are in the order in which they are read.
  [[nodiscard]] static handle<ir::program> program_of(handle<ir::stage> const& output);

  [[nodiscard]] std::string const& current() const noexcept { return current_; }
  /// Continues with a stage known by its object.
  void enter(std::string stage);
  /// Continues with a stage known by its text only. Throws schedule_error if its object was scheduled already, because
  /// the compiler would not know its loops any more.
  void enter_by_text(std::string stage, bool has_object);

  /// Adds a step of the current stage.
  void add(primitive what, std::vector<std::string> loops, std::vector<std::string> results = {},
           std::vector<knob_value> values = {});
  /// Adds a step that a boolean knob enables.
  void add_by_choice(primitive what, boolean_choice const& choice, std::vector<std::string> loops);
  void split(std::string const& loop, split_choice choice, std::vector<std::string> parts);
  void fuse(std::vector<std::string> loops, std::string result);
  void reorder(order_choice const& choice, std::vector<std::string> loops);
  void inline_stage(std::string stage);
  void where(extent_formula const& condition);

  /// Returns the space with a seed: inner parts near 16, first choices otherwise, as far as the constraints allow.
  [[nodiscard]] ttune::space space() const;

 private:
  struct loop_extent {
    std::string stage;
    std::string loop;
    knob_expression value;
  };
  [[nodiscard]] std::int32_t add_knob(primitive what, knob k);
  [[nodiscard]] knob_expression extent_of(primitive what, std::string const& loop) const;
  void set_extent(std::string const& loop, knob_expression value);
  [[nodiscard]] std::vector<knob_value> cut(std::string const& loop, split_choice& choice,
                                            std::vector<std::string> const& parts);

  ttune::space made_;
  std::string current_;
  std::vector<std::string> by_text_;
  std::vector<loop_extent> extents_;
};

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/schedule/schedule_builder.inl.hpp"
#endif
