// SPDX-License-Identifier: Apache-2.0
// Expressions. Signed integers are computed as unsigned ones, since their overflow must wrap.
#pragma once

#include <cmath>
#include <cstdio>

#include "ttune/codegen/c_family/emitter.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

namespace detail {

[[nodiscard]] inline dtype computed_as(dtype t) noexcept {
  return t == dtype::f16 || t == dtype::bf16 ? dtype::f32 : t;
}

[[nodiscard]] inline dtype unsigned_of(dtype t) noexcept {
  switch (t) {
    case dtype::i8: return dtype::u8;
    case dtype::i16: return dtype::u16;
    case dtype::i32: return dtype::u32;
    case dtype::i64:
    case dtype::index: return dtype::u64;
    default: return t;
  }
}

}  // namespace detail

inline std::string c_emitter::type_name(dtype t, int lanes) const {
  return dialect_.type(detail::computed_as(t), index_bits_) + (lanes > 1 ? std::to_string(lanes) : "");
}

inline std::string c_emitter::in(value const& v, int least) { return v.binds < least ? "(" + v.text + ")" : v.text; }

inline c_emitter::value c_emitter::widened(value const& v, int lanes) const {
  if (v.lanes == lanes) return v;
  if (v.type == dtype::boolean) return {"((int" + std::to_string(lanes) + ")(" + v.text + ") != 0)", v.type, lanes};
  return {"(" + type_name(v.type, lanes) + ")(" + v.text + ")", v.type, lanes};
}

inline c_emitter::value c_emitter::evaluate(ir::expr const& e) {
  if (e->type == dtype::index && !ir::as<ir::access>(e) && !ir::as<ir::cast>(e)) return evaluate_index(e);
  if (auto const* c = ir::as<ir::constant>(e)) return evaluate_constant(e, *c);
  if (auto const* a = ir::as<ir::access>(e)) return load(e, *a);
  if (auto const* n = ir::as<ir::unary>(e)) return evaluate_unary(e, *n);
  if (auto const* n = ir::as<ir::binary>(e)) return evaluate_binary(e, *n);
  if (auto const* n = ir::as<ir::select>(e)) return evaluate_select(e, *n);
  if (auto const* n = ir::as<ir::cast>(e)) return evaluate_cast(e, *n);
  throw backend_error(std::string(dialect_.name()) +
                      ": an expression of a lowered program has a node that only programs have");
}

/// Emits an index used as a value.
inline c_emitter::value c_emitter::evaluate_index(ir::expr const& e) {
  auto const l = index(e);
  if (l.lane == 0) return written(l);
  std::string steps;
  for (int i = 0; i < lanes_; ++i) steps += (i != 0 ? ", " : "") + std::to_string(l.lane * i);
  auto const type = type_name(dtype::index, lanes_);
  auto first = l;
  first.lane = 0;
  return {"(" + type + ")(" + written(first).text + ") + (" + type + ")(" + steps + ")", dtype::index, lanes_, sum};
}

inline c_emitter::value c_emitter::evaluate_constant(ir::expr const& e, ir::constant const& c) const {
  auto const t = detail::computed_as(e->type);
  if (!is_float(t)) {
    if (t == dtype::boolean) return {c.integer != 0 ? "1" : "0", t};
    if (t == dtype::u64) return {std::to_string(static_cast<std::uint64_t>(c.integer)) + dialect_.integer_suffix(t), t};
    auto const least = t == dtype::i64 ? std::numeric_limits<std::int64_t>::min()
                                       : std::int64_t{std::numeric_limits<std::int32_t>::min()};
    if ((t == dtype::i64 || t == dtype::i32) && c.integer == least)  // its magnitude does not fit in the type
      return {"(" + std::to_string(c.integer + 1) + dialect_.integer_suffix(t) + " - 1)", t};
    return {std::to_string(c.integer) + dialect_.integer_suffix(t), t, 1, c.integer < 0 ? prefix : primary};
  }
  auto const v = t == dtype::f32 ? static_cast<double>(static_cast<float>(c.real)) : c.real;
  if (!std::isfinite(v)) return {dialect_.not_finite(t, v), t};
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", t == dtype::f32 ? 9 : 17, v);
  std::string made = text;
  if (made.find_first_of(".e") == std::string::npos) made += ".0";
  return {made + (t == dtype::f32 ? "f" : ""), t, 1, std::signbit(v) ? prefix : primary};
}

