// SPDX-License-Identifier: Apache-2.0
// Instructions on values: widening, choosing, comparing, resizing, and conversions to and from memory.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "ttune/codegen/llvm/ir_writer.hpp"
#include "ttune/codegen/llvm/lane_conversions.hpp"
#include "ttune/codegen/transposition.hpp"
#include "ttune/ir/node.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// Returns the result of a formula over lanes as a value.
[[nodiscard]] inline value value_of(lane_value const& v, dtype type) { return {v.text, type, v.lanes}; }

/// Values come in; instructions are written; values go out. No function here looks at expressions or buffers.
class value_builder {
 public:
  explicit value_builder(ir_writer& writer) : writer_(writer) {}

  /// Returns a value as an operand of formulas over lanes.
  [[nodiscard]] lane_value lanes_of(value const& v) { return {&writer_, v.text, scalar_type(v.type), v.lanes}; }

  /// Returns a scalar in every lane of a vector. A vector is returned as it is.
  [[nodiscard]] value widened(value v, int lanes) {
    if (v.lanes == lanes) return v;
    auto const scalar = scalar_type(v.type);
    if (v.text[0] != '%') return {splat_literal(scalar, v.text, lanes), v.type, lanes};
    auto& known_values = writer_.open_frames();
    auto const key = "splat " + std::to_string(lanes) + " " + v.text;
    if (auto const* known = known_values.find_load("splat", key)) return {*known, v.type, lanes};
    auto const type = vector_of(scalar, lanes);
    auto const first = writer_.define("insertelement " + type + " undef, " + scalar + " " + v.text + ", i32 0");
    auto const all = writer_.define("shufflevector " + type + " " + first + ", " + type + " undef, <" +
                                    std::to_string(lanes) + " x i32> zeroinitializer");
    known_values.remember_load("splat", key, all);
    return {all, v.type, lanes};
  }

  [[nodiscard]] std::string extract(value const& v, int lane) {
    if (v.lanes == 1) return v.text;
    return writer_.define("extractelement " + vector_of(scalar_type(v.type), v.lanes) + " " + v.text + ", i32 " +
                          std::to_string(lane));
  }

  /// Returns a vector with a scalar put into one of its lanes.
  [[nodiscard]] std::string insert(std::string const& vector, std::string const& scalar_name, std::string const& scalar,
                                   int lanes, int lane) {
    return writer_.define("insertelement " + vector_of(scalar, lanes) + " " + vector + ", " + scalar + " " +
                          scalar_name + ", i32 " + std::to_string(lane));
  }

  /// Compares two values by an operation from `equal` on.
  [[nodiscard]] value compare(ir::binary_op op, value const& a, value const& b, bool unsigned_operands) {
    static constexpr char const* floats[] = {"oeq", "une", "olt", "ole"};
    static constexpr char const* integers[] = {"eq", "ne", "slt", "sle"};
    static constexpr char const* unsigneds[] = {"eq", "ne", "ult", "ule"};
    auto const i = static_cast<int>(op) - static_cast<int>(ir::binary_op::equal);
    auto const operands = " " + vector_of(scalar_type(a.type), a.lanes) + " " + a.text + ", " + b.text;
    if (is_float(a.type)) return {writer_.define(std::string("fcmp ") + floats[i] + operands), dtype::boolean, a.lanes};
    auto const* name = unsigned_operands || a.type == dtype::boolean ? unsigneds[i] : integers[i];
    return {writer_.define(std::string("icmp ") + name + operands), dtype::boolean, a.lanes};
  }

  /// Returns `a` where the condition holds, else `b`.
  [[nodiscard]] value choose(std::string const& condition, int condition_lanes, value a, value b) {
    int const lanes = std::max({condition_lanes, a.lanes, b.lanes});
    a = widened(a, lanes);
    b = widened(b, lanes);
    auto const type = vector_of(scalar_type(a.type), lanes);
    auto const bits = vector_of("i1", condition_lanes);
    return {
        writer_.define("select " + bits + " " + condition + ", " + type + " " + a.text + ", " + type + " " + b.text),
        a.type, lanes};
  }

  /// Returns an integer or a truth value of one type with the bits of another integer type.
  [[nodiscard]] value resized(value const& x, dtype from, dtype to) {
    auto const type = compute_type(to);
    auto const bits = [](dtype t) { return t == dtype::boolean ? std::size_t{1} : 8 * size_in_bytes(t); };
    if (bits(from) == bits(to)) return {x.text, type, x.lanes};
    bool const zero_extend = is_unsigned(from) || from == dtype::boolean;
    auto const* how = bits(from) > bits(to) ? "trunc " : zero_extend ? "zext " : "sext ";
    return {writer_.define(how + vector_of(scalar_type(x.type), x.lanes) + " " + x.text + " to " +
                           vector_of(scalar_type(type), x.lanes)),
            type, x.lanes};
  }

