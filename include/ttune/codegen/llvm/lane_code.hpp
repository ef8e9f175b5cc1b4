// SPDX-License-Identifier: Apache-2.0
// Arithmetic on all lanes of a vector, written as formulas. Conversions and functions are built from it.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ttune/codegen/llvm/values.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

/// Receiver of the emitted text.
class lane_sink {
 public:
  lane_sink() = default;
  lane_sink(lane_sink const&) = delete;
  lane_sink& operator=(lane_sink const&) = delete;
  virtual ~lane_sink() = default;
  /// Emits an instruction; returns the name of its result.
  virtual std::string define(std::string const& instruction) = 0;
  /// Returns the name of a vector with a literal in every lane.
  virtual std::string splat(std::string const& scalar, std::string const& literal, int lanes) = 0;
  virtual void declare(std::string const& declaration) = 0;
  /// Returns the name of a vector of these numbers; `scalar` is "float" or "double".
  virtual std::string row(std::string const& scalar, std::vector<double> const& numbers) = 0;
  /// Returns the name of an array of doubles in the module.
  virtual std::string constants(std::vector<double> const& values) = 0;
  [[nodiscard]] virtual bool has_fma() const = 0;
  /// Returns true if instructions multiply 512 bits of floats by powers of two and extract exponents and fractions.
  [[nodiscard]] virtual bool has_scaling() const = 0;
  /// Returns true if one instruction permutes eight floats by indices that are computed.
  [[nodiscard]] virtual bool permutes() const = 0;
};

/// A value in every lane; `scalar` is its LLVM type. Operators are those of the type; / exists for floats only.
struct lane_value {
  lane_sink* sink = nullptr;
  std::string text;
  std::string scalar;
  int lanes = 1;

  [[nodiscard]] bool real() const { return scalar == "float" || scalar == "double"; }
  [[nodiscard]] bool wide() const { return scalar == "double"; }
  [[nodiscard]] std::string type() const { return vector_of(scalar, lanes); }
  [[nodiscard]] lane_value named(std::string made, std::string const& of) const {
    return {sink, std::move(made), of, lanes};
  }
  [[nodiscard]] lane_value two(std::string const& instruction, lane_value const& b) const {
    return named(sink->define(instruction + " " + type() + " " + text + ", " + b.text), scalar);
  }
  /// Returns a constant of the same type.
  [[nodiscard]] lane_value number(double v) const {
    return named(sink->splat(scalar, real_literal(wide() ? dtype::f64 : dtype::f32, v), lanes), scalar);
  }
  [[nodiscard]] lane_value bits(std::uint64_t v) const {
    return named(sink->splat(scalar, std::to_string(static_cast<std::int64_t>(v)), lanes), scalar);
  }
  [[nodiscard]] lane_value cast(std::string const& instruction, std::string const& to) const {
    return named(sink->define(instruction + " " + type() + " " + text + " to " + vector_of(to, lanes)), to);
  }
  /// Returns the bits of a float as an integer, and of an integer as a float.
  [[nodiscard]] lane_value as_bits() const { return cast("bitcast", wide() ? "i64" : "i32"); }
  [[nodiscard]] lane_value as_real() const { return cast("bitcast", scalar == "i64" ? "double" : "float"); }
  [[nodiscard]] lane_value shifted_left(int by) const { return two("shl", bits(static_cast<std::uint64_t>(by))); }
  [[nodiscard]] lane_value shifted_right(int by) const { return two("lshr", bits(static_cast<std::uint64_t>(by))); }
  [[nodiscard]] lane_value shifted_right_signed(int by) const {
    return two("ashr", bits(static_cast<std::uint64_t>(by)));
  }
  /// Compares by fcmp or icmp; `how` is a name such as "olt".
  [[nodiscard]] lane_value compared(std::string const& how, lane_value const& b) const {
    return named(sink->define((real() ? "fcmp " : "icmp ") + how + " " + type() + " " + text + ", " + b.text), "i1");
  }
  /// For conditions: returns a where the condition holds, else b.
  [[nodiscard]] lane_value choose(lane_value const& a, lane_value const& b) const {
    return named(
        sink->define("select " + type() + " " + text + ", " + a.type() + " " + a.text + ", " + b.type() + " " + b.text),
        a.scalar);
  }

