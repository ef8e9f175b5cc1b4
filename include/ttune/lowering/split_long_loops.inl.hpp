// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <variant>
#include <vector>

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

/// Asks of the body of a loop if it is the same in blocks: it has only loops of one thread, and no registers from
/// outside.
class fits_blocks {
 public:
  [[nodiscard]] bool operator()(ir::stmt const& s) {
    using enum ir::loop_kind;
    if (!s) return true;
    if (auto const* l = ir::as<ir::loop>(s); l && l->kind != serial && l->kind != vectorized && l->kind != unrolled)
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
    return ir::make_loop(inside, ir::make_index(0), ir::make_index(length), l.kind,
                         arith::substitute(l.body, {{l.variable, start + ir::make_variable(inside)}}));
  };
  auto const over = l.variable + ".block";
  std::vector<ir::stmt> made = {ir::make_loop(over, ir::make_index(0), ir::make_index(whole), ir::loop_kind::serial,
                                              part(ir::make_variable(over) * block + begin, block))};
  if (auto const rest = iterations % block; rest > 0) made.push_back(part(ir::make_index(begin + whole * block), rest));
  return ir::make_block(std::move(made));
}

}  // namespace detail

ir::stmt split_long_loops(ir::stmt const& s) {
  if (!s) return s;
  auto const made = ir::map_parts(
      s, [](ir::stmt const& part) { return split_long_loops(part); }, [](ir::expr const& e) { return e; });
  auto const* l = ir::as<ir::loop>(made);
  bool const in_lanes = l && l->kind == ir::loop_kind::vectorized;
  if (!l || (!in_lanes && l->kind != ir::loop_kind::unrolled)) return made;
  if (!ir::is_constant(l->begin) || !ir::is_constant(l->end)) return made;
  auto const [longest, block] = in_lanes ? detail::longest_in_lanes : detail::longest_unrolled;
  bool const is_long = ir::constant_integer(l->end) - ir::constant_integer(l->begin) > longest;
  return is_long && detail::fits_blocks()(l->body) ? detail::in_blocks(*l, block) : made;
}

}}}  // namespace ttune::v0::lowering
