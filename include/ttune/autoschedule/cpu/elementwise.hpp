// SPDX-License-Identifier: Apache-2.0
// The schedule of a stage without reduced producers of its own: parallel blocks, vectors along the axis in which the
// result is contiguous. Reads that are contiguous along another axis (a transpose) use a tile of registers, which is
// loaded along that axis and transposed there:
//
//   parallel blocks
//     for tiles of the block
//       unroll column: vectorize row: tile[column, row] = A[row, column] …   (whole lines are read)
//       unroll row: vectorize column: O[row, column] = … tile …             (whole lines are written)
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "ttune/autoschedule/blocks.hpp"
#include "ttune/autoschedule/cpu/short_rows.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

class elementwise {
 public:
  elementwise(space_builder& out, plan const& p, stage_plan const& st, block_axis blocks = {})
      : out_(out), p_(p), st_(st), name_(st.definition->name), blocks_(std::move(blocks)) {
    lanes_ = out_.machine().lanes(st_.definition->type());
    v_ = choose_vector_axis(p_, st_, lanes_).axis;
    leave_components();
    find_crossing();
    find_values();
  }

  /// Returns the stages that are computed in registers inside of this one, such as the tile of a transpose.
  [[nodiscard]] std::vector<std::size_t> absorbed() const {
    auto stages = values_;
    for (auto const* a : crossing_reads_)
      if (a->producer >= 0) stages.push_back(static_cast<std::size_t>(a->producer));
    return stages;
  }

  void write() {
    split_axes();
    auto order = unit_axes(st_);
    order.insert(order.end(), tasks_.begin(), tasks_.end());
    order.insert(order.end(), middle_.begin(), middle_.end());
    order.insert(order.end(), shared_rows_.begin(), shared_rows_.end());
    if (!row_loop_.empty()) order.push_back(row_loop_);
    if (!vector_loop_.empty()) order.push_back(vector_loop_);
    if (order.size() > 1) out_.step(primitive::reorder, name_, order);
    bool const fuses = tasks_.size() > 1 && !blocks_.is_last;
    if (fuses) out_.step(primitive::fuse, name_, tasks_, {"tasks"});
    if (!tasks_.empty()) out_.step(primitive::parallel, name_, {fuses ? "tasks" : tasks_[0]});
    if (!vector_loop_.empty()) out_.step(primitive::vectorize, name_, {vector_loop_});
    if (!row_loop_.empty()) out_.step(primitive::unroll, name_, {row_loop_});
    for (auto const& n : shared_rows_) out_.step(primitive::unroll, name_, {n});
    for (auto const* a : crossing_reads_) through_registers(*a);
    for (auto const v : values_) compute_in_registers(p_.stages[v], order[order.size() - 2]);
  }

 private:
  [[nodiscard]] std::int64_t size(std::int32_t axis) const { return st_.axis_size(static_cast<std::size_t>(axis)); }
  [[nodiscard]] std::string const& axis(std::int32_t a) const { return st_.axis_name(static_cast<std::size_t>(a)); }
  [[nodiscard]] std::int64_t step(access_plan const& a, std::int32_t axis) const {
    return stride(p_, st_, a, static_cast<std::size_t>(axis));
  }
  [[nodiscard]] std::int32_t rank() const { return static_cast<std::int32_t>(st_.definition->axes.size()); }

  /// Moves the lanes from the components of points to the axis in which the result is contiguous: planes of an image
  /// whose channels are interleaved. Components are unrolled, since they share loads.
  void leave_components() {
    if (v_ < 0 || !is_short(st_, static_cast<std::size_t>(v_)) || size(v_) >= lanes_) return;
    for (std::int32_t x = 0; x < rank(); ++x) {
      if (x == v_ || size(x) < lanes_ || step(st_.accesses.back(), x) != 1) continue;
      components_ = std::exchange(v_, x);
      return;
    }
  }

