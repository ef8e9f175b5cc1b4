// SPDX-License-Identifier: Apache-2.0
// Expressions at code generation: one instruction per node, fused multiply-add where the target has it.
#pragma once

#include <cstddef>
#include <functional>

#include "ttune/arith/conditions.hpp"
#include "ttune/codegen/llvm/emitter.hpp"
#include "ttune/codegen/llvm/lane_conversions.hpp"
#include "ttune/codegen/llvm/lane_functions.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/runtime/abi.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

inline value llvm_emitter::widened(value v, int lanes) {
  if (v.lanes == lanes) return v;
  auto const scalar = scalar_type(v.type);
  if (v.text[0] != '%') return {splat_literal(scalar, v.text, lanes), v.type, lanes};
  auto const key = "splat " + std::to_string(lanes) + " " + v.text;
  if (auto const* known = frames_.find_load("splat", key)) return {*known, v.type, lanes};
  auto const type = vector_of(scalar, lanes);
  auto const first = define("insertelement " + type + " undef, " + scalar + " " + v.text + ", i32 0");
  auto const all = define("shufflevector " + type + " " + first + ", " + type + " undef, <" + std::to_string(lanes) +
                          " x i32> zeroinitializer");
  frames_.remember_load("splat", key, all);
  return {all, v.type, lanes};
}

inline value llvm_emitter::evaluate(ir::expr const& e) {
  if (e->type == dtype::index) return evaluate_index(e);
  if (auto const* c = ir::as<ir::constant>(e)) {
    auto const t = compute_type(e->type);
    return {is_float(t) ? real_literal(t, c->real) : integer_literal(t, c->integer), t, 1};
  }
  if (auto const* a = ir::as<ir::access>(e)) {
    if (reads_by_lanes(*a)) return read_by_lanes(*a);
    if (auto const turned = turned_read(e, *a)) return evaluate(turned);
    auto const& b = *std::get<handle<ir::buffer>>(a->from);
    return load(b, flat_index(b, a->indices));
  }
  if (auto const* n = ir::as<ir::unary>(e)) return evaluate_unary(e, *n);
  if (auto const* n = ir::as<ir::binary>(e)) return evaluate_binary(e, *n);
  if (auto const* n = ir::as<ir::select>(e)) return evaluate_select(e, *n);
  if (auto const* n = ir::as<ir::cast>(e)) return evaluate_cast(e, *n);
  throw backend_error("llvm: an expression of a lowered program has a node that only programs have");
}

/// Emits an index that is used as a value.
inline value llvm_emitter::evaluate_index(ir::expr const& e) {
  if (auto const* a = ir::as<ir::access>(e)) {
    if (reads_by_lanes(*a)) return read_by_lanes(*a);
    auto const& b = *std::get<handle<ir::buffer>>(a->from);
    return load(b, flat_index(b, a->indices));
  }
  if (auto const* c = ir::as<ir::cast>(e)) return evaluate_cast(e, *c);
  auto l = index(e);
  auto const lane = l.lane;
  l.lane = 0;
  value v{materialise(l), dtype::i64, 1};
  if (lane == 0) return v;
  v = widened(v, lanes_);
  std::string steps = "<";
  for (int i = 0; i < lanes_; ++i) steps += (i != 0 ? ", i64 " : "i64 ") + std::to_string(lane * i);
  return {define("add " + vector_of("i64", lanes_) + " " + v.text + ", " + steps + ">"), dtype::i64, lanes_};
}

inline value llvm_emitter::multiply_add(ir::expr const& product, ir::expr const& addend, bool negate_product) {
  auto const& p = *ir::as<ir::binary>(product);
  auto a = evaluate(p.left);
  auto b = evaluate(p.right);
  auto c = evaluate(addend);
  int const lanes = std::max({a.lanes, b.lanes, c.lanes});
  a = widened(a, lanes);
  b = widened(b, lanes);
  c = widened(c, lanes);
  auto const type = vector_of(scalar_type(c.type), lanes);
  if (negate_product) a.text = define("fneg " + type + " " + a.text);
  if (!machine_.has_fma) {
    auto const m = define("fmul " + type + " " + a.text + ", " + b.text);
    return {define("fadd " + type + " " + m + ", " + c.text), c.type, lanes};
  }
  auto const name = "llvm.fma." + mangled(c.type, lanes);
  declare("declare " + type + " @" + name + "(" + type + ", " + type + ", " + type + ")");
  return {define("call " + type + " @" + name + "(" + type + " " + a.text + ", " + type + " " + b.text + ", " + type +
                 " " + c.text + ")"),
          c.type, lanes};
}

