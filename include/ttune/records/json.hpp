// SPDX-License-Identifier: Apache-2.0
// A reader and a writer of JSON values (RFC 8259), limited to the needs of record files, without a foreign library.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 {

struct json_member;

/// A JSON value. Integers that fit 64 bits stay exact; an object keeps the order of its members.
struct json_value {
  using array = std::vector<json_value>;
  using object = std::vector<json_member>;
  std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, array, object> what;

  template <class T>
  [[nodiscard]] T const* as() const noexcept {
    return std::get_if<T>(&what);
  }
  /// Returns a member of an object, or null.
  [[nodiscard]] json_value const* find(std::string_view name) const noexcept;
  // These functions return the value, or `otherwise` if it has another type; number types convert if that is exact.
  [[nodiscard]] double number(double otherwise) const noexcept;
  [[nodiscard]] std::int64_t integer(std::int64_t otherwise) const noexcept;
  [[nodiscard]] std::string text(std::string_view otherwise = {}) const;
};

/// A member of a JSON object.
struct json_member {
  std::string name;
  json_value value;
};

/// The result of parsing: the value, or a fault such as "at byte 17: ...".
struct json_result {
  std::optional<json_value> value;
  std::string fault;
};

/// Parses a text that is one value with only white space around it. Nesting is limited to 64 levels. If an object has
/// several members of one name, the first one counts.
[[nodiscard]] json_result parse_json(std::string_view text);

/// Appends a value on one line. Numbers have as many digits as an exact round trip takes; numbers that are not finite
/// become null; bytes that are not UTF-8 become U+FFFD.
void write_json(std::string& out, json_value const& value);
void write_json(std::string& out, std::string_view text);
void write_json(std::string& out, std::int64_t value);
void write_json(std::string& out, double value);

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/records/json.inl.hpp"
#endif
