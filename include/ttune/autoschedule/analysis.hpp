// SPDX-License-Identifier: Apache-2.0
// Properties of a program that derived spaces need: strides, reuse, the axis for vector lanes.
#pragma once

#include <cstdlib>

#include "ttune/autoschedule/builder.hpp"
#include "ttune/schedule/primitive/rebuild.hpp"
#include "ttune/schedule/work_of_term.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

/// Returns the extents of the source of an access, in the order of its dimensions.
[[nodiscard]] inline std::vector<std::int64_t> shape_of(plan const& p, stage_plan const& st, access_plan const& a) {
  if (a.write) return ir::shape_of(ir::source(st.definition));
  if (a.producer >= 0) return ir::shape_of(ir::source(p.program->stages[static_cast<std::size_t>(a.producer)]));
  return ir::shape_of(ir::source(p.program->inputs[static_cast<std::size_t>(a.operand)]));
}

/// Returns the distance of the last dimension's neighbours: 1, or for an operand of any strides that of elements on
/// different cache lines.
[[nodiscard]] inline std::int64_t least_stride(plan const& p, stage_plan const& st, access_plan const& a) {
  auto strides = operand_strides::dense;
  if (a.write) strides = st.definition->strides;
  else if (a.operand >= 0) strides = p.program->inputs[static_cast<std::size_t>(a.operand)]->strides;
  return strides == operand_strides::all ? 64 : 1;
}

/// Returns the distance in elements between neighbours along an axis; 0 if the access does not depend on it.
[[nodiscard]] inline std::int64_t stride(plan const& p, stage_plan const& st, access_plan const& a, std::size_t axis) {
  auto const shape = shape_of(p, st, a);
  std::int64_t sum = 0;
  std::int64_t below = least_stride(p, st, a);
  for (std::size_t d = shape.size(); d-- > 0;) {
    auto const& index = a.indices[d];
    bool const moves = index.moves.empty() || index.moves[axis];
    if (index.whole && moves) sum += below * 7;  // any value other than 0 and 1
    else if (index.coefficient[axis] != 0)
      sum += std::max<std::int64_t>(1, std::abs(index.coefficient[axis]) / index.divisor) * below *
             (index.divisor == 1 ? 1 : 7);
    below *= shape[d];
  }
  return sum;
}

/// Returns the number of elements that a stage's loops run over, with the reduced ones.
[[nodiscard]] inline std::int64_t iterations_of(stage_plan const& st) {
  std::int64_t n = 1;
  for (std::size_t x = 0; x < st.axis_count(); ++x) n *= std::max<std::int64_t>(1, st.axis_size(x));
  return n;
}

/// Returns the time of a stage in elements that are read, added to and written.
[[nodiscard]] inline double work_of(stage_plan const& st) {
  return work_of_term(st) * static_cast<double>(iterations_of(st));
}

/// Returns true for a stage whose work one thread does sooner than several.
[[nodiscard]] inline bool is_sequential(stage_plan const& st) {
  return work_of(st) <= static_cast<double>(most_sequential_elements);
}

[[nodiscard]] inline bool is_constant_operand(plan const& p, access_plan const& a) {
  return a.operand >= 0 && p.program->inputs[static_cast<std::size_t>(a.operand)]->role == ir::tensor_role::constant;
}

/// Returns the number of elements that an access reads or writes.
[[nodiscard]] inline double elements_of(plan const& p, stage_plan const& st, access_plan const& a) {
  double elements = 1;
  for (auto const n : shape_of(p, st, a)) elements *= static_cast<double>(n);
  return elements;
}

/// Maximum ratio of a reduction's constants to the data between stages. If it reads more constants, cores share the
/// constants rather than the data.
inline constexpr double most_constants = 3;

/// Returns true if another free axis with several elements does not move the access: loaded elements are used again.
[[nodiscard]] inline bool has_reuse(plan const& p, stage_plan const& st, access_plan const& a) {
  for (std::size_t x = 0; x < st.definition->axes.size(); ++x)
    if (st.axis_size(x) > 1 && stride(p, st, a, x) == 0) return true;
  return false;
}