inline value llvm_emitter::compare(ir::binary_op op, value a, value b, bool unsigned_operands) {
  static constexpr char const* floats[] = {"oeq", "une", "olt", "ole"};
  static constexpr char const* integers[] = {"eq", "ne", "slt", "sle"};
  static constexpr char const* unsigneds[] = {"eq", "ne", "ult", "ule"};
  auto const i = static_cast<int>(op) - static_cast<int>(ir::binary_op::equal);
  auto const type = vector_of(scalar_type(a.type), a.lanes);
  if (is_float(a.type))
    return {define(std::string("fcmp ") + floats[i] + " " + type + " " + a.text + ", " + b.text), dtype::boolean,
            a.lanes};
  auto const* name = unsigned_operands || a.type == dtype::boolean ? unsigneds[i] : integers[i];
  return {define(std::string("icmp ") + name + " " + type + " " + a.text + ", " + b.text), dtype::boolean, a.lanes};
}

/// Returns a value converted from a half and hides its origin from LLVM, which would compare and select in halves and
/// would call `fmaxf` for that.
inline value llvm_emitter::kept_wide(ir::expr const& e, value v) {
  auto const* c = ir::as<ir::cast>(e);
  bool const was_half = e->type == dtype::f16 || (c && c->operand->type == dtype::f16);
  if (was_half && v.type == dtype::f32 && v.text[0] == '%' && instructions_.converts_half)
    v.text = fenced(v.text, v.type, v.lanes);
  return v;
}

inline value llvm_emitter::evaluate_binary(ir::expr const& e, ir::binary const& b) {
  auto const t = compute_type(b.left->type);
  auto const is_product = [](ir::expr const& x) {
    auto const* m = ir::as<ir::binary>(x);
    return m && m->op == ir::binary_op::multiply;
  };
  if (is_float(t) && b.op == ir::binary_op::add) {
    if (is_product(b.right)) return multiply_add(b.right, b.left, false);
    if (is_product(b.left)) return multiply_add(b.left, b.right, false);
  }
  if (is_float(t) && b.op == ir::binary_op::subtract && is_product(b.right)) return multiply_add(b.right, b.left, true);
  if (auto const known = e->type == dtype::boolean && b.left->type == dtype::index ? decide(e) : std::nullopt) {
    std::string literal = "<";
    for (int i = 0; i < lanes_; ++i)
      literal += std::string(i != 0 ? ", " : "") + ((*known)[static_cast<std::size_t>(i)] ? "i1 true" : "i1 false");
    if (lanes_ == 1) return {(*known)[0] ? "true" : "false", dtype::boolean, 1};
    return {literal + ">", dtype::boolean, lanes_};
  }
  auto const* root = b.op == ir::binary_op::divide ? ir::as<ir::unary>(b.right) : nullptr;
  auto const* one = ir::as<ir::constant>(b.left);
  if (root && root->op == ir::unary_op::sqrt && t == dtype::f32 && one && one->real == 1 &&
      instructions_.estimates_roots && !program_.same_bits)
    return value_of(reciprocal_root(lanes_of(evaluate(root->operand))), t);
  auto x = evaluate(b.left);
  auto y = evaluate(b.right);
  int const lanes = std::max(x.lanes, y.lanes);
  if (b.op == ir::binary_op::power) return value_of(power(lanes_of(widened(x, lanes)), lanes_of(widened(y, lanes))), t);
  if (b.op == ir::binary_op::modulo && is_float(t)) {
    auto const wide = [&](value const& v) {
      return t == dtype::f64 ? v : value_of(lanes_of(v).cast("fpext", "double"), dtype::f64);
    };
    auto const exact = call_runtime("fmod_f64", offsetof(runtime_table, fmod_f64), {wide(x), wide(y)});
    return t == dtype::f64 ? exact : value_of(lanes_of(exact).cast("fptrunc", "float"), t);
  }
  x = widened(x, lanes);
  y = widened(y, lanes);
  if (b.op >= ir::binary_op::equal || b.op == ir::binary_op::minimum || b.op == ir::binary_op::maximum) {
    x = kept_wide(b.left, x);
    y = kept_wide(b.right, y);
  }
  auto const type = vector_of(scalar_type(t), lanes);
  bool const no_sign = is_unsigned(b.left->type);
  auto const plain = [&](std::string const& name) {
    return value{define(name + " " + type + " " + x.text + ", " + y.text), t, lanes};
  };
  auto const by_kind = [&](char const* real, char const* with_sign, char const* without) {
    return plain(is_float(t) ? real : no_sign ? without : with_sign);
  };
  switch (b.op) {
    case ir::binary_op::add: return by_kind("fadd", "add", "add");
    case ir::binary_op::subtract: return by_kind("fsub", "sub", "sub");
    case ir::binary_op::multiply: return by_kind("fmul", "mul", "mul");
    case ir::binary_op::divide:
    case ir::binary_op::modulo:
      if (is_float(t)) return plain("fdiv");
      return divide_integers(x, y, b.op, no_sign,
                             ir::is_constant(b.right) ? std::optional(ir::constant_integer(b.right)) : std::nullopt);
    case ir::binary_op::logical_and: return plain("and");
    case ir::binary_op::logical_or: return plain("or");
    case ir::binary_op::minimum: {
      auto const c = compare(ir::binary_op::less, y, x, no_sign);
      return choose(c.text, lanes, y, x);
    }
    case ir::binary_op::maximum: {
      auto const c = compare(ir::binary_op::less, x, y, no_sign);
      return choose(c.text, lanes, y, x);
    }
    case ir::binary_op::equal:
    case ir::binary_op::not_equal:
    case ir::binary_op::less:
    case ir::binary_op::less_equal: return compare(b.op, x, y, no_sign);
    default: throw backend_error("llvm: an operation of indices is applied to data");
  }
}

