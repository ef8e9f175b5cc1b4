// SPDX-License-Identifier: Apache-2.0
// A knob is one open choice of a schedule; a configuration has a choice for every knob.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 {

/// A named list of choices. Each choice is a tuple of `width` integers, stored flat.
struct knob {
  enum class sort : std::uint8_t {
    factors,      ///< extents of the loops of a split, outermost first
    one_of,       ///< one integer
    permutation,  ///< an order of `width` loops
    boolean,      ///< 0 or 1
    location      ///< place where a stage is computed: an index into a list of places
  };
  std::string name;
  sort kind = sort::one_of;
  std::int32_t width = 1;
  std::vector<std::int32_t> values;  ///< choices() * width

  [[nodiscard]] std::int32_t choices() const noexcept { return static_cast<std::int32_t>(values.size()) / width; }
  [[nodiscard]] std::span<std::int32_t const> choice(std::int32_t index) const noexcept {
    return {values.data() + static_cast<std::ptrdiff_t>(index) * width, static_cast<std::size_t>(width)};
  }
};

/// One choice index per knob, in the order of the space's knobs.
struct configuration {
  std::vector<std::int32_t> choices;
  friend bool operator==(configuration const&, configuration const&) = default;
};

/// A literal, or a column of the tuple chosen for a knob.
struct knob_value {
  std::int32_t knob = -1;  ///< -1: `literal`
  std::int32_t column = 0;
  std::int64_t literal = 0;

  [[nodiscard]] bool is_literal() const noexcept { return knob < 0; }
  friend bool operator==(knob_value const&, knob_value const&) = default;
};

[[nodiscard]] inline knob_value literal(std::int64_t value) noexcept { return {-1, 0, value}; }

namespace detail {

/// Appends a choice such as "C.order=0,1" to the text.
template <class Values>
void describe_choice(std::string& text, std::string const& knob, Values const& values) {
  text += (text.empty() ? "" : " ") + knob + "=";
  for (std::size_t v = 0; v < values.size(); ++v) text += (v != 0 ? "," : "") + std::to_string(values[v]);
}

/// Returns a text such as "C.tile_j=64 C.order=0,1".
[[nodiscard]] inline std::string describe_choices(std::vector<knob> const& knobs, configuration const& chosen) {
  std::string text;
  for (std::size_t i = 0; i < knobs.size(); ++i)
    describe_choice(text, knobs[i].name, knobs[i].choice(chosen.choices[i]));
  return text;
}

}  // namespace detail

}}  // namespace ttune::v0
