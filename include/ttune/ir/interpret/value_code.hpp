// SPDX-License-Identifier: Apache-2.0
// Expressions compiled for the interpreter: a flat array of nodes, with variables and arrays in numbered slots.
#pragma once

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ttune/core/tf32.hpp"
#include "ttune/ir/interpret/race_watch.hpp"
#include "ttune/ir/ndarray.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/integer.hpp"
#include "ttune/support/internal_error.hpp"

namespace ttune { inline namespace v0 { namespace ir { namespace detail {

/// Computes elements of a stage at their first read.
struct element_source {
  element_source() = default;
  element_source(element_source const&) = delete;
  element_source& operator=(element_source const&) = delete;
  virtual ~element_source() = default;
  virtual void compute(std::size_t element) = 0;
};

/// Content of an operand, a stage or a buffer at run time.
struct storage {
  ndarray values;
  std::vector<std::uint8_t> marks;  ///< bits: 1 has a value, 2 was read, 4 was stored; empty: not tracked
  std::int64_t loads = 0;
  std::int64_t stores = 0;
  bool read_only = false;
  memory where = memory::workspace;
  std::vector<touch> touches = {};      ///< by element, once concurrent statements run
  element_source* on_demand = nullptr;  ///< computes elements without a value
  bool ahead = false;                   ///< see buffer::ahead

  [[nodiscard]] touch& touched(std::size_t at) {
    if (touches.empty()) touches.resize(static_cast<std::size_t>(values.elements()));
    return touches[at];
  }
};

/// The state of one thread of execution.
struct frame {
  std::vector<std::int64_t> variables;
  std::vector<storage*> arrays;
  thread_place thread = {};
  race_watch* watch = nullptr;
};

/// A number: `real` if its type is a float, else `integer`.
struct number {
  double real = 0;
  std::int64_t integer = 0;
};

/// A compiled node of an expression.
struct code_node {
  enum class sort : std::uint8_t { constant, variable, argument, access, unary, binary, select, cast };
  sort what = sort::constant;
  dtype type = dtype::f32;
  dtype from = dtype::f32;  ///< type of the operands
  unary_op one{};
  binary_op two{};
  bool may_be_absent = false;  ///< a factor whose guard may fail (in sums only)
  bool reads_data = false;     ///< true if a part of it is an access
  std::int32_t a = -1, b = -1, c = -1;
  std::int32_t kept = -1;  ///< slot of the value of this point, for a node that occurs more than once
  number value;
};

/// The last value of a node that occurs more than once.
struct kept_value {
  std::uint64_t point = 0;  ///< number of the point at which it was computed
  number value;
  bool absent = false;
};

/// A compiled read: the array, the indices, the boundary.
struct code_access {
  std::int32_t array = -1;
  std::string name;  ///< name of the array
  boundary outside = boundary::none;
  std::int32_t fill = -1;
  bool zero_fill = false;
  std::vector<std::int32_t> indices;
  std::vector<std::int64_t> extents;
  std::vector<bool> gathers;  ///< [dimension] true if its index reads data
  expr const* text = nullptr;
};

/// Moves an index inside by a boundary rule.
inline std::int64_t moved_inside(boundary how, std::int64_t i, std::int64_t n) {
  switch (how) {
    case boundary::clamp: return i < 0 ? 0 : i >= n ? n - 1 : i;
    case boundary::wrap: return floor_modulo(i, n);
    case boundary::mirror: {
      if (n == 1) return 0;
      auto const m = floor_modulo(i, 2 * (n - 1));
      return m < n ? m : 2 * (n - 1) - m;
    }
    default: return i;
  }
}

/// Wraps around instead of overflowing.
inline std::int64_t wrapping(binary_op op, std::int64_t x, std::int64_t y) {
  auto const a = static_cast<std::uint64_t>(x);
  auto const b = static_cast<std::uint64_t>(y);
  return static_cast<std::int64_t>(op == binary_op::add ? a + b : op == binary_op::subtract ? a - b : a * b);
}

inline bool less_than(dtype t, std::int64_t x, std::int64_t y) {
  return t == dtype::u64 ? static_cast<std::uint64_t>(x) < static_cast<std::uint64_t>(y) : x < y;
}

inline std::int64_t divided(dtype t, binary_op op, std::int64_t x, std::int64_t y) {
  if (y == 0) throw program_error("an integer is divided by zero");
  bool const quotient = op == binary_op::divide;
  if (t == dtype::u64) {
    auto const a = static_cast<std::uint64_t>(x);
    auto const b = static_cast<std::uint64_t>(y);
    return static_cast<std::int64_t>(quotient ? a / b : a % b);
  }
  if (y == -1) return quotient ? wrapping(binary_op::subtract, 0, x) : 0;  // the smallest integer has no negative
  return quotient ? x / y : x % y;
}

/// Compiles and evaluates expressions.
class value_code {
 public:
  /// From now on, an expression that occurs more than once (as the same node) is compiled once and evaluated once for
  /// each point. The caller calls `next_point` whenever variables or arguments change. All compiled expressions must
  /// exist until the last one is compiled.
  void keep_values() { keeps_values_ = true; }
  void next_point() { ++point_; }