  friend lane_value operator+(lane_value const& a, lane_value const& b) { return a.two(a.real() ? "fadd" : "add", b); }
  friend lane_value operator-(lane_value const& a, lane_value const& b) { return a.two(a.real() ? "fsub" : "sub", b); }
  friend lane_value operator*(lane_value const& a, lane_value const& b) { return a.two(a.real() ? "fmul" : "mul", b); }
  friend lane_value operator/(lane_value const& a, lane_value const& b) { return a.two("fdiv", b); }
  friend lane_value operator&(lane_value const& a, lane_value const& b) { return a.two("and", b); }
  friend lane_value operator|(lane_value const& a, lane_value const& b) { return a.two("or", b); }
  friend lane_value operator^(lane_value const& a, lane_value const& b) { return a.two("xor", b); }
  friend lane_value operator-(lane_value const& a) {
    return a.named(a.sink->define("fneg " + a.type() + " " + a.text), a.scalar);
  }
};

/// Returns a * b + c, rounded once if the machine has the instruction.
[[nodiscard]] inline lane_value fused(lane_value const& a, lane_value const& b, lane_value const& c) {
  if (!a.sink->has_fma()) return a * b + c;
  auto const type = a.type();
  auto const name = "@llvm.fma." + mangled(a.wide() ? dtype::f64 : dtype::f32, a.lanes);
  a.sink->declare("declare " + type + " " + name + "(" + type + ", " + type + ", " + type + ")");
  return a.named(a.sink->define("call " + type + " " + name + "(" + type + " " + a.text + ", " + type + " " + b.text +
                                ", " + type + " " + c.text + ")"),
                 a.scalar);
}

/// Returns array[index] by gathers; `index` is i64.
[[nodiscard]] inline lane_value gathered(std::string const& array, lane_value const& index) {
  auto const place = index.sink->define("getelementptr double, ptr " + array + ", " + index.type() + " " + index.text);
  auto const lanes = std::to_string(index.lanes);
  auto const type = vector_of("double", index.lanes);
  auto const places = "<" + lanes + " x ptr>";
  auto const mask = "<" + lanes + " x i1>";
  auto const name = "@llvm.masked.gather.v" + lanes + "f64.v" + lanes + "p0";
  index.sink->declare("declare " + type + " " + name + "(" + places + ", i32, " + mask + ", " + type + ")");
  return index.named(index.sink->define("call " + type + " " + name + "(" + places + " " + place + ", i32 8, " + mask +
                                        " " + splat_literal("i1", "true", index.lanes) + ", " + type + " undef)"),
                     "double");
}

/// Returns array[2 i] and array[2 i + 1] of an array of doubles; i is i64 and inside of the array in every lane. Uses
/// one load of both per lane where gathers are slow.
[[nodiscard]] inline std::pair<lane_value, lane_value> looked_up_pairs(std::string const& array, lane_value const& i) {
  auto& sink = *i.sink;
  if (sink.has_scaling() && i.lanes >= 8) {
    auto const first = i.shifted_left(1);
    return {gathered(array, first), gathered(array, first + first.bits(1))};
  }
  auto const type = vector_of("double", i.lanes);
  std::string made[2] = {"undef", "undef"};
  for (int lane = 0; lane < i.lanes; ++lane) {
    auto const at = ", i32 " + std::to_string(lane);
    auto const one = i.lanes == 1 ? i.text : sink.define("extractelement " + i.type() + " " + i.text + at);
    auto const place = sink.define("getelementptr <2 x double>, ptr " + array + ", i64 " + one);
    auto const row = sink.define("load <2 x double>, ptr " + place + ", align 16");
    for (int k = 0; k < 2; ++k) {
      auto const v = sink.define("extractelement <2 x double> " + row + ", i32 " + std::to_string(k));
      made[k] = i.lanes == 1 ? v : sink.define("insertelement " + type + " " + made[k] + ", double " + v + at);
    }
  }
  return {i.named(made[0], "double"), i.named(made[1], "double")};
}

