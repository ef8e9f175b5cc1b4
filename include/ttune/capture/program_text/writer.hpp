// SPDX-License-Identifier: Apache-2.0
// Writes a program as text.
#pragma once

#include <charconv>
#include <cmath>
#include <set>
#include <string>

#include "ttune/capture/program_text/words.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace capture { namespace detail {

/// Returns a name as it is, or in quotation marks, where `"` and `\` have a `\` before them.
[[nodiscard]] inline std::string name_text(std::string const& name) {
  bool const plain = !name.empty() && is_letter(name.front()) && std::ranges::all_of(name, is_of_name);
  if (plain && !is_word(name)) return name;
  std::string made = "\"";
  for (auto const c : name) {
    if (c == '"' || c == '\\') made += '\\';
    made += c;
  }
  return made + "\"";
}

template <class Number>
[[nodiscard]] std::string shortest_text(Number value) {
  char buffer[64];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

/// Returns the shortest text that reads back as the same number; of an f32 with its mark, if that is shorter.
[[nodiscard]] inline std::string real_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  auto const text = shortest_text(value);
  auto const narrow = static_cast<float>(value);
  if (static_cast<double>(narrow) != value) return text;
  auto const short_text = shortest_text(narrow) + nearest_f32;
  return short_text.size() < text.size() ? short_text : text;
}

template <class Items, class Text>
[[nodiscard]] std::string joined(Items const& items, char const* between, Text const& text_of) {
  std::string made;
  for (auto const& item : items) made += (made.empty() ? "" : between) + text_of(item);
  return made;
}

class program_writer {
 public:
  [[nodiscard]] std::string run(ir::program const& p) {
    auto made = "program " + name_text(p.name) + "\n";
    for (auto const& t : p.inputs) {
      if (t->role == ir::tensor_role::strides) continue;  // follows from the others
      made += operand_text(*t) + "\n";
      operands_.insert(t->name);
    }
    for (auto const& s : p.stages) made += stage_text(*s) + "\n";
    for (auto const& out : p.outputs) made += "output " + name_text(out->name) + "\n";
    return made;
  }

 private:
  [[nodiscard]] static std::string extent_text(ir::extent const& e) {
    if (!e.is_constant())
      throw program_error("the extent " + e.symbol->name + " is open: bind it with op.at({{" + e.symbol->name +
                          ", 64}}) before the program is written");
    return std::to_string(e.value);
  }
  [[nodiscard]] static std::string range_text(ir::axis const& a) {
    if (a.begin == 0) return name_text(a.name) + " < " + extent_text(a.end);
    return name_text(a.name) + " in [" + std::to_string(a.begin) + ", " + extent_text(a.end) + ")";
  }

  [[nodiscard]] static std::string layout_text(ir::layout order, operand_strides strides) {
    return std::string(order == ir::layout::any ? " of any layout" : "") + text_of(strides);
  }

  [[nodiscard]] static std::string operand_text(ir::tensor const& t) {
    auto made = std::string(word_for(role_words, t.role)) + " " + name_text(t.name) + " " + ttune::name_of(t.type) +
                " (" + joined(t.shape, ", ", extent_text) + ")";
    made += layout_text(t.order, t.strides);
    if (t.has_range) made += " in [" + std::to_string(t.low) + ", " + std::to_string(t.high) + ")";
    if (t.role == ir::tensor_role::table) made += " = " + joined(t.content, ", ", real_text);
    return made;
  }

  [[nodiscard]] std::string stage_text(ir::stage const& s) const {
    auto made = "stage " + name_text(s.name) + "(" + joined(s.axes, ", ", range_text) + ")";
    made += layout_text(s.order, s.strides);
    if (s.updates) made += " updates " + name_text(s.updates->name);
    made += " = " + reduction_text(s.reduction);
    std::size_t number = 0;
    made += joined(s.components, "; ", [&](ir::component const& c) { return component_text(s, c, number++); });
    auto const expression = [&](ir::expr const& e) { return text(e); };
    if (!s.reduction.combine.empty()) made += " by " + joined(s.reduction.combine, ", ", expression);
    return s.predicate ? made + " where " + text(s.predicate) : made;
  }
  [[nodiscard]] static std::string reduction_text(ir::reduction const& r) {
    if (r.kind == ir::reduction_kind::none) return {};
    auto const word = std::string(word_for(reduction_words, r.kind));
    return word + "(" + joined(r.axes, ", ", range_text) + ") " + (r.associative ? "" : "not associative ") +
           (r.commutative ? "" : "not commutative ");
  }
  [[nodiscard]] std::string component_text(ir::stage const& s, ir::component const& c, std::size_t number) const {
    auto const name = c.name.empty() ? "" : name_text(c.name) + " ";
    auto const made = name + ttune::name_of(c.type) + ": " + text(c.value);
    return s.reduction.kind == ir::reduction_kind::tuple ? made + " from " + text(s.reduction.identity[number]) : made;
  }

