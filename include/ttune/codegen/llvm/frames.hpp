// SPDX-License-Identifier: Apache-2.0
// Text under construction. There is one frame per loop body, with the values known so far; computations of outer values
// are hoisted into its entry. The text of a frame dominates everything emitted while the frame is open.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

struct frame {
  int depth = 0;      ///< loop depth; an arm of a conditional has the depth of its loop
  bool arm = false;   ///< true for an arm of a conditional: nothing is hoisted into it
  std::string entry;  ///< hoisted arithmetic, at the start of the loop body
  std::string body;
  std::unordered_map<std::string, std::string> known;                                   ///< key -> pure value
  std::unordered_map<std::string, std::unordered_map<std::string, std::string>> loads;  ///< buffer -> key -> value
};

class frames {
 public:
  void open(int depth, bool arm) {
    stack_.push_back({});
    stack_.back().depth = depth;
    stack_.back().arm = arm;
  }
  [[nodiscard]] std::string close() {
    auto text = std::move(stack_.back().entry) + stack_.back().body;
    stack_.pop_back();
    return text;
  }
  /// Removes the innermost frame: text emitted until `resume` stands before it.
  [[nodiscard]] frame suspend() {
    auto inner = std::move(stack_.back());
    stack_.pop_back();
    return inner;
  }
  void resume(frame inner) { stack_.push_back(std::move(inner)); }
  [[nodiscard]] frame& top() { return stack_.back(); }
  [[nodiscard]] int depth() const { return stack_.back().depth; }
  [[nodiscard]] bool in_arm() const { return stack_.back().arm; }

  /// Writes an instruction; `mark` stands behind it.
  void line(std::string const& text, std::string const& mark = {}) { stack_.back().body += "  " + text + mark + "\n"; }

  /// Depth of values that are defined in the middle of a body: values that depend on them are not hoisted.
  static constexpr int here = 1 << 20;

  /// Emits arithmetic at the start of the loop of depth `depth`, or at the current place for `here`.
  void line_at(int depth, std::string const& text, std::string const& mark = {}) {
    if (depth == here) line(text, mark);
    else at(depth).entry += "  " + text + mark + "\n";
  }

  [[nodiscard]] std::string const* find_known(int depth, std::string const& key) {
    auto const& known = at(depth).known;
    auto const it = known.find(key);
    return it == known.end() ? nullptr : &it->second;
  }
  void remember(int depth, std::string const& key, std::string value) { at(depth).known[key] = std::move(value); }

  [[nodiscard]] std::string const* find_load(std::string const& buffer, std::string const& key) const {
    for (auto f = stack_.rbegin(); f != stack_.rend(); ++f) {
      auto const b = f->loads.find(buffer);
      if (b == f->loads.end()) continue;
      auto const it = b->second.find(key);
      if (it != b->second.end()) return &it->second;
    }
    return nullptr;
  }
  void remember_load(std::string const& buffer, std::string const& key, std::string value) {
    stack_.back().loads[buffer][key] = std::move(value);
  }
  void forget_loads(std::string const& buffer) {
    for (auto& f : stack_) f.loads.erase(buffer);
  }

 private:
  /// Returns the loop frame of a depth; arms are skipped.
  [[nodiscard]] frame& at(int depth) {
    if (depth == here) return stack_.back();
    for (auto f = stack_.rbegin(); f != stack_.rend(); ++f)
      if (f->depth == depth && !f->arm) return *f;
    return stack_.front();
  }
  std::vector<frame> stack_;
};

}}}  // namespace ttune::v0::codegen
