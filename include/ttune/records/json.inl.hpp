// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cmath>
#include <type_traits>

#include "ttune/records/json.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

/// Returns the length of the UTF-8 sequence at the front of a text, or 0 if there is none.
inline std::size_t utf8_length(std::string_view text) noexcept {
  auto const byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  auto const follows = [&](std::size_t i) { return (byte(i) & 0xc0U) == 0x80U; };
  auto const b = byte(0);
  if (b < 0x80) return 1;
  if (b >= 0xc2 && b < 0xe0) return follows(1) ? 2 : 0;
  if (b >= 0xe0 && b < 0xf0) {
    bool const overlong = b == 0xe0 && byte(1) < 0xa0;
    bool const surrogate = b == 0xed && byte(1) >= 0xa0;
    return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (b >= 0xf0 && b < 0xf5) {
    bool const outside = (b == 0xf0 && byte(1) < 0x90) || (b == 0xf4 && byte(1) >= 0x90);
    return follows(1) && follows(2) && follows(3) && !outside ? 4 : 0;
  }
  return 0;
}

inline void append_utf8(std::string& out, std::uint32_t code) {
  auto const put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xc0 | (code >> 6));
  } else {
    if (code < 0x10000) {
      put(0xe0 | (code >> 12));
    } else {
      put(0xf0 | (code >> 18));
      put(0x80 | ((code >> 12) & 0x3f));
    }
    put(0x80 | ((code >> 6) & 0x3f));
  }
  put(0x80 | (code & 0x3f));
}

class json_reader {
 public:
  explicit json_reader(std::string_view text) : text_(text) {}

  json_result document() {
    json_value v;
    if (!value(v, 0)) return {std::nullopt, fault_};
    skip_space();
    if (at_ < text_.size()) return fail("text after the value"), json_result{std::nullopt, fault_};
    return {std::move(v), {}};
  }