  /// Compiles an expression. `variable_slot(name)` and `array_slot(source, component)` return slots. `in_sum`: products
  /// may have absent factors.
  template <class VariableSlot, class ArraySlot>
  std::int32_t compile(expr const& e, bool in_sum, VariableSlot const& variable_slot, ArraySlot const& array_slot) {
    if (!keeps_values_) return compile_node(e, in_sum, variable_slot, array_slot);
    if (auto const it = known_.find({e.get(), in_sum}); it != known_.end()) return kept(it->second);
    auto const made = compile_node(e, in_sum, variable_slot, array_slot);
    known_.emplace(std::pair{e.get(), in_sum}, made);
    return made;
  }

  /// Evaluates a float node.
  double real(std::int32_t at, frame& f) {
    auto const& n = nodes_[static_cast<std::size_t>(at)];
    return n.kept < 0 ? new_real(n, f) : value_kept(n, f).real;
  }

  /// Evaluates a node of any other type.
  std::int64_t integer(std::int32_t at, frame& f) {
    auto const& n = nodes_[static_cast<std::size_t>(at)];
    return n.kept < 0 ? new_integer(n, f) : value_kept(n, f).integer;
  }

  number value(std::int32_t at, frame& f) {
    if (is_float(nodes_[static_cast<std::size_t>(at)].type)) return {real(at, f), 0};
    return {0, integer(at, f)};
  }

  /// Computes the position of a read or write in its array. Returns false if it is outside and has a fill; `absent`
  /// then says if the fill is absent.
  bool locate(code_access const& a, frame& f, std::size_t& position, bool& absent) {
    std::int64_t flat = 0;
    bool inside = true;
    absent = false;
    for (std::size_t d = 0; d < a.indices.size(); ++d) {
      auto i = integer(a.indices[d], f);
      auto const n = a.extents[d];
      if (i < 0 || i >= n) {
        if (a.outside == boundary::none || (n == 0 && a.outside != boundary::value)) outside(a, d, i);
        inside = inside && a.outside != boundary::value;
        absent = absent || (a.outside == boundary::value && a.zero_fill && !a.gathers[d]);
        i = moved_inside(a.outside, i, n);
      }
      flat = flat * n + i;
    }
    position = static_cast<std::size_t>(flat);
    return inside;
  }

  [[nodiscard]] storage& array_of(code_access const& a, frame& f) const {
    auto* s = f.arrays[static_cast<std::size_t>(a.array)];
    if (!s) throw internal_error(described(a) + " is used outside of its alloc");
    return *s;
  }

  [[nodiscard]] static std::string described(code_access const& a) {
    return a.text ? print(*a.text) : std::string("a store");
  }

  /// Returns a description for messages.
  [[nodiscard]] static std::string element_of(code_access const& a, std::size_t position) {
    return "element " + std::to_string(position) + " of " + a.name;
  }

  template <class Down, class ArraySlot>
  void compile_indices(code_access& a, source const& from, int component, std::vector<expr> const& indices,
                       Down const& down, ArraySlot const& array_slot) {
    a.array = array_slot(from, component);
    a.name = name_of(from);
    a.extents = shape_of(from);
    for (auto const& i : indices) {
      a.indices.push_back(down(i));
      a.gathers.push_back(reads_data(a.indices.back()));
    }
  }

  std::vector<number> arguments[2];  ///< of a combine function: accumulated, incoming

