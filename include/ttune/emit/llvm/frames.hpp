// SPDX-License-Identifier: Apache-2.0
// Text under construction: one frame a loop body, into whose entry outer computations are hoisted, with the values
// known so far. What lies in a frame dominates everything emitted while the frame is open.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ttune/support/config.hpp"

namespace ttune::inline v0::emit {

struct frame {
  int depth = 0;      ///< loop depth; an arm of a conditional has that of its loop
  bool arm = false;   ///< of a conditional: nothing is hoisted into it
  std::string entry;  ///< hoisted arithmetic, at the start of the loop body
  std::string body;
  std::unordered_map<std::string, std::string> known;                                   ///< pure values by key
  std::unordered_map<std::string, std::unordered_map<std::string, std::string>> loads;  ///< by buffer, by key
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
  /// Takes the innermost frame out: what is emitted until `resume` lies before it.
  [[nodiscard]] frame suspend() {
    auto inner = std::move(stack_.back());
    stack_.pop_back();
    return inner;
  }
  void resume(frame inner) { stack_.push_back(std::move(inner)); }
  [[nodiscard]] frame& top() { return stack_.back(); }
  [[nodiscard]] int depth() const { return stack_.back().depth; }
  [[nodiscard]] bool in_arm() const { return stack_.back().arm; }

  void line(std::string const& text) { stack_.back().body += "  " + text + "\n"; }

  /// Depth of values that are defined in the middle of a body: what depends on them is not hoisted.
  static constexpr int here = 1 << 20;

  /// Emits arithmetic at the start of the loop of depth `depth`, or at hand.
  void line_at(int depth, std::string const& text) {
    if (depth == here) line(text);
    else at(depth).entry += "  " + text + "\n";
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
  /// The loop frame of a depth: arms are passed over.
  [[nodiscard]] frame& at(int depth) {
    if (depth == here) return stack_.back();
    for (auto f = stack_.rbegin(); f != stack_.rend(); ++f)
      if (f->depth == depth && !f->arm) return *f;
    return stack_.front();
  }
  std::vector<frame> stack_;
};

}  // namespace ttune::inline v0::emit
