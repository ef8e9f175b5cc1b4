// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/ir/count_flops.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

inline double count_operations(ir::expr const& e) {
  double count = 0;
  ir::for_each_node(e, [&](ir::expr const& n) {
    if (ir::is_arithmetic(n)) ++count;
  });
  return count;
}

}  // namespace detail

double count_flops(ir::stage const& stage) {
  double points = 1;
  for (auto const& a : stage.axes) points *= static_cast<double>(a.size());
  for (auto const& a : stage.reduction.axes) points *= static_cast<double>(a.size());
  double each = stage.reduces() ? 1 : 0;
  for (auto const& c : stage.components) each += detail::count_operations(c.value);
  for (auto const& c : stage.reduction.combine) each += detail::count_operations(c);
  return points * each;
}

double count_flops(ir::program const& program) {
  double sum = 0;
  for (auto const& st : program.stages) sum += count_flops(*st);
  return sum;
}

}}  // namespace ttune::v0