  /// Writes an expression, in parentheses if its precedence is below `least`.
  [[nodiscard]] std::string text(ir::expr const& e, int least = 0) const {
    return ir::visit(
        e, [&](ir::constant const& n) { return constant_text(e->type, n); },
        [](ir::variable const& n) { return name_text(n.name); }, [&](ir::access const& n) { return access_text(n); },
        [&](ir::unary const& n) { return unary_text(n, least); },
        [&](ir::binary const& n) { return binary_text(n, least); },
        [&](ir::select const& n) {
          return "select(" + text(n.condition) + ", " + text(n.when_true) + ", " + text(n.when_false) + ")";
        },
        [&](ir::cast const& n) {
          return std::string("cast<") + ttune::name_of(e->type) + ">(" + text(n.operand) + ")";
        },
        [](ir::argument const& n) { return (n.right ? "right#" : "left#") + std::to_string(n.component); });
  }

  [[nodiscard]] static std::string constant_text(dtype type, ir::constant const& c) {
    if (type == dtype::boolean) return c.integer != 0 ? "true" : "false";
    if (type == dtype::index) return std::to_string(c.integer);
    auto const number = is_float(type)       ? real_text(c.real)
                        : type == dtype::u64 ? std::to_string(static_cast<std::uint64_t>(c.integer))
                                             : std::to_string(c.integer);
    return number + ":" + ttune::name_of(type);
  }

  [[nodiscard]] static std::string wrapped(std::string what, int binds, int least) {
    return binds < least ? "(" + what + ")" : what;
  }
  [[nodiscard]] std::string unary_text(ir::unary const& n, int least) const {
    if (n.op == ir::unary_op::logical_not)
      return wrapped("!" + text(n.operand, unary_precedence + 1), unary_precedence, least);
    if (n.op != ir::unary_op::negate) return std::string(word_for(unary_words, n.op)) + "(" + text(n.operand) + ")";
    auto const operand = text(n.operand, unary_precedence + 1);  // "-1" would be a number
    return wrapped("-" + (ir::is_constant(n.operand) ? "(" + operand + ")" : operand), unary_precedence, least);
  }
  [[nodiscard]] std::string binary_text(ir::binary const& n, int least) const {
    bool const of_indices = n.left->type == dtype::index;
    for (auto const& infix : infix_words)
      if (n.op == (of_indices ? infix.of_indices : infix.of_data)) {
        auto const inside = text(n.left, infix.precedence) + " " + std::string(infix.symbol) + " " +
                            text(n.right, infix.precedence + 1);
        return wrapped(inside, infix.precedence, least);
      }
    return std::string(word_for(binary_words, n.op)) + "(" + text(n.left) + ", " + text(n.right) + ")";
  }

  [[nodiscard]] std::string access_text(ir::access const& n) const {
    auto const indices = "(" + joined(n.indices, ", ", [&](ir::expr const& i) { return text(i); }) + ")";
    auto const source = source_text(n);
    if (n.outside == ir::boundary::none) return source + indices;
    auto const fill = n.fill ? ", " + text(n.fill) : "";
    return std::string(word_for(boundary_words, n.outside)) + "(" + source + fill + ")" + indices;
  }
  [[nodiscard]] std::string source_text(ir::access const& n) const {
    auto const* const stage = std::get_if<handle<ir::stage>>(&n.from);
    if (!stage) return name_text(ir::name_of(n.from));
    auto const name = (operands_.count((*stage)->name) != 0 ? "@" : "") + name_text((*stage)->name);
    return (*stage)->components.size() > 1 ? name + "#" + std::to_string(n.component) : name;
  }

  std::set<std::string> operands_;
};

}}}}  // namespace ttune::v0::capture::detail