/// Returns the number of runs of about `wanted` into which an extent is divided, of equal length if a divisor is near.
[[nodiscard]] inline std::int64_t runs_of(std::int64_t extent, std::int64_t wanted) {
  auto const most = std::max<std::int64_t>(1, ceil_divide(extent, wanted));
  for (auto count = most; count <= 2 * most && count <= extent; ++count)
    if (extent % count == 0) return count;
  return most;
}

/// Returns true if the stage's predicate uses the axis, which then runs into a boundary.
[[nodiscard]] inline bool is_guarded(stage_plan const& st, std::size_t axis) {
  bool found = false;
  if (st.definition->predicate)
    ir::for_each_node(st.definition->predicate, [&](ir::expr const& e) {
      auto const* v = ir::as<ir::variable>(e);
      found = found || (v && v->name == st.axis_name(axis));
    });
  return found;
}

/// Returns true if a comparison in an expression relates a long axis of a stage to another one, as `j <= i` does:
/// iterations of both take unequal time then.
[[nodiscard]] inline bool relates_axes(stage_plan const& st, ir::expr const& e, std::size_t axis) {
  constexpr std::int64_t least_length = 32;
  auto const uses = [&](ir::expr const& n, std::size_t x) {
    return st.axis_size(x) >= least_length && ir::contains(n, [&](ir::expr const& part) {
             auto const* v = ir::as<ir::variable>(part);
             return v && v->name == st.axis_name(x);
           });
  };
  return e && ir::contains(e, [&](ir::expr const& n) {
           auto const* b = ir::as<ir::binary>(n);
           if (!b || (b->op != ir::binary_op::less && b->op != ir::binary_op::less_equal) || !uses(n, axis))
             return false;
           for (std::size_t x = 0; x < st.axis_count(); ++x)
             if (x != axis && uses(n, x)) return true;
           return false;
         });
}
/// Returns true if iterations of an axis take unequal time.
[[nodiscard]] inline bool is_triangular(stage_plan const& st, std::size_t axis) {
  auto const& parts = st.definition->components;
  return relates_axes(st, st.definition->predicate, axis) ||
         std::any_of(parts.begin(), parts.end(), [&](auto const& c) { return relates_axes(st, c.value, axis); });
}

/// Returns free axes with one element: their loops are outermost, so that they do not separate loops that are fused.
[[nodiscard]] inline std::vector<std::string> unit_axes(stage_plan const& st) {
  std::vector<std::string> names;
  for (std::size_t x = 0; x < st.definition->axes.size(); ++x)
    if (st.axis_size(x) == 1) names.push_back(st.axis_name(x));
  return names;
}

/// Returns true if no reduced axis moves an access: it is made once per element of the result, not for each term.
[[nodiscard]] inline bool is_once(plan const& p, stage_plan const& st, access_plan const& a) {
  for (auto x = st.definition->axes.size(); x < st.axis_count(); ++x)
    if (st.axis_size(x) > 1 && stride(p, st, a, x) != 0) return false;
  return st.definition->reduces();
}

/// Maximum distance in elements of lanes that still share most cache lines: loaded as several vectors and shuffled.
inline constexpr std::int64_t near_stride = 4;

/// Returns true for a read in a stage without reduction of so few elements that each stays in a cache or a register for
/// many points, such as the statistics of a channel. Lanes along such a read gain nothing.
[[nodiscard]] inline bool is_of_few(plan const& p, stage_plan const& st, access_plan const& a, std::int32_t lanes) {
  return !st.definition->reduces() && elements_of(p, st, a) * lanes <= static_cast<double>(iterations_of(st));
}