/// Divides integers. The processor traps on a division by 0, and of the smallest value by -1. The second case wraps
/// here; the first occurs only in lanes that do not run, where the divisor is replaced.
inline value llvm_emitter::divide_integers(value const& x, value y, ir::binary_op op, bool no_sign,
                                           std::optional<std::int64_t> constant_divisor) {
  bool const quotient = op == ir::binary_op::divide;
  auto const a = lanes_of(x);
  if (!constant_divisor && y.lanes == lanes_ && !mask_.empty())
    y = choose(mask_text(lanes_), lanes_, y, {splat_literal(scalar_type(y.type), "1", y.lanes), y.type, y.lanes});
  auto const b = lanes_of(y);
  if (no_sign) return value_of(a.two(quotient ? "udiv" : "urem", b), x.type);
  auto const name = quotient ? "sdiv" : "srem";
  auto const by_minus_one = [&] { return quotient ? a.bits(0) - a : a.bits(0); };
  if (constant_divisor) return value_of(*constant_divisor == -1 ? by_minus_one() : a.two(name, b), x.type);
  auto const minus_one = b.compared("eq", b.bits(~std::uint64_t{0}));
  return value_of(minus_one.choose(by_minus_one(), a.two(name, minus_one.choose(b.bits(1), b))), x.type);
}

inline value llvm_emitter::choose(std::string const& condition, int condition_lanes, value a, value b) {
  int const lanes = std::max({condition_lanes, a.lanes, b.lanes});
  a = widened(a, lanes);
  b = widened(b, lanes);
  auto const type = vector_of(scalar_type(a.type), lanes);
  auto const bits = vector_of("i1", condition_lanes);
  return {define("select " + bits + " " + condition + ", " + type + " " + a.text + ", " + type + " " + b.text), a.type,
          lanes};
}

template <class Evaluate>
value llvm_emitter::with_mask(mask const& m, Evaluate const& evaluated) {
  auto const saved = mask_;
  mask_ = m;
  if (!saved.empty())
    for (std::size_t i = 0; i < m.size(); ++i) mask_[i] = m[i] && saved[i];
  auto const v = evaluated();
  mask_ = saved;
  return v;
}

