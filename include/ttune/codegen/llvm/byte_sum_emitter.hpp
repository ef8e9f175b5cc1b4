// SPDX-License-Identifier: Apache-2.0
// Filters of bytes at code generation: a sum of bytes times small constants in 16 bits, by instructions that multiply
// two bytes each and add the products (x86's pmaddubsw).
//
//   u8((u16(A) * 3 + u16(B) * 7 + … + 128) / 256)
//
// Two bytes of a lane must be neighbours. If the sum reads neighbouring elements (a window along the vectors), they are
// in memory: sums of even lanes and of odd ones are made apart. Otherwise two vectors are interleaved within 128 bits.
// If the result becomes a byte again, the instruction that makes bytes of 16 bits puts them back into their order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ttune/codegen/llvm/arithmetic_emitter.hpp"
#include "ttune/codegen/llvm/gather_emitter.hpp"
#include "ttune/codegen/llvm/index_emitter.hpp"
#include "ttune/codegen/llvm/redirected_reads.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// Computes sums in 16 bits, and bytes made of such sums; between a sum and its byte may stand quotients, minima and
/// maxima with constants. Returns the values of all lanes, or nothing if an expression is no such sum or gains nothing.
class byte_sum_emitter {
 public:
  byte_sum_emitter(ir_writer& writer, function_state const& state, value_builder& values,
                   arithmetic_emitter& arithmetic, index_emitter& indices, redirected_reads& redirected,
                   gather_emitter& gathers, expression_evaluator& expressions)
      : writer_(writer),
        state_(state),
        values_(values),
        arithmetic_(arithmetic),
        indices_(indices),
        redirected_(redirected),
        gathers_(gathers),
        expressions_(expressions) {}

  [[nodiscard]] std::optional<value> cast(ir::expr const& e, ir::cast const& c) {
    if (size_in_bytes(e->type) != 1 || e->type == dtype::boolean || !has_16_bits(c.operand) || !fills_vectors(e))
      return std::nullopt;
    std::vector<ir::binary const*> after;
    auto sum = c.operand;
    for (auto const* b = operation_on_sum(sum); b; b = operation_on_sum(sum)) after.push_back(b), sum = b->left;
    form f;
    if (!collect(sum, 1, f) || !pays(f)) return std::nullopt;
    return value{summed(f, sum->type, after, true), e->type, state_.lanes};
  }

  [[nodiscard]] std::optional<value> sum(ir::expr const& e) {
    if (!has_16_bits(e) || !fills_vectors(e)) return std::nullopt;
    form f;
    if (!collect(e, 1, f) || !pays(f)) return std::nullopt;
    return value{summed(f, e->type, {}, false), e->type, state_.lanes};
  }

 private:
  /// A byte of each lane times a constant.
  struct term {
    ir::expr byte;
    std::int64_t factor = 0;
    ir::buffer const* from = nullptr;  ///< where neighbouring lanes read neighbours; null for other bytes
    lane_linear flat{};
  };
  struct form {
    std::vector<term> terms;
    std::int64_t constant = 0;
  };
  /// Two terms, or one beside a factor of 0.
  struct pair {
    term const* first;
    term const* second;
    std::int64_t factors[2];
  };
  /// Sums of 16 bits of two halves of the lanes, of one vector of the machine: even and odd lanes, or both halves of
  /// each 16.
  struct halves {
    value first;
    value second;
  };

  [[nodiscard]] static bool has_16_bits(ir::expr const& e) { return e->type == dtype::u16 || e->type == dtype::i16; }

  /// Returns the bytes of the vectors in which sums are made; 0 if these lanes fill none.
  [[nodiscard]] int width() const {
    int const most = writer_.instructions().pairs_of_bytes;
    int const lanes = state_.lanes;
    if (most == 0 || lanes < 16 || (lanes & (lanes - 1)) != 0) return 0;
    return std::min(most, lanes);
  }

  /// Returns false for a value that is the same in all lanes, too: the arms of a choice expect a scalar then.
  [[nodiscard]] bool fills_vectors(ir::expr const& e) const { return width() != 0 && indices_.varies(e); }

  /// Returns an operation of a value of 16 bits and a constant, after which no other lane matters.
  [[nodiscard]] ir::binary const* operation_on_sum(ir::expr const& e) const {
    auto const* b = ir::as<ir::binary>(e);
    bool const is_one = b && has_16_bits(b->left) && ir::is_constant(b->right) &&
                        ((b->op == ir::binary_op::divide && ir::constant_integer(b->right) != 0) ||
                         b->op == ir::binary_op::minimum || b->op == ir::binary_op::maximum);
    return is_one ? b : nullptr;
  }