/// Returns true if one instruction scales these lanes.
[[nodiscard]] inline bool can_scale(lane_value const& x) {
  return x.sink->has_scaling() && x.lanes * (x.wide() ? 64 : 32) == 512;
}
/// Returns x 2^n for an integral n, rounded once; the result may be infinite, denormal or zero (AVX-512's vscalef).
/// Requires `can_scale(x)`.
[[nodiscard]] inline lane_value scaled(lane_value const& x, lane_value const& n) {
  auto const type = x.type();
  auto const name = std::string("@llvm.x86.avx512.mask.scalef.") + (x.wide() ? "pd.512" : "ps.512");
  auto const mask = std::string(x.wide() ? "i8" : "i16");
  x.sink->declare("declare " + type + " " + name + "(" + type + ", " + type + ", " + type + ", " + mask + ", i32)");
  return x.named(x.sink->define("call " + type + " " + name + "(" + type + " " + x.text + ", " + type + " " + n.text +
                                ", " + type + " zeroinitializer, " + mask + " -1, i32 4)"),  // 4: the current rounding
                 x.scalar);
}

/// Emits an AVX-512 function of a float with a mask of lanes, which all run. `control` is the operand after the float.
[[nodiscard]] inline lane_value masked_function(std::string const& function, lane_value const& x,
                                                std::string const& control) {
  auto const type = x.type();
  auto const name = "@llvm.x86.avx512.mask." + function + (x.wide() ? ".pd.512" : ".ps.512");
  auto const mask = std::string(x.wide() ? "i8" : "i16");
  auto const control_type = control.empty() ? "" : std::string(", i32");
  x.sink->declare("declare " + type + " " + name + "(" + type + control_type + ", " + type + ", " + mask + ", i32)");
  return x.named(x.sink->define("call " + type + " " + name + "(" + type + " " + x.text +
                                (control.empty() ? "" : ", i32 " + control) + ", " + type + " zeroinitializer, " +
                                mask + " -1, i32 4)"),
                 x.scalar);
}
/// Returns floor(log2(|x|)) as a float, also for subnormals; 0: -infinity; infinity: infinity. Needs `can_scale(x)`.
[[nodiscard]] inline lane_value exponent_of(lane_value const& x) { return masked_function("getexp", x, ""); }
/// Returns x 2^-n in [0.75, 1.5); 1 for zero and infinity, NaN for negative x. Requires `can_scale(x)`.
[[nodiscard]] inline lane_value fraction_of(lane_value const& x) {
  constexpr int from_three_quarters = 3;  // interval code 3; 12: negative numbers give NaN, -0 gives 0
  return masked_function("getmant", x, std::to_string(from_three_quarters + 12));
}

/// Returns the sign bit; the next function returns the other bits.
[[nodiscard]] inline lane_value sign_bit(lane_value const& bits) {
  return bits & bits.bits(bits.scalar == "i64" ? std::uint64_t{1} << 63 : static_cast<std::uint64_t>(INT32_MIN));
}
[[nodiscard]] inline lane_value magnitude_bits(lane_value const& bits) {
  return bits & bits.bits(bits.scalar == "i64" ? ~(std::uint64_t{1} << 63) : 0x7fffffff);
}
[[nodiscard]] inline lane_value magnitude(lane_value const& x) { return magnitude_bits(x.as_bits()).as_real(); }
/// Returns |a| with the sign of b.
[[nodiscard]] inline lane_value with_sign(lane_value const& a, lane_value const& b) {
  return (magnitude_bits(a.as_bits()) | sign_bit(b.as_bits())).as_real();
}
/// Returns the smaller of x and a limit; NaN stays NaN.
[[nodiscard]] inline lane_value at_most(lane_value const& x, double limit) {
  auto const l = x.number(limit);
  return x.compared("ogt", l).choose(l, x);
}
[[nodiscard]] inline lane_value at_least(lane_value const& x, double limit) {
  auto const l = x.number(limit);
  return x.compared("olt", l).choose(l, x);
}

}}}  // namespace ttune::v0::codegen
