// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/capture/bounds.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace capture { namespace detail {

/// Throws if an index is data whose declared range does not fit the dimension `d` of `size` elements.
inline void check_gather(std::string const& stage, ir::access const& a, std::size_t d, std::int64_t size) {
  auto const source = ir::name_of(a.from);
  ir::for_each_node(a.indices[d], [&](ir::expr const& n) {
    auto const* inner = ir::as<ir::access>(n);
    auto const* t = inner ? std::get_if<handle<ir::tensor>>(&inner->from) : nullptr;
    if (t && (*t)->has_range && ((*t)->low < 0 || (*t)->high > size))
      throw program_error(stage + ": " + source + " dimension " + std::to_string(d) + " is indexed with data of " +
                          (*t)->name + ", which holds values in [" + std::to_string((*t)->low) + ", " +
                          std::to_string((*t)->high) + "); " + source + " has " + std::to_string(size) + " there");
  });
}

/// Returns advice for an index that contains data without a declared range: the declaration that is missing, without
/// the range itself. Returns an empty text if there is no such data.
inline std::string data_without_range(ir::expr const& index) {
  std::string found;
  ir::for_each_node(index, [&](ir::expr const& n) {
    auto const* inner = ir::as<ir::access>(n);
    auto const* t = inner ? std::get_if<handle<ir::tensor>>(&inner->from) : nullptr;
    if (t && !(*t)->has_range && found.empty())
      found = "say which values " + (*t)->name + " holds where it is declared: " + (*t)->name + "{{…}";
  });
  return found;
}

inline void check_index(std::string const& stage, ir::access const& a, std::size_t d, std::int64_t size,
                        arith::ranges const& axes) {
  auto const i = arith::bounds(a.indices[d], axes);
  if (!arith::is_bounded(i)) return check_gather(stage, a, d, size);
  if (i.high < i.low || (i.low >= 0 && i.high < size)) return;
  auto const source = ir::name_of(a.from);
  auto const how = data_without_range(a.indices[d]);
  throw program_error(stage + ": " + source + " dimension " + std::to_string(d) + " is indexed with " +
                      ir::print(a.indices[d]) + ", which runs over [" + std::to_string(i.low) + ", " +
                      std::to_string(i.high + 1) + "); " + source + " has " + std::to_string(size) +
                      " there: use zero_outside(" + source + "), or " +
                      (how.empty() ? "set the axis with .in(…)" : how + ", values(0, " + std::to_string(size) + ")}"));
}

void check_read(std::string const& stage, ir::access const& a, arith::ranges const& axes) {
  if (a.outside != ir::boundary::none) return;
  auto const shape = ir::shape_of(a.from);
  for (std::size_t d = 0; d < shape.size(); ++d) check_index(stage, a, d, shape[d], axes);
}

void check_reads(std::string const& stage, ir::expr const& e, arith::ranges const& axes) {
  ir::for_each_node(e, [&](ir::expr const& n) {
    if (auto const* a = ir::as<ir::access>(n)) check_read(stage, *a, axes);
  });
}

}}}}  // namespace ttune::v0::capture::detail