  [[nodiscard]] std::optional<std::int64_t> number(ir::expr const& e) const;
  [[nodiscard]] bool collect(ir::expr const& e, std::int64_t factor, form& f);
  void add_term(ir::expr const& byte, std::int64_t factor, form& f);
  [[nodiscard]] static bool pays(form const& f);
  [[nodiscard]] static bool fits(std::int64_t a, std::int64_t b) {
    return std::max<std::int64_t>(a, 0) + std::max<std::int64_t>(b, 0) <= 128 &&
           std::min<std::int64_t>(a, 0) + std::min<std::int64_t>(b, 0) >= -128;
  }
  [[nodiscard]] std::optional<std::vector<pair>> neighbours(form const& f) const;
  [[nodiscard]] static std::vector<pair> any_pairs(form const& f);
  [[nodiscard]] std::string summed(form const& f, dtype type, std::vector<ir::binary const*> const& after, bool bytes);
  [[nodiscard]] std::string part_of(std::string const& bytes, int part) const;
  [[nodiscard]] std::string products(std::string const& bytes, pair const& p) const;
  [[nodiscard]] std::string interleaved(std::string const& a, std::string const& b, bool second_half) const;
  [[nodiscard]] value finished(value sum, form const& f, std::vector<ir::binary const*> const& after);
  [[nodiscard]] std::string joined(halves const& of, bool even_and_odd) const;
  [[nodiscard]] std::string ordered(halves const& of, bool even_and_odd) const;
  [[nodiscard]] std::string concatenated(std::vector<std::string> parts, std::string const& scalar) const;
  [[nodiscard]] std::string bytes_of(term const& t) {
    return values_.widened(expressions_.evaluate(t.byte), state_.lanes).text;
  }

  ir_writer& writer_;
  function_state const& state_;
  value_builder& values_;
  arithmetic_emitter& arithmetic_;
  index_emitter& indices_;
  redirected_reads& redirected_;
  gather_emitter& gathers_;
  expression_evaluator& expressions_;
};

/// Returns an integer that is known here: a literal, an element of a table, either of them converted to 16 bits.
inline std::optional<std::int64_t> byte_sum_emitter::number(ir::expr const& e) const {
  if (e->type == dtype::index || is_float(e->type)) return std::nullopt;
  if (ir::is_constant(e)) return ir::constant_integer(e);
  if (auto const* c = ir::as<ir::cast>(e); c && has_16_bits(e)) return number(c->operand);
  auto const* a = ir::as<ir::access>(e);
  auto const* b = a ? std::get_if<handle<ir::buffer>>(&a->from) : nullptr;
  if (!b || (*b)->content.empty() || gathers_.reads_by_lanes(*a)) return std::nullopt;
  auto const flat = indices_.flat_index(**b, a->indices);
  if (!flat.is_constant()) return std::nullopt;
  return static_cast<std::int64_t>((*b)->content[static_cast<std::size_t>(flat.constant)]);
}

/// Takes a sum modulo 2^16 apart. Returns false for any other expression.
inline bool byte_sum_emitter::collect(ir::expr const& e, std::int64_t factor, form& f) {
  if (auto const known = number(e)) {
    f.constant = static_cast<std::int16_t>(f.constant + factor * *known);
    return true;
  }
  if (auto const* c = ir::as<ir::cast>(e)) {
    if (has_16_bits(c->operand)) return collect(c->operand, factor, f);
    if (c->operand->type != dtype::u8) return false;
    add_term(c->operand, factor, f);
    return true;
  }
  auto const* b = ir::as<ir::binary>(e);
  if (!b || !has_16_bits(e)) return false;
  if (b->op == ir::binary_op::add || b->op == ir::binary_op::subtract)
    return collect(b->left, factor, f) && collect(b->right, b->op == ir::binary_op::add ? factor : -factor, f);
  if (b->op != ir::binary_op::multiply) return false;
  if (auto const known = number(b->right)) return collect(b->left, static_cast<std::int16_t>(factor * *known), f);
  if (auto const known = number(b->left)) return collect(b->right, static_cast<std::int16_t>(factor * *known), f);
  return false;
}