/// Emits one value for the lanes of a mask and another one for the others. A value that no running lane takes is not
/// evaluated, because its reads may lie outside of their buffers.
template <class Yes, class No>
value llvm_emitter::choose_lanes(mask const& known, Yes const& yes, No const& no) {
  if (!any_runs_in(known)) return no();
  auto inverse = known;
  inverse.flip();
  if (!any_runs_in(inverse)) return yes();
  auto const a = widened(with_mask(known, yes), lanes_);
  auto const b = widened(with_mask(inverse, no), lanes_);
  std::string bits = "<";
  for (int i = 0; i < lanes_; ++i)
    bits += std::string(i != 0 ? ", " : "") + (known[static_cast<std::size_t>(i)] ? "i1 true" : "i1 false");
  return choose(bits + ">", lanes_, a, b);
}

/// Splits a conjunction by what is known of its parts while code is written.
inline llvm_emitter::parts_of_condition llvm_emitter::parts_of(ir::expr const& condition) {
  parts_of_condition made;
  std::function<void(ir::expr const&)> const take = [&](ir::expr const& part) {
    auto const* both = ir::as<ir::binary>(part);
    if (both && both->op == ir::binary_op::logical_and) return take(both->left), take(both->right);
    (decide(part) ? made.of_lanes : varies(part) ? made.varying : made.shared).push_back(part);
  };
  take(condition);
  return made;
}

inline ir::expr llvm_emitter::all_of(std::vector<ir::expr> const& parts) {
  auto made = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) made = ir::make_binary(ir::binary_op::logical_and, made, parts[i]);
  return made;
}

/// Nests a choice whose condition has parts of several kinds, as where a row may lie outside, its first element does,
/// and data decide the rest: what all lanes share comes first, then what is known of each lane, then data. Returns null
/// if there is only one kind.
inline ir::expr llvm_emitter::lanes_apart(ir::select const& s) {
  auto const parts = parts_of(s.condition);
  auto made = s.when_true;
  int kinds = 0;
  for (auto const* kind : {&parts.varying, &parts.of_lanes, &parts.shared}) {
    if (kind->empty()) continue;
    made = ir::make_select(all_of(*kind), made, s.when_false);
    if (s.speculatable) made = ir::make_speculatable(made);
    ++kinds;
  }
  return kinds > 1 ? made : nullptr;
}

/// Emits a conjunction of comparisons of indices that are equal in all lanes, in the outermost loop that knows them.
/// Returns nothing if it has other parts.
inline std::optional<std::string> llvm_emitter::shared_condition(std::vector<ir::expr> const& parts) {
  if (parts.empty()) return std::nullopt;
  std::string all;
  int depth = 0;
  for (auto const& part : parts) {
    auto const* b = ir::as<ir::binary>(part);
    bool const by_index = b && b->left->type == dtype::index &&
                          (b->op == ir::binary_op::less || b->op == ir::binary_op::less_equal) &&
                          !ir::contains(part, [](ir::expr const& n) { return ir::as<ir::access>(n) != nullptr; });
    if (!by_index || varies(part)) return std::nullopt;
    auto const apart = index(b->right) + index(b->left).scaled(-1);  // true if at least 0 or 1
    auto const compared = "icmp sge i64 " + materialise(apart) + (b->op == ir::binary_op::less ? ", 1" : ", 0");
    auto const one = define_at(depth_of(apart), compared, compared);
    auto const both = "and i1 " + all + ", " + one;
    depth = std::max(depth, depth_of(apart));
    all = all.empty() ? one : define_at(depth, both, both);
  }
  return all;
}

/// Returns the name of a constant of the module that is as wide as a vector.
inline std::string llvm_emitter::read_instead(ir::expr const& constant) {
  auto const v = evaluate(constant);
  auto const type = scalar_type(v.type);
  auto const content = "[" + std::to_string(lanes_) + " x " + type + "] ";
  std::string values;
  for (int i = 0; i < lanes_; ++i) values += (i != 0 ? ", " : "") + type + " " + v.text;
  auto const [place, is_new] = instead_.try_emplace(content + v.text, "@instead" + std::to_string(instead_.size()));
  if (is_new)
    globals_ += place->second + " = private unnamed_addr constant " + content + "[" + values + "], align 64\n";
  return place->second;
}

