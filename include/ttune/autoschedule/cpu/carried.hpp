// SPDX-License-Identifier: Apache-2.0
// The schedule of a scan whose results continue each other (schedule/primitive/carry.hpp): vectors of results beside
// each other, if they are contiguous, else some rows side by side.
//
//   parallel others, blocks of x
//     for t
//       for vectors of the block: vectorize x: S[t, x] = S[t - 1, x] + …
//
//   parallel blocks of rows
//     for some rows of the block
//       for t
//         unroll row: last[row] += …, S[row, t] = last[row]
//
// Rows of whole tiles lie in lanes (rows_in_lanes.hpp). A stage that takes the results at its own points follows in the
// same loops:
//
//   parallel blocks of rows
//     for some rows of the block
//       for parts of t
//         for t: unroll row: last[row] += …, S[row, t] = last[row]
//         for the rows: vectorize t: O[row, t] = … S[row, t] …
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ttune/autoschedule/cpu/rows_in_lanes.hpp"
#include "ttune/autoschedule/cpu/scans.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

class carried {
 public:
  /// `reader` is `scan` itself, or a stage that takes its results in the same loops (`suits`).
  carried(space_builder& out, plan const& p, stage_plan const& scan, stage_plan const& reader)
      : out_(out),
        p_(p),
        st_(scan),
        reader_(reader),
        name_(scan.definition->name),
        outer_(reader.definition->name),
        along_(arith::scan_form_of(*scan.definition)->free) {
    lanes_ = out_.machine().lanes(st_.definition->type());
    lanes_axis_ = axis_of_lanes(p_, st_, out_.machine());
  }

  /// Returns true if `reader` may follow in the same loops: for the same rows, or for the same elements of columns.
  [[nodiscard]] static bool suits(plan const& p, stage_plan const& scan, stage_plan const& reader,
                                  target const& machine) {
    auto const along = arith::scan_form_of(*scan.definition)->free;
    if (axis_of_lanes(p, scan, machine) != none) return takes_in_place(p, scan, reader, along);
    return along + 1 == scan.definition->axes.size() && results_beside(scan, along) > 1;
  }