inline c_emitter::value c_emitter::call(std::string const& function, dtype type, std::vector<value> const& arguments) {
  int lanes = 1;
  for (auto const& a : arguments) lanes = std::max(lanes, a.lanes);
  std::string text;
  for (auto const& a : arguments) text += (text.empty() ? "" : ", ") + widened(a, lanes).text;
  return {function + "(" + text + ")", type, lanes};
}

/// Calls a small helper function of the text, which is written at its first use.
inline c_emitter::value c_emitter::helper(std::string const& base, dtype type, std::vector<value> const& arguments) {
  int lanes = 1;
  for (auto const& a : arguments) lanes = std::max(lanes, a.lanes);
  auto const of = arguments[0].type;
  auto const name =
      "ttune_" + base + "_" +
      (base.starts_with("to_") || base.starts_with("from_") ? std::string(ttune::name_of(of)) + "_" : "") +
      ttune::name_of(type) + (lanes > 1 ? "x" + std::to_string(lanes) : "");
  auto const full = name + (of == dtype::index || type == dtype::index ? (index_bits_ == 64 ? "64" : "32") : "");
  if (helpers_.count(full) == 0)
    helpers_[full] = helper_text(base, type == dtype::index ? dtype::index : of, lanes, full);
  return call(full, type, arguments);
}

inline c_emitter::value c_emitter::evaluate_unary(ir::expr const& e, ir::unary const& u) {
  auto const x = evaluate(u.operand);
  auto const t = x.type;
  auto const real = [&](char const* name) { return call(dialect_.function(name, t), t, {x}); };
  switch (u.op) {
    case ir::unary_op::negate:
      if (is_float(t)) return {"-" + in(x, primary), t, x.lanes, prefix};
      return wrapped("-", sum, x.lanes > 1 ? widened({"0", t}, x.lanes) : value{"0", t}, x);
    case ir::unary_op::logical_not: return {"!" + in(x, primary), t, x.lanes, prefix};
    case ir::unary_op::abs:
      if (is_float(t)) return real("fabs");
      if (is_unsigned(e->type) || t == dtype::boolean) return x;
      return helper("magnitude", t, {x});
    case ir::unary_op::sqrt: return real("sqrt");
    case ir::unary_op::floor: return is_float(t) ? real("floor") : x;
    case ir::unary_op::ceil: return is_float(t) ? real("ceil") : x;
    case ir::unary_op::round: return is_float(t) ? real("rint") : x;
    case ir::unary_op::round_to_tf32: return helper("round_to_tf32", t, {x});
    case ir::unary_op::exp: return real("exp");
    case ir::unary_op::log: return real("log");
    case ir::unary_op::sin: return real("sin");
    case ir::unary_op::cos: return real("cos");
    case ir::unary_op::tanh: return real("tanh");
    case ir::unary_op::erf: return real("erf");
  }
  throw backend_error(std::string(dialect_.name()) + ": unknown function");
}

/// Emits a sum, difference or product of integers that wraps at the width of their type.
inline c_emitter::value c_emitter::wrapped(char const* op, int binds, value const& a, value const& b) {
  auto const t = a.type;
  int const lanes = std::max(a.lanes, b.lanes);
  auto const spaced = std::string(" ") + op + " ";
  auto const infix = [&](std::string const& x, std::string const& y) { return x + spaced + y; };
  if (t == dtype::index) return {infix(in(a, binds), in(b, binds + 1)), t, lanes, binds};
  if (lanes > 1) {
    auto const same = type_name(detail::unsigned_of(t), lanes);
    auto const x = widened(a, lanes);
    auto const y = widened(b, lanes);
    if (is_unsigned(t)) return {infix(in(x, binds), in(y, binds + 1)), t, lanes, binds};
    return {"as_" + type_name(t, lanes) + "(" +
                infix("as_" + same + "(" + x.text + ")", "as_" + same + "(" + y.text + ")") + ")",
            t, lanes};
  }
  if (t == dtype::u32 || t == dtype::u64) return {infix(in(a, binds), in(b, binds + 1)), t, 1, binds};
  auto const wide = "(" + type_name(size_in_bytes(t) == 8 ? dtype::u64 : dtype::u32) + ")";
  return {"(" + type_name(t) + ")(" + infix(wide + in(a, prefix), wide + in(b, prefix)) + ")", t, 1, prefix};
}