/// Emits a read of an element, or of a constant if the element lies outside: the address of a vector of that constant
/// is selected. Without a branch, the code before and after stays one block, and unrolled rows share their loads.
inline std::optional<value> llvm_emitter::evaluate_guarded_read(ir::select const& s) {
  auto const* a = ir::as<ir::access>(s.when_true);
  if (!a || !ir::is_constant(s.when_false)) return std::nullopt;
  auto const& b = *std::get<handle<ir::buffer>>(a->from);
  bool const gathers = std::any_of(a->indices.begin(), a->indices.end(), [](ir::expr const& i) {
    return ir::contains(i, [](ir::expr const& n) { return ir::as<ir::access>(n) || ir::as<ir::select>(n); });
  });
  if (gathers || b.where == ir::memory::registers || !b.content.empty() ||
      memory_type(b.type) != scalar_type(compute_type(b.type)))
    return std::nullopt;
  auto const flat = flat_index(b, a->indices);
  auto const parts = parts_of(s.condition);
  bool const side_by_side = flat.lane == 0 || flat.lane == 1;
  auto const inside = side_by_side && parts.varying.empty() ? shared_condition(parts.shared) : std::nullopt;
  if (!inside) return std::nullopt;
  auto const known = parts.of_lanes.empty() ? std::nullopt : decide(all_of(parts.of_lanes));
  bool const in_all_lanes = !known || std::find(known->begin(), known->end(), false) == known->end();
  bool const in_pieces = !machine_.has_masks && flat.lane == 1 && (!in_all_lanes || !mask_.empty());
  if (in_pieces) return std::nullopt;  // each piece has an address of its own
  guard const where{*inside, read_instead(s.when_false)};
  if (in_all_lanes) return load(b, flat, where);
  return choose_lanes(*known, [&] { return load(b, flat, where); }, [&] { return evaluate(s.when_false); });
}

/// Returns true if lanes may evaluate both arms: the select is marked, and its condition has no inequality of indices,
/// which the mark takes for granted.
inline bool llvm_emitter::may_evaluate_both(ir::select const& s) const {
  std::vector<ir::expr> parts;
  arith::conjuncts(s.condition, parts);
  return s.speculatable && std::none_of(parts.begin(), parts.end(), [](ir::expr const& part) {
           auto const* b = ir::as<ir::binary>(part);
           return b && b->left->type == dtype::index &&
                  (b->op == ir::binary_op::less || b->op == ir::binary_op::less_equal);
         });
}

/// Evaluates a choice. Lanes that choose by data evaluate both arms if the select is marked
/// (lowering/speculate_selects.hpp); else only the arm that is chosen is read, since the other may lie outside of its
/// buffer.
inline value llvm_emitter::evaluate_select(ir::expr const& e, ir::select const& s) {
  if (auto const known = decide(s.condition))
    return choose_lanes(*known, [&] { return evaluate(s.when_true); }, [&] { return evaluate(s.when_false); });
  if (auto const read = evaluate_guarded_read(s)) return *read;
  bool reads = false;
  auto const look = [&](ir::expr const& n) {  // or a division, which may trap
    auto const* b = ir::as<ir::binary>(n);
    bool const divides = b && (b->op == ir::binary_op::divide || b->op == ir::binary_op::modulo) &&
                         !is_float(n->type) && !ir::is_constant(b->right);
    reads = reads || divides || ir::as<ir::access>(n);
  };
  ir::for_each_node(s.when_true, look);
  ir::for_each_node(s.when_false, look);
  if (auto const apart = reads && lanes_ > 1 ? lanes_apart(s) : nullptr) return evaluate(apart);
  auto const c = evaluate(s.condition);
  if (!reads || (c.lanes != 1 && may_evaluate_both(s)))
    return choose(c.text, c.lanes, evaluate(s.when_true), evaluate(s.when_false));
  if (c.lanes != 1) throw needs_scalar{};
  auto const yes = fresh_label();
  auto const no = fresh_label();
  auto const join = fresh_label();
  std::string arms;
  bool const in_lanes = varies(e) || ir::contains(e, [&](ir::expr const& n) {
                          auto const* a = ir::as<ir::access>(n);
                          return a && spreads_halves(*std::get<handle<ir::buffer>>(a->from));
                        });
  auto const arm = [&](std::string const& label, ir::expr const& what) {
    frames_.open(frames_.depth(), true);
    start_block(label);
    auto v = widened(evaluate(what), in_lanes ? lanes_ : 1);
    frames_.line("br label %" + join);
    arms += frames_.close();
    return std::pair{v, label_};
  };
  auto const [a, from_a] = arm(yes, s.when_true);
  auto const [b, from_b] = arm(no, s.when_false);
  frames_.line("br i1 " + c.text + ", label %" + yes + ", label %" +
               no);  // after a transposed tile that an arm puts before the branch
  frames_.top().body += arms;
  start_block(join);
  auto const type = vector_of(scalar_type(a.type), a.lanes);
  return {define("phi " + type + " [" + a.text + ", %" + from_a + "], [" + b.text + ", %" + from_b + "]"), a.type,
          a.lanes};
}