  /// Finds the second axis of the tile, and the reads along it. Vectors then run along the axis in which the result is
  /// contiguous.
  void find_crossing() {
    std::int32_t contiguous = -1;
    for (std::int32_t x = 0; x < rank(); ++x)
      if (2 * size(x) >= lanes_ && step(st_.accesses.back(), x) == 1) contiguous = x;
    if (contiguous < 0 || lanes_ < 4) return;
    for (auto const& a : st_.accesses)
      for (std::int32_t x = 0; x < rank(); ++x) {
        if (a.write || x == contiguous || size(x) < lanes_ || step(a, x) != 1 || step(a, contiguous) == 0) continue;
        if ((crossing_ >= 0 && x != crossing_) || !is_copied_whole(a, contiguous)) continue;
        crossing_ = x;
        crossing_reads_.push_back(&a);
      }
    if (crossing_ >= 0) v_ = contiguous;
  }

  /// Returns true for an operand with one read and one element per element of the result, or for such a stage that only
  /// this one reads and that only moves elements. Shifted elements mostly have guards; they form a tile only if all
  /// vectors are full, since a guard around a part of a tile cannot be lowered.
  [[nodiscard]] bool is_copied_whole(access_plan const& a, std::int32_t contiguous) const {
    if (a.producer >= 0) return moves_elements(a);
    if (a.operand < 0 || !indexes_by_axes(st_, a, size(contiguous) % lanes_ == 0)) return false;
    auto const& t = p_.program->inputs[static_cast<std::size_t>(a.operand)];
    if (t->role == ir::tensor_role::table || t->role == ir::tensor_role::inout ||
        out_.machine().lanes(t->type) != lanes_)
      return false;
    return std::count_if(st_.accesses.begin(), st_.accesses.end(),
                         [&](access_plan const& b) { return !b.write && b.operand == a.operand; }) == 1;
  }

  [[nodiscard]] bool moves_elements(access_plan const& a) const {
    auto const& made = p_.stages[static_cast<std::size_t>(a.producer)];
    return !made.definition->reduces() && made.definition->components.size() == 1 && !made.output &&
           made.accesses.size() == 2 && ir::as<ir::access>(made.definition->components[0].value) &&
           made.accesses[0].producer >= 0 && indexes_by_axes(st_, a) && readers_of(p_, a.producer).size() == 1 &&
           out_.machine().lanes(made.definition->type()) == lanes_;
  }

  /// Finds the stages that are computed for each vector of this one: stages of the same points without a reduction that
  /// only this one and other such stages read, each at its own point. In memory they would be passes over all points.
  void find_values() {
    auto const self = static_cast<std::size_t>(&st_ - p_.stages.data());
    bool const has_outer_loop = v_ >= 0 && (size(v_) > lanes_ || rank() > 1);
    if (crossing_ >= 0 || components_ >= 0 || !has_outer_loop) return;
    std::vector<bool> inside(p_.stages.size(), false);
    inside[self] = true;
    for (auto i = self; i-- > 0;) {
      auto const& d = *p_.stages[i].definition;
      auto const readers = readers_of(p_, static_cast<std::int32_t>(i));
      inside[i] = !d.reduces() && !d.updates && !p_.stages[i].output && d.components.size() == 1 &&
                  has_axes_of_this(p_.stages[i]) && !readers.empty() &&
                  std::all_of(readers.begin(), readers.end(), [&](std::int32_t r) {
                    auto const reader = static_cast<std::size_t>(r);
                    return inside[reader] && reads_own_points(p_.stages[reader], i);
                  });
      if (inside[i]) values_.push_back(i);
    }
  }

  [[nodiscard]] bool has_axes_of_this(stage_plan const& other) const {
    if (other.definition->axes.size() != st_.definition->axes.size()) return false;
    for (std::size_t x = 0; x < other.definition->axes.size(); ++x)
      if (other.axis_name(x) != st_.axis_name(x) || other.axis_size(x) != st_.axis_size(x)) return false;
    return true;
  }

