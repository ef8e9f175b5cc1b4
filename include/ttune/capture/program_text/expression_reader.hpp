// SPDX-License-Identifier: Apache-2.0
// Reads the expressions of a program's text.
#pragma once

#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ttune/capture/program_text/scanner.hpp"
#include "ttune/expr/builder.hpp"
#include "ttune/ir/make.hpp"

namespace ttune { inline namespace v0 { namespace capture { namespace detail {

/// Operands and stages by name.
struct named_sources {
  std::map<std::string, handle<ir::tensor>> operands;
  std::map<std::string, handle<ir::stage>> stages;
};

/// Returns the number of a text without a sign; nothing if it is none.
[[nodiscard]] inline std::optional<double> real_of(std::string_view text) {
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  auto const parse = [](std::string_view digits, auto value) -> std::optional<double> {
    auto const* const last = digits.data() + digits.size();
    auto const [end, fault] = std::from_chars(digits.data(), last, value);
    return fault == std::errc() && end == last ? std::optional(static_cast<double>(value)) : std::nullopt;
  };
  if (text.ends_with(nearest_f32)) return parse(text.substr(0, text.size() - 1), float{});
  return parse(text, double{});
}

class expression_reader {
 public:
  /// `tuple`: the types of the components that a combine function may name.
  expression_reader(text_scanner& from, named_sources const& known, std::vector<dtype> tuple = {})
      : from_(from), known_(known), tuple_(std::move(tuple)) {}

  [[nodiscard]] ir::expr read(int least = 0) {
    auto left = read_unary();
    for (;;) {
      auto const* const infix = find_infix();
      if (!infix || infix->precedence < least) return left;
      (void)from_.take();
      auto right = read(infix->precedence + 1);
      left = ir::make_binary(left->type == dtype::index ? infix->of_indices : infix->of_data, left, std::move(right));
    }
  }

 private:
  static constexpr int most_nested = 1000;  ///< the reader calls itself so often at most

  /// Counts how deep the reader is inside of itself.
  struct depth_guard {
    explicit depth_guard(expression_reader& of) : reader(of) {
      if (++reader.depth_ > most_nested) reader.from_.refuse("an expression is nested too deeply");
    }
    ~depth_guard() { --reader.depth_; }
    depth_guard(depth_guard const&) = delete;
    depth_guard& operator=(depth_guard const&) = delete;
    expression_reader& reader;
  };

  [[nodiscard]] infix_word const* find_infix() const {
    if (from_.now().what != text_token::kind::symbol) return nullptr;
    auto const at = std::ranges::find(infix_words, from_.now().text, &infix_word::symbol);
    return at == infix_words.end() ? nullptr : &*at;
  }

  [[nodiscard]] ir::expr read_unary() {
    depth_guard const guard(*this);
    if (from_.take_if("!")) return ir::make_unary(ir::unary_op::logical_not, read_unary());
    if (!from_.take_if("-")) return read_primary();
    auto const& next = from_.now();
    if (next.what == text_token::kind::number || next.is("inf") || next.is("nan")) return read_literal(true);
    return ir::make_unary(ir::unary_op::negate, read_unary());
  }

  [[nodiscard]] ir::expr read_primary() {
    auto const& next = from_.now();
    if (next.what == text_token::kind::number || next.is("inf") || next.is("nan")) return read_literal(false);
    if (next.what == text_token::kind::name || next.is("@")) return read_named();
    if (from_.take_if("(")) {
      auto inside = read();
      from_.expect(")");
      return inside;
    }
    if (next.what != text_token::kind::word) from_.refuse("an expression is expected" + from_.found());
    return read_word(from_.take().text);
  }

  [[nodiscard]] ir::expr read_word(std::string const& word) {
    if (word == "true" || word == "false") return ir::make_bool(word == "true");
    if (word == "left" || word == "right") return read_argument(word == "right");
    if (word == "cast") return read_cast();
    if (auto const how = meaning_of(boundary_words, word)) return read_outside(*how);
    auto const operands = read_list();
    auto const require = [&](std::size_t wanted) {
      if (operands.size() != wanted)
        from_.refuse(word + " takes " + std::to_string(wanted) + " operands, not " + std::to_string(operands.size()));
    };
    if (word == "select") {
      require(3);
      return ir::make_select(operands[0], operands[1], operands[2]);
    }
    if (auto const op = meaning_of(unary_words, word)) {
      require(1);
      return ir::make_unary(*op, operands[0]);
    }
    if (auto const op = meaning_of(binary_words, word)) {
      require(2);
      return ir::make_binary(*op, operands[0], operands[1]);
    }
    from_.refuse("`" + word + "` is no function");
  }