/// Emits one scalar call per lane, through the runtime table.
inline value llvm_emitter::call_runtime(char const* name, std::size_t offset, std::vector<value> const& arguments) {
  auto const t = arguments[0].type;
  auto const scalar = scalar_type(t);
  auto const place =
      define_at(0, std::string("place ") + name, "getelementptr i8, ptr %runtime, i64 " + std::to_string(offset));
  auto const callee = define_at(0, std::string("function ") + name, "load ptr, ptr " + place + ", align 8");
  int lanes = 1;
  for (auto const& a : arguments) lanes = std::max(lanes, a.lanes);
  auto const call = [&](int lane) {
    std::string text = "call " + scalar + " " + callee + "(";
    for (std::size_t i = 0; i < arguments.size(); ++i)
      text += (i != 0 ? ", " : "") + scalar + " " + extract(arguments[i], lane);
    return define(text + ")");
  };
  if (lanes == 1) return {call(0), t, 1};
  std::string made = "undef";
  for (int lane = 0; lane < lanes; ++lane)
    if (runs(lane))
      made = define("insertelement " + vector_of(scalar, lanes) + " " + made + ", " + scalar + " " + call(lane) +
                    ", i32 " + std::to_string(lane));
  return {made, t, lanes};
}

/// Emits sin or cos. The runtime computes large angles, lane by lane, after a branch that is hardly ever taken. Each
/// lane is computed by itself, so that a result does not depend on its neighbours.
inline value llvm_emitter::of_angle(value const& x, angle_function which) {
  auto const angle = lanes_of(x);
  auto const computed = sine_or_cosine(angle, which);
  auto const is_large = magnitude(angle).compared("ogt", angle.number(largest_angle(angle)));
  auto const any = any_lane(is_large);
  auto const slow = fresh_label();
  auto const join = fresh_label();
  frames_.line("br i1 " + any + ", label %" + slow + ", label %" + join);
  auto const before = label_;
  frames_.open(frames_.depth(), true);
  start_block(slow);
  auto const called =
      define("call " + angle.type() + " " + function_of_large_angles(which, x.type, x.lanes) + "(ptr %runtime, " +
             angle.type() + " " + angle.text + ", " + computed.type() + " " + computed.text + ")");
  frames_.line("br label %" + join);
  auto const text = frames_.close();
  frames_.top().body += text;
  start_block(join);
  return {define("phi " + angle.type() + " [" + computed.text + ", %" + before + "], [" + called + ", %" + slow + "]"),
          x.type, x.lanes};
}

/// Returns the condition that another condition holds in any running lane.
inline std::string llvm_emitter::any_lane(lane_value condition) {
  if (condition.lanes == 1) return condition.text;
  if (!mask_.empty() && condition.lanes == lanes_) condition = condition & condition.named(mask_text(lanes_), "i1");
  auto const reduce = "@llvm.vector.reduce.or.v" + std::to_string(condition.lanes) + "i1";
  declare("declare i1 " + reduce + "(" + condition.type() + ")");
  return define("call i1 " + reduce + "(" + condition.type() + " " + condition.text + ")");
}

