// SPDX-License-Identifier: Apache-2.0
// Text under construction. There is one frame per loop body, with the values known so far; computations of outer values
// are hoisted into its entry. The text of a frame dominates everything emitted while the frame is open. An arm of a
// conditional that has loops takes what would be hoisted out of them: the other arm does not need it.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

struct frame {
  int depth = 0;      ///< loop depth; an arm of a conditional has the depth of its loop
  bool arm = false;   ///< true for an arm of a conditional
  bool takes = true;  ///< values of this depth are hoisted into it
  std::string entry;  ///< hoisted arithmetic, at the start of the loop body
  std::string body;
  std::unordered_map<std::string, std::string> known;                                   ///< key -> pure value
  std::unordered_map<std::string, std::unordered_map<std::string, std::string>> loads;  ///< buffer -> key -> value
};

class frames {
 public:
  void open_loop(int depth) {
    stack_.push_back({});
    stack_.back().depth = depth;
  }
  /// Begins an arm of a conditional. If it `takes` values, `start` comes before them: its label.
  void open_arm(bool takes, std::string start) {
    auto const depth = this->depth();
    stack_.push_back({});
    stack_.back().depth = depth;
    stack_.back().arm = true;
    stack_.back().takes = takes;
    stack_.back().entry = std::move(start);
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

  /// Returns a value that is known in the loop of a depth, or in an arm there.
  [[nodiscard]] std::string const* find_known(int depth, std::string const& key) const {
    for (auto f = stack_.rbegin(); f != stack_.rend(); ++f) {
      if (depth != here && f->depth != depth) continue;
      if (auto const it = f->known.find(key); it != f->known.end()) return &it->second;
      if (depth == here || !f->arm) return nullptr;
    }
    return nullptr;
  }
  void remember(int depth, std::string const& key, std::string value) { at(depth).known[key] = std::move(value); }
  /// Remembers a value of the whole function.
  void remember(std::string const& key, std::string value) { stack_.front().known[key] = std::move(value); }

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
  /// Returns the innermost frame into which values of a depth are hoisted.
  [[nodiscard]] frame& at(int depth) {
    if (depth == here) return stack_.back();
    for (auto f = stack_.rbegin(); f != stack_.rend(); ++f)
      if (f->depth == depth && f->takes) return *f;
    return stack_.front();
  }
  std::vector<frame> stack_;
};

}}}  // namespace ttune::v0::codegen