  void write() {
    auto tasks = unit_axes(reader_);
    for (std::size_t x = 0; x < reader_.definition->axes.size(); ++x)
      if (x != along_ && x != lanes_axis_ && reader_.axis_size(x) > 1) tasks.push_back(reader_.axis_name(x));
    if (lanes_axis_ != none) write_columns(std::move(tasks));
    else if (results_beside(st_, along_) > 1) write_rows(std::move(tasks));
    else carry();
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  /// Returns another axis than the scanned one along which results are contiguous and fill lanes; `none` if there is no
  /// such axis.
  [[nodiscard]] static std::size_t axis_of_lanes(plan const& p, stage_plan const& st, target const& machine) {
    std::int64_t const lanes = machine.lanes(st.definition->type());
    auto const along = arith::scan_form_of(*st.definition)->free;
    for (std::size_t x = 0; x < st.definition->axes.size(); ++x) {
      bool const fills = st.axis_size(x) > 1 && (2 * st.axis_size(x) >= lanes || st.axis_size(x) % 4 == 0);
      if (x != along && fills && stride(p, st, st.accesses.back(), x) == 1) return x;
    }
    return none;
  }

  void carry() { out_.step(primitive::carry, name_, {st_.axis_name(along_)}); }

  [[nodiscard]] bool is_short_work() const { return size_of(st_).results <= most_sequential_elements; }

  /// Reorders the loops of the outer stage, and has the tasks run in parallel.
  void order_tasks(std::vector<std::string> const& tasks, std::vector<std::string> const& inner) {
    auto order = tasks;
    order.insert(order.end(), inner.begin(), inner.end());
    out_.step(primitive::reorder, outer_, order);
    if (!is_short_work()) out_.step(primitive::parallel, outer_, {out_.fused(outer_, tasks, "tasks")});
  }

  /// Divides the axis of the lanes into blocks for the cores, whose row stays in a first-level cache, and vectors.
  void write_columns(std::vector<std::string> tasks) {
    carry();
    constexpr std::int64_t most_columns = 2048;
    auto const n = st_.axis_name(lanes_axis_);
    auto const size = st_.axis_size(lanes_axis_);
    auto const rows = results_beside(st_, along_) / size;
    auto const shares = is_short_work() ? 1 : std::max<std::int64_t>(1, out_.machine().cores / rows);
    auto const columns = std::min(most_columns, std::max<std::int64_t>(lanes_, size / shares));
    auto const tile = out_.one_of(name_ + ".tile_" + n, {lanes_, 2 * lanes_, 4 * lanes_},
                                  std::min<std::int64_t>(4 * lanes_, columns));
    auto const tiles = out_.one_of(name_ + ".tiles_" + n, doublings(ceil_divide(size, lanes_)),
                                   std::max<std::int64_t>(1, columns / (4 * lanes_)));
    out_.step(primitive::split, outer_, {n}, {n + "_0", n + "_1", n + "_2"}, {tiles, tile});
    tasks.push_back(n + "_0");
    order_tasks(tasks, {st_.axis_name(along_), n + "_1", n + "_2"});
    out_.step(primitive::vectorize, outer_, {n + "_2"});
    if (&reader_ == &st_) return;
    out_.step(primitive::split, name_, {n}, {n + "_1", n + "_2"}, {tile});
    auto order = order_inside(lanes_axis_);
    order.push_back(n + "_1");
    order.push_back(n + "_2");
    out_.step(primitive::reorder, name_, order);
    out_.step(primitive::vectorize, name_, {n + "_2"});
    out_.step(primitive::compute_at, name_, {outer_, st_.axis_name(along_)});
  }

  /// Returns the loops of the scan inside of its reader, with the scanned axis behind the others, without one axis.
  [[nodiscard]] std::vector<std::string> order_inside(std::size_t without) const {
    auto order = unit_axes(st_);
    for (std::size_t a = 0; a < st_.definition->axes.size(); ++a)
      if (a != along_ && a != without && st_.axis_size(a) > 1) order.push_back(st_.axis_name(a));
    order.push_back(st_.axis_name(along_));
    return order;
  }

  /// Gives each task some rows, a few of which are scanned side by side.
  void write_rows(std::vector<std::string> tasks) {
    constexpr std::int64_t elements_of_task = 16384;
    auto const n = tasks.back();
    auto const along = st_.axis_name(along_);
    std::size_t x = 0;
    while (reader_.axis_name(x) != n) ++x;
    auto const size = reader_.axis_size(x);
    auto const rows_read = look_at_rows(p_, st_, along_, x);
    auto const tile = rows_of_tile(rows_read, out_.machine(), lanes_);
    bool const is_taken_in_place = &reader_ == &st_ || takes_in_place(p_, st_, reader_, along_);
    if (rows_read.suits && is_taken_in_place && lanes_ >= 4 && st_.axis_size(along_) >= 2 * tile && size >= tile)
      return write_rows_in_lanes(std::move(tasks), x, rows_read, tile);
    carry();
    auto const wanted = elements_of_task / (st_.axis_size(along_) * rows_side_by_side);
    auto const most = size / (2 * out_.machine().cores * rows_side_by_side);
    auto const groups = out_.one_of(name_ + ".groups_" + n, doublings(size),
                                    std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(1, most)));
    auto const rows = out_.one_of(name_ + ".rows_" + n, {1, 2, 4, 8}, rows_side_by_side);
    out_.step(primitive::split, outer_, {n}, {n + "_0", n + "_1", n + "_2"}, {groups, rows});
    tasks.back() = n + "_0";
    if (&reader_ == &st_) {
      order_tasks(tasks, {n + "_1", along, n + "_2"});
      return out_.step(primitive::unroll, name_, {n + "_2"});
    }
    bool const in_place = takes_in_place(p_, st_, reader_, along_);
    auto const columns = split_columns();
    std::vector<std::string> inner{n + "_1"};
    if (!in_place || columns.size() == 1) inner.push_back(n + "_2");
    inner.push_back(columns[0]);
    if (in_place && columns.size() > 1) inner.push_back(n + "_2");
    if (columns.size() > 1) inner.push_back(columns[1]);
    order_tasks(tasks, inner);
    out_.step(primitive::vectorize, outer_, {columns.back()});
    auto order = order_inside(x);
    order.push_back(st_.axis_name(x));
    out_.step(primitive::reorder, name_, order);
    out_.step(primitive::unroll, name_, {st_.axis_name(x)});
    out_.step(primitive::compute_at, name_, {outer_, in_place && columns.size() > 1 ? columns[0] : n + "_1"});
  }

