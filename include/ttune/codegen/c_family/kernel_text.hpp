// SPDX-License-Identifier: Apache-2.0
// The text of one kernel while it is written: lines in nested scopes, identifiers, and declarations at its start.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ttune/codegen/c_family/names.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// In: lines and heads of scopes. Out: the indented body, and the declarations before it. A scope without lines leaves
/// no text.
class kernel_text {
 public:
  /// A scope that was opened; each branch of a condition is one.
  using scope_id = long;

  /// Returns an identifier that is not used in the kernel yet.
  [[nodiscard]] std::string fresh(std::string const& wanted) { return names_.fresh(wanted); }
  void line(std::string const& text) { body_ += std::string(static_cast<std::size_t>(2 * depth_), ' ') + text + "\n"; }
  /// Opens a scope; without a head, it is a block.
  void open(std::string const& head);
  void close();
  /// Ends the first branch of the innermost scope, a condition, and opens its else branch.
  void turn_to_else();
  /// Adds a line before the body, outside of all scopes.
  void line_at_start(std::string const& text) { start_ += "  " + text + "\n"; }

  [[nodiscard]] scope_id innermost_scope() const { return scopes_.empty() ? 0 : scopes_.back().id; }
  [[nodiscard]] bool is_open(scope_id id) const;

  /// The state of the body, to return to if what follows cannot be written after all.
  struct checkpoint;
  [[nodiscard]] checkpoint mark() const;
  [[nodiscard]] checkpoint mark_with_names() const;
  /// Removes what was written after a checkpoint. Identifiers that were given since then stay in use, unless the
  /// checkpoint has names.
  void return_to(checkpoint const& to);
  /// Returns what `write()` writes, without adding it to the body.
  template <class Write>
  [[nodiscard]] std::string captured(Write const& write);
  /// Adds lines that were captured in a scope of the same depth.
  void append(std::string const& lines) { body_ += lines; }

  [[nodiscard]] std::string const& body() const noexcept { return body_; }
  [[nodiscard]] std::string const& start() const noexcept { return start_; }

 private:
  struct scope {
    std::size_t before_head;
    std::size_t behind_head;
    scope_id id;
  };

  std::string start_;
  std::string body_;
  int depth_ = 1;
  std::vector<scope> scopes_;
  scope_id last_scope_ = 0;
  c_names names_;
};

struct kernel_text::checkpoint {
  std::string body;
  int depth;
  std::vector<scope> scopes;
  std::optional<c_names> names;
};

inline void kernel_text::open(std::string const& head) {
  auto const before = body_.size();
  line(head.empty() ? "{" : head + " {");
  scopes_.push_back({before, body_.size(), ++last_scope_});
  ++depth_;
}

inline void kernel_text::close() {
  auto const closed = scopes_.back();
  scopes_.pop_back();
  --depth_;
  if (body_.size() == closed.behind_head) body_.resize(closed.before_head);
  else line("}");
}

inline void kernel_text::turn_to_else() {
  --depth_;
  line("} else {");
  ++depth_;
  scopes_.back().id = ++last_scope_;
}

inline bool kernel_text::is_open(scope_id id) const {
  for (auto const& s : scopes_)
    if (s.id == id) return true;
  return id == 0;
}

inline kernel_text::checkpoint kernel_text::mark() const { return {body_, depth_, scopes_, std::nullopt}; }

inline kernel_text::checkpoint kernel_text::mark_with_names() const { return {body_, depth_, scopes_, names_}; }

inline void kernel_text::return_to(checkpoint const& to) {
  body_ = to.body;
  depth_ = to.depth;
  scopes_ = to.scopes;
  if (to.names) names_ = *to.names;
}

template <class Write>
std::string kernel_text::captured(Write const& write) {
  auto before = std::exchange(body_, {});
  write();
  return std::exchange(body_, std::move(before));
}

}}}}  // namespace ttune::v0::codegen::c_family
