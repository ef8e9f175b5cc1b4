// SPDX-License-Identifier: Apache-2.0
// Finds sums of the columns of a matrix, and stages that read or write the same matrix row by row, so that one pass
// over the matrix serves all of them: gradients of a layer's parameters beside that of its input, y = A'(A x), A' r
// beside A p. The sums are divided into shares of rows, two to eight per core, and these into runs of a few rows. The
// other stages are computed for the rows of a run, while these are in the core's caches.
//
//   C(j) = sum(i) A(i, j) …       →      runs(i_run, t, j) = sum(i < rows of a run) A(…, j) …
//   R(i) = sum(j) A(i, j) …              C.shares(t, j) = sum(i_run) runs(i_run, t, j);   R along the rows of `runs`
//                                        C(j) = sum(t) C.shares(t, j)
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "ttune/autoschedule/blocks.hpp"
#include "ttune/autoschedule/cpu/lanes.hpp"
#include "ttune/autoschedule/cpu/split_reduction.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

/// A stage that is computed for the rows of a run, and its axis that runs along them.
struct row_follower {
  std::string stage;
  std::string axis;
};

/// Sums of columns and the stages beside them, by the names that the steps give.
struct shared_rows {
  std::string columns;  ///< the stage of the sums
  std::string source;   ///< the operand, or the stage, whose rows are read once
  std::int64_t dimension = 0;
  std::int64_t shares = 0;
  std::int64_t rows = 0;              ///< rows of a run
  std::vector<std::string> matrices;  ///< operands whose rows the sums read, each larger than the caches of the cores
  std::vector<row_follower> beside;

  [[nodiscard]] std::string parts() const { return columns + ".shares"; }
  [[nodiscard]] std::string runs() const { return parts() + ".runs"; }
};

namespace detail {

/// A matrix that a stage of column sums reads, and the dimension of its rows.
struct matrix_read {
  std::int32_t operand = -1;
  std::int32_t producer = -1;
  std::size_t dimension = 0;
  [[nodiscard]] bool is_of(access_plan const& a) const {
    return !a.write && a.operand == operand && a.producer == producer;
  }
};

class shared_rows_finder {
 public:
  shared_rows_finder(plan const& p, target const& machine) : p_(p), machine_(machine) {}

  [[nodiscard]] std::optional<shared_rows> find() const {
    for (std::size_t c = 0; c < p_.stages.size(); ++c) {
      if (!is_sum_of_columns(p_.stages[c])) continue;
      for (auto const& a : p_.stages[c].accesses)
        if (auto const m = matrix_of(p_.stages[c], a))
          if (auto made = around(c, *m)) return made;
    }
    return std::nullopt;
  }

 private:
  static constexpr std::int64_t most_rows = 8;      ///< of a run
  static constexpr std::int64_t least_vectors = 2;  ///< of a row; shorter ones are not worth loops of their own

  [[nodiscard]] bool is_sum_of_columns(stage_plan const& st) const {
    auto const& d = *st.definition;
    return !d.updates && !d.predicate && d.axes.size() == 1 && d.reduction.axes.size() == 1 &&
           ir::reorders_apart(d.reduction) && st.axis_begin(1) == 0 &&
           st.axis_size(0) >= least_vectors * machine_.lanes(d.type()) && suits_lanes(machine_, p_, st);
  }

  /// Returns the most rows of a run that stay in a core's second-level cache with the sums of a share.
  [[nodiscard]] std::int64_t most_rows_of(stage_plan const& st) const {
    auto const& d = *st.definition;
    auto const row = st.axis_size(0) * static_cast<std::int64_t>(size_in_bytes(d.type()));
    auto const left = machine_.l2_bytes / 2 - row * static_cast<std::int64_t>(d.components.size());
    return std::min(most_rows, left / (row * static_cast<std::int64_t>(st.accesses.size())));
  }

  /// Returns the matrix of an access that the sums read by rows and columns, if it is larger than the second-level
  /// caches: a smaller one can be read twice.
  [[nodiscard]] std::optional<matrix_read> matrix_of(stage_plan const& st, access_plan const& a) const {
    if (a.write || a.indices.size() != 2 || is_constant_operand(p_, a)) return std::nullopt;
    if (axis_alone(a.indices[0]) != 1 || axis_alone(a.indices[1]) != 0) return std::nullopt;
    auto const bytes = elements_of(p_, st, a) * static_cast<double>(size_in_bytes(st.definition->type()));
    if (bytes <= static_cast<double>(machine_.l2_bytes) * machine_.cores) return std::nullopt;
    return matrix_read{a.operand, a.producer, 0};
  }

