// SPDX-License-Identifier: Apache-2.0
// Hand-written schedules while they are collected: steps, knobs, constraints and known loop extents. The typed
// interface, which checks loop names at compile time, is <ttune/schedule.hpp>; nothing here is a template.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ttune/ir/stmt.hpp"
#include "ttune/schedule/space.hpp"
#include "ttune/space/factors.hpp"

namespace ttune { inline namespace v0 {

/// How a loop is split: into the given inner extents, outermost first, or by a knob.
struct split_choice {
  std::vector<std::int64_t> inner;  ///< literal extents; empty for a knob
  std::string name;                 ///< name of the knob
  std::int32_t parts = 2;
  factor_policy policy = factor_policy::exact;
  factor_limits limits = {};
  std::vector<std::int32_t> values = {};  ///< for one_of: possible inner extents; if empty, the policy decides
};

/// A boolean knob that decides if the step is applied.
struct boolean_choice {
  std::string name;
};
/// A permutation knob for the order of loops.
struct order_choice {
  std::string name;
};

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

  void split(std::string const& loop, split_choice choice, std::vector<std::string> parts);
  void fuse(std::vector<std::string> loops, std::string result);
  void merge(std::vector<std::string> axes, std::string result);
  void reorder(std::vector<std::string> loops);
  void reorder(order_choice const& choice, std::vector<std::string> loops);
  void run_as(primitive how, std::vector<std::string> loops);
  void run_as(primitive how, boolean_choice const& choice, std::vector<std::string> loops);
  void bind(std::string loop, ir::loop_kind kind);
  void annotate(std::string loop, std::string note, std::int64_t value);
  void compute_at(std::string reader, std::string loop);
  void cache_read(std::string source, std::string copy, std::string axis = {});
  void cache_write(std::string inner);
  void rfactor(std::string axis, std::int64_t factor, std::string partial, std::string kept);
  void inline_stage(std::string stage);
  void compute_with(std::string stage);
  void compute_once(std::vector<std::string> of, std::string stage);
  void separate(std::string axis, std::string partial);
  void store_in(ir::memory where, std::int64_t padding = 0);
  void pack();
  void slide();
  void expand_reduction();
  void swizzle(std::int64_t rows_apart = 1);
  void double_buffer(std::int64_t buffers = 2);
  void prefetch(std::string source, std::string loop, std::int64_t iterations);
  void where(extent_formula const& condition);

  /// Returns the space with a seed: inner parts near 16, first choices otherwise, as far as the constraints allow.
  [[nodiscard]] ttune::space space() const;

 private:
  struct loop_extent {
    std::string stage;
    std::string loop;
    knob_expression value;
  };
  void add(primitive what, std::vector<std::string> loops, std::vector<std::string> results = {},
           std::vector<knob_value> values = {});
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