 private:
  [[nodiscard]] bool absent(std::int32_t at) const { return nodes_[static_cast<std::size_t>(at)].may_be_absent; }
  [[nodiscard]] bool reads_data(std::int32_t at) const { return nodes_[static_cast<std::size_t>(at)].reads_data; }

  template <class VariableSlot, class ArraySlot>
  std::int32_t compile_node(expr const& e, bool in_sum, VariableSlot const& variable_slot,
                            ArraySlot const& array_slot) {
    auto const down = [&](expr const& o) { return compile(o, in_sum, variable_slot, array_slot); };
    code_node n;
    n.type = n.from = e->type;
    visit(
        e,
        [&](constant const& v) {
          n.value = {v.real, v.integer};
          n.may_be_absent = in_sum && (is_float(e->type) ? v.real == 0 : v.integer == 0);
        },
        [&](variable const& v) {
          n.what = code_node::sort::variable;
          n.a = variable_slot(v.name);
        },
        [&](argument const& v) {
          n.what = code_node::sort::argument;
          n.a = v.component;
          n.b = v.right ? 1 : 0;
        },
        [&](unary const& v) {
          n.what = code_node::sort::unary;
          n.one = v.op;
          n.a = down(v.operand);
          n.may_be_absent = keeps_absence(v.op) && absent(n.a);
        },
        [&](cast const& v) {
          n.what = code_node::sort::cast;
          n.from = v.operand->type;
          n.a = down(v.operand);
          n.may_be_absent = n.from != dtype::index && absent(n.a);
        },
        [&](binary const& v) {
          n.what = code_node::sort::binary;
          n.two = v.op;
          n.from = v.left->type;
          n.a = down(v.left);
          n.b = down(v.right);
          n.may_be_absent = v.op == binary_op::multiply && (absent(n.a) || absent(n.b));
        },
        [&](select const& v) {
          n.what = code_node::sort::select;
          n.a = down(v.condition);
          n.b = down(v.when_true);
          n.c = down(v.when_false);
          auto const& other = nodes_[static_cast<std::size_t>(n.c)];
          n.may_be_absent =
              in_sum && !reads_data(n.a) && other.what == code_node::sort::constant && other.may_be_absent;
        },
        [&](access const& v) { compile_access(e, v, in_sum, n, down, array_slot); });
    bool const is_access = n.what == code_node::sort::access;
    bool const is_inner = n.what >= code_node::sort::unary;
    n.reads_data = is_access;
    for (auto const part : {n.a, n.b, n.c}) n.reads_data = n.reads_data || (is_inner && part >= 0 && reads_data(part));
    nodes_.push_back(n);
    return static_cast<std::int32_t>(nodes_.size()) - 1;
  }

  /// Gives the value of a node a place to stay, if that is worth it.
  std::int32_t kept(std::int32_t at) {
    auto& n = nodes_[static_cast<std::size_t>(at)];
    bool const is_leaf = n.what == code_node::sort::constant || n.what == code_node::sort::variable ||
                         n.what == code_node::sort::argument;
    if (n.kept < 0 && !is_leaf) {
      n.kept = static_cast<std::int32_t>(kept_.size());
      kept_.emplace_back();
    }
    return at;
  }

  number value_kept(code_node const& n, frame& f) {
    auto& k = kept_[static_cast<std::size_t>(n.kept)];
    if (k.point != point_) {
      k.value = is_float(n.type) ? number{new_real(n, f), 0} : number{0, new_integer(n, f)};
      k.absent = absent_;
      k.point = point_;
    }
    absent_ = k.absent;
    return k.value;
  }

  double new_real(code_node const& n, frame& f) {
    switch (n.what) {
      case code_node::sort::constant: absent_ = n.may_be_absent; return n.value.real;
      case code_node::sort::argument: return arguments[n.b][static_cast<std::size_t>(n.a)].real;
      case code_node::sort::access: return read(n, f).real;
      case code_node::sort::unary: return unary_real(n.one, real(n.a, f));
      case code_node::sort::binary:
        return n.two == binary_op::multiply ? product(n, f) : binary_real(n.two, real(n.a, f), real(n.b, f));
      case code_node::sort::select: return choose(n, f).real;
      case code_node::sort::cast:
        return is_float(n.from) ? rounded_to(n.type, real(n.a, f))
                                : rounded_to(n.type, as_real(n.from, integer(n.a, f)));
      case code_node::sort::variable: break;
    }
    throw internal_error("a variable is a float");
  }

