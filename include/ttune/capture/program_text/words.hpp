// SPDX-License-Identifier: Apache-2.0
// The words of the notation of programs, for the writer and the reader.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "ttune/ir/node.hpp"

namespace ttune { inline namespace v0 { namespace capture { namespace detail {

/// A word of the notation, and what it stands for.
template <class Meaning>
struct word_of {
  std::string_view word;
  Meaning meaning;
};

inline constexpr std::array<word_of<ir::unary_op>, 12> unary_words{{{"abs", ir::unary_op::abs},
                                                                    {"sqrt", ir::unary_op::sqrt},
                                                                    {"exp", ir::unary_op::exp},
                                                                    {"log", ir::unary_op::log},
                                                                    {"sin", ir::unary_op::sin},
                                                                    {"cos", ir::unary_op::cos},
                                                                    {"tanh", ir::unary_op::tanh},
                                                                    {"erf", ir::unary_op::erf},
                                                                    {"floor", ir::unary_op::floor},
                                                                    {"ceil", ir::unary_op::ceil},
                                                                    {"round", ir::unary_op::round},
                                                                    {"round_to_tf32", ir::unary_op::round_to_tf32}}};

/// Operations with two operands that are written as functions.
inline constexpr std::array<word_of<ir::binary_op>, 7> binary_words{{{"min", ir::binary_op::minimum},
                                                                     {"max", ir::binary_op::maximum},
                                                                     {"pow", ir::binary_op::power},
                                                                     {"divide", ir::binary_op::divide},
                                                                     {"modulo", ir::binary_op::modulo},
                                                                     {"floor_divide", ir::binary_op::floor_divide},
                                                                     {"floor_modulo", ir::binary_op::floor_modulo}}};

/// An operation that is written between its operands; the one of the higher precedence binds them.
struct infix_word {
  std::string_view symbol;
  int precedence;
  ir::binary_op of_data;
  ir::binary_op of_indices;
};
inline constexpr std::array<infix_word, 11> infix_words{
    {{"||", 1, ir::binary_op::logical_or, ir::binary_op::logical_or},
     {"&&", 2, ir::binary_op::logical_and, ir::binary_op::logical_and},
     {"==", 3, ir::binary_op::equal, ir::binary_op::equal},
     {"!=", 3, ir::binary_op::not_equal, ir::binary_op::not_equal},
     {"<", 4, ir::binary_op::less, ir::binary_op::less},
     {"<=", 4, ir::binary_op::less_equal, ir::binary_op::less_equal},
     {"+", 5, ir::binary_op::add, ir::binary_op::add},
     {"-", 5, ir::binary_op::subtract, ir::binary_op::subtract},
     {"*", 6, ir::binary_op::multiply, ir::binary_op::multiply},
     {"/", 6, ir::binary_op::divide, ir::binary_op::floor_divide},
     {"%", 6, ir::binary_op::modulo, ir::binary_op::floor_modulo}}};
inline constexpr int unary_precedence = 7;

inline constexpr std::array<word_of<ir::boundary>, 4> boundary_words{{{"value_outside", ir::boundary::value},
                                                                      {"clamp_outside", ir::boundary::clamp},
                                                                      {"wrap_outside", ir::boundary::wrap},
                                                                      {"mirror_outside", ir::boundary::mirror}}};

inline constexpr std::array<word_of<ir::reduction_kind>, 5> reduction_words{{{"sum", ir::reduction_kind::sum},
                                                                             {"product", ir::reduction_kind::product},
                                                                             {"min", ir::reduction_kind::minimum},
                                                                             {"max", ir::reduction_kind::maximum},
                                                                             {"reduce", ir::reduction_kind::tuple}}};

inline constexpr std::array<word_of<ir::tensor_role>, 4> role_words{{{"input", ir::tensor_role::input},
                                                                     {"constant", ir::tensor_role::constant},
                                                                     {"table", ir::tensor_role::table},
                                                                     {"inout", ir::tensor_role::inout}}};

/// Words that stand for nothing in the tables above; the last line has those of networks (network/network_text.hpp).
inline constexpr std::string_view other_words[] = {
    "program", "stage", "output",      "of",          "any",     "layout",   "strided", "strides", "in",    "updates",
    "where",   "from",  "by",          "left",        "right",   "select",   "cast",    "true",    "false", "inf",
    "nan",     "not",   "associative", "commutative", "network", "operator", "view",    "at",      "error", "weights"};

template <class Table>
[[nodiscard]] constexpr auto meaning_of(Table const& table, std::string_view word) {
  auto const at = std::ranges::find(table, word, [](auto const& one) { return one.word; });
  return at == table.end() ? std::nullopt : std::optional(at->meaning);
}

template <class Table, class Meaning>
[[nodiscard]] constexpr std::string_view word_for(Table const& table, Meaning meaning) {
  auto const at = std::ranges::find(table, meaning, [](auto const& one) { return one.meaning; });
  return at == table.end() ? std::string_view() : at->word;
}

[[nodiscard]] inline std::optional<dtype> type_named(std::string_view word) {
  for (auto t = static_cast<int>(dtype::boolean); t <= static_cast<int>(dtype::index); ++t)
    if (word == name_of(static_cast<dtype>(t))) return static_cast<dtype>(t);
  return std::nullopt;
}

[[nodiscard]] inline bool is_word(std::string_view text) {
  return meaning_of(unary_words, text) || meaning_of(binary_words, text) || meaning_of(boundary_words, text) ||
         meaning_of(reduction_words, text) || meaning_of(role_words, text) || type_named(text) ||
         std::ranges::find(other_words, text) != std::end(other_words);
}

/// The mark behind a number that stands for the nearest f32, as in 0.1f.
inline constexpr char nearest_f32 = 'f';

[[nodiscard]] constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
/// Returns true for characters that names have without quotation marks; the first one is a letter.
[[nodiscard]] constexpr bool is_of_name(char c) { return is_letter(c) || is_digit(c) || c == '.'; }

}}}}  // namespace ttune::v0::capture::detail
