// SPDX-License-Identifier: Apache-2.0
// This file is longer than 400 lines, since expressions, stages and statements print each other.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>

#include "ttune/ir/equal.inl.hpp"
#include "ttune/ir/instruction.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune { inline namespace v0 { namespace ir {

namespace detail {

template <class Items, class Text>
std::string comma_list(Items const& items, Text&& text) {
  std::string out;
  for (auto const& item : items) {
    if (!out.empty()) out += ", ";
    out += text(item);
  }
  return out;
}

inline std::string extent_text(extent const& e) {
  auto const runs = e.run == 1 ? "" : "/" + std::to_string(e.run);
  return (e.is_constant() ? "" : e.symbol->name + runs + "=") + std::to_string(e.value);
}

/// Returns the shortest text that reads back as the same number and looks like a real number.
inline std::string real_text(dtype type, double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[64];
  auto const narrow = static_cast<float>(value);
  bool const as_float = type != dtype::f64 && static_cast<double>(narrow) == value;
  auto const end = as_float ? std::to_chars(buffer, buffer + sizeof buffer, narrow).ptr
                            : std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  std::string text(buffer, end);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

inline std::string constant_text(dtype type, constant const& c) {
  if (is_float(type)) return real_text(type, c.real);
  if (type == dtype::boolean) return c.integer != 0 ? "true" : "false";
  if (type == dtype::u64) return std::to_string(static_cast<std::uint64_t>(c.integer));
  return std::to_string(c.integer);
}

/// Returns the precedence of an operator; functions and leaves have the highest.
inline int precedence(binary_op op) {
  switch (op) {
    case binary_op::logical_or: return 1;
    case binary_op::logical_and: return 2;
    case binary_op::equal:
    case binary_op::not_equal: return 3;
    case binary_op::less:
    case binary_op::less_equal: return 4;
    case binary_op::add:
    case binary_op::subtract: return 5;
    case binary_op::multiply:
    case binary_op::divide:
    case binary_op::modulo:
    case binary_op::floor_divide:
    case binary_op::floor_modulo: return 6;
    default: return 9;
  }
}

inline char const* function_name(unary_op op) {
  constexpr char const* names[] = {"-",   "!",    "abs", "sqrt",  "exp",  "log",   "sin",
                                   "cos", "tanh", "erf", "floor", "ceil", "round", "round_to_tf32"};
  return names[static_cast<int>(op)];
}

/// Returns the infix symbol; null if the operation is written as a function.
inline char const* infix(binary_op op, bool index) {
  switch (op) {
    case binary_op::add: return " + ";
    case binary_op::subtract: return " - ";
    case binary_op::multiply: return " * ";
    case binary_op::divide: return index ? nullptr : " / ";
    case binary_op::modulo: return index ? nullptr : " % ";
    case binary_op::floor_divide: return index ? " / " : nullptr;
    case binary_op::floor_modulo: return index ? " % " : nullptr;
    case binary_op::logical_and: return " && ";
    case binary_op::logical_or: return " || ";
    case binary_op::equal: return " == ";
    case binary_op::not_equal: return " != ";
    case binary_op::less: return " < ";
    case binary_op::less_equal: return " <= ";
    default: return nullptr;
  }
}

inline char const* function_name(binary_op op) {
  switch (op) {
    case binary_op::minimum: return "min";
    case binary_op::maximum: return "max";
    case binary_op::power: return "pow";
    case binary_op::divide: return "divide";
    case binary_op::modulo: return "modulo";
    case binary_op::floor_divide: return "floor_divide";
    default: return "floor_modulo";
  }
}

class printer {
 public:
  explicit printer(stage const* of = nullptr) : stage_(of) {}

  /// Prints an expression, in parentheses if its precedence is below `least`.
  std::string text(expr const& e, int least = 0) const {
    if (!e) return "?";
    return visit(
        e,
        [&](constant const& n) {
          return wrapped(constant_text(e->type, n), is_negative(e) ? 7 : 9, least > 7 ? 8 : 0);
        },
        [](variable const& n) { return n.name; }, [&](access const& n) { return access_text(n); },
        [&](unary const& n) { return unary_text(n, least); }, [&](binary const& n) { return binary_text(n, least); },
        [&](select const& n) {
          return "select(" + text(n.condition) + ", " + text(n.when_true) + ", " + text(n.when_false) + ")";
        },
        [&](cast const& n) { return cast_text(e->type, n); },
        [&](argument const& n) { return (n.right ? "right." : "left.") + component_name(n.component); });
  }

  std::string list(std::vector<expr> const& items) const {
    return comma_list(items, [&](expr const& e) { return text(e); });
  }

 private:
  static std::string wrapped(std::string what, int binds, int least) { return binds < least ? "(" + what + ")" : what; }

  static bool is_negative(expr const& e) {
    auto const* c = as<constant>(e);
    return c && (is_float(e->type) ? std::signbit(c->real) && !std::isnan(c->real)
                                   : c->integer < 0 && !is_unsigned(e->type));
  }

  std::string component_name(int i) const {
    auto const at = static_cast<std::size_t>(i);
    bool const known = stage_ && at < stage_->components.size() && !stage_->components[at].name.empty();
    return known ? stage_->components[at].name : std::to_string(i);
  }

  std::string unary_text(unary const& n, int least) const {
    std::string const name = function_name(n.op);
    if (n.op != unary_op::negate && n.op != unary_op::logical_not) return name + "(" + text(n.operand) + ")";
    return wrapped(name + text(n.operand, 8), 7, least);
  }

  std::string binary_text(binary const& n, int least) const {
    auto const* symbol = infix(n.op, n.left->type == dtype::index);
    if (!symbol) return std::string(function_name(n.op)) + "(" + text(n.left) + ", " + text(n.right) + ")";
    int const binds = precedence(n.op);
    bool const is_sum = n.op == binary_op::add || n.op == binary_op::subtract;
    if (is_sum && is_negative(n.right)) {  // a + -1 is printed as a - 1
      auto const positive = text(n.right).substr(1);
      return wrapped(text(n.left, binds) + (n.op == binary_op::add ? " - " : " + ") + positive, binds, least);
    }
    bool const logical = n.op == binary_op::logical_and || n.op == binary_op::logical_or;
    return wrapped(text(n.left, binds) + symbol + text(n.right, logical ? binds : binds + 1), binds, least);
  }

  std::string cast_text(dtype to, cast const& n) const {
    if (to == dtype::index) return "at(" + text(n.operand) + ")";
    return std::string("cast<") + name_of(to) + ">(" + text(n.operand) + ")";
  }

  std::string access_text(access const& n) const {
    auto name = name_of(n.from);
    if (auto const* s = std::get_if<handle<stage>>(&n.from); s && (*s)->components.size() > 1)
      name += "." + printer(s->get()).component_name(n.component);
    bool const stored = std::holds_alternative<handle<buffer>>(n.from);
    switch (n.outside) {
      case boundary::none: break;
      case boundary::value: name = outside_text(name, n.fill); break;
      case boundary::clamp: name = "clamp_outside(" + name + ")"; break;
      case boundary::wrap: name = "wrap_outside(" + name + ")"; break;
      case boundary::mirror: name = "mirror_outside(" + name + ")"; break;
    }
    return name + (stored ? "[" : "(") + list(n.indices) + (stored ? "]" : ")");
  }

  std::string outside_text(std::string const& name, expr const& fill) const {
    auto const* c = as<constant>(fill);
    if (c && c->real == 0 && c->integer == 0) return "zero_outside(" + name + ")";
    return "value_outside(" + name + ", " + text(fill) + ")";
  }

  stage const* stage_;
};

inline std::string range_text(axis const& a) {
  if (a.begin == 0) return a.name + " < " + extent_text(a.end);
  return a.name + " in [" + std::to_string(a.begin) + ", " + extent_text(a.end) + ")";
}

inline std::string tensor_text(tensor const& t) {
  auto out = t.name + " " + name_of(t.type) + " (" + comma_list(t.shape, extent_text) + ")";
  constexpr char const* roles[] = {"", " constant", " table", " inout", " strides", " extents"};
  if (t.order == layout::column_major) out += " column_major";
  if (t.order == layout::any) out += " of any layout";
  out += text_of(t.strides);
  out += roles[static_cast<int>(t.role)];
  if (t.has_range) out += " in [" + std::to_string(t.low) + ", " + std::to_string(t.high) + ")";
  return out;
}

inline std::string output_text(stage const& s) {
  return comma_list(s.components, [&](component const& c) {
    auto const extents = comma_list(s.axes, [](axis const& a) { return extent_text(a.end); });
    auto const name = s.updates ? s.updates->name : s.components.size() == 1 ? s.name : s.name + "." + c.name;
    return name + " " + name_of(c.type) + " (" + extents + ")" + text_of(s.updates ? s.updates->strides : s.strides);
  });
}

inline std::string reduction_name(reduction_kind kind) {
  constexpr char const* names[] = {"", "sum", "product", "min", "max", "reduce"};
  return names[static_cast<int>(kind)];
}

/// Prints a stage on one line; tuple reductions take three lines.
inline std::string stage_text(stage const& s, bool with_extents) {
  printer const p(&s);
  auto const left = comma_list(s.axes, [&](axis const& a) { return with_extents ? range_text(a) : a.name; });
  auto out = (s.updates ? "update(" + s.updates->name + ")" : s.name) + "(" + left + ") = ";
  if (s.reduces()) out += reduction_name(s.reduction.kind) + "(" + comma_list(s.reduction.axes, range_text) + ") ";
  auto const named = [&](auto const& text_of) {
    std::size_t i = 0;
    return comma_list(s.components, [&](component const& c) { return c.name + " " + text_of(c, i++); });
  };
  bool const tuple = s.components.size() > 1;
  out +=
      tuple ? named([&](component const& c, std::size_t) { return p.text(c.value); }) : p.text(s.components[0].value);
  if (s.predicate) out += " where " + p.text(s.predicate);
  if (s.reduction.kind != reduction_kind::tuple) return out;
  out += "\n  from " + named([&](component const&, std::size_t i) { return p.text(s.reduction.identity[i]); });
  return out + "\n  by " + named([&](component const&, std::size_t i) { return p.text(s.reduction.combine[i]); });
}

class stmt_printer {
 public:
  /// `last`: nothing follows in the enclosing block, so the scope of a let or alloc needs no indentation.
  void add(stmt const& s, int depth, bool last = true) {
    if (!s) return;
    if (lines) (*lines)[s.get()] = next_line();
    visit(
        s,
        [&](block const& n) {
          for (std::size_t i = 0; i < n.body.size(); ++i) add(n.body[i], depth, last && i + 1 == n.body.size());
        },
        [&](loop const& n) {
          line(depth, loop_name(n.kind) + " " + range(n));
          add(n.body, depth + 1);
        },
        [&](let const& n) {
          line(depth, "let " + n.variable + " = " + text(n.value) + " in [" + std::to_string(n.low) + ", " +
                          std::to_string(n.high) + ")");
          add(n.body, last ? depth : depth + 1);
        },
        [&](conditional const& n) { add_conditional(n, depth); },
        [&](allocate const& n) {
          line(depth, "alloc " + buffer_text(*n.storage));
          add(n.body, last ? depth : depth + 1);
        },
        [&](store const& n) { line(depth, (n.is_async ? "copy_async " : "") + store_text(n)); },
        [&](barrier const& n) {
          line(depth, n.pending < 0 ? "barrier" : "barrier, " + std::to_string(n.pending) + " pending");
        },
        [&](prefetch const& n) { line(depth, "prefetch " + n.from->name + "[" + printer().list(n.indices) + "]"); },
        [&](warp_reduction const& n) {
          auto const loops = loops_of(n);
          auto const& l = *as<loop>(loops);
          line(depth, "warp_reduce " + range(l) + ": " + store_text(*as<store>(l.body)));
        },
        [&](matrix_multiply const& n) {
          constexpr char const* units[] = {"warp", "warpgroup", "tile"};
          line(depth, std::string(units[static_cast<int>(n.unit)]) + "_multiply " + store_text(n.sum) + ", " +
                          comma_list(n.loops, range) + (n.in_flight ? ", in flight" : "") +
                          (n.from_zero ? ", from zero" : ""));
        });
  }

  static std::string buffer_text(buffer const& b) {
    constexpr char const* places[] = {"operand", "prepared", "workspace", "local", "registers", "shared"};
    return b.name + " " + name_of(b.type) + " " + shape_text(b.extents) + " " + places[static_cast<int>(b.where)] +
           (b.held != 0 ? " ahead held " + std::to_string(b.held)
            : b.ahead   ? " ahead"
                        : "") +
           (b.swizzle != 0 ? " swizzled " + std::to_string(b.swizzle) : "");
  }

  std::string out;
  statement_lines* lines = nullptr;  ///< if not null, gets the lines of the statements

 private:
  /// Returns the number of the line that the next statement gets.
  int next_line() {
    line_ += static_cast<int>(std::count(out.begin() + static_cast<std::ptrdiff_t>(counted_), out.end(), '\n'));
    counted_ = out.size();
    return line_;
  }

  void line(int depth, std::string const& what) {
    out += std::string(static_cast<std::size_t>(depth) * 2, ' ') + what + "\n";
  }
  static std::string text(expr const& e) { return printer().text(e); }

  static std::string loop_name(loop_kind kind) {
    constexpr char const* names[] = {
        "for",           "parallel",      "vectorize",      "unroll",         "tensorize",      "bind(block.x)",
        "bind(block.y)", "bind(block.z)", "bind(thread.x)", "bind(thread.y)", "bind(thread.z)", "bind(vthread)"};
    return names[static_cast<int>(kind)];
  }

  static std::string range(loop const& n) {
    if (is_constant(n.begin, 0)) return n.variable + " < " + printer().text(n.end, 5);
    return n.variable + " in [" + text(n.begin) + ", " + text(n.end) + ")";
  }

  void add_conditional(conditional const& n, int depth) {
    if (!n.then) {
      line(depth, "if !(" + text(n.condition) + ")");
      return add(n.otherwise, depth + 1);
    }
    line(depth, (n.speculatable ? "if any lane has " : "if ") + text(n.condition));
    add(n.then, depth + 1);
    if (!n.otherwise) return;
    line(depth, "else");
    add(n.otherwise, depth + 1);
  }

  /// Prints `C[i] = C[i] + e` as `C[i] += e`.
  static std::string store_text(store const& n) {
    auto const target = n.to->name + "[" + printer().list(n.indices) + "]";
    if (auto const* b = as<binary>(n.value); b && b->op == binary_op::add)
      if (auto const* a = as<access>(b->left); a && a->from == source(n.to) && equal_lists(a->indices, n.indices))
        return target + " += " + text(b->right);
    return target + " = " + text(n.value);
  }

  int line_ = 1;
  std::size_t counted_ = 0;  ///< size of the text whose lines are counted
};

inline std::string lowered_text(lowered const& l, statement_lines* lines) {
  auto const operand = [](auto const& b) { return b->name + " " + name_of(b->type) + " " + shape_text(b->extents); };
  stmt_printer p;
  p.lines = lines;
  p.out = l.name + "(" + comma_list(l.operands, operand) + ")\n";
  for (auto const& b : l.prepared) p.out += "prepared " + operand(b) + "\n";
  if (l.prepare) {
    p.out += "prepare\n";
    p.add(l.prepare, 1);
    p.out += "run\n";
  }
  p.add(l.body, l.prepare ? 1 : 0);
  return std::move(p.out);
}

}  // namespace detail

std::string shape_text(std::vector<std::int64_t> const& shape) {
  return "(" + detail::comma_list(shape, [](std::int64_t n) { return std::to_string(n); }) + ")";
}

std::string print(expr const& e) { return detail::printer().text(e); }
std::string print(stage const& s) { return detail::stage_text(s, true); }

std::string print_signature(program const& p) {
  return p.name + "(" + detail::comma_list(p.inputs, [](auto const& t) { return detail::tensor_text(*t); }) + ") -> " +
         detail::comma_list(p.outputs, [](auto const& s) { return detail::output_text(*s); });
}

std::string print(program const& p) {
  auto out = print_signature(p) + "\n";
  for (auto const& s : p.stages) {
    bool const is_output = std::find(p.outputs.begin(), p.outputs.end(), s) != p.outputs.end();
    out += detail::stage_text(*s, !is_output) + "\n";
  }
  return out;
}

std::string print(stmt const& s) {
  detail::stmt_printer p;
  p.add(s, 0);
  return std::move(p.out);
}
std::string print(lowered const& l) { return detail::lowered_text(l, nullptr); }

std::string print(lowered const& l, statement_lines& lines) { return detail::lowered_text(l, &lines); }

}}}  // namespace ttune::v0::ir