  /// Returns a b + c, or c - a b if the product is negated; rounded once if the machine has the instruction.
  [[nodiscard]] value multiply_add(value a, value b, value c, bool negate_product) {
    int const lanes = std::max({a.lanes, b.lanes, c.lanes});
    a = widened(a, lanes);
    b = widened(b, lanes);
    c = widened(c, lanes);
    auto const type = vector_of(scalar_type(c.type), lanes);
    if (negate_product) a.text = writer_.define("fneg " + type + " " + a.text);
    if (!writer_.has_fma()) {
      auto const product = writer_.define("fmul " + type + " " + a.text + ", " + b.text);
      return {writer_.define("fadd " + type + " " + product + ", " + c.text), c.type, lanes};
    }
    auto const name = "@llvm.fma." + mangled(c.type, lanes);
    writer_.declare("declare " + type + " " + name + "(" + type + ", " + type + ", " + type + ")");
    return {writer_.define("call " + type + " " + name + "(" + type + " " + a.text + ", " + type + " " + b.text + ", " +
                           type + " " + c.text + ")"),
            c.type, lanes};
  }

  /// Applies an intrinsic function of one operand, such as "sqrt".
  [[nodiscard]] value intrinsic(std::string const& function, value const& x) {
    auto const type = vector_of(scalar_type(x.type), x.lanes);
    auto const name = "@llvm." + function + "." + mangled(x.type, x.lanes);
    writer_.declare("declare " + type + " " + name + "(" + type + ")");
    return {writer_.define("call " + type + " " + name + "(" + type + " " + x.text + ")"), x.type, x.lanes};
  }

  /// Returns the same float and hides its origin from instruction selection, which searches chains of shuffles for
  /// shorter ones: in vain for a transposition, and it takes 6 ms for a 16 x 16 one.
  [[nodiscard]] value fenced(value const& v) { return is_float(v.type) ? intrinsic("arithmetic.fence", v) : v; }

  /// Returns a shuffle of two vectors of `lanes` elements of type `scalar`. Places are numbers of elements; those of
  /// the second vector follow those of the first.
  [[nodiscard]] std::string shuffle(std::string const& scalar, int lanes, std::string const& a, std::string const& b,
                                    std::vector<int> const& places) {
    auto const type = vector_of(scalar, lanes);
    std::string text;
    for (int const p : places) text += (text.empty() ? "i32 " : ", i32 ") + std::to_string(p);
    return writer_.define("shufflevector " + type + " " + a + ", " + type + " " + b + ", <" +
                          std::to_string(places.size()) + " x i32> <" + text + ">");
  }

  /// Returns the result of one shuffle of a network, fenced. `scalar` is the type of elements.
  [[nodiscard]] std::string shuffled(std::vector<std::string> const& vectors, transposition::step const& step,
                                     std::string const& scalar, int lanes) {
    auto const& a = vectors[static_cast<std::size_t>(step.first)];
    auto const& b = vectors[static_cast<std::size_t>(step.second)];
    if (a == "undef" && b == "undef") return "undef";
    auto const made = shuffle(scalar, lanes, a, b, step.places);
    if (scalar == "float") return fenced({made, dtype::f32, lanes}).text;
    return scalar == "double" ? fenced({made, dtype::f64, lanes}).text : made;
  }

  // ------------------------------------------------------------------------------------------------------ memory
  /// Returns the value of an element from its bits in memory.
  [[nodiscard]] value from_memory(std::string const& raw, dtype type, int lanes) {
    if (type == dtype::boolean)
      return {writer_.define("icmp ne " + vector_of("i8", lanes) + " " + raw + ", " + splat_literal("i8", "0", lanes)),
              type, lanes};
    if (type != dtype::f16 && type != dtype::bf16) return {raw, compute_type(type), lanes};
    auto const bits = lanes_of({raw, dtype::i16, lanes});
    auto const made = type == dtype::bf16                    ? bfloat_to_float(bits)
                      : writer_.instructions().converts_half ? bits.cast("bitcast", "half").cast("fpext", "float")
                                                             : half_to_float(bits);
    writer_.open_frames().remember_load(name_of(type), made.text, raw);
    return value_of(made, dtype::f32);
  }

  /// Returns the bits that represent a value in memory; of a value that was loaded, those that it had there.
  [[nodiscard]] std::string to_memory(value const& v, dtype type) {
    if (auto const* loaded = writer_.open_frames().find_load(name_of(type), v.text)) return *loaded;
    if (type == dtype::boolean) return lanes_of(v).cast("zext", "i8").text;
    if (type == dtype::bf16) return float_to_bfloat(lanes_of(v)).text;
    if (type != dtype::f16) return v.text;
    return (writer_.instructions().converts_half ? lanes_of(v).cast("fptrunc", "half").cast("bitcast", "i16")
                                                 : float_to_half(lanes_of(v)))
        .text;
  }

  /// Returns the value rounded to a 16-bit float.
  [[nodiscard]] value rounded_to(dtype type, value const& v) { return from_memory(to_memory(v, type), type, v.lanes); }

 private:
  ir_writer& writer_;
};

}}}}  // namespace ttune::v0::codegen::llvm