  /// Returns true if the reader, which has the axes of this stage, reads another such stage at its own point only.
  [[nodiscard]] bool reads_own_points(stage_plan const& reader, std::size_t of) const {
    return std::all_of(reader.accesses.begin(), reader.accesses.end(), [&](access_plan const& a) {
      if (a.write || a.producer != static_cast<std::int32_t>(of)) return true;
      for (std::size_t d = 0; d < a.indices.size(); ++d)
        if (axis_alone(a.indices[d]) != static_cast<std::int32_t>(d)) return false;
      return true;
    });
  }

  /// Returns true if a source is read at places that differ by a constant along the axis: neighbouring rows read the
  /// same elements, and share them in registers if they are unrolled.
  [[nodiscard]] bool is_read_beside(std::int32_t x) const {
    auto const differ_along = [&](access_plan const& a, access_plan const& b) {
      if (a.write || b.write || a.producer != b.producer || a.operand != b.operand) return false;
      for (std::size_t d = 0; d < a.indices.size(); ++d) {
        auto const &i = a.indices[d], &j = b.indices[d];
        if (!i.whole && !j.whole && i.coefficient == j.coefficient && i.constant != j.constant &&
            i.coefficient[static_cast<std::size_t>(x)] != 0)
          return true;
      }
      return false;
    };
    for (auto const& a : st_.accesses)
      for (auto const& b : st_.accesses)
        if (differ_along(a, b)) return true;
    return false;
  }

  /// Returns the maximum of rows along an axis that share reads. 4 x 4 gain nothing, take 2 s to compile (27 points of
  /// 128^3, AVX-512, least times of one run: 1 x 1 row 1113 us, 4 x 1 506, 2 x 2 434, 4 x 2 382, 4 x 4 387).
  [[nodiscard]] std::int32_t most_rows(std::int32_t x) const {
    if (x >= v_ || x + 2 < v_ || size(x) < 8 || !is_read_beside(x)) return 0;
    return x + 1 == v_ ? 4 : 2;
  }

  /// Returns how many different vectors a tile of rows reads, which lies along the two axes before the vectors'.
  [[nodiscard]] std::size_t reads_of_tile(std::int64_t outer_rows, std::int64_t rows) const {
    std::set<std::vector<std::int64_t>> places;
    auto const outer = static_cast<std::size_t>(v_ - 2), inner = static_cast<std::size_t>(v_ - 1);
    for (auto const& a : st_.accesses) {
      if (a.write) continue;
      for (std::int64_t o = 0; o < outer_rows; ++o)
        for (std::int64_t r = 0; r < rows; ++r) {
          std::vector<std::int64_t> place{a.producer, a.operand};
          for (auto const& i : a.indices)
            place.push_back(i.whole ? 0 : i.constant + o * i.coefficient[outer] + r * i.coefficient[inner]);
          places.insert(std::move(place));
        }
    }
    return places.size();
  }

  /// Returns how many rows the seed unrolls. A tile along two axes whose vectors exceed three times the registers has
  /// rows along the outer axis only (128^3, AVX-512, least times: a star of 25 points, 120 vectors, one thread, 2 x 4
  /// rows 3516 us, 2 x 1 2612; but a cube of 27 points, 72 vectors, two threads, three pairs of runs, 700 to 1000 and
  /// 1200 us).
  [[nodiscard]] std::int32_t seed_rows(std::int32_t x) const {
    auto const most = most_rows(x);
    bool const two_axes = x + 1 == v_ && x >= 1 && most > 1 && most_rows(x - 1) > 1;
    if (!two_axes) return most;
    auto const reads = reads_of_tile(most_rows(x - 1), most);
    return reads > 3 * static_cast<std::size_t>(out_.machine().vector_registers) ? 1 : most;
  }