  std::int64_t new_integer(code_node const& n, frame& f) {
    switch (n.what) {
      case code_node::sort::constant: absent_ = n.may_be_absent; return n.value.integer;
      case code_node::sort::variable: return f.variables[static_cast<std::size_t>(n.a)];
      case code_node::sort::argument: return arguments[n.b][static_cast<std::size_t>(n.a)].integer;
      case code_node::sort::access: return read(n, f).integer;
      case code_node::sort::unary: return unary_integer(n, integer(n.a, f));
      case code_node::sort::binary: return binary_integer(n, f);
      case code_node::sort::select: return choose(n, f).integer;
      case code_node::sort::cast:
        return is_float(n.from) ? saturated_to(n.type, real(n.a, f)) : wrapped_to(n.type, integer(n.a, f));
    }
    return 0;
  }

  template <class Down, class ArraySlot>
  void compile_access(expr const& e, access const& v, bool in_sum, code_node& n, Down const& down,
                      ArraySlot const& array_slot) {
    code_access a;
    a.outside = v.outside;
    a.text = &e;
    compile_indices(a, v.from, v.component, v.indices, down, array_slot);
    if (v.fill) {
      a.fill = down(v.fill);
      auto const& fill = nodes_[static_cast<std::size_t>(a.fill)];
      a.zero_fill = in_sum && fill.what == code_node::sort::constant && fill.may_be_absent;
    }
    n.what = code_node::sort::access;
    n.a = static_cast<std::int32_t>(accesses_.size());
    n.may_be_absent = a.zero_fill && v.outside == boundary::value;
    accesses_.push_back(std::move(a));
  }

  [[noreturn]] static void outside(code_access const& a, std::size_t d, std::int64_t index) {
    auto const what = described(a) + ": dimension " + std::to_string(d) + " is indexed with " + std::to_string(index) +
                      ", but has " + std::to_string(a.extents[d]) + " elements";
    bool const of_buffer = !a.text || std::holds_alternative<handle<buffer>>(as<access>(*a.text)->from);
    if (of_buffer && !a.gathers[d]) throw internal_error(what);  // a fault of the lowering, not of the data
    throw program_error(what);
  }

  number read(code_node const& n, frame& f) {
    auto const& a = accesses_[static_cast<std::size_t>(n.a)];
    std::size_t at = 0;
    bool absent = false;
    if (!locate(a, f, at, absent)) {
      auto const fill = value(a.fill, f);
      absent_ = absent;
      return fill;
    }
    absent_ = false;
    auto& s = array_of(a, f);
    if (!s.marks.empty()) {
      if ((s.marks[at] & 1) == 0 && s.on_demand) s.on_demand->compute(at);
      if ((s.marks[at] & 1) == 0) read_unwritten(a, at, f);
      s.marks[at] |= 2;
    }
    if (f.watch && f.watch->active())
      f.watch->read(s.touched(at), f.thread, s.where, s.ahead, [&] { return element_of(a, at); });
    ++s.loads;
    return is_float(n.type) ? number{s.values.reals[at], 0} : number{0, s.values.integers[at]};
  }

  static void read_unwritten(code_access const& a, std::size_t position, frame& f) {
    auto const what = described(a) + " reads " + element_of(a, position) + ", which nothing has written";
    if (!f.watch) throw internal_error(what);
    f.watch->unwritten(what);
  }

  /// Returns 0 if a factor is absent, for any value of the other one.
  double product(code_node const& n, frame& f) {
    auto const x = real(n.a, f);
    if (absent(n.a) && absent_) return 0;
    auto const y = real(n.b, f);
    if (absent(n.b) && absent_) return 0;
    absent_ = false;
    return x * y;
  }

  std::int64_t product(code_node const& n, std::int64_t x, frame& f) {
    if (absent(n.a) && absent_) return 0;
    auto const y = integer(n.b, f);
    if (absent(n.b) && absent_) return 0;
    absent_ = false;
    return wrapped_to(n.type, wrapping(binary_op::multiply, x, y));
  }