/// Returns true if each dimension is indexed by one axis, and different ones by different axes, so that a copy has the
/// reader's axes. With `shifted`, a constant may be added.
[[nodiscard]] inline bool indexes_by_axes(stage_plan const& st, access_plan const& a, bool shifted = false) {
  std::vector<bool> seen(st.axis_count(), false);
  for (auto const& i : a.indices) {
    auto const found = axis_alone(i, shifted);
    if (found < 0 || seen[static_cast<std::size_t>(found)]) return false;
    seen[static_cast<std::size_t>(found)] = true;
  }
  return true;
}

/// Returns the number of elements of the result that use an element of an access.
[[nodiscard]] inline std::int64_t uses_of(plan const& p, stage_plan const& st, access_plan const& a) {
  std::int64_t uses = 1;
  for (std::size_t x = 0; x < st.definition->axes.size(); ++x)
    if (stride(p, st, a, x) == 0) uses *= std::max<std::int64_t>(1, st.axis_size(x));
  return uses;
}

/// Returns true if copying an operand into panels with lanes along another axis takes little time beside its products.
/// Lines along a reduced axis that fill vectors are transposed in registers, other elements are copied one by one.
[[nodiscard]] inline bool is_copied_cheaply(plan const& p, stage_plan const& st, access_plan const& a,
                                            std::int32_t lanes) {
  constexpr std::int64_t uses_of_transposed = 16;
  constexpr std::int64_t uses_of_gathered = 128;
  bool transposed = false;
  for (auto x = st.definition->axes.size(); x < st.axis_count(); ++x)
    transposed = transposed || (st.axis_size(x) >= lanes && stride(p, st, a, x) == 1);
  return uses_of(p, st, a) >= (transposed ? uses_of_transposed : uses_of_gathered);
}

/// Returns true if two reads of a source are at the same place.
[[nodiscard]] inline bool is_same_element(access_plan const& a, access_plan const& b) {
  auto const same = [](index_plan const& i, index_plan const& j) {
    return !i.whole && !j.whole && i.coefficient == j.coefficient && i.constant == j.constant &&
           i.divisor == j.divisor && i.clamped == j.clamped && i.periodic == j.periodic;
  };
  return a.producer == b.producer && a.operand == b.operand &&
         std::equal(a.indices.begin(), a.indices.end(), b.indices.begin(), b.indices.end(), same);
}

/// Returns true if a read takes a component of points that lie side by side along an axis, and other reads take all
/// other components: whole points are loaded, and shuffled.
[[nodiscard]] inline bool takes_whole_points(plan const& p, stage_plan const& st, access_plan const& a,
                                             std::size_t axis) {
  auto const apart = stride(p, st, a, axis);
  if (a.indices.empty() || apart < 2 || apart > near_stride) return false;
  std::vector<std::int64_t> components;
  for (auto b : st.accesses) {
    if (b.write || b.indices.size() != a.indices.size()) continue;
    auto const component = std::exchange(b.indices.back().constant, a.indices.back().constant);
    if (is_same_element(a, b) && std::find(components.begin(), components.end(), component) == components.end())
      components.push_back(component);
  }
  return std::ssize(components) == apart;
}

/// Rates a free axis for the vector lanes; below 0, a long reduced axis suits lanes better.
[[nodiscard]] inline int vector_score(plan const& p, stage_plan const& st, std::size_t axis, std::int32_t lanes) {
  auto const size = st.axis_size(axis);
  if (size == 1) return -100;
  int score = size >= lanes ? 0 : 2 * size > lanes ? -1 : 4 * size > lanes || !st.definition->reduces() ? -2 : -3;
  bool copied = false;  // operands of a reduction that are used again are copied into panels
  for (auto const& a : st.accesses) {
    auto const s = stride(p, st, a, axis);
    if (a.write) score += s == 1 ? 1 : !st.definition->reduces() && s > near_stride ? -4 : 0;  // stored one by one
    else if (s == 0 || is_once(p, st, a)) continue;
    else if (s == 1 || takes_whole_points(p, st, a, axis))
      score += is_of_few(p, st, a, lanes) ? 0 : is_constant_operand(p, a) ? 1 : 2;
    else if (is_constant_operand(p, a) && indexes_by_axes(st, a)) score += 2;
    else if (st.definition->reduces() && has_reuse(p, st, a)) {
      copied = copied || !is_copied_cheaply(p, st, a, lanes);
      if (!indexes_by_axes(st, a)) score -= 3;  // gathered for each tile
    } else score += has_reuse(p, st, a) || s <= near_stride ? -1 : -4;
  }
  if (copied) --score;
  if (is_guarded(st, axis)) score -= 2;
  auto const padded = (size + lanes - 1) / lanes * lanes;
  if (size >= lanes && padded * 10 > size * 11) score -= 1;
  return std::max(score, -99);  // many reads across are still better than no lanes
}