inline c_emitter::value c_emitter::evaluate_binary(ir::expr const& e, ir::binary const& b) {
  if (auto const known = e->type == dtype::boolean && b.left->type == dtype::index ? decide(e) : std::nullopt) {
    bool const all = std::find(known->begin(), known->end(), false) == known->end();
    bool const none = std::find(known->begin(), known->end(), true) == known->end();
    if (!all && !none) {
      std::string bits;
      for (bool const bit : *known) bits += (bits.empty() ? "" : ", ") + std::string(bit ? "-1" : "0");
      return {"(int" + std::to_string(lanes_) + ")(" + bits + ")", dtype::boolean, lanes_};
    }
    return {all ? "1" : "0", dtype::boolean};
  }
  auto const x = evaluate(b.left);
  auto const y = evaluate(b.right);
  auto const t = x.type;
  int const lanes = std::max(x.lanes, y.lanes);
  bool const real = is_float(t);
  auto const infix = [&](char const* op, int binds) {
    auto const left = real || lanes == 1 ? x : widened(x, lanes);
    auto const right = real || lanes == 1 ? y : widened(y, lanes);
    return value{in(left, binds) + " " + op + " " + in(right, binds + 1), t, lanes, binds};
  };
  switch (b.op) {
    case ir::binary_op::add: return real ? infix("+", sum) : wrapped("+", sum, x, y);
    case ir::binary_op::subtract: return real ? infix("-", sum) : wrapped("-", sum, x, y);
    case ir::binary_op::multiply: return real ? infix("*", product) : wrapped("*", product, x, y);
    case ir::binary_op::divide:
      if (real) return infix("/", product);
      return quotient(e, b, x, y);
    case ir::binary_op::modulo:
      if (real) return call(dialect_.function("fmod", t), t, {x, y});
      return quotient(e, b, x, y);
    case ir::binary_op::power: return call(dialect_.function("pow", t), t, {x, y});
    case ir::binary_op::minimum: return helper("least", t, {x, y});
    case ir::binary_op::maximum: return helper("most", t, {x, y});
    case ir::binary_op::logical_and:
    case ir::binary_op::logical_or: {
      auto const left = widened(x, lanes);
      auto const right = widened(y, lanes);
      bool const conjunction = b.op == ir::binary_op::logical_and;
      if (lanes > 1)
        return {"(" + in(left, relation) + (conjunction ? " & " : " | ") + in(right, relation) + ")", dtype::boolean,
                lanes};
      int const binds = conjunction ? both : either;
      return {in(left, conjunction ? both : equality) + (conjunction ? " && " : " || ") +
                  in(right, conjunction ? equality : equality),
              dtype::boolean, 1, binds};
    }
    case ir::binary_op::equal:
    case ir::binary_op::not_equal:
    case ir::binary_op::less:
    case ir::binary_op::less_equal: return compare(b.op, x, y);
    default: throw backend_error(std::string(dialect_.name()) + ": an operation of indices is applied to data");
  }
}

/// Emits a comparison. In vectors, the result is an int vector of -1 and 0.
inline c_emitter::value c_emitter::compare(ir::binary_op op, value const& a, value const& b) {
  static constexpr char const* names[] = {"==", "!=", "<", "<="};
  auto const which = static_cast<int>(op) - static_cast<int>(ir::binary_op::equal);
  int const lanes = std::max(a.lanes, b.lanes);
  int const binds = which < 2 ? equality : relation;
  auto const x = widened(a, lanes);
  auto const y = widened(b, lanes);
  auto const text = in(x, binds + 1) + " " + names[which] + " " + in(y, binds + 1);
  if (lanes == 1) return {text, dtype::boolean, 1, binds};
  auto const bytes = a.type == dtype::index     ? static_cast<std::size_t>(index_bits_ / 8)
                     : a.type == dtype::boolean ? 4
                                                : size_in_bytes(a.type);
  if (bytes == 4) return {"(" + text + ")", dtype::boolean, lanes};
  return {"convert_int" + std::to_string(lanes) + "(" + text + ")", dtype::boolean, lanes};
}

/// Emits a division or modulo. The smallest value divided by -1 wraps; many machines trap instead.
inline c_emitter::value c_emitter::quotient(ir::expr const& e, ir::binary const& b, value const& x, value const& y) {
  bool const divides = b.op == ir::binary_op::divide;
  auto const t = x.type;
  int const lanes = std::max(x.lanes, y.lanes);
  auto const* divisor = ir::as<ir::constant>(b.right);
  (void)e;
  if (is_unsigned(t) || (divisor && divisor->integer != -1)) {
    auto const left = widened(x, lanes);
    auto const right = widened(y, lanes);
    auto const text = in(left, product) + (divides ? " / " : " % ") + in(right, prefix);
    if (lanes == 1 && size_in_bytes(t) < 4) return {"(" + type_name(t) + ")(" + text + ")", t, 1, prefix};
    return {text, t, lanes, product};
  }
  if (lanes > 1) throw needs_scalar{};
  return helper(divides ? "quotient" : "remainder", t, {x, y});
}

