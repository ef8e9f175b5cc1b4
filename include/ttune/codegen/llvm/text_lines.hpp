// SPDX-License-Identifier: Apache-2.0
// Reads lines of the LLVM IR that the emitter writes. Each instruction is on a line of its own, in the forms that
// ir_writer gives it.
#pragma once

#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// Calls `f(line)` for each line, without its end.
template <class Function>
void for_each_line(std::string_view text, Function const& f) {
  while (!text.empty()) {
    auto const end = text.find('\n');
    f(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

/// Returns the text up to the first space or comma.
[[nodiscard]] inline std::string first_word(std::string_view text) {
  return std::string(text.substr(0, text.find_first_of(" ,)")));
}

/// Returns the text behind the last space.
[[nodiscard]] inline std::string last_word(std::string_view text) {
  return std::string(text.substr(text.rfind(' ') + 1));
}

/// Returns the instruction of a line, without the name of its result.
[[nodiscard]] inline std::string_view after_name(std::string_view line) {
  auto const equals = line.find(" = ");
  return line.starts_with("%") && equals != std::string_view::npos ? line.substr(equals + 3) : line;
}

/// Returns the word that follows a mark; empty if the mark is missing.
[[nodiscard]] inline std::string word_after(std::string_view text, std::string_view mark) {
  auto const at = text.find(mark);
  return at == std::string_view::npos ? "" : first_word(text.substr(at + mark.size()));
}
[[nodiscard]] inline std::string word_after_last(std::string_view text, std::string_view mark) {
  auto const at = text.rfind(mark);
  return at == std::string_view::npos ? "" : first_word(text.substr(at + mark.size()));
}

/// Returns the text with the last occurrence of a part replaced.
[[nodiscard]] inline std::string with_last(std::string_view text, std::string_view part, std::string_view by) {
  std::string made(text);
  if (auto const at = made.rfind(part); at != std::string::npos) made.replace(at, part.size(), by);
  return made;
}

/// Returns the arguments of a call, each with its type.
[[nodiscard]] inline std::vector<std::string> arguments_of(std::string_view call) {
  auto const end = call.rfind(')');
  std::vector<std::string> made(1);
  int depth = 0;
  for (auto at = call.find('(') + 1; at < end; ++at) {
    char const c = call[at];
    if (c == '<' || c == '(' || c == '[') ++depth;
    if (c == '>' || c == ')' || c == ']') --depth;
    if (c != ',' || depth != 0) {
      made.back() += c;
      continue;
    }
    made.emplace_back();
    if (at + 1 < end && call[at + 1] == ' ') ++at;
  }
  return made;
}

/// Returns an argument of a vector type without the type.
[[nodiscard]] inline std::string without_vector_type(std::string_view argument) {
  return std::string(argument.substr(argument.find('>') + 2));
}

/// Returns the label that a line consists of; nothing for other lines.
[[nodiscard]] inline std::optional<std::string> label_in(std::string_view line) {
  if (line.empty() || line.front() == ' ' || line.back() != ':') return std::nullopt;
  return std::string(line.substr(0, line.size() - 1));
}

/// A scalar or vector type, or that of an array.
struct type_of_value {
  std::int64_t lanes = 1;
  std::int64_t element_bytes = 0;
  [[nodiscard]] std::int64_t bytes() const noexcept { return lanes * element_bytes; }
};

/// Returns the type that a text begins with, as "float", "<16 x i8>" or "[4 x double]".
[[nodiscard]] inline type_of_value type_in(std::string_view text) {
  type_of_value made;
  if (text.starts_with("<") || text.starts_with("[")) {
    std::from_chars(text.data() + 1, text.data() + text.size(), made.lanes);
    text.remove_prefix(text.find(" x ") + 3);
  }
  if (text.starts_with("i")) {
    std::int64_t bits = 0;
    std::from_chars(text.data() + 1, text.data() + text.size(), bits);
    made.element_bytes = (bits + 7) / 8;
  } else {
    bool const half = text.starts_with("half") || text.starts_with("bfloat");
    made.element_bytes = half ? 2 : text.starts_with("float") ? 4 : 8;  // double, ptr
  }
  return made;
}

/// Returns the type of an array of constants, "@name = private unnamed_addr constant [4 x double] …".
[[nodiscard]] inline std::optional<type_of_value> array_in(std::string_view line) {
  auto const at = line.find(" constant [");
  if (at == std::string_view::npos) return std::nullopt;
  return type_in(line.substr(at + 10));
}

/// The parts of "select i1 %c, ptr %x, ptr %y".
struct pointer_choice {
  std::string condition;
  std::string when_true;
  std::string when_false;
};

[[nodiscard]] inline std::optional<pointer_choice> pointers_of_select(std::string_view what) {
  if (!what.starts_with("select i1 ") || what.find(", ptr ") == std::string_view::npos) return std::nullopt;
  return pointer_choice{first_word(what.substr(10)), word_after(what, ", ptr "), word_after_last(what, ", ptr ")};
}

}}}}  // namespace ttune::v0::codegen::llvm
