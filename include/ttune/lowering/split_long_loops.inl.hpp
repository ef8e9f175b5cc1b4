// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <string>
#include <variant>
#include <vector>

#include "ttune/arith/affine.hpp"
#include "ttune/arith/substitute.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/lowering/split_long_loops.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

namespace detail {

/// The most iterations that stay one loop, and the length of blocks of longer ones.
struct longest_loop {
  std::int64_t iterations;
  std::int64_t block;
};
inline constexpr longest_loop longest_in_lanes{2048, 256};
inline constexpr longest_loop longest_unrolled{1024, 16};

/// No instruction has more terms, rows or columns: longer tensorized loops are unrolled.
inline constexpr std::int64_t longest_tensorized = 64;

/// The most accesses that are emitted for a vectorized or unrolled loop. LLVM takes some seconds for them.
inline constexpr std::int64_t most_emitted_accesses = 4096;

/// Counts the accesses to memory that are emitted: one for a register of lanes if they are neighbours in memory, else
/// one for each lane. Functions such as exp count as the accesses that compile as long. Unrolled iterations have their
/// own, iterations of other loops share them.
class emitted_accesses {
 public:
  /// Begins inside of vectorized loops over variables `lanes`, which have `number` lanes together. `for_lanes`: counts
  /// only what is emitted for each lane.
  emitted_accesses(std::vector<std::string> lanes, std::int64_t number, bool for_lanes)
      : lanes_(std::move(lanes)), number_(number), for_lanes_(for_lanes) {}

  [[nodiscard]] std::int64_t in(ir::stmt const& s) {
    if (!s) return 0;
    auto const* l = ir::as<ir::loop>(s);
    bool const in_lanes = l && l->kind == ir::loop_kind::vectorized;
    auto const around = number_;
    if (in_lanes) lanes_.push_back(l->variable), number_ *= std::max<std::int64_t>(1, iterations_of(*l));
    auto const* w = ir::as<ir::store>(s);
    auto sum = w ? emitted(*w->to, w->indices) : 0;
    (void)ir::map_parts(
        s, [&](ir::stmt const& part) { return sum += in(part), part; },
        [&](ir::expr const& e) { return sum += in(e), e; });
    if (in_lanes) lanes_.pop_back(), number_ = around;
    return l && is_unrolled(*l) ? sum * std::max<std::int64_t>(1, iterations_of(*l)) : sum;
  }

  /// Returns the number of iterations of a loop; 0 if it is not constant.
  [[nodiscard]] static std::int64_t iterations_of(ir::loop const& l) {
    if (!ir::is_constant(l.begin) || !ir::is_constant(l.end)) return 0;
    return ir::constant_integer(l.end) - ir::constant_integer(l.begin);
  }
  [[nodiscard]] static bool is_unrolled(ir::loop const& l) {
    if (l.kind != ir::loop_kind::tensorized) return l.kind == ir::loop_kind::unrolled;
    return iterations_of(l) > longest_tensorized || !reads_narrow(l.body);
  }

 private:
  /// Returns true if a statement reads elements of 8 or 16 bits: instructions for products of matrices have such.
  [[nodiscard]] static bool reads_narrow(ir::stmt const& s) {
    if (!s) return false;
    auto const is_narrow = [](ir::expr const& e) { return ir::as<ir::access>(e) && size_in_bytes(e->type) <= 2; };
    bool found = false;
    (void)ir::map_parts(
        s, [&](ir::stmt const& part) { return found = found || reads_narrow(part), part; },
        [&](ir::expr const& e) { return found = found || ir::contains(e, is_narrow), e; });
    return found;
  }
  [[nodiscard]] std::int64_t in(ir::expr const& e) const {
    std::int64_t sum = 0;
    (void)ir::contains(e, [&](ir::expr const& part) {
      auto const* a = ir::as<ir::access>(part);
      auto const* from = a ? std::get_if<handle<ir::buffer>>(&a->from) : nullptr;
      if (from) sum += emitted(**from, a->indices);
      if (is_function(part) && !for_lanes_) sum += accesses_of_function * registers();
      return false;
    });
    return sum;
  }
  static constexpr std::int64_t accesses_of_function = 8;

  [[nodiscard]] static bool is_function(ir::expr const& e) {
    if (auto const* u = ir::as<ir::unary>(e)) return u->op >= ir::unary_op::exp && u->op <= ir::unary_op::erf;
    auto const* b = ir::as<ir::binary>(e);
    return b && b->op == ir::binary_op::power;
  }
  /// Returns the number of registers for a value of all lanes.
  [[nodiscard]] std::int64_t registers() const noexcept {
    constexpr std::int64_t lanes_of_register = 16;
    return (number_ + lanes_of_register - 1) / lanes_of_register;
  }

  [[nodiscard]] std::int64_t emitted(ir::buffer const& b, std::vector<ir::expr> const& indices) const {
    if (b.where == ir::memory::registers) return 0;
    bool const each =
        std::any_of(lanes_.begin(), lanes_.end(), [&](auto const& lane) { return is_strided(lane, indices); });
    return each ? number_ : for_lanes_ ? 0 : registers();
  }

  /// Returns true if the elements of two neighbouring lanes are neither the same nor neighbours.
  [[nodiscard]] static bool is_strided(std::string const& lane, std::vector<ir::expr> const& indices) {
    auto const names_lane = [&](ir::expr const& e) {
      auto const* v = ir::as<ir::variable>(e);
      return v && v->name == lane;
    };
    for (std::size_t d = 0; d < indices.size(); ++d) {
      if (!ir::contains(indices[d], names_lane)) continue;
      auto const sum = arith::to_affine(indices[d]);
      if (d + 1 < indices.size() || !sum || sum->coefficient_of(lane) != 1) return true;
    }
    return false;
  }

