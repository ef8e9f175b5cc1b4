// SPDX-License-Identifier: Apache-2.0
// Facts about indices at the place where code is being written: the ranges of variables, and the conditions that hold
// around this place. A tile of seven columns at the edge of an image, inside of `if (x * 7 + 6 < W)`, needs to test
// only two of its 21 terms.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ttune/codegen/lane_linear.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// Facts come in, the ranges of linear forms go out. An emitter that adds facts restores the earlier ones when it
/// leaves the statement.
class known_ranges {
 public:
  static constexpr auto unlimited = std::numeric_limits<std::int64_t>::max();

  /// Says that a variable is in [low, high); `high` may be `unlimited`.
  void add_variable(std::string const& name, std::int64_t low, std::int64_t high) {
    variables_.push_back({name, low, high});
  }
  /// Says that a form is not negative. Forms with a lane part are left out.
  void add_not_negative(lane_linear const& form) {
    if (form.lane == 0 && !form.terms.empty()) not_negative_.push_back(form);
  }
  /// Forgets conditions, whose forms have names of another function.
  void enter_function() { not_negative_.clear(); }

  /// Returns what is known of the terms of a form, without its constant and its lane part.
  [[nodiscard]] form_range range_of(lane_linear const& form,
                                    std::unordered_map<std::string, lane_linear> const& variables) const {
    auto made = by_variables(form, variables);
    for (auto const& fact : not_negative_) {  // its terms are at least minus its constant
      if (fact.terms == form.terms) raise(made.low, -fact.constant);
      if (fact.terms == form.scaled(-1).terms) lower(made.high, fact.constant);
    }
    return made;
  }

 private:
  struct variable_range {
    std::string name;
    std::int64_t low, high;
  };

  static void raise(std::optional<std::int64_t>& low, std::int64_t to) { low = low ? std::max(*low, to) : to; }
  static void lower(std::optional<std::int64_t>& high, std::int64_t to) { high = high ? std::min(*high, to) : to; }

  /// Returns the sum of the ranges of the terms that are variables.
  [[nodiscard]] form_range by_variables(lane_linear const& form,
                                        std::unordered_map<std::string, lane_linear> const& variables) const {
    form_range sum{0, 0};
    for (auto const& t : form.terms) {
      auto const found = range_of_value(t.value, variables);
      auto const limit = found.high ? std::optional(*found.high * t.coefficient) : std::nullopt;
      auto const least = found.low ? std::optional(*found.low * t.coefficient) : std::nullopt;
      auto const& low = t.coefficient > 0 ? least : limit;
      auto const& high = t.coefficient > 0 ? limit : least;
      sum.low = sum.low && low ? std::optional(*sum.low + *low) : std::nullopt;
      sum.high = sum.high && high ? std::optional(*sum.high + *high) : std::nullopt;
    }
    return sum;
  }
  /// Returns the range of a value that is one variable.
  [[nodiscard]] form_range range_of_value(std::string const& value,
                                          std::unordered_map<std::string, lane_linear> const& variables) const {
    form_range made;
    for (auto const& r : variables_) {
      auto const at = variables.find(r.name);
      if (at == variables.end()) continue;
      auto const& form = at->second;
      bool const is_value = form.constant == 0 && form.lane == 0 && form.terms.size() == 1 &&
                            form.terms[0].coefficient == 1 && form.terms[0].value == value;
      if (!is_value) continue;
      raise(made.low, r.low);
      if (r.high != unlimited) lower(made.high, r.high - 1);
    }
    return made;
  }

  std::vector<variable_range> variables_;
  std::vector<lane_linear> not_negative_;
};

}}}}  // namespace ttune::v0::codegen::llvm