  [[nodiscard]] std::vector<ir::expr> read_list() {
    std::vector<ir::expr> made;
    from_.list([&] { made.push_back(read()); });
    return made;
  }

  [[nodiscard]] ir::expr read_cast() {
    from_.expect("<");
    auto const type = type_named(from_.now().text);
    if (!type) from_.refuse("an element type is expected" + from_.found());
    (void)from_.take();
    from_.expect(">");
    from_.expect("(");
    auto operand = read();
    from_.expect(")");
    return ir::make_cast(*type, std::move(operand));
  }

  [[nodiscard]] ir::expr read_argument(bool right) {
    auto const component = read_component();
    if (component >= tuple_.size()) from_.refuse("only the combine function of a tuple has `left` and `right`");
    return ir::make_argument(tuple_[component], right, static_cast<int>(component));
  }
  [[nodiscard]] std::size_t read_component() {
    from_.expect("#");
    return static_cast<std::size_t>(from_.integer());
  }

  // ------------------------------------------------------------------------------------------------- literals

  [[nodiscard]] ir::expr read_literal(bool negative) {
    auto const number = from_.take();
    if (!from_.take_if(":")) return ir::make_index(from_.integer_of(number.text, negative));
    auto const type = type_named(from_.now().text);
    if (!type || *type == dtype::index || *type == dtype::boolean)
      from_.refuse("a type of numbers is expected" + from_.found());
    (void)from_.take();
    if (is_float(*type)) {
      auto const value = real_of(number.text);
      if (!value) from_.refuse("`" + number.text + "` is no number");
      return ir::make_real(*type, negative ? -*value : *value);
    }
    if (*type == dtype::u64 && !negative)
      return ir::make_integer(*type, static_cast<std::int64_t>(from_.unsigned_of(number.text)));
    return capture::integer(*type, from_.integer_of(number.text, negative));
  }

  // ------------------------------------------------------------------------------------------------- accesses

  /// Reads a variable, or an access without a boundary.
  [[nodiscard]] ir::expr read_named() {
    if (from_.now().what == text_token::kind::name && !is_access_next()) return ir::make_variable(from_.name());
    auto const [source, component] = read_source();
    return ir::make_access(source, read_list(), ir::boundary::none, {}, component);
  }
  /// Returns whether the name is that of an operand or stage: axes may have the same name, and are not followed by `(`.
  [[nodiscard]] bool is_access_next() const {
    auto const after = from_.peek();
    return after == '(' || after == '#';
  }
  [[nodiscard]] ir::expr read_outside(ir::boundary how) {
    from_.expect("(");
    auto const [source, component] = read_source();
    ir::expr fill;
    if (how == ir::boundary::value) {
      from_.expect(",");
      fill = read();
    }
    from_.expect(")");
    return ir::make_access(source, read_list(), how, std::move(fill), component);
  }

  [[nodiscard]] std::pair<ir::source, int> read_source() {
    bool const marked = from_.take_if("@");
    auto const name = from_.name();
    if (auto const operand = known_.operands.find(name); operand != known_.operands.end() && !marked)
      return {operand->second, 0};
    auto const stage = known_.stages.find(name);
    if (stage == known_.stages.end()) from_.refuse("there is no operand or earlier stage " + name);
    if (!from_.now().is("#")) return {stage->second, 0};
    auto const component = read_component();
    if (component >= stage->second->components.size())
      from_.refuse("stage " + name + " has no component " + std::to_string(component));
    return {stage->second, static_cast<int>(component)};
  }

  text_scanner& from_;
  named_sources const& known_;
  std::vector<dtype> tuple_;
  int depth_ = 0;
};

}}}}  // namespace ttune::v0::capture::detail
