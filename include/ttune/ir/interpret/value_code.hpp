// SPDX-License-Identifier: Apache-2.0
// Expressions compiled for the interpreter: a flat array of nodes, with variables and arrays in numbered slots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ttune/ir/interpret/arithmetic.hpp"
#include "ttune/ir/interpret/code_node.hpp"
#include "ttune/ir/interpret/race_watch.hpp"
#include "ttune/ir/interpret/storage.hpp"
#include "ttune/ir/ndarray.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/integer.hpp"
#include "ttune/support/internal_error.hpp"

namespace ttune { inline namespace v0 { namespace ir { namespace detail {

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

  /// Evaluates a node of any other type. Most nodes of indices are variables and constants, which need no call.
  std::int64_t integer(std::int32_t at, frame& f) {
    auto const& n = nodes_[static_cast<std::size_t>(at)];
    if (n.what == code_node::sort::variable) return f.variables[static_cast<std::size_t>(n.a)];
    if (n.what == code_node::sort::constant) {
      absent_ = n.may_be_absent;
      return n.value.integer;
    }
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
      case code_node::sort::unary: return unary_integer(n.type, n.one, integer(n.a, f));
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

  /// Returns wrapped_to(type, value) without a call for the type of indices.
  [[nodiscard]] static std::int64_t wrapped(dtype type, std::int64_t value) noexcept {
    return type == dtype::i64 ? value : wrapped_to(type, value);
  }

  std::int64_t binary_integer(code_node const& n, frame& f) {
    if (is_float(n.from)) return compared(n.two, real(n.a, f), real(n.b, f));
    auto const x = integer(n.a, f);
    if (n.may_be_absent) return product(n, x, f);
    auto const y = integer(n.b, f);  // && and || evaluate both sides: they guard nothing
    switch (n.two) {
      case binary_op::logical_and: return x != 0 && y != 0;
      case binary_op::logical_or: return x != 0 || y != 0;
      case binary_op::add: return wrapped(n.type, wrapping(binary_op::add, x, y));
      case binary_op::subtract: return wrapped(n.type, wrapping(binary_op::subtract, x, y));
      case binary_op::multiply: return wrapped(n.type, wrapping(binary_op::multiply, x, y));
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

  std::vector<code_node> nodes_;
  std::vector<code_access> accesses_;
  std::map<std::pair<expr_node const*, bool>, std::int32_t> known_;  ///< by node and `in_sum`
  std::vector<kept_value> kept_;
  std::uint64_t point_ = 1;
  bool keeps_values_ = false;
  bool absent_ = false;  ///< absence of the last evaluated node, if it can be absent
};

}}}}  // namespace ttune::v0::ir::detail