inline void byte_sum_emitter::add_term(ir::expr const& byte, std::int64_t factor, form& f) {
  term made{byte, factor};
  auto const* a = ir::as<ir::access>(byte);
  auto const* b = a ? std::get_if<handle<ir::buffer>>(&a->from) : nullptr;
  if (b && (*b)->where != ir::memory::registers && !gathers_.reads_by_lanes(*a) && !redirected_.as_choice(byte, *a)) {
    made.flat = indices_.flat_index(**b, a->indices);
    if (made.flat.lane == 1) made.from = b->get();
  }
  f.terms.push_back(std::move(made));
}

/// Returns true if a sum has enough products to be faster than bytes that are widened, multiplied and added, two
/// vectors of 16 bits for one of bytes. LLVM needs no products for factors of 1 and 2.
inline bool byte_sum_emitter::pays(form const& f) {
  constexpr std::size_t least_terms = 5;
  constexpr auto least_products = 3;
  auto const products =
      std::count_if(f.terms.begin(), f.terms.end(), [](term const& t) { return t.factor < -2 || t.factor > 2; });
  return f.terms.size() >= least_terms && products >= least_products &&
         std::all_of(f.terms.begin(), f.terms.end(), [](term const& t) { return t.factor >= -128 && t.factor < 128; });
}

/// Returns pairs of neighbours in memory; nothing if a term has no neighbour, or if lanes next to those that run are
/// not read.
inline std::optional<std::vector<byte_sum_emitter::pair>> byte_sum_emitter::neighbours(form const& f) const {
  if (state_.is_masked()) return std::nullopt;
  auto const follows = [](term const& a, term const& b) {
    return a.from && a.from == b.from && a.flat.constant + 1 == b.flat.constant && a.flat.key() == b.flat.key();
  };
  std::vector<pair> made;
  auto const& t = f.terms;
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (i + 1 < t.size() && follows(t[i], t[i + 1])) {
      bool const both = fits(t[i].factor, t[i + 1].factor);
      made.push_back({&t[i], &t[i + 1], {t[i].factor, both ? t[i + 1].factor : 0}});
      i += both;
    } else if (i > 0 && follows(t[i - 1], t[i])) {
      made.push_back({&t[i - 1], &t[i], {0, t[i].factor}});
    } else {
      return std::nullopt;
    }
  }
  return made;
}

/// Returns pairs of large and small factors, whose products fit 16 bits.
inline std::vector<byte_sum_emitter::pair> byte_sum_emitter::any_pairs(form const& f) {
  std::vector<term const*> sorted;
  for (auto const& t : f.terms) sorted.push_back(&t);
  std::sort(sorted.begin(), sorted.end(), [](term const* a, term const* b) {
    return a->factor != b->factor ? a->factor < b->factor : a < b;  // both are elements of one vector
  });
  std::vector<pair> made;
  for (std::size_t low = 0, end = sorted.size(); low < end;) {
    auto const* const large = sorted[--end];
    auto const* const small = sorted[low];
    bool const both = low < end && fits(large->factor, small->factor);
    made.push_back({large, small, {large->factor, both ? small->factor : 0}});
    low += both;
  }
  return made;
}

/// Returns the sums of all lanes, or their low bytes.
inline std::string byte_sum_emitter::summed(form const& f, dtype type, std::vector<ir::binary const*> const& after,
                                            bool bytes) {
  auto const near = neighbours(f);
  auto const pairs = near ? *near : any_pairs(f);
  int const lanes = width() / 2;
  auto const vector = vector_of("i16", lanes);
  std::vector<std::string> parts;
  for (int part = 0; part < state_.lanes / width(); ++part) {
    std::string sums[2];
    for (auto const& p : pairs) {
      auto const a = part_of(bytes_of(*p.first), part);
      auto const b = part_of(bytes_of(*p.second), part);
      for (int half = 0; half < 2; ++half) {
        auto const made = products(near ? (half == 0 ? a : b) : interleaved(a, b, half == 1), p);
        auto& sum = sums[half];
        sum = sum.empty() ? made : writer_.define("add " + vector + " " + sum + ", " + made);
      }
    }
    halves const of{finished({sums[0], type, lanes}, f, after), finished({sums[1], type, lanes}, f, after)};
    parts.push_back(bytes ? joined(of, near.has_value()) : ordered(of, near.has_value()));
  }
  return concatenated(std::move(parts), bytes ? "i8" : "i16");
}