/// Emits a select that reads only the chosen arm: the other may be out of its buffer's bounds.
inline c_emitter::value c_emitter::evaluate_select(ir::expr const& e, ir::select const& s) {
  auto const t = detail::computed_as(e->type);
  auto const known = decide(s.condition);
  if (known) {
    bool const some = std::find(known->begin(), known->end(), true) != known->end();
    bool const all = std::find(known->begin(), known->end(), false) == known->end();
    if (all) return evaluate(s.when_true);
    if (!some) return evaluate(s.when_false);
  }
  auto const condition = evaluate(s.condition);
  auto const reads = [](ir::expr const& whole) {
    return ir::contains(whole, [](ir::expr const& n) {
      auto const* b = ir::as<ir::binary>(n);
      bool const divides = b && (b->op == ir::binary_op::divide || b->op == ir::binary_op::modulo) &&
                           !is_float(n->type) && !ir::is_constant(b->right);
      return divides || ir::as<ir::access>(n) != nullptr;
    });
  };
  if (condition.lanes > 1 && (reads(s.when_true) || reads(s.when_false))) throw needs_scalar{};
  auto yes = evaluate(s.when_true);
  auto no = evaluate(s.when_false);
  int const lanes = std::max({condition.lanes, yes.lanes, no.lanes});
  if (lanes == 1) return {in(condition, either) + " ? " + in(yes, either) + " : " + in(no, ternary), t, 1, ternary};
  yes = widened(yes, lanes);
  no = widened(no, lanes);
  if (condition.lanes == 1)
    return {"(" + in(condition, either) + " ? " + in(yes, either) + " : " + in(no, either) + ")", t, lanes};
  auto const bytes = t == dtype::index     ? static_cast<std::size_t>(index_bits_ / 8)
                     : t == dtype::boolean ? 4
                                           : size_in_bytes(t);
  static constexpr char const* signed_types[] = {"", "char", "short", "", "int", "", "", "", "long"};
  auto const bits =
      bytes == 4 ? condition.text
                 : std::string("convert_") + signed_types[bytes] + std::to_string(lanes) + "(" + condition.text + ")";
  return {"select(" + no.text + ", " + yes.text + ", " + bits + ")", t, lanes};
}

inline c_emitter::value c_emitter::evaluate_cast(ir::expr const& e, ir::cast const& c) {
  auto const x = evaluate(c.operand);
  auto const from = x.type;
  auto const to = detail::computed_as(e->type);
  auto const n = x.lanes > 1 ? std::to_string(x.lanes) : "";
  if (to == dtype::boolean) {
    if (from == dtype::boolean) return x;
    return compare(ir::binary_op::not_equal, x, {is_float(from) ? from == dtype::f32 ? "0.0f" : "0.0" : "0", from});
  }
  if (e->type == dtype::f16 || e->type == dtype::bf16) {  // rounded to the type in memory
    auto const single = from == dtype::f32 ? x
                        : is_float(from) || x.lanes > 1
                            ? value{x.lanes > 1 ? "convert_float" + n + "(" + x.text + ")" : "(float)" + in(x, prefix),
                                    dtype::f32, x.lanes, x.lanes > 1 ? primary : prefix}
                            : value{"(float)" + in(x, prefix), dtype::f32, 1, prefix};
    if (c.operand->type == e->type) return x;
    bool const half = e->type == dtype::f16;
    auto const bits = helper(half ? "to_half" : "to_bf16", dtype::u16, {single});
    return helper(half ? "from_half" : "from_bf16", dtype::f32, {bits});
  }
  if (from == to) return x;
  if (is_float(from) && !is_float(to)) {
    if (dialect_.vectors() == vector_style::types)
      return {"convert_" + type_name(to == dtype::index ? dtype::index : to) + n + "_sat_rtz(" + x.text + ")", to,
              x.lanes};
    return helper("to_integer", to, {{"(double)" + in(x, prefix), dtype::f64, 1, prefix}});
  }
  if (x.lanes > 1) {
    auto const source = from == dtype::boolean ? "(" + x.text + " & 1)" : "(" + x.text + ")";
    return {"convert_" + type_name(to) + n + source, to, x.lanes};
  }
  if (from == dtype::boolean) return {"(" + type_name(to) + ")(" + x.text + " ? 1 : 0)", to, 1, prefix};
  return {"(" + type_name(to) + ")" + in(x, prefix), to, 1, prefix};
}

