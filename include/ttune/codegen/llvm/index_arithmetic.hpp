// SPDX-License-Identifier: Apache-2.0
// Instructions for indices that are linear forms. As much as possible is computed during emission, the rest in the
// outermost loop that knows it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "ttune/codegen/lane_linear.hpp"
#include "ttune/codegen/llvm/function_state.hpp"
#include "ttune/codegen/llvm/ir_writer.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// Returns a form that is one value, defined in the loop of a depth.
[[nodiscard]] inline lane_linear linear_of(std::string const& name, int depth) {
  lane_linear made;
  made.terms.push_back({name, depth, 1});
  return made;
}

[[nodiscard]] inline lane_linear linear_of(std::int64_t constant) {
  lane_linear made;
  made.constant = constant;
  return made;
}

/// Returns the depth of the loop where all values of a form are known.
[[nodiscard]] inline int depth_of(lane_linear const& l) { return l.terms.empty() ? 0 : l.terms.back().depth; }

/// Linear forms come in; linear forms, or names of i64 values, go out. An operation that gives lanes values that are no
/// linear form throws `needs_scalar`.
class index_arithmetic {
 public:
  explicit index_arithmetic(ir_writer& writer) : writer_(writer) {}

  /// Returns the value without its lane part as one i64; emits each partial sum in the loop where its terms are known.
  [[nodiscard]] std::string materialise(lane_linear const& l) {
    std::string sum;
    int depth = 0;
    for (auto const& t : l.terms) {
      depth = std::max(depth, t.depth);
      auto part = t.value;
      if (t.coefficient != 1)
        part = writer_.define_at(t.depth, "mul i64 " + t.value + ", " + std::to_string(t.coefficient));
      sum = sum.empty() ? part : writer_.define_at(depth, "add i64 " + sum + ", " + part);
    }
    if (sum.empty()) return std::to_string(l.constant);
    if (l.constant == 0) return sum;
    return writer_.define_at(depth, "add i64 " + sum + ", " + std::to_string(l.constant));
  }

  [[nodiscard]] lane_linear multiply(lane_linear const& a, lane_linear const& b) {
    if (b.is_constant()) return a.scaled(b.constant);
    if (a.is_constant()) return b.scaled(a.constant);
    if (a.lane != 0 || b.lane != 0) throw needs_scalar{};
    auto const depth = std::max(depth_of(a), depth_of(b));
    auto const x = materialise(a);
    auto const y = materialise(b);
    return linear_of(writer_.define_at(depth, "mul i64 " + x + ", " + y), depth);
  }

  /// Returns a form times a value that is known at the start of the function. Each product is computed in the loop that
  /// knows its term. The form has no lane part.
  [[nodiscard]] lane_linear times(lane_linear const& a, std::string const& value) {
    auto made = linear_of(value, 0).scaled(a.constant);
    for (auto const& t : a.terms)
      made = made +
             linear_of(writer_.define_at(t.depth, "mul i64 " + t.value + ", " + value), t.depth).scaled(t.coefficient);
    return made;
  }

  /// Returns floor(a / by), or the remainder.
  [[nodiscard]] lane_linear divide(lane_linear const& a, std::int64_t by, int lanes, bool remainder) {
    auto const parts = divide_partly(a, by, lanes);
    if (!parts) throw needs_scalar{};
    auto const& [quotient, rest] = *parts;
    if (rest.terms.empty()) return remainder ? rest : quotient;
    auto const depth = depth_of(rest);
    auto const x = materialise(rest);
    auto const d = std::to_string(by);
    auto const raw = writer_.define_at(depth, "srem i64 " + x + ", " + d);
    auto const negative = writer_.define_at(depth, "icmp slt i64 " + raw + ", 0");
    auto const correction = writer_.define_at(depth, "select i1 " + negative + ", i64 " + d + ", i64 0");
    auto const modulo = writer_.define_at(depth, "add i64 " + raw + ", " + correction);
    if (remainder) return linear_of(modulo, depth);
    auto const exact = writer_.define_at(depth, "sub i64 " + x + ", " + modulo);
    return quotient + linear_of(writer_.define_at(depth, "sdiv exact i64 " + exact + ", " + d), depth);
  }

  /// Returns floor(a / by), or the remainder, for a divisor that only the call knows. Both are without lanes, `a` is
  /// not negative. `by` is positive, but where the result is not used: it is computed in the outermost loop that knows
  /// it, which may be a loop around one without iterations.
  [[nodiscard]] lane_linear divide(lane_linear const& a, lane_linear const& by, bool remainder) {
    if (a.lane != 0 || by.lane != 0) throw needs_scalar{};
    auto const depth = std::max(depth_of(a), depth_of(by));
    auto const x = materialise(a);
    auto const y = materialise(limit(by, linear_of(1), false));
    return linear_of(writer_.define_at(depth, std::string(remainder ? "urem" : "udiv") + " i64 " + x + ", " + y),
                     depth);
  }

  /// Returns the minimum, or the maximum.
  [[nodiscard]] lane_linear limit(lane_linear const& a, lane_linear const& b, bool minimum) {
    if (a.lane != 0 || b.lane != 0) throw needs_scalar{};
    if (a.is_constant() && b.is_constant())
      return linear_of(minimum ? std::min(a.constant, b.constant) : std::max(a.constant, b.constant));
    auto const depth = std::max(depth_of(a), depth_of(b));
    auto const x = materialise(a);
    auto const y = materialise(b);
    auto const name = std::string(minimum ? "@llvm.smin.i64" : "@llvm.smax.i64");
    writer_.declare("declare i64 " + name + "(i64, i64)");
    return linear_of(writer_.define_at(depth, "call i64 " + name + "(i64 " + x + ", i64 " + y + ")"), depth);
  }

 private:
  ir_writer& writer_;
};

}}}}  // namespace ttune::v0::codegen::llvm
