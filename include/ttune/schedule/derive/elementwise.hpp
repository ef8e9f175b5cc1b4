// SPDX-License-Identifier: Apache-2.0
// The schedule of a stage without reduced producers of its own: parallel blocks, vectors along the axis that most
// accesses are contiguous in, a two-dimensional tile where they disagree (a transpose).
#pragma once

#include "ttune/schedule/derive/analysis.hpp"
#include "ttune/support/integer.hpp"

namespace ttune::inline v0::derive {

inline void write_elementwise(space_builder& out, plan const& p, planned_stage const& st) {
  auto const& name = st.definition->name;
  auto const lanes = out.machine().lanes(st.definition->type());
  auto const v = choose_vector_axis(p, st, lanes).axis;
  std::vector<std::string> tasks;
  std::vector<std::string> rest;
  auto const rank = static_cast<std::int32_t>(st.definition->axes.size());
  std::int32_t crossing = -1;  // an axis along which another access is contiguous
  for (std::int32_t x = 0; x < rank; ++x)
    for (auto const& a : st.accesses)
      if (x != v && st.axis_size(static_cast<std::size_t>(x)) > 1 && stride(p, st, a, static_cast<std::size_t>(x)) == 1) crossing = x;
  std::int64_t inner = v < 0 ? 1 : st.axis_size(static_cast<std::size_t>(v));
  std::string vector_loop;
  std::string row_loop;
  for (std::int32_t x = 0; x < rank; ++x) {
    auto const size = st.axis_size(static_cast<std::size_t>(x));
    auto const& n = st.axis_name(static_cast<std::size_t>(x));
    if (size == 1) continue;
    if (x == v && size > lanes) {
      auto const tile = out.one_of(name + ".tile_" + n, {lanes, 2 * lanes, 4 * lanes}, crossing >= 0 ? lanes : std::min<std::int64_t>(4 * lanes, size));
      auto const most = ceil_divide(size, lanes);
      auto const chunk = out.one_of(name + ".chunk_" + n, doublings(most), crossing >= 0 ? 4 : std::max<std::int64_t>(1, 4096 / (4 * lanes)));
      out.step(primitive::split, name, {n}, {n + "_0", n + "_1", n + "_2"}, {chunk, tile});
      tasks.push_back(n + "_0");
      rest.push_back(n + "_1");
      vector_loop = n + "_2";
    } else if (x == v) {
      vector_loop = n;
    } else if (x == crossing && size > 1) {
      auto const tile = out.one_of(name + ".tile_" + n, {1, 4, 8, 16}, 16);
      out.step(primitive::split, name, {n}, {n + "_0", n + "_2"}, {tile});
      tasks.push_back(n + "_0");
      row_loop = n + "_2";
    } else {
      auto const wanted = std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(1, inner));
      auto const chunk = out.one_of(name + ".chunk_" + n, doublings(size), std::min(wanted, std::max<std::int64_t>(1, size / (2 * out.machine().cores))));
      out.step(primitive::split, name, {n}, {n + "_0", n + "_1"}, {chunk});
      tasks.push_back(n + "_0");
      rest.push_back(n + "_1");
    }
  }
  std::vector<std::string> order = tasks;
  order.insert(order.end(), rest.begin(), rest.end());
  if (!row_loop.empty()) order.push_back(row_loop);
  if (!vector_loop.empty()) order.push_back(vector_loop);
  if (order.size() > 1) out.step(primitive::reorder, name, order);
  if (tasks.size() > 1) out.step(primitive::fuse, name, tasks, {"tasks"});
  if (!tasks.empty()) out.step(primitive::parallel, name, {tasks.size() > 1 ? "tasks" : tasks[0]});
  if (!vector_loop.empty()) out.step(primitive::vectorize, name, {vector_loop});
  if (!row_loop.empty()) out.step(primitive::unroll, name, {row_loop});
}

}  // namespace ttune::inline v0::derive