  std::vector<std::string> lanes_;  ///< variables of the loops around
  std::int64_t number_;
  bool for_lanes_;
};

/// Asks of the body of a loop if it is the same in blocks: it has only loops of one thread, and no registers from
/// outside.
class fits_blocks {
 public:
  [[nodiscard]] bool operator()(ir::stmt const& s) {
    using enum ir::loop_kind;
    if (!s) return true;
    if (auto const* l = ir::as<ir::loop>(s);
        l && l->kind != serial && l->kind != vectorized && l->kind != unrolled && l->kind != tensorized)
      return false;
    if (auto const* a = ir::as<ir::allocate>(s)) own_.push_back(&*a->storage);
    auto const* w = ir::as<ir::store>(s);
    bool fits = !ir::as<ir::barrier>(s) && (!w || has_address(*w->to));
    auto const in_registers = [&](ir::expr const& e) {
      auto const* a = ir::as<ir::access>(e);
      auto const* from = a ? std::get_if<handle<ir::buffer>>(&a->from) : nullptr;
      return from && !has_address(**from);
    };
    (void)ir::map_parts(
        s, [&](ir::stmt const& part) { return fits = fits && (*this)(part), part; },
        [&](ir::expr const& e) { return fits = fits && !ir::contains(e, in_registers), e; });
    return fits;
  }

 private:
  [[nodiscard]] bool has_address(ir::buffer const& b) const {
    return b.where != ir::memory::registers || std::find(own_.begin(), own_.end(), &b) != own_.end();
  }
  std::vector<ir::buffer const*> own_;  ///< allocated in the body
};

inline ir::stmt in_blocks(ir::loop const& l, std::int64_t block) {
  auto const begin = ir::constant_integer(l.begin);
  auto const iterations = ir::constant_integer(l.end) - begin;
  auto const whole = iterations / block;
  auto const part = [&](ir::expr const& start, std::int64_t length) {
    auto const inside = l.variable + ".inside";
    auto const kind = l.kind == ir::loop_kind::vectorized ? l.kind : ir::loop_kind::unrolled;
    return ir::make_loop(inside, ir::make_index(0), ir::make_index(length), kind,
                         arith::substitute(l.body, {{l.variable, start + ir::make_variable(inside)}}));
  };
  auto const over = l.variable + ".block";
  std::vector<ir::stmt> made = {ir::make_loop(over, ir::make_index(0), ir::make_index(whole), ir::loop_kind::serial,
                                              part(ir::make_variable(over) * block + begin, block))};
  if (auto const rest = iterations % block; rest > 0) made.push_back(part(ir::make_index(begin + whole * block), rest));
  return ir::make_block(std::move(made));
}

/// Splits the loops of a statement, the inner ones first.
class long_loops {
 public:
  [[nodiscard]] ir::stmt split(ir::stmt const& s) {
    if (!s) return s;
    auto const* l = ir::as<ir::loop>(s);
    bool const in_lanes = l && l->kind == ir::loop_kind::vectorized;
    auto const around = number_;
    if (in_lanes) lanes_.push_back(l->variable), number_ *= std::max<std::int64_t>(1, iterations_of(*l));
    auto const made =
        ir::map_parts(s, [&](ir::stmt const& part) { return split(part); }, [](ir::expr const& e) { return e; });
    auto const block = l ? block_of(*ir::as<ir::loop>(made)) : 0;
    if (in_lanes) lanes_.pop_back(), number_ = around;
    return block > 0 ? in_blocks(*ir::as<ir::loop>(made), block) : made;
  }

 private:
  [[nodiscard]] static std::int64_t iterations_of(ir::loop const& l) { return emitted_accesses::iterations_of(l); }

  /// Returns the length of the blocks of a loop; 0 if it stays as it is.
  [[nodiscard]] std::int64_t block_of(ir::loop const& l) const {
    bool const in_lanes = l.kind == ir::loop_kind::vectorized;
    auto const iterations = iterations_of(l);
    if ((!in_lanes && !emitted_accesses::is_unrolled(l)) || iterations < 2) return 0;
    auto const [longest, block] = in_lanes ? longest_in_lanes : longest_unrolled;
    auto const length = std::min(iterations > longest ? block : iterations, length_for_accesses(l, iterations));
    return length < iterations && fits_blocks()(l.body) ? length : 0;
  }

  /// Returns how many iterations of a loop emit as many accesses as there may be: all of them, or a power of two.
  [[nodiscard]] std::int64_t length_for_accesses(ir::loop const& l, std::int64_t iterations) const {
    bool const in_lanes = l.kind == ir::loop_kind::vectorized;
    auto const of_body = emitted_accesses(lanes_, number_, in_lanes).in(l.body);
    auto const each = in_lanes ? of_body / iterations : of_body;
    if (each * iterations <= most_emitted_accesses) return iterations;
    return static_cast<std::int64_t>(
        std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(1, most_emitted_accesses / each))));
  }

  std::vector<std::string> lanes_;  ///< variables of the vectorized loops around
  std::int64_t number_ = 1;         ///< lanes of these loops, together
};

}  // namespace detail

ir::stmt split_long_loops(ir::stmt const& s) { return detail::long_loops().split(s); }

}}}  // namespace ttune::v0::lowering
