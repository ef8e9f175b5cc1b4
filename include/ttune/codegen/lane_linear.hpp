// SPDX-License-Identifier: Apache-2.0
// An index as a linear form while code is emitted: a constant, a multiple of the vector lane, and multiples of named
// values of the text (SSA values, C variables).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ttune/support/config.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

/// constant + lane * (0, 1, …) + sum of coefficient * value. Each value stores the loop depth of its definition, so
/// that partial sums can be computed in the outermost possible loop.
struct lane_linear {
  struct term {
    std::string value;  ///< its name
    int depth = 0;
    std::int64_t coefficient = 1;
    friend bool operator==(term const&, term const&) = default;
  };
  std::int64_t constant = 0;
  std::int64_t lane = 0;
  std::vector<term> terms;  ///< ordered by depth, then name

  [[nodiscard]] bool is_constant() const noexcept { return terms.empty() && lane == 0; }

  void add(term const& t) {
    if (t.coefficient == 0) return;
    for (auto it = terms.begin(); it != terms.end(); ++it)
      if (it->value == t.value) {
        it->coefficient += t.coefficient;
        if (it->coefficient == 0) terms.erase(it);
        return;
      }
    auto const after = [](term const& a, term const& b) {
      return a.depth != b.depth ? a.depth < b.depth : a.value < b.value;
    };
    terms.insert(std::upper_bound(terms.begin(), terms.end(), t, after), t);
  }

  [[nodiscard]] lane_linear scaled(std::int64_t by) const {
    lane_linear made;
    made.constant = constant * by;
    made.lane = lane * by;
    if (by == 0) return made;
    made.terms = terms;
    for (auto& t : made.terms) t.coefficient *= by;
    return made;
  }

  friend lane_linear operator+(lane_linear a, lane_linear const& b) {
    a.constant += b.constant;
    a.lane += b.lane;
    for (auto const& t : b.terms) a.add(t);
    return a;
  }

  /// Returns a text of the form without its constant, as a key of caches.
  [[nodiscard]] std::string key() const {
    std::string text;
    for (auto const& t : terms) text += t.value + "*" + std::to_string(t.coefficient) + " ";
    if (lane != 0) text += "lane*" + std::to_string(lane);
    return text;
  }
};

/// The range in which the value of a form lies. Both limits are included; an absent one is not known.
struct form_range {
  std::optional<std::int64_t> low, high;
};

/// Returns the form of one lane.
[[nodiscard]] inline lane_linear in_lane(lane_linear form, int lane) {
  form.constant += form.lane * lane;
  form.lane = 0;
  return form;
}

/// Returns the number of an element in row-major storage; `form` returns the linear form of one index.
template <class Index, class Form>
[[nodiscard]] lane_linear flat_form(std::vector<std::int64_t> const& extents, std::vector<Index> const& indices,
                                    Form const& form) {
  lane_linear flat;
  std::int64_t stride = 1;
  for (std::size_t d = indices.size(); d-- > 0;) {
    flat = flat + form(indices[d]).scaled(stride);
    stride *= extents[d];
  }
  return flat;
}

/// floor(a / by) = quotient + floor(rest / by); a and rest have the same remainder.
struct partial_division {
  lane_linear quotient;
  lane_linear rest;  ///< without terms, it is the remainder itself, and `quotient` is complete
};

/// Moves terms that are multiples of `by` out of the division. Returns nothing if the lanes of a vector have different
/// quotients, or may have.
[[nodiscard]] inline std::optional<partial_division> divide_partly(lane_linear const& a, std::int64_t by, int lanes) {
  partial_division made;
  made.rest.constant = a.constant;
  (a.lane % by == 0 ? made.quotient : made.rest).lane = a.lane % by == 0 ? a.lane / by : a.lane;
  for (auto t : a.terms) {
    if (t.coefficient % by != 0) {
      made.rest.add(t);
      continue;
    }
    t.coefficient /= by;
    made.quotient.add(t);
  }
  if (!made.rest.terms.empty()) return made.rest.lane == 0 ? std::optional(made) : std::nullopt;
  auto const first = floor_divide(made.rest.constant, by);
  auto const last = floor_divide(made.rest.constant + made.rest.lane * (lanes - 1), by);
  if (made.rest.lane != 0 && first != last) return std::nullopt;
  made.rest.constant -= first * by;
  made.quotient.constant += first;
  return made;
}

}}}  // namespace ttune::v0::codegen