 private:
  bool fail(char const* what) {
    if (fault_.empty()) fault_ = "at byte " + std::to_string(at_) + ": " + what;
    return false;
  }
  [[nodiscard]] char peek() const noexcept { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_space() noexcept {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
  }
  bool take(char c) noexcept {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool word(std::string_view expected) {
    if (text_.substr(at_, expected.size()) != expected) return fail("not a JSON value");
    at_ += expected.size();
    return true;
  }

  bool value(json_value& v, int depth) {
    if (depth > 64) return fail("nested too deeply");
    skip_space();
    switch (peek()) {
      case '{': return object(v.what.emplace<json_value::object>(), depth);
      case '[': return array(v.what.emplace<json_value::array>(), depth);
      case '"': return string(v.what.emplace<std::string>());
      case 't': v.what = true; return word("true");
      case 'f': v.what = false; return word("false");
      case 'n': v.what = nullptr; return word("null");
      default: return number(v);
    }
  }

  bool array(json_value::array& items, int depth) {
    ++at_;
    if (take(']')) return true;
    do {
      if (!value(items.emplace_back(), depth + 1)) return false;
    } while (take(','));
    return take(']') || fail("expected , or ]");
  }

  bool object(json_value::object& members, int depth) {
    ++at_;
    if (take('}')) return true;
    do {
      auto& [name, v] = members.emplace_back();
      skip_space();
      if (peek() != '"') return fail("expected a name in quotes");
      if (!string(name)) return false;
      if (!take(':')) return fail("expected :");
      if (!value(v, depth + 1)) return false;
    } while (take(','));
    return take('}') || fail("expected , or }");
  }

  bool string(std::string& out) {
    for (++at_; at_ < text_.size();) {
      auto const c = text_[at_];
      if (c == '"') return ++at_, true;
      if (static_cast<unsigned char>(c) < 0x20) return fail("a control character in a string");
      if (c == '\\') {
        if (!escape(out)) return false;
        continue;
      }
      auto const length = utf8_length(text_.substr(at_));
      if (length == 0) return fail("a string is not UTF-8");
      out += text_.substr(at_, length);
      at_ += length;
    }
    return fail("a string does not end");
  }

  bool escape(std::string& out) {
    static constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
    ++at_;
    if (peek() == 'u') return unicode_escape(out);
    auto const which = at_ < text_.size() ? letters.find(text_[at_]) : letters.npos;
    if (which == letters.npos) return fail("an unknown escape");
    out += meanings[which];
    ++at_;
    return true;
  }

  bool unicode_escape(std::string& out) {
    std::uint32_t code = 0, low = 0;
    if (!hex4(code)) return false;
    if (code >= 0xd800 && code < 0xdc00) {
      if (peek() != '\\' || !hex4_after_backslash(low) || low < 0xdc00 || low >= 0xe000)
        return fail("half of a surrogate pair");
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code >= 0xdc00 && code < 0xe000) {
      return fail("half of a surrogate pair");
    }
    append_utf8(out, code);
    return true;
  }
  bool hex4_after_backslash(std::uint32_t& code) {
    ++at_;
    return peek() == 'u' && hex4(code);
  }
  /// Parses four hexadecimal digits; the position is at the u of `\u`.
  bool hex4(std::uint32_t& code) {
    auto const digits = text_.substr(at_ + 1, 4);
    auto const [end, ok] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (digits.size() != 4 || ok != std::errc{} || end != digits.data() + 4) return fail("\\u needs four hex digits");
    at_ += 5;
    return true;
  }

  /// Parses a number. JSON's grammar is stricter than from_chars: no leading zeros, no bare decimal points.
  bool number(json_value& v) {
    auto const start = at_;
    auto const digits = [&] {
      auto const before = at_;
      while (peek() >= '0' && peek() <= '9') ++at_;
      return at_ > before;
    };
    bool integral = true;
    if (peek() == '-') ++at_;
    auto const first = at_;
    if (!digits()) return fail("not a JSON value");
    if (text_[first] == '0' && at_ > first + 1) return fail("a number begins with 0");
    if (peek() == '.') {
      integral = false;
      ++at_;
      if (!digits()) return fail("no digits after the point");
    }
    if (peek() == 'e' || peek() == 'E') {
      integral = false;
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      if (!digits()) return fail("no digits in the exponent");
    }
    auto const written = text_.substr(start, at_ - start);
    auto const* const end = written.data() + written.size();
    if (std::int64_t i = 0; integral && std::from_chars(written.data(), end, i).ec == std::errc{}) {
      v.what = i;
      return true;
    }
    double d = 0;
    if (std::from_chars(written.data(), end, d).ec != std::errc{}) return fail("a number out of range");
    v.what = d;
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string fault_;
};

inline void write_escaped(std::string& out, char c) {
  static constexpr std::string_view hex = "0123456789abcdef";
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\t': out += "\\t"; return;
    case '\r': out += "\\r"; return;
    default: break;
  }
  auto const byte = static_cast<unsigned char>(c);
  if (byte >= 0x20 && byte != 0x7f) {
    out += c;
    return;
  }
  out += "\\u00";
  out += hex[byte >> 4];
  out += hex[byte & 15];
}

}  // namespace detail

json_value const* json_value::find(std::string_view name) const noexcept {
  if (auto const* const members = as<object>())
    for (auto const& [key, value] : *members)
      if (key == name) return &value;
  return nullptr;
}

double json_value::number(double otherwise) const noexcept {
  if (auto const* const d = as<double>()) return *d;
  if (auto const* const i = as<std::int64_t>()) return static_cast<double>(*i);
  return otherwise;
}

std::int64_t json_value::integer(std::int64_t otherwise) const noexcept {
  if (auto const* const i = as<std::int64_t>()) return *i;
  if (auto const* const d = as<double>(); d && std::abs(*d) < 0x1p62 && *d == std::floor(*d))
    return static_cast<std::int64_t>(*d);
  return otherwise;
}

std::string json_value::text(std::string_view otherwise) const {
  auto const* const s = as<std::string>();
  return s ? *s : std::string(otherwise);
}

json_result parse_json(std::string_view text) { return detail::json_reader(text).document(); }

void write_json(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    auto const length = detail::utf8_length(text);
    if (length == 1) detail::write_escaped(out, text[0]);
    else if (length > 1) out += text.substr(0, length);
    else out += "\xef\xbf\xbd";
    text.remove_prefix(length > 0 ? length : 1);
  }
  out += '"';
}

void write_json(std::string& out, std::int64_t value) {
  char digits[24];
  auto const done = std::to_chars(digits, digits + sizeof digits, value);
  out.append(digits, done.ptr);
}

void write_json(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  char digits[40];
  auto const done = std::to_chars(digits, digits + sizeof digits, value);
  out.append(digits, done.ptr);
}

void write_json(std::string& out, json_value const& value) {
  auto const list = [&](auto const& items, char open, char close, auto const& item) {
    out += open;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out += ',';
      item(items[i]);
    }
    out += close;
  };
  std::visit(
      [&](auto const& v) {
        using T = std::remove_cvref_t<decltype(v)>;
        if constexpr (std::is_same_v<T, std::nullptr_t>) out += "null";
        else if constexpr (std::is_same_v<T, bool>) out += v ? "true" : "false";
        else if constexpr (std::is_same_v<T, json_value::array>)
          list(v, '[', ']', [&](json_value const& item) { write_json(out, item); });
        else if constexpr (std::is_same_v<T, json_value::object>)
          list(v, '{', '}', [&](json_member const& member) {
            write_json(out, std::string_view(member.name));
            out += ':';
            write_json(out, member.value);
          });
        else if constexpr (std::is_same_v<T, std::string>) write_json(out, std::string_view(v));
        else write_json(out, v);
      },
      value.what);
}

}}  // namespace ttune::v0