/// Returns the name of a module function, emitted once: sin or cos by the runtime for lanes with large angles, the
/// computed value for the others. A separate function keeps unrolled bodies small. It stays in the section of its
/// callers: between sections, LLVM's linker for 64-bit ARM branches by absolute addresses.
inline std::string llvm_emitter::function_of_large_angles(angle_function which, dtype type, int lanes) {
  bool const wide = type == dtype::f64;
  bool const sine = which == angle_function::sine;
  auto const name = std::string(sine ? "@sin_" : "@cos_") + (wide ? "f64_" : "f32_") + std::to_string(lanes);
  if (!helpers_.insert(name).second) return name;
  auto const offset = sine ? (wide ? offsetof(runtime_table, sin_f64) : offsetof(runtime_table, sin_f32))
                           : (wide ? offsetof(runtime_table, cos_f64) : offsetof(runtime_table, cos_f32));
  auto const scalar = scalar_type(type);
  auto const v = vector_of(scalar, lanes);
  auto const limit = real_literal(type, parts_of_pi(wide, machine_.has_fma).largest_angle);
  std::string text = "define internal " + v + " " + name + "(ptr %runtime, " + v + " %x, " + v +
                     " %computed) noinline cold #0 section \".text\" {\n" +
                     "entry:\n  %place = getelementptr i8, ptr %runtime, i64 " + std::to_string(offset) +
                     "\n  %callee = load ptr, ptr %place, align 8\n";
  if (lanes == 1) {
    text += "  %made = call " + scalar + " %callee(" + scalar + " %x)\n  ret " + scalar + " %made\n}\n";
  } else {
    auto const abs = "llvm.fabs." + mangled(type, 1);
    declare("declare " + scalar + " @" + abs + "(" + scalar + ")");
    text += "  br label %look\nlook:\n  %lane = phi i32 [0, %entry], [%next, %after]\n  %sum = phi " + v +
            " [%computed, %entry], [%result, %after]\n  %one = extractelement " + v +
            " %x, i32 %lane\n  %size = call " + scalar + " @" + abs + "(" + scalar + " %one)\n  %large = fcmp ogt " +
            scalar + " %size, " + limit + "\n  br i1 %large, label %called, label %after\ncalled:\n  %made = call " +
            scalar + " %callee(" + scalar + " %one)\n  %with = insertelement " + v + " %sum, " + scalar +
            " %made, i32 %lane\n  br label %after\nafter:\n  %result = phi " + v +
            " [%sum, %look], [%with, %called]\n  %next = add i32 %lane, 1\n  %more = icmp ult i32 %next, " +
            std::to_string(lanes) + "\n  br i1 %more, label %look, label %done\ndone:\n  ret " + v + " %result\n}\n";
  }
  functions_ += text;
  return name;
}

inline value llvm_emitter::evaluate_unary(ir::expr const& e, ir::unary const& u) {
  auto const x = evaluate(u.operand);
  auto const type = vector_of(scalar_type(x.type), x.lanes);
  auto const intrinsic = [&](char const* name) {
    auto const full = std::string("llvm.") + name + "." + mangled(x.type, x.lanes);
    declare("declare " + type + " @" + full + "(" + type + ")");
    return value{define("call " + type + " @" + full + "(" + type + " " + x.text + ")"), x.type, x.lanes};
  };
  auto const of_lanes = [&](auto const& formula) { return value_of(formula(lanes_of(x)), x.type); };
  switch (u.op) {
    case ir::unary_op::negate:
      if (is_float(x.type)) return {define("fneg " + type + " " + x.text), x.type, x.lanes};
      return {define("sub " + type + " " + splat_literal(scalar_type(x.type), "0", x.lanes) + ", " + x.text), x.type,
              x.lanes};
    case ir::unary_op::logical_not:
      return {define("xor " + type + " " + x.text + ", " + splat_literal("i1", "true", x.lanes)), x.type, x.lanes};
    case ir::unary_op::abs: {
      if (is_float(x.type)) return intrinsic("fabs");
      if (is_unsigned(e->type)) return x;
      auto const zero = value{splat_literal(scalar_type(x.type), "0", x.lanes), x.type, x.lanes};
      auto const negative = compare(ir::binary_op::less, x, zero, false);
      return choose(negative.text, x.lanes, {define("sub " + type + " " + zero.text + ", " + x.text), x.type, x.lanes},
                    x);
    }
    case ir::unary_op::sqrt: return intrinsic("sqrt");
    case ir::unary_op::floor:
      return is_float(x.type) ? (instructions_.rounds ? intrinsic("floor") : of_lanes(rounded_down)) : x;
    case ir::unary_op::ceil:
      return is_float(x.type) ? (instructions_.rounds ? intrinsic("ceil") : of_lanes(rounded_up)) : x;
    case ir::unary_op::round:
      return is_float(x.type) ? (instructions_.rounds ? intrinsic("roundeven") : of_lanes(rounded_to_even)) : x;
    case ir::unary_op::round_to_tf32: return of_lanes(to_tf32);
    case ir::unary_op::exp: return of_lanes([](lane_value const& v) { return exponential(v); });
    case ir::unary_op::log: return of_lanes(logarithm);
    case ir::unary_op::tanh: return of_lanes(hyperbolic_tangent);
    case ir::unary_op::erf: return of_lanes(error_function);
    case ir::unary_op::sin: return of_angle(x, angle_function::sine);
    case ir::unary_op::cos: return of_angle(x, angle_function::cosine);
  }
  throw backend_error("llvm: unknown function");
}