  /// Chooses the rows of a task in the seed, inner axes first, so that a task has neighbouring rows. Cores share the
  /// outermost axis. If tasks divide the rows of a small matrix, 10 000 products of 4 x 4 take 66 us on one thread; 28
  /// us if they do not.
  void choose_row_chunks() {
    row_chunks_.assign(static_cast<std::size_t>(rank()), 1);
    bool const is_short_work = is_sequential(st_);
    auto rows = std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(1, v_ < 0 ? 1 : size(v_)));
    bool const vectors_are_shared = v_ >= 0 && size(v_) >= 2 * lanes_ * out_.machine().cores;
    std::int32_t outermost = 0;
    while (outermost < rank() && (size(outermost) == 1 || (outermost == v_ && !vectors_are_shared))) ++outermost;
    for (auto x = rank(); x-- > 0;) {
      if (x == v_ || size(x) == 1) continue;
      auto const most = x == outermost ? std::max<std::int64_t>(1, size(x) / (2 * out_.machine().cores)) : size(x);
      auto& chunk = row_chunks_[static_cast<std::size_t>(x)];
      chunk = is_short_work ? size(x) : std::min(rows, most);
      rows = std::max<std::int64_t>(1, rows / chunk);
    }
  }

  /// Returns true for a short axis before the vectors', along which vectors are read that do not move with it: if it is
  /// unrolled, they are loaded once. Axes of small matrices are unrolled, too: their elements have operands in common.
  [[nodiscard]] bool is_whole_in_registers(std::int32_t x) const {
    if (v_ < 0 || x == v_ || x == crossing_ || blocks_.name == axis(x)) return false;
    if (!is_short(st_, static_cast<std::size_t>(x))) return false;
    if (x == v_ + 1 || x + 1 == v_)
      if (is_short(st_, static_cast<std::size_t>(v_))) return true;
    return x + 1 == v_ && std::any_of(st_.accesses.begin(), st_.accesses.end(), [&](access_plan const& a) {
             return !a.write && step(a, v_) == 1 && step(a, x) == 0;
           });
  }

  void split_axes() {
    choose_row_chunks();
    for (std::int32_t x = 0; x < rank(); ++x) {
      auto const& n = axis(x);
      if (size(x) == 1) continue;
      if (x == components_ || is_whole_in_registers(x)) {
        shared_rows_.push_back(n);
      } else if (crossing_ >= 0 && (x == v_ || x == crossing_)) {
        auto const chunk =
            out_.one_of(name_ + ".chunk_" + n, doublings(std::min<std::int64_t>(ceil_divide(size(x), lanes_), 64)),
                        x == v_ ? 1 : 64);  // lines are read in sequence
        out_.step(primitive::split, name_, {n}, {n + "_0", n + "_1", n + "_2"}, {chunk, literal(lanes_)});
        tasks_.push_back(n + "_0");
        middle_.push_back(n + "_1");
        (x == v_ ? vector_loop_ : row_loop_) = n + "_2";
      } else if (x == v_ && size(x) > lanes_) {
        auto const tile = shared_rows_.empty() ? out_.one_of(name_ + ".tile_" + n, {lanes_, 2 * lanes_, 4 * lanes_},
                                                             std::min<std::int64_t>(4 * lanes_, size(x)))
                                               : out_.one_of(name_ + ".tile_" + n, {lanes_, 2 * lanes_}, lanes_);
        auto const chunk = out_.one_of(
            name_ + ".chunk_" + n, doublings(ceil_divide(size(x), lanes_)),
            is_sequential(st_) ? ceil_divide(size(x), lanes_) : std::max<std::int64_t>(1, 4096 / (4 * lanes_)));
        out_.step(primitive::split, name_, {n}, {n + "_0", n + "_1", n + "_2"}, {chunk, tile});
        tasks_.push_back(n + "_0");
        middle_.push_back(n + "_1");
        vector_loop_ = n + "_2";
      } else if (x == v_) {
        vector_loop_ = n;
      } else {
        auto const rows = most_rows(x);
        auto const seed = n == blocks_.name ? blocks_.seed : row_chunks_[static_cast<std::size_t>(x)];
        auto const chunk = n == blocks_.name && !blocks_.is_last
                               ? literal(1)
                               : out_.one_of(name_ + ".chunk_" + n, doublings(size(x)), seed / std::max(rows, 1));
        if (rows > 0) {
          auto const tile = out_.one_of(name_ + ".rows_" + n, doublings(rows), seed_rows(x));
          out_.step(primitive::split, name_, {n}, {n + "_0", n + "_1", n + "_2"}, {chunk, tile});
          shared_rows_.push_back(n + "_2");
        } else {
          out_.step(primitive::split, name_, {n}, {n + "_0", n + "_1"}, {chunk});
        }
        tasks_.insert(n == blocks_.name && blocks_.is_last ? tasks_.begin() : tasks_.end(), n + "_0");
        middle_.push_back(n + "_1");
      }
    }
  }

  /// Computes a value for a vector of this stage.
  void compute_in_registers(stage_plan const& value, std::string const& loop) {
    auto const& n = value.definition->name;
    std::vector<std::string> order;
    for (std::int32_t x = 0; x < rank(); ++x)
      if (x != v_) order.push_back(axis(x));
    order.push_back(axis(v_));
    if (order.size() > 1) out_.step(primitive::reorder, n, order);
    out_.step(primitive::vectorize, n, {axis(v_)});
    out_.step(primitive::compute_at, n, {name_, loop});
    out_.step(primitive::store_in, n, {}, {}, {literal(static_cast<int>(ir::memory::registers))});
  }

  /// Copies a tile, with vectors along the crossing axis.
  void through_registers(access_plan const& a) {
    std::string copy;
    if (a.producer >= 0) {
      copy = p_.stages[static_cast<std::size_t>(a.producer)].definition->name;
    } else {
      auto const& t = p_.program->inputs[static_cast<std::size_t>(a.operand)];
      copy = name_ + "." + t->name;
      out_.step(primitive::cache_read, name_, {t->name}, {copy});
    }
    std::vector<std::string> order;
    for (std::int32_t x = 0; x < rank(); ++x)
      if (x != v_ && x != crossing_ && is_indexed(a, x)) order.push_back(axis_of_tile(a, x));
    order.push_back(axis_of_tile(a, v_));
    order.push_back(axis_of_tile(a, crossing_));
    out_.step(primitive::reorder, copy, order);
    out_.step(primitive::unroll, copy, {axis_of_tile(a, v_)});
    out_.step(primitive::vectorize, copy, {axis_of_tile(a, crossing_)});
    out_.step(primitive::compute_at, copy, {name_, middle_.back()});
    out_.step(primitive::store_in, copy, {}, {}, {literal(static_cast<int>(ir::memory::registers))});
  }

  /// Returns the tile's name for the dimension that is read along an axis: a stage has its own names, a copy of an
  /// operand has those of the axes that index it (schedule/primitive/cache_read.hpp).
  [[nodiscard]] std::string axis_of_tile(access_plan const& a, std::int32_t axis_here) const {
    for (std::size_t d = 0; d < a.indices.size(); ++d) {
      if (a.indices[d].coefficient[static_cast<std::size_t>(axis_here)] == 0) continue;
      if (a.producer >= 0) return p_.stages[static_cast<std::size_t>(a.producer)].definition->axes[d].name;
      return a.indices[d].constant == 0 ? axis(axis_here) : "d" + std::to_string(d);
    }
    return axis(axis_here);
  }

  [[nodiscard]] static bool is_indexed(access_plan const& a, std::int32_t axis) {
    return std::any_of(a.indices.begin(), a.indices.end(),
                       [&](auto const& i) { return i.coefficient[static_cast<std::size_t>(axis)] != 0; });
  }

  space_builder& out_;
  plan const& p_;
  stage_plan const& st_;
  std::string const& name_;
  block_axis blocks_;
  std::int32_t lanes_ = 1;
  std::int32_t v_ = -1;
  std::int32_t components_ = -1;  ///< a short axis along which reads are contiguous
  std::int32_t crossing_ = -1;
  std::vector<access_plan const*> crossing_reads_;
  std::vector<std::size_t> values_;       ///< stages computed for each vector, the last one first
  std::vector<std::int64_t> row_chunks_;  ///< for each axis: rows of a task in the seed
  std::vector<std::string> tasks_;
  std::vector<std::string> middle_;
  std::vector<std::string> shared_rows_;  ///< unrolled loops outside of the vectors
  std::string vector_loop_;
  std::string row_loop_;
};

}}}  // namespace ttune::v0::autoschedule