inline std::string c_emitter::helper_text(std::string const& base, dtype type, int lanes,
                                          std::string const& name) const {
  auto const t = type_name(type, lanes);
  auto const n = lanes > 1 ? std::to_string(lanes) : "";
  auto const function = [&](std::string const& result, std::string const& parameters, std::string const& body) {
    return dialect_.function_prefix() + result + " " + name + "(" + parameters + ") { " + body + " }\n";
  };
  bool const cl = dialect_.vectors() == vector_style::types;
  auto const chosen = [&](std::string const& condition, std::string const& yes, std::string const& no) {
    return lanes > 1 ? "select(" + no + ", " + yes + ", " + condition + ")" : condition + " ? " + yes + " : " + no;
  };
  if (base == "least") return function(t, t + " a, " + t + " b", "return " + chosen("b < a", "b", "a") + ";");
  if (base == "most") return function(t, t + " a, " + t + " b", "return " + chosen("a < b", "b", "a") + ";");
  if (base == "magnitude")
    return function(t, t + " a",
                    lanes > 1 ? "return select(a, -a, a < 0);"
                              : "return a < 0 ? (" + t + ")(0 - (" + type_name(detail::unsigned_of(type)) + ")a) : a;");
  if (base == "floor_divide")
    return function(t, t + " a, " + t + " b", t + " const r = a % b; return a / b - (r < 0 ? 1 : 0);");
  if (base == "floor_modulo")
    return function(t, t + " a, " + t + " b", t + " const r = a % b; return r < 0 ? r + b : r;");
  if (base == "quotient")
    return function(
        t, t + " a, " + t + " b",
        "return b == -1 ? (" + t + ")(0 - (" + type_name(detail::unsigned_of(type)) + ")a) : (" + t + ")(a / b);");
  if (base == "remainder") return function(t, t + " a, " + t + " b", "return b == -1 ? 0 : (" + t + ")(a % b);");
  if (base == "to_integer") {
    auto const to = name.substr(name.rfind('_') + 1);
    return dialect_.saturating_cast(name, to);
  }
  if (base == "from_half") return dialect_.half_function(name, true, lanes);
  if (base == "to_half") return dialect_.half_function(name, false, lanes);
  auto const u = "uint" + n;
  if (base == "from_bf16") {
    if (cl)
      return function("float" + n, "ushort" + n + " h", "return as_float" + n + "(convert_uint" + n + "(h) << 16);");
    return function("float", type_name(dtype::u16) + " h",
                    dialect_.bits_as_float("(" + type_name(dtype::u32) + ")h << 16"));
  }
  if (base == "to_bf16") {
    if (cl)
      return function(
          "ushort" + n, "float" + n + " x",
          u + " const b = as_uint" + n + "(x); " + u +
              " const r = (b + 0x7fffu + ((b >> 16) & 1u)) >> 16; return convert_ushort" + n +
              (lanes > 1 ? "(select(r, (b >> 16) | 0x40u, isnan(x)));" : "(isnan(x) ? (b >> 16) | 0x40u : r);"));
    return function(type_name(dtype::u16), "float x",
                    dialect_.float_as_bits("x") + "return (" + type_name(dtype::u16) +
                        ")(x != x ? (b >> 16) | 0x40u : (b + 0x7fffu + ((b >> 16) & 1u)) >> 16);");
  }
  if (base == "round_to_tf32") {
    if (cl)
      return function(t, t + " x",
                      u + " const b = as_" + u + "(x); " + u + " const r = (b + 0x1000u) & 0xffffe000u; return as_" +
                          t + (lanes > 1 ? "(select(r, b, isnan(x)));" : "(isnan(x) ? b : r);"));
    return function(
        t, t + " x",
        "if (x != x) return x; " + dialect_.float_as_bits("x") + dialect_.bits_as_float("(b + 0x1000u) & 0xffffe000u"));
  }
  throw backend_error(std::string(dialect_.name()) + ": no function " + base);
}

}}}  // namespace ttune::v0::codegen
