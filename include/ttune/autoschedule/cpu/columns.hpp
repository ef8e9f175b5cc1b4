// SPDX-License-Identifier: Apache-2.0
// The schedule of reductions over an outer axis and of the stages that read their results at all elements of this axis:
// softmax over the channels of an image, a norm of each column, moments of the velocities at each point. A task
// computes some columns side by side, one in each lane.
//
//   parallel blocks of points
//     for some vectors of points
//       for k: vectorize x: sum[x] += F[k, x] …      (in registers)
//       vectorize x: mean[x] = sum[x] / …            (in registers)
//       for k: vectorize x: O[k, x] = F[k, x] … mean[x]
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ttune/autoschedule/row_chain.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

class columns {
 public:
  /// `chain` has the stages of a column, the last one first (row_chain.hpp); `lane_axis` is the axis of `reader` along
  /// which columns stand side by side.
  columns(space_builder& out, plan const& p, stage_plan const& reader, row_chain const& chain, std::size_t lane_axis)
      : out_(out), p_(p), e_(reader), name_(reader.definition->name), chain_(chain), lane_axis_(lane_axis) {}

  void write() {
    split_reader();
    for (auto const i : chain_.stages) place(p_.stages[i]);
  }

  /// Returns true if each access of a reduction moves along all of its free axes or along none: no register tile would
  /// use an element again.
  [[nodiscard]] static bool reads_columns(plan const& p, stage_plan const& st) {
    return std::none_of(st.accesses.begin(), st.accesses.end(), [&](access_plan const& a) {
      bool moves = false;
      bool stands = false;
      for (std::size_t x = 0; x < st.definition->axes.size() && !a.write; ++x)
        if (st.axis_size(x) > 1) (stride(p, st, a, x) == 0 ? stands : moves) = true;
      return moves && stands;
    });
  }

  /// Returns true if the reader and the stages of the chain read each other at their own points.
  [[nodiscard]] static bool reads_in_columns(plan const& p, std::size_t reader, row_chain const& chain) {
    auto all = chain.stages;
    all.push_back(reader);
    return std::all_of(all.begin(), all.end(), [&](std::size_t i) {
      auto const& st = p.stages[i];
      return std::all_of(st.accesses.begin(), st.accesses.end(), [&](access_plan const& a) {
        if (a.write || std::find(all.begin(), all.end(), static_cast<std::size_t>(a.producer)) == all.end())
          return true;
        auto const& read = p.stages[static_cast<std::size_t>(a.producer)];
        for (std::size_t d = 0; d < a.indices.size(); ++d)
          if (is_point(chain, read.axis_name(d)) && !is_at_axis(st, a.indices[d], read.axis_name(d))) return false;
        return true;
      });
    });
  }

  /// Returns true if `reader` has several elements along a column, but not too many, and if the axis for the lanes is
  /// none of these.
  [[nodiscard]] static bool suits(stage_plan const& reader, row_chain const& chain, std::size_t lane_axis) {
    auto const elements = length(reader, chain);
    return elements > 1 && elements <= longest && is_point(chain, reader.axis_name(lane_axis));
  }

 private:
  /// Longer columns jump through more pages than a core looks ahead for. Softmax along columns of 21, 128, 256 and 512
  /// elements, 2^20 in all, over stages one after the other (one thread of a Zen 5): 1.14, 1.23, 0.90, 0.83.
  static constexpr std::int64_t longest = 128;
  /// Columns of at most this length are unrolled, so that tables along them are constants.
  static constexpr std::int64_t most_unrolled = 16;

  [[nodiscard]] static bool is_point(row_chain const& chain, std::string const& axis) {
    return std::find(chain.row.begin(), chain.row.end(), axis) != chain.row.end();
  }

  /// Returns true if an index is the stage's own axis of a name.
  [[nodiscard]] static bool is_at_axis(stage_plan const& st, index_plan const& i, std::string const& axis) {
    if (i.whole || i.is_redirected() || i.divisor != 1 || i.constant != 0) return false;
    for (std::size_t x = 0; x < i.coefficient.size(); ++x)
      if (i.coefficient[x] != (st.axis_name(x) == axis ? 1 : 0)) return false;
    return true;
  }

  /// Returns the number of elements along a column of the reader.
  [[nodiscard]] static std::int64_t length(stage_plan const& reader, row_chain const& chain) {
    std::int64_t product = 1;
    for (std::size_t x = 0; x < reader.definition->axes.size(); ++x)
      if (!is_point(chain, reader.axis_name(x))) product *= reader.axis_size(x);
    return product;
  }