  [[nodiscard]] std::optional<shared_rows> around(std::size_t columns, matrix_read const& m) const {
    auto const& st = p_.stages[columns];
    for (auto const& a : st.accesses)
      if (m.is_of(a) && axis_alone(a.indices[m.dimension]) != 1) return std::nullopt;
    auto made = with_shares(st.axis_size(1), most_rows_of(st));
    if (!made) return std::nullopt;
    made->columns = st.definition->name;
    made->source = m.operand >= 0 ? p_.program->inputs[static_cast<std::size_t>(m.operand)]->name
                                  : p_.stages[static_cast<std::size_t>(m.producer)].definition->name;
    made->dimension = static_cast<std::int64_t>(m.dimension);
    made->matrices = matrices_of(st);
    std::vector<std::size_t> beside;
    for (std::size_t s = 0; s < p_.stages.size(); ++s) {
      auto const x = s == columns || waits_for(s, beside) || reads_result(s, beside) ? -1 : axis_beside(s, columns, m);
      if (x < 0) continue;
      beside.push_back(s);
      made->beside.push_back({p_.stages[s].definition->name, p_.stages[s].axis_name(static_cast<std::size_t>(x))});
    }
    if (made->beside.empty()) return std::nullopt;
    return made;
  }

  /// Returns true if a stage reads a result of the program that is not beside the sums itself: it may be computed in
  /// the stage's rows, and must not be computed for the rows of a run (compute_at).
  [[nodiscard]] bool reads_result(std::size_t stage, std::vector<std::size_t> const& beside) const {
    auto const& outputs = p_.program->outputs;
    return std::any_of(p_.stages[stage].accesses.begin(), p_.stages[stage].accesses.end(), [&](access_plan const& a) {
      if (a.write || a.producer < 0) return false;
      auto const producer = static_cast<std::size_t>(a.producer);
      auto const is_it = [&](auto const& out) { return out->name == p_.stages[producer].definition->name; };
      return std::any_of(outputs.begin(), outputs.end(), is_it) &&
             std::find(beside.begin(), beside.end(), producer) == beside.end();
    });
  }

  /// Returns the operands that the sums read by rows and columns, and that are larger than the second-level caches.
  [[nodiscard]] std::vector<std::string> matrices_of(stage_plan const& st) const {
    std::vector<std::string> made;
    for (auto const& a : st.accesses) {
      if (a.operand < 0 || !matrix_of(st, a)) continue;
      auto const& name = p_.program->inputs[static_cast<std::size_t>(a.operand)]->name;
      if (std::find(made.begin(), made.end(), name) == made.end()) made.push_back(name);
    }
    return made;
  }

  /// Returns equal shares of equal runs of rows, so that all cores are busy to the end and runs have many rows; nothing
  /// if the number of rows has no such divisors.
  [[nodiscard]] std::optional<shared_rows> with_shares(std::int64_t rows, std::int64_t most_of_run) const {
    auto const cores = static_cast<std::int64_t>(machine_.cores);
    std::optional<shared_rows> best;
    double most = 0;
    for (auto shares = 2 * cores; shares <= 8 * cores; ++shares)
      for (auto run = most_of_run; run > 1; --run) {
        if (rows % (shares * run) != 0) continue;
        auto const busy = static_cast<double>(shares) / static_cast<double>(cores * ceil_divide(shares, cores));
        auto const value =
            busy * static_cast<double>(run) / static_cast<double>(run + 1);  // sums are loaded once a run
        if (value <= most) continue;
        most = value;
        best.emplace();
        best->shares = shares, best->rows = run;
      }
    return best;
  }

  /// Returns true if a stage reads a stage outside of the loops that needs the results of one inside of them: the loops
  /// would have to be both before and behind it.
  [[nodiscard]] bool waits_for(std::size_t s, std::vector<std::size_t> const& beside) const {
    for (std::size_t between = 0; between < s; ++between) {
      bool const is_outside = std::find(beside.begin(), beside.end(), between) == beside.end();
      if (is_outside && primitives::reads_through(p_, s, between) &&
          std::any_of(beside.begin(), beside.end(),
                      [&](std::size_t inside) { return primitives::reads_through(p_, between, inside); }))
        return true;
    }
    return false;
  }

