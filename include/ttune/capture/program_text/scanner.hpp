// SPDX-License-Identifier: Apache-2.0
// Divides the text of a program into tokens.
#pragma once

#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ttune/capture/program_text/words.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace capture { namespace detail {

struct text_token {
  enum class kind : std::uint8_t { end, name, word, number, symbol };
  kind what = kind::end;
  std::string text;  ///< of a name: without quotation marks
  int line = 1;

  [[nodiscard]] bool is(char const* symbol_or_word) const {
    return (what == kind::symbol || what == kind::word) && text == symbol_or_word;
  }
};

/// Reads one token after the other. Words of the notation are names only in quotation marks.
class text_scanner {
 public:
  explicit text_scanner(std::string_view text) : rest_(text) { next(); }

  [[nodiscard]] text_token const& now() const noexcept { return now_; }

  static constexpr std::string_view line_word = "line ";
  /// Returns the beginning of the message of a fault.
  [[nodiscard]] static std::string place(int line) {
    return std::string(line_word) + std::to_string(line) + " of the text: ";
  }
  [[noreturn]] void refuse(std::string const& what) const { throw program_error(place(definition_) + what); }
  /// Faults are reported at the line of the current token from now on.
  void begin_definition() noexcept { definition_ = now_.line; }
  /// Returns the current token and goes on to the next one.
  text_token take() {
    auto made = std::move(now_);
    next();
    return made;
  }
  bool take_if(char const* symbol_or_word) {
    if (!now_.is(symbol_or_word)) return false;
    next();
    return true;
  }
  void expect(char const* symbol_or_word) {
    if (!take_if(symbol_or_word)) refuse("`" + std::string(symbol_or_word) + "` is expected" + found());
  }
  [[nodiscard]] std::string name() {
    if (now_.what != text_token::kind::name) refuse("a name is expected" + found());
    return take().text;
  }
  [[nodiscard]] dtype element_type() {
    auto const type = now_.what == text_token::kind::word ? type_named(now_.text) : std::nullopt;
    if (!type || *type == dtype::index) refuse("an element type is expected" + found());
    next();
    return *type;
  }
  /// Returns the integer of digits, which are a token of this text.
  [[nodiscard]] std::int64_t integer_of(std::string const& digits, bool negative) const {
    auto const magnitude = unsigned_of(digits);
    auto const largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) + (negative ? 1 : 0);
    if (magnitude > largest) refuse("`" + digits + "` does not fit into 64 bits");
    return static_cast<std::int64_t>(negative ? std::uint64_t{0} - magnitude : magnitude);
  }
  [[nodiscard]] std::uint64_t unsigned_of(std::string const& digits) const {
    std::uint64_t value = 0;
    auto const* const last = digits.data() + digits.size();
    auto const [end, fault] = std::from_chars(digits.data(), last, value);
    if (fault != std::errc() || end != last) refuse("`" + digits + "` is no integer, or too large");
    return value;
  }
  [[nodiscard]] std::int64_t integer() {
    bool const negative = take_if("-");
    if (now_.what != text_token::kind::number) refuse("an integer is expected" + found());
    return integer_of(take().text, negative);
  }
  /// Reads a list in parentheses: `one` reads an element.
  template <class Read>
  void list(Read const& one) {
    expect("(");
    if (take_if(")")) return;
    do one();
    while (take_if(","));
    expect(")");
  }
  [[nodiscard]] std::vector<std::int64_t> integers() {
    std::vector<std::int64_t> made;
    list([&] { made.push_back(integer()); });
    return made;
  }
  /// Returns the first character of the token behind the current one; 0 at the end.
  [[nodiscard]] char peek() const {
    auto const at = rest_.find_first_not_of(" \n\t");
    return at == std::string_view::npos ? '\0' : rest_[at];
  }
  [[nodiscard]] std::string found() const {
    return now_.what == text_token::kind::end ? ", and the text ends" : ", not `" + now_.text + "`";
  }

 private:
  void next() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n' || rest_.front() == '\t')) {
      line_ += rest_.front() == '\n' ? 1 : 0;
      rest_.remove_prefix(1);
    }
    now_ = {text_token::kind::end, {}, line_};
    if (rest_.empty()) return;
    auto const c = rest_.front();
    if (c == '"') return scan_quoted();
    if (is_letter(c)) {
      scan_while(is_of_name);
      now_.what = is_word(now_.text) ? text_token::kind::word : text_token::kind::name;
    } else if (is_digit(c)) {
      now_.what = text_token::kind::number;
      scan_number();
    } else {
      now_.what = text_token::kind::symbol;
      auto const two = rest_.substr(0, 2);
      take_characters(two == "<=" || two == "==" || two == "!=" || two == "&&" || two == "||" ? 2 : 1);
    }
  }
  void take_characters(std::size_t count) {
    now_.text += rest_.substr(0, count);
    rest_.remove_prefix(count);
  }
  void scan_while(bool (*belongs)(char)) {
    while (!rest_.empty() && belongs(rest_.front())) take_characters(1);
  }
  [[nodiscard]] bool begins_with(char c) const { return !rest_.empty() && rest_.front() == c; }
  /// Scans digits, a fraction, an exponent, and the mark of an f32.
  void scan_number() {
    scan_while([](char c) { return is_digit(c) || c == '.'; });
    if (begins_with('e')) {
      take_characters(1);
      if (begins_with('-') || begins_with('+')) take_characters(1);
      scan_while(is_digit);
    }
    if (begins_with(nearest_f32)) take_characters(1);
  }
  void scan_quoted() {
    now_.what = text_token::kind::name;
    rest_.remove_prefix(1);
    while (!rest_.empty() && rest_.front() != '"') {
      if (rest_.front() == '\\') rest_.remove_prefix(1);
      if (!rest_.empty()) take_characters(1);
    }
    if (rest_.empty()) refuse("a quotation mark is missing");
    rest_.remove_prefix(1);
  }

  std::string_view rest_;
  int line_ = 1;
  int definition_ = 1;
  text_token now_;
};

}}}}  // namespace ttune::v0::capture::detail