  /// Returns the vectors of a tile: the results of all stages stay in half of the registers.
  [[nodiscard]] std::int64_t vectors() const {
    std::size_t components = 1;
    for (auto const i : chain_.stages) components += p_.stages[i].definition->components.size();
    auto const fitting =
        static_cast<std::int64_t>(out_.machine().vector_registers) / 2 / static_cast<std::int64_t>(components);
    return fitting >= 4 ? 4 : fitting >= 2 ? 2 : 1;
  }

  void split_reader() {
    auto const lanes = static_cast<std::int64_t>(out_.machine().lanes(e_.definition->type()));
    auto const tile = lanes * std::min(vectors(), std::max<std::int64_t>(1, e_.axis_size(lane_axis_) / lanes));
    auto const cores = static_cast<std::int64_t>(out_.machine().cores);
    bool const sequential = iterations_of(e_) <= most_sequential_elements;
    auto order = unit_axes(e_);
    std::vector<std::string> tasks;
    std::vector<std::string> middle;
    std::vector<std::string> along;
    std::int64_t rows = 1;
    for (std::size_t x = 0; x < e_.definition->axes.size(); ++x) {
      auto const& n = e_.axis_name(x);
      auto const size = e_.axis_size(x);
      if (size == 1 || x == lane_axis_) continue;
      if (!is_point(chain_, n)) {
        along.push_back(n);
        continue;
      }
      auto const wanted = sequential ? size : std::max<std::int64_t>(1, size / (2 * cores));
      out_.step(primitive::split, name_, {n}, {n + "_0", n + "_1"},
                {out_.one_of(name_ + ".chunk_" + n, doublings(size), wanted)});
      tasks.push_back(n + "_0");
      middle.push_back(n + "_1");
      rows *= ceil_divide(size, wanted);
    }
    auto const& v = e_.axis_name(lane_axis_);
    auto const tiles = ceil_divide(e_.axis_size(lane_axis_), tile);
    auto const wanted = sequential || rows >= 2 * cores ? tiles : std::max<std::int64_t>(1, tiles / (2 * cores));
    out_.step(primitive::split, name_, {v}, {v + "_0", v + "_1", v + "_2"},
              {out_.one_of(name_ + ".chunk_" + v, doublings(tiles), wanted),
               out_.one_of(name_ + ".tile_" + v, tile_sizes(lanes), tile)});
    tasks.push_back(v + "_0");
    middle.push_back(v + "_1");
    for (auto const* part : {&tasks, &middle, &along}) order.insert(order.end(), part->begin(), part->end());
    order.push_back(v + "_2");
    out_.step(primitive::reorder, name_, order);
    out_.step(primitive::parallel, name_, {out_.fused(name_, tasks, "tasks")});
    out_.step(primitive::vectorize, name_, {v + "_2"});
    place_ = middle.back();
    unroll_short(e_, along);
  }

  [[nodiscard]] static std::vector<std::int32_t> tile_sizes(std::int64_t lanes) {
    auto const one = static_cast<std::int32_t>(lanes);
    return {one, 2 * one, 4 * one};
  }

  /// Unrolls the innermost loop along a column if it is short.
  void unroll_short(stage_plan const& st, std::vector<std::string> const& along) {
    if (along.empty()) return;
    for (std::size_t x = 0; x < st.axis_count(); ++x)
      if (st.axis_name(x) == along.back() && st.axis_size(x) <= most_unrolled)
        out_.step(primitive::unroll, st.definition->name, {along.back()});
  }

  /// Computes a stage for the columns of a tile: points in registers, elements along columns in a small buffer.
  void place(stage_plan const& st) {
    auto const& name = st.definition->name;
    auto const& v = e_.axis_name(lane_axis_);
    std::vector<std::string> order;
    std::vector<std::string> along;
    bool has_lanes = false;
    bool has_columns = false;
    for (std::size_t x = 0; x < st.axis_count(); ++x) {
      auto const& n = st.axis_name(x);
      bool const is_free = x < st.definition->axes.size();
      if (is_free && n == v) {
        has_lanes = true;
      } else if (is_free && is_point(chain_, n)) {
        order.push_back(n);
      } else {
        along.push_back(n);
        has_columns = has_columns || is_free;
      }
    }
    order.insert(order.end(), along.begin(), along.end());
    if (has_lanes) order.push_back(v);
    if (order.size() > 1) out_.step(primitive::reorder, name, order);
    if (has_lanes) out_.step(primitive::vectorize, name, {v});
    unroll_short(st, along);
    out_.step(primitive::compute_at, name, {name_, place_});
    if (!has_columns) out_.step(primitive::store_in, name, {}, {}, {literal(static_cast<int>(ir::memory::registers))});
  }

  space_builder& out_;
  plan const& p_;
  stage_plan const& e_;
  std::string name_;
  row_chain const& chain_;
  std::size_t lane_axis_;
  std::string place_;
};

}}}  // namespace ttune::v0::autoschedule
