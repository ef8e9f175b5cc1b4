// SPDX-License-Identifier: Apache-2.0
// The facts known about the variables in scope while a kernel is emitted.
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "ttune/arith/interval.hpp"
#include "ttune/codegen/lane_linear.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// Thrown if the lanes of the current vectorised loop would have to branch differently: the loop is then emitted
/// element by element.
struct lanes_diverge {};

/// Variables of the statement tree as linear forms of names in the text, with their ranges, and the number of lanes of
/// the current vectorised loop (1 outside of one). A range outlives its variable, until the next variable of that name.
class kernel_variables {
 public:
  using bindings = std::unordered_map<std::string, lane_linear>;

  explicit kernel_variables(arith::ranges known) : ranges_(std::move(known)) {}

  [[nodiscard]] int lanes() const noexcept { return lanes_; }
  void set_lanes(int lanes) noexcept { lanes_ = lanes; }

  void bind(std::string const& variable, lane_linear value) { values_[variable] = std::move(value); }
  void bind(std::string const& variable, lane_linear value, arith::interval range) {
    bind(variable, std::move(value));
    limit(variable, range);
  }
  void unbind(std::string const& variable) { values_.erase(variable); }
  void limit(std::string const& variable, arith::interval range) { ranges_[variable] = range; }
  [[nodiscard]] bool contains(std::string const& variable) const { return values_.contains(variable); }
  [[nodiscard]] lane_linear const& at(std::string const& variable) const { return values_.at(variable); }
  [[nodiscard]] std::optional<lane_linear> find(std::string const& variable) const {
    auto const it = values_.find(variable);
    return it == values_.end() ? std::nullopt : std::optional(it->second);
  }
  [[nodiscard]] bindings const& all() const noexcept { return values_; }
  void restore(bindings values) { values_ = std::move(values); }

  [[nodiscard]] arith::ranges const& ranges() const noexcept { return ranges_; }
  [[nodiscard]] arith::interval bounds(ir::expr const& e) const { return arith::bounds(e, ranges_); }

  /// Returns a linear form of one text: the name of a variable, or an expression that binds like one.
  [[nodiscard]] lane_linear atom(std::string const& text, bool not_negative = false);
  void set_not_negative(std::string const& text) { not_negative_.insert(text); }
  [[nodiscard]] bool is_not_negative(std::string const& text) const { return not_negative_.contains(text); }
  /// Returns true if no value of a linear form is negative, as far as its parts show.
  [[nodiscard]] bool is_not_negative(lane_linear const& l) const;
  /// Returns true if an expression may differ between the lanes of the current vectorised loop.
  [[nodiscard]] bool differs_in_lanes(ir::expr const& e) const;

 private:
  bindings values_;
  arith::ranges ranges_;
  std::set<std::string> not_negative_;  ///< texts of indices that are known to be non-negative
  int lanes_ = 1;
};

inline lane_linear kernel_variables::atom(std::string const& text, bool not_negative) {
  if (not_negative) set_not_negative(text);
  lane_linear made;
  made.terms.push_back({text, 0, 1});
  return made;
}

inline bool kernel_variables::is_not_negative(lane_linear const& l) const {
  return l.constant >= 0 && l.lane >= 0 && std::all_of(l.terms.begin(), l.terms.end(), [&](lane_linear::term const& t) {
           return t.coefficient >= 0 && is_not_negative(t.value);
         });
}

inline bool kernel_variables::differs_in_lanes(ir::expr const& e) const {
  return lanes_ > 1 && ir::contains(e, [&](ir::expr const& n) {
           auto const* v = ir::as<ir::variable>(n);
           auto const it = v ? values_.find(v->name) : values_.end();
           return it != values_.end() && it->second.lane != 0;
         });
}

}}}}  // namespace ttune::v0::codegen::c_family