  number choose(code_node const& n, frame& f) {
    bool const taken = integer(n.a, f) != 0;
    auto const v = value(taken ? n.b : n.c, f);
    if (n.may_be_absent) absent_ = !taken || (absent(n.b) && absent_);
    return v;
  }

  static double unary_real(unary_op op, double x) {
    switch (op) {
      case unary_op::negate: return -x;
      case unary_op::abs: return std::abs(x);
      case unary_op::sqrt: return std::sqrt(x);
      case unary_op::exp: return std::exp(x);
      case unary_op::log: return std::log(x);
      case unary_op::sin: return std::sin(x);
      case unary_op::cos: return std::cos(x);
      case unary_op::tanh: return std::tanh(x);
      case unary_op::erf: return std::erf(x);
      case unary_op::floor: return std::floor(x);
      case unary_op::ceil: return std::ceil(x);
      case unary_op::round: return std::nearbyint(x);
      case unary_op::round_to_tf32: return static_cast<double>(rounded_to_tf32(static_cast<float>(x)));
      case unary_op::logical_not: break;
    }
    throw internal_error("not of a float");
  }

  static std::int64_t unary_integer(code_node const& n, std::int64_t x) {
    switch (n.one) {
      case unary_op::negate: return wrapped_to(n.type, wrapping(binary_op::subtract, 0, x));
      case unary_op::logical_not: return x == 0;
      case unary_op::abs:
        return is_unsigned(n.type) || x >= 0 ? x : wrapped_to(n.type, wrapping(binary_op::subtract, 0, x));
      case unary_op::floor:
      case unary_op::ceil:
      case unary_op::round: return x;
      default: throw internal_error("a function of floats is applied to an integer");
    }
  }

  static double binary_real(binary_op op, double x, double y) {
    switch (op) {
      case binary_op::add: return x + y;
      case binary_op::subtract: return x - y;
      case binary_op::divide: return x / y;
      case binary_op::modulo: return std::fmod(x, y);
      case binary_op::minimum: return y < x ? y : x;
      case binary_op::maximum: return x < y ? y : x;
      case binary_op::power: return std::pow(x, y);
      default: throw internal_error("an operation of indices is applied to floats");
    }
  }

  std::int64_t binary_integer(code_node const& n, frame& f) {
    if (is_float(n.from)) return compared(n.two, real(n.a, f), real(n.b, f));
    auto const x = integer(n.a, f);
    if (n.may_be_absent) return product(n, x, f);
    auto const y = integer(n.b, f);  // && and || evaluate both sides: they guard nothing
    switch (n.two) {
      case binary_op::logical_and: return x != 0 && y != 0;
      case binary_op::logical_or: return x != 0 || y != 0;
      case binary_op::add:
      case binary_op::subtract:
      case binary_op::multiply: return wrapped_to(n.type, wrapping(n.two, x, y));
      case binary_op::divide:
      case binary_op::modulo: return wrapped_to(n.type, divided(n.type, n.two, x, y));
      case binary_op::floor_divide:
      case binary_op::floor_modulo:
        if (y == 0) throw program_error("an index is divided by zero");
        return n.two == binary_op::floor_divide ? floor_divide(x, y) : floor_modulo(x, y);
      case binary_op::minimum: return less_than(n.from, y, x) ? y : x;
      case binary_op::maximum: return less_than(n.from, x, y) ? y : x;
      case binary_op::equal: return x == y;
      case binary_op::not_equal: return x != y;
      case binary_op::less: return less_than(n.from, x, y);
      case binary_op::less_equal: return !less_than(n.from, y, x);
      default: throw internal_error("a power of integers");
    }
  }

  static std::int64_t compared(binary_op op, double x, double y) {
    switch (op) {
      case binary_op::equal: return x == y;
      case binary_op::not_equal: return x != y;
      case binary_op::less: return x < y;
      case binary_op::less_equal: return x <= y;
      default: throw internal_error("a logical operation of floats");
    }
  }

  std::vector<code_node> nodes_;
  std::vector<code_access> accesses_;
  std::map<std::pair<expr_node const*, bool>, std::int32_t> known_;  ///< by node and `in_sum`
  std::vector<kept_value> kept_;
  std::uint64_t point_ = 1;
  bool keeps_values_ = false;
  bool absent_ = false;  ///< absence of the last evaluated node, if it can be absent
};

}}}}  // namespace ttune::v0::ir::detail