inline value llvm_emitter::evaluate_cast(ir::expr const& e, ir::cast const& c) {
  auto x = evaluate(c.operand);
  auto const from = c.operand->type;
  auto const to = e->type;
  auto const source = scalar_type(x.type);
  auto const target = scalar_type(compute_type(to));
  auto const a = vector_of(source, x.lanes);
  auto const b = vector_of(target, x.lanes);
  auto const made = [&](std::string const& text) { return value{text, compute_type(to), x.lanes}; };
  if (to == dtype::boolean) {
    value const zero{splat_literal(source, is_float(x.type) ? real_literal(x.type, 0) : "0", x.lanes), x.type, x.lanes};
    return compare(ir::binary_op::not_equal, x, zero, false);
  }
  if (is_float(from) && is_float(to)) {
    if (to == dtype::f16 || to == dtype::bf16) {  // converts through the storage type, to round
      if (x.type == dtype::f64) x = value_of(rounded_to_odd(lanes_of(x)), dtype::f32);
      return from_memory(to_memory(x, to), to, x.lanes);
    }
    if (source == target) return x;
    return made(define((to == dtype::f64 ? "fpext " : "fptrunc ") + a + " " + x.text + " to " + b));
  }
  if (is_float(to)) {
    bool const no_sign = is_unsigned(from) || from == dtype::boolean;
    if (to == dtype::bf16 && size_in_bytes(from) >= 4) {  // has more bits than a float, but must be rounded only once
      auto const integer = size_in_bytes(from) == 8 ? fit_for_double(lanes_of(x), no_sign) : lanes_of(x);
      return from_memory(
          to_memory(value_of(rounded_to_odd(integer.cast(no_sign ? "uitofp" : "sitofp", "double")), dtype::f32), to),
          to, x.lanes);
    }
    auto v = made(define((no_sign ? "uitofp " : "sitofp ") + a + " " + x.text + " to " + b));
    return to == dtype::f16 || to == dtype::bf16 ? from_memory(to_memory(v, to), to, x.lanes) : v;
  }
  if (is_float(from) && size_in_bytes(to) <= 2) return made(to_narrow_integer(lanes_of(x), to).text);
  if (is_float(from)) {
    auto const name = std::string(is_unsigned(to) ? "llvm.fptoui.sat." : "llvm.fptosi.sat.") +
                      mangled(compute_type(to), x.lanes) + "." + mangled(x.type, x.lanes);
    declare("declare " + b + " @" + name + "(" + a + ")");
    return made(define("call " + b + " @" + name + "(" + a + " " + x.text + ")"));
  }
  return resized(x, from, to);
}

/// Returns an integer or a truth value of one type with the bits of another integer type.
inline value llvm_emitter::resized(value const& x, dtype from, dtype to) {
  auto const type = compute_type(to);
  auto const bits = [](dtype t) { return t == dtype::boolean ? std::size_t{1} : 8 * size_in_bytes(t); };
  if (bits(from) == bits(to)) return {x.text, type, x.lanes};
  bool const zero_extend = is_unsigned(from) || from == dtype::boolean;
  auto const* how = bits(from) > bits(to) ? "trunc " : zero_extend ? "zext " : "sext ";
  return {define(how + vector_of(scalar_type(x.type), x.lanes) + " " + x.text + " to " +
                 vector_of(scalar_type(type), x.lanes)),
          type, x.lanes};
}

}}}  // namespace ttune::v0::codegen
