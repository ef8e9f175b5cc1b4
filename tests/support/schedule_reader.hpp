// SPDX-License-Identifier: Apache-2.0
// Reads the text of to_cpp without a compiler: each call goes to `schedule_builder`, as <ttune/schedule.hpp> passes it
// on.
#pragma once

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "ttune/schedule/schedule_builder.hpp"

namespace ttune_test {

class schedule_reader {
 public:
  schedule_reader(ttune::handle<ttune::ir::program> program, std::string const& text) {
    auto const start = text.find("ttune::schedule(op, ");
    if (start == std::string::npos) throw std::invalid_argument("no schedule");
    rest_ = text.substr(text.find('(', start) + 1);
    (void)word();  // skips op
    made_.emplace_back(std::move(program), unquoted(word()));
  }

  ttune::space space() {
    while (next_call()) apply();
    return made_[0].space();
  }

 private:
  /// Returns the text up to the next `,`, `)` or `}` at this depth, and skips that character.
  std::string word() {
    auto const from = rest_.find_first_not_of(" ,\n");
    auto const to = rest_.find_first_of(",)", from);
    auto made = rest_.substr(from, to - from);
    closed_ = rest_[to] == ')';
    rest_.erase(0, to + 1);
    return made;
  }
  bool next_call() {
    auto const dot = rest_.find_first_not_of(" \n");
    if (dot == std::string::npos || rest_[dot] != '.') return false;
    auto const open = rest_.find('(');
    name_ = rest_.substr(dot + 1, open - dot - 1);
    rest_.erase(0, open + 1);
    arguments_.clear();
    closed_ = rest_[0] == ')';
    if (closed_) rest_.erase(0, 1);
    while (!closed_) arguments_.push_back(word());
    return true;
  }
  static std::string unquoted(std::string const& text) {
    return text.at(0) == '"' ? text.substr(1, text.size() - 2) : text;
  }
  [[nodiscard]] std::string argument(std::size_t i) const { return unquoted(arguments_.at(i)); }
  [[nodiscard]] std::vector<std::string> from(std::size_t first, std::size_t left_out = 0) const {
    return {arguments_.begin() + static_cast<std::ptrdiff_t>(first),
            arguments_.end() - static_cast<std::ptrdiff_t>(left_out)};
  }

  void split() {
    ttune::split_choice choice;
    std::size_t at = 1;
    auto const is_number = [](std::string const& s) {
      return s.find_first_not_of("{}-0123456789") == std::string::npos;
    };
    for (; at < arguments_.size() && is_number(arguments_[at]); ++at) {
      auto digits = arguments_[at];
      std::erase_if(digits, [](char c) { return c == '{' || c == '}'; });
      choice.inner.push_back(std::stoll(digits));
    }
    choice.parts = static_cast<std::int32_t>(choice.inner.size()) + 1;
    made_[0].split(arguments_[0], choice, from(at));
  }
  void compute_once() {
    std::vector<std::string> of;
    for (auto text : from(0, 1)) {
      std::erase_if(text, [](char c) { return c == '{' || c == '}'; });
      if (!text.empty()) of.push_back(unquoted(text));
    }
    made_[0].add(primitive(), of, {unquoted(arguments_.back())});
  }
  [[nodiscard]] static std::string last_part(std::string const& name) { return name.substr(name.rfind(':') + 1); }
  template <std::size_t N>
  [[nodiscard]] static std::int64_t value_of(std::string const& name, char const* const (&names)[N]) {
    auto const found = std::find(std::begin(names), std::end(names), last_part(name));
    if (found == std::end(names)) throw std::invalid_argument(name);
    return found - std::begin(names);
  }

  /// Returns the number of a primitive.
  [[nodiscard]] ttune::primitive primitive() const {
    for (int p = 0; p < ttune::primitive_count; ++p)
      if (name_ == name_of(static_cast<ttune::primitive>(p))) return static_cast<ttune::primitive>(p);
    throw std::invalid_argument("no primitive is called " + name_);
  }
  /// Adds a step: numbers and enumerators are values, names in quotes are results, other names are loops.
  void add_step() {
    std::vector<std::string> loops;
    std::vector<std::string> results;
    std::vector<ttune::knob_value> values;
    for (auto const& a : arguments_) {
      if (a.find("memory::") != std::string::npos) values.push_back(ttune::literal(value_of(a, memories)));
      else if (a.find("loop_kind::") != std::string::npos) values.push_back(ttune::literal(value_of(a, loop_kinds)));
      else if (a.find_first_not_of("-0123456789") == std::string::npos) values.push_back(ttune::literal(std::stoll(a)));
      else if (a[0] == '"') results.push_back(unquoted(a));
      else loops.push_back(a);
    }
    made_[0].add(primitive(), std::move(loops), std::move(results), std::move(values));
  }

  /// Applies a call. Most calls follow the rule of add_step; the others are listed.
  void apply() {
    auto& to = made_[0];
    if (name_ == "in") to.enter_by_text(argument(0), false);
    else if (name_ == "inline_stage") to.inline_stage(argument(0));
    else if (name_ == "compute_once") compute_once();
    else if (name_ == "split") split();
    else if (name_ == "fuse") to.fuse(from(0, 1), arguments_.back());
    else if (name_ == "fuse_axes") to.add(primitive(), from(0, 1), {arguments_.back()});
    else if (name_ == "cache_read") to.add(primitive(), sources(), {argument(1)});
    else if (name_ == "compute_with") to.add(primitive(), {argument(0)});
    else if (name_ == "compute_at") to.add(primitive(), {argument(0), arguments_.at(1)});
    else if (name_ == "compute_along")
      to.add(primitive(), {arguments_.at(0), argument(1), argument(2)}, {},
             {ttune::literal(std::stoll(arguments_.at(3)))});
    else if (name_ == "rfactor")
      to.add(primitive(), {arguments_.at(0)}, {argument(2), arguments_.at(3)},
             {ttune::literal(std::stoll(arguments_.at(1)))});
    else if (name_ == "split_phases")
      to.add(primitive(), {arguments_.at(0)}, {argument(3), arguments_.at(4), arguments_.at(5)},
             {ttune::literal(std::stoll(arguments_.at(1))), ttune::literal(std::stoll(arguments_.at(2)))});
    else if (name_ == "split_axis")
      to.add(primitive(), {arguments_.at(0)}, {arguments_.at(2), arguments_.at(3)},
             {ttune::literal(std::stoll(arguments_.at(1)))});
    else add_step();
  }
  /// Returns the source of cache_read, and its axis if there is one.
  [[nodiscard]] std::vector<std::string> sources() const {
    std::vector<std::string> made{argument(0)};
    if (arguments_.size() > 2) made.push_back(arguments_[2]);
    return made;
  }

  static constexpr char const* loop_kinds[] = {"serial",     "parallel", "vectorized", "unrolled",
                                               "tensorized", "block_x",  "block_y",    "block_z",
                                               "thread_x",   "thread_y", "thread_z",   "virtual_thread"};
  static constexpr char const* memories[] = {"operand", "prepared", "workspace", "local", "registers", "shared"};

  std::vector<ttune::schedule_builder> made_;
  std::string rest_;
  std::string name_;
  std::vector<std::string> arguments_;
  bool closed_ = false;
};

}  // namespace ttune_test
