// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "ttune/arith/interval.hpp"
#include "ttune/ir/instruction.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/runtime/measure/operation_count.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

class operation_counter {
 public:
  explicit operation_counter(target const& machine) : machine_(machine) {}

  double count(ir::stmt const& s) {
    if (!s) return 0;
    return ir::visit(
        s,
        [&](ir::block const& n) {
          double sum = 0;
          for (auto const& part : n.body) sum += count(part);
          return sum;
        },
        [&](ir::loop const& n) { return count_loop(n); },
        [&](ir::let const& n) {
          return within(n.variable, {n.low, n.high - 1}, [&] { return count(n.value) + count(n.body); });
        },
        [&](ir::conditional const& n) { return count(n.condition) + std::max(count(n.then), count(n.otherwise)); },
        [&](ir::allocate const& n) { return count(n.body); }, [&](ir::store const& n) { return 1 + count(n.value); },
        [](ir::barrier const&) { return 1.0; }, [](ir::prefetch const&) { return 1.0; },
        [&](auto const& n) { return count(ir::loops_of(n)); });
  }

 private:
  template <class Work>
  double within(std::string const& variable, arith::interval const& range, Work const& work) {
    known_[variable] = range;
    auto const made = work();
    known_.erase(variable);
    return made;
  }

  double count_loop(ir::loop const& n) {
    auto const begin = arith::bounds(n.begin, known_);
    auto const end = arith::bounds(n.end, known_);
    auto const middle = [](arith::interval const& i) {
      return (static_cast<double>(i.low) + static_cast<double>(i.high)) / 2;
    };
    auto const iterations = std::max(0.0, middle(end) - middle(begin));
    auto const each = within(n.variable, {begin.low, end.high - 1}, [&] { return count(n.body); });
    switch (n.kind) {
      case ir::loop_kind::serial: return iterations * (1 + each);
      case ir::loop_kind::unrolled:
      case ir::loop_kind::tensorized:
      case ir::loop_kind::virtual_thread: return iterations * each;
      case ir::loop_kind::vectorized: return std::ceil(iterations / machine_.lanes(dtype::f32)) * each;
      default: return std::ceil(iterations / machine_.cores) * (1 + each);
    }
  }

  /// Counts operations on values; index arithmetic is not counted.
  double count(ir::expr const& e) const {
    if (e->type == dtype::index) return 0;
    bool const is_operation = !ir::as<ir::constant>(e) && !ir::as<ir::variable>(e);
    double sum = is_operation ? 1 : 0;
    ir::for_each_operand(e, [&](ir::expr const& operand) { sum += count(operand); });
    return sum;
  }

  target const& machine_;
  arith::ranges known_;
};

}  // namespace detail

double operation_count(ir::lowered const& program, target const& machine) {
  return detail::operation_counter(machine).count(program.body);
}

}}  // namespace ttune::v0