/// Returns the reduced axis along which the neighbours of most reads are at most so far apart, the last of several; -1
/// if none has such a read.
[[nodiscard]] inline std::int32_t near_reduced_axis(plan const& p, stage_plan const& st, std::int64_t most_apart) {
  std::int32_t best = -1;
  int most = 0;
  for (auto x = st.definition->axes.size(); x < st.axis_count(); ++x) {
    int count = 0;
    for (auto const& a : st.accesses) {
      auto const apart = a.write ? 0 : stride(p, st, a, x);
      count += apart > 0 && apart <= most_apart ? 1 : 0;
    }
    if (count >= most && count > 0) most = count, best = static_cast<std::int32_t>(x);
  }
  return best;
}

/// Returns the reduced axis along which most reads are contiguous; if there is none, that along which most take one
/// component of each point, such as a part of complex numbers; -1 if there is none either.
[[nodiscard]] inline std::int32_t contiguous_reduced_axis(plan const& p, stage_plan const& st) {
  auto const contiguous = near_reduced_axis(p, st, 1);
  return contiguous >= 0 ? contiguous : near_reduced_axis(p, st, near_stride);
}

/// Returns true if vector lanes along a reduced axis pay: it is two vectors long, or it is one whole vector, as a group
/// of quantised weights, and other reduced axes repeat it.
[[nodiscard]] inline bool fills_lanes(stage_plan const& st, std::size_t axis, std::int32_t lanes) {
  if (st.axis_size(axis) >= 2 * lanes) return true;
  std::int64_t terms = 1;
  for (auto x = st.definition->axes.size(); x < st.axis_count(); ++x) terms *= st.axis_size(x);
  return lanes > 1 && st.axis_size(axis) == lanes && terms >= 4 * lanes;
}

/// The free axis for the vector lanes, -1 if there is none, and its score. An axis that fills less than half of the
/// lanes of a reduction is taken only if no suitable axis fills them.
struct vector_choice {
  std::int32_t axis = -1;
  int score = -100;
};
[[nodiscard]] inline vector_choice choose_vector_axis(plan const& p, stage_plan const& st, std::int32_t lanes) {
  vector_choice best;
  for (std::size_t x = 0; x < st.definition->axes.size(); ++x) {
    auto const score = vector_score(p, st, x, lanes);
    bool const fills = best.axis >= 0 && st.definition->reduces() && score >= 0 && st.axis_size(x) >= lanes &&
                       2 * st.axis_size(static_cast<std::size_t>(best.axis)) < lanes;
    bool const wastes = best.axis >= 0 && st.definition->reduces() && best.score >= 0 && 2 * st.axis_size(x) < lanes &&
                        st.axis_size(static_cast<std::size_t>(best.axis)) >= lanes;
    if ((score > best.score && !wastes) || fills) best = {static_cast<std::int32_t>(x), score};
  }
  return best;
}

/// Iterations from which on a loop with variable bounds is good as an innermost loop.
inline constexpr std::int64_t least_long = 16;

/// Returns true for a free axis that slides along a longer reduced axis that is not long, and runs into its ends.
[[nodiscard]] inline bool slides_over_short(stage_plan const& st, std::size_t axis) {
  for (auto const& a : st.accesses)
    for (auto const& i : a.indices)
      for (auto x = st.definition->axes.size(); x < st.axis_count() && !a.write && !i.whole; ++x)
        if (i.coefficient[axis] != 0 && i.coefficient[x] != 0 && st.axis_size(x) > st.axis_size(axis) &&
            st.axis_size(x) < least_long && is_guarded(st, x))
          return true;
  return false;
}