  /// Returns the axis of a stage that runs along the rows; -1 if the stage cannot be computed with them. It must be an
  /// output, or be read by the sums, and it must have nothing to do with sums of other rows.
  [[nodiscard]] std::int32_t axis_beside(std::size_t s, std::size_t columns, matrix_read const& m) const {
    auto const& st = p_.stages[s];
    auto const readers = readers_of(p_, static_cast<std::int32_t>(s));
    auto const sums = static_cast<std::int32_t>(columns);
    bool const is_read = std::find(readers.begin(), readers.end(), sums) != readers.end();
    bool const is_read_before = std::any_of(readers.begin(), readers.end(), [&](std::int32_t r) { return r < sums; });
    if (st.definition->updates || is_read_before || !(st.output || (is_read && readers.size() == 1))) return -1;
    if (s > columns && primitives::reads_through(p_, s, columns)) return -1;
    if (!is_scheduled_by_rows(st)) return -1;
    for (std::size_t x = 0; x < st.definition->axes.size(); ++x)
      if (runs_along(s, x, m) && is_read_by_rows(columns, s, x)) return static_cast<std::int32_t>(x);
    return -1;
  }

  /// Returns true if the sums read a stage, if at all, at their own row, which is axis `x` of the stage.
  [[nodiscard]] bool is_read_by_rows(std::size_t columns, std::size_t s, std::size_t x) const {
    auto const& accesses = p_.stages[columns].accesses;
    return std::all_of(accesses.begin(), accesses.end(), [&](access_plan const& a) {
      return a.write || a.producer != static_cast<std::int32_t>(s) || axis_alone(a.indices[x]) == 1;
    });
  }

  /// Returns true for rows of maps, and for reductions along rows: no register tile of a product needs many rows.
  [[nodiscard]] bool is_scheduled_by_rows(stage_plan const& st) const {
    if (!choosing_axes(*st.definition).empty()) return false;
    if (st.definition->reduces()) return !suits_lanes(machine_, p_, st);
    return std::none_of(st.accesses.begin(), st.accesses.end(), [&](access_plan const& a) {
      if (a.write || a.producer < 0) return false;
      auto const& from = p_.stages[static_cast<std::size_t>(a.producer)];
      return from.definition->reduces() && !from.output && suits_lanes(machine_, p_, from);
    });
  }

  /// Returns true if axis `x` of a stage is the row of the matrix that it reads, itself or through stages that only it
  /// reads at the same row, or of the matrix that it is.
  [[nodiscard]] bool runs_along(std::size_t s, std::size_t x, matrix_read const& m) const {
    if (m.producer == static_cast<std::int32_t>(s)) return x == m.dimension;
    auto const& st = p_.stages[s];
    bool found = false;
    for (auto const& a : st.accesses) {
      if (a.write) continue;
      if (m.is_of(a)) {
        if (axis_alone(a.indices[m.dimension]) != static_cast<std::int32_t>(x)) return false;
        found = true;
      } else if (a.producer >= 0) {
        auto const q = static_cast<std::size_t>(a.producer);
        auto const& from = p_.stages[q];
        if (from.output || readers_of(p_, a.producer).size() != 1) continue;
        for (std::size_t d = 0; d < from.definition->axes.size(); ++d)
          found = found || (axis_alone(a.indices[d]) == static_cast<std::int32_t>(x) && runs_along(q, d, m));
      }
    }
    return found;
  }

  plan const& p_;
  target const& machine_;
};

}  // namespace detail

/// Finds the first such sums of a program.
[[nodiscard]] inline std::optional<shared_rows> find_shared_rows(plan const& p, target const& machine) {
  if (machine.cores < 1) return std::nullopt;
  return detail::shared_rows_finder(p, machine).find();
}

/// Returns the steps that make the stages of the shares and of the runs, and let the other stages run along them.
[[nodiscard]] inline std::vector<step> steps_of(shared_rows const& made, plan const& p) {
  auto const st = std::find_if(p.stages.begin(), p.stages.end(),
                               [&](stage_plan const& s) { return s.definition->name == made.columns; });
  auto const& reduced = st->axis_name(st->definition->axes.size());
  auto const rows = st->axis_size(st->definition->axes.size());
  std::vector<step> steps{split_reduction(*st, {st->definition->axes.size(), made.shares})};
  steps.push_back({primitive::rfactor,
                   made.parts(),
                   {reduced},
                   {made.runs(), reduced + "_run"},
                   {literal(-(rows / made.shares / made.rows))}});
  for (auto const& follower : made.beside)
    steps.push_back({primitive::compute_along,
                     follower.stage,
                     {follower.axis, made.runs(), made.source},
                     {},
                     {literal(made.dimension)}});
  return steps;
}

}}}  // namespace ttune::v0::autoschedule