  /// Gives each task some tiles of rows, whose rows lie in lanes. `x` is the axis of the rows.
  void write_rows_in_lanes(std::vector<std::string> tasks, std::size_t x, scanned_rows const& rows,
                           std::int64_t rows_of_tile) {
    constexpr std::int64_t elements_of_task = 16384;
    auto const n = tasks.back();
    auto const t = st_.axis_name(along_);
    auto const results = &reader_ == &st_ ? name_ + ".tile" : name_;
    if (&reader_ == &st_) out_.step(primitive::cache_write, name_, {}, {results});
    for (auto const& r : rows.read) out_.step(primitive::cache_read, results, {r}, {results + "." + r});
    auto const most = reader_.axis_size(x) / (rows_of_tile * out_.machine().cores);
    auto const wanted = elements_of_task / (st_.axis_size(along_) * rows_of_tile);
    auto const groups = out_.one_of(name_ + ".groups_" + n, doublings(reader_.axis_size(x)),
                                    std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(1, most)));
    auto const tile = out_.one_of(name_ + ".rows_" + n, {lanes_ / 2, lanes_}, rows_of_tile);
    auto const columns = out_.one_of(name_ + ".columns_" + t, {lanes_ / 2, lanes_}, rows_of_tile);
    out_.step(primitive::split, outer_, {n}, {n + "_0", n + "_1", n + "_2"}, {groups, tile});
    out_.step(primitive::split, outer_, {t}, {t + "_0", t + "_1"}, {columns});
    tasks.back() = n + "_0";
    order_tasks(tasks, {n + "_1", t + "_0", n + "_2", t + "_1"});
    out_.step(primitive::unroll, outer_, {n + "_2"});
    out_.step(primitive::vectorize, outer_, {t + "_1"});
    auto order = order_inside(x);
    order.push_back(n);
    out_.step(primitive::carry, results, {t});
    out_.step(primitive::reorder, results, order);
    out_.step(primitive::unroll, results, {t});
    out_.step(primitive::vectorize, results, {n});
    keep_in_registers(results, t + "_0");
    for (auto const& r : rows.read) {
      out_.step(primitive::unroll, results + "." + r, {n});
      out_.step(primitive::vectorize, results + "." + r, {st_.axis_name(st_.definition->axes.size())});
      keep_in_registers(results + "." + r, t + "_0");
    }
  }

  void keep_in_registers(std::string const& stage, std::string const& loop) {
    out_.step(primitive::compute_at, stage, {outer_, loop});
    out_.step(primitive::store_in, stage, {}, {}, {literal(static_cast<int>(ir::memory::registers))});
  }

  /// Splits the last axis of the reader into vectors, and returns its loops.
  [[nodiscard]] std::vector<std::string> split_columns() {
    auto const column = reader_.axis_name(along_);
    if (reader_.axis_size(along_) <= 2 * lanes_) return {column};
    auto const tile = out_.one_of(outer_ + ".tile_" + column, {lanes_, 2 * lanes_, 4 * lanes_, 8 * lanes_}, 4 * lanes_);
    out_.step(primitive::split, outer_, {column}, {column + "_0", column + "_1"}, {tile});
    return {column + "_0", column + "_1"};
  }

  /// Returns true if a reader takes each result at its own place along the scanned axis.
  [[nodiscard]] static bool takes_in_place(plan const& p, stage_plan const& scan, stage_plan const& reader,
                                           std::size_t along) {
    return std::all_of(reader.accesses.begin(), reader.accesses.end(), [&](access_plan const& a) {
      if (a.write || a.producer < 0 || p.stages[static_cast<std::size_t>(a.producer)].definition != scan.definition)
        return true;
      return axis_alone(a.indices[along]) == static_cast<std::int32_t>(along);
    });
  }

  space_builder& out_;
  plan const& p_;
  stage_plan const& st_;
  stage_plan const& reader_;
  std::string name_;
  std::string outer_;  ///< the stage with the loops over tasks
  std::size_t along_;  ///< the scanned axis
  std::int32_t lanes_ = 1;
  std::size_t lanes_axis_ = none;
};

}}}  // namespace ttune::v0::autoschedule