/// Returns the free axis that shares a register tile with the vector axis: the one along which most loads are used
/// again, above all loads of whole vectors. (A multiply-add reads a value that is the same for all lanes from memory.)
/// An axis that is too short for a tile is taken only if no other is as good, or if it is the taps of a short row: with
/// the taps in the tile, the loop over the row has constant bounds.
[[nodiscard]] inline std::int32_t choose_row_axis(plan const& p, stage_plan const& st, std::int32_t vector_axis) {
  constexpr std::int64_t rows_of_tile = 6;
  std::int32_t best = -1;
  std::int64_t most = -1;
  for (std::size_t x = 0; x < st.definition->axes.size(); ++x) {
    if (static_cast<std::int32_t>(x) == vector_axis || st.axis_size(x) == 1) continue;
    std::int64_t reuse = 0;
    for (auto const& a : st.accesses)
      if (!a.write && stride(p, st, a, x) == 0)
        reuse += stride(p, st, a, static_cast<std::size_t>(vector_axis)) != 0 ? 2 : 1;
    auto const rows = slides_over_short(st, x) ? rows_of_tile : std::min(st.axis_size(x), rows_of_tile);
    reuse = reuse * rows_of_tile + rows;
    if (reuse >= most) {
      most = reuse;
      best = static_cast<std::int32_t>(x);
    }
  }
  return best;
}

/// Returns true if every read of `producer` in `reader` is at the reader's own axes, in order.
[[nodiscard]] inline bool reads_in_place(stage_plan const& reader, stage_plan const& producer, std::int32_t index) {
  auto const rank = producer.definition->axes.size();
  if (reader.definition->axes.size() != rank) return false;
  for (std::size_t d = 0; d < rank; ++d)
    if (reader.axis_size(d) != producer.axis_size(d)) return false;
  for (auto const& a : reader.accesses) {
    if (a.write || a.producer != index) continue;
    for (std::size_t d = 0; d < rank; ++d) {
      auto const& i = a.indices[d];
      if (i.whole || i.is_redirected() || i.divisor != 1 || i.constant != 0) return false;
      for (std::size_t x = 0; x < i.coefficient.size(); ++x)
        if (reader.axis_size(x) > 1 && i.coefficient[x] != (x == d ? 1 : 0)) return false;
    }
  }
  return true;
}

/// Returns the axes of a copy, as cache_read names them: the reader's own where one axis indexes a dimension.
[[nodiscard]] inline std::vector<std::string> copy_axis_names(stage_plan const& reader, access_plan const& a) {
  std::vector<std::string> names;
  for (std::size_t d = 0; d < a.indices.size(); ++d) {
    auto const& i = a.indices[d];
    std::string name = "d" + std::to_string(d);
    int used = 0;
    for (std::size_t x = 0; x < i.coefficient.size(); ++x)
      if (i.coefficient[x] != 0) {
        ++used;
        if (i.coefficient[x] == 1 && i.constant == 0 && i.divisor == 1 && !i.is_redirected())
          name = reader.axis_name(x);
      }
    if (used != 1 || std::find(names.begin(), names.end(), name) != names.end()) name = "d" + std::to_string(d);
    names.push_back(name);
  }
  return names;
}

/// Returns the stages that read stage `index`.
[[nodiscard]] inline std::vector<std::int32_t> readers_of(plan const& p, std::int32_t index) {
  std::vector<std::int32_t> readers;
  for (std::size_t r = 0; r < p.stages.size(); ++r)
    for (auto const& a : p.stages[r].accesses)
      if (!a.write && a.producer == index && (readers.empty() || readers.back() != static_cast<std::int32_t>(r)))
        readers.push_back(static_cast<std::int32_t>(r));
  return readers;
}

}}}  // namespace ttune::v0::autoschedule