/// Returns one vector of the machine of a longer vector.
inline std::string byte_sum_emitter::part_of(std::string const& bytes, int part) const {
  if (state_.lanes == width()) return bytes;
  std::vector<int> places;
  for (int i = 0; i < width(); ++i) places.push_back(part * width() + i);
  return values_.shuffle("i8", state_.lanes, bytes, bytes, places);
}

inline std::string byte_sum_emitter::products(std::string const& bytes, pair const& p) const {
  int const n = width();
  auto const type = vector_of("i8", n);
  auto const sums = vector_of("i16", n / 2);
  auto const name = std::string(n == 16   ? "@llvm.x86.ssse3.pmadd.ub.sw.128"
                                : n == 32 ? "@llvm.x86.avx2.pmadd.ub.sw"
                                          : "@llvm.x86.avx512.pmaddubs.w.512");
  writer_.declare("declare " + sums + " " + name + "(" + type + ", " + type + ")");
  std::string factors = "<";
  for (int i = 0; i < n; ++i) factors += (i != 0 ? ", i8 " : "i8 ") + std::to_string(p.factors[i % 2]);
  return writer_.define("call " + sums + " " + name + "(" + type + " " + bytes + ", " + type + " " + factors + ">)");
}

/// Interleaves the first or the second eight of each 16 bytes of two vectors.
inline std::string byte_sum_emitter::interleaved(std::string const& a, std::string const& b, bool second_half) const {
  std::vector<int> places;
  for (int i = 0; i < width(); ++i)
    places.push_back(i / 16 * 16 + i % 16 / 2 + (second_half ? 8 : 0) + i % 2 * width());
  return values_.shuffle("i8", width(), a, b, places);
}

/// Adds the constant, and applies the operations that follow.
inline value byte_sum_emitter::finished(value sum, form const& f, std::vector<ir::binary const*> const& after) {
  auto const apply = [&](ir::binary_op op, std::int64_t with) {
    auto const number = splat_literal("i16", std::to_string(static_cast<std::int16_t>(with)), sum.lanes);
    sum = arithmetic_.apply(op, sum, {number, sum.type, sum.lanes}, {is_unsigned(sum.type), with, {}});
  };
  if (f.constant != 0) apply(ir::binary_op::add, f.constant);
  for (auto b = after.rbegin(); b != after.rend(); ++b) apply((*b)->op, ir::constant_integer((*b)->right));
  return sum;
}

/// Returns the low bytes of all sums, in the order of the lanes.
inline std::string byte_sum_emitter::joined(halves const& of, bool even_and_odd) const {
  int const n = width();
  auto const words = vector_of("i16", n / 2);
  auto const bytes = vector_of("i8", n);
  auto const as_bytes = [&](std::string const& v) {
    return writer_.define("bitcast " + words + " " + v + " to " + bytes);
  };
  if (even_and_odd) {
    auto const low = writer_.define("and " + words + " " + of.first.text + ", " + splat_literal("i16", "255", n / 2));
    auto const high = writer_.define("shl " + words + " " + of.second.text + ", " + splat_literal("i16", "8", n / 2));
    return as_bytes(writer_.define("or " + words + " " + low + ", " + high));
  }
  std::vector<int> places;
  for (int i = 0; i < n; ++i) places.push_back(i / 16 * 16 + i % 8 * 2 + (i % 16 < 8 ? 0 : n));
  auto const first = as_bytes(of.first.text);
  auto const second = as_bytes(of.second.text);
  return values_.shuffle("i8", n, first, second, places);
}

/// Returns all sums in the order of the lanes.
inline std::string byte_sum_emitter::ordered(halves const& of, bool even_and_odd) const {
  int const n = width();
  std::vector<int> places;
  for (int i = 0; i < n; ++i)
    places.push_back(even_and_odd ? i / 2 + i % 2 * n / 2 : i / 16 * 8 + i % 8 + (i % 16 < 8 ? 0 : n / 2));
  return values_.shuffle("i16", n / 2, of.first.text, of.second.text, places);
}

inline std::string byte_sum_emitter::concatenated(std::vector<std::string> parts, std::string const& scalar) const {
  for (int lanes = width(); parts.size() > 1; lanes *= 2) {
    std::vector<int> places;
    for (int i = 0; i < 2 * lanes; ++i) places.push_back(i);
    for (std::size_t i = 0; i < parts.size() / 2; ++i)
      parts[i] = values_.shuffle(scalar, lanes, parts[2 * i], parts[2 * i + 1], places);
    parts.resize(parts.size() / 2);
  }
  return parts[0];
}

}}}}  // namespace ttune::v0::codegen::llvm
