// SPDX-License-Identifier: Apache-2.0
// Sums of expressions with constant coefficients, written so that common parts are computed once.
#pragma once

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "ttune/expr/compute.hpp"
#include "ttune/ops/winograd/matrices.hpp"

namespace ttune { inline namespace v0 { namespace ops { namespace detail {

/// Returns the empty sum, 0.
template <class Form>
Form nothing() {
  return Form{v0::detail::literal_node<typename Form::element>(0)};
}

/// Returns true if two rows differ only in signs, and not in all of them.
inline bool share_a_part(std::vector<double> const& a, std::vector<double> const& b) {
  int differ = 0;
  int same = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    if (std::abs(a[j]) != std::abs(b[j])) return false;
    if (a[j] != 0) ++(a[j] == b[j] ? same : differ);
  }
  return differ > 0 && same > 0;
}

/// Returns the sums of `read(j)` with the coefficients of each row, without the terms with coefficient 0. Two rows that
/// differ only in signs share their common parts: e + o and e - o.
template <class Read>
auto linear_forms(small_matrix const& rows, Read const& read) {
  using form = decltype(read(std::int64_t{0}));
  std::vector<std::optional<form>> made(rows.size());
  auto const sum_of = [&](std::vector<double> const& row, auto const& wanted) {
    std::optional<form> sum;
    auto const add = [&](std::size_t j) {
      auto const term = read(static_cast<std::int64_t>(j));
      auto const size = std::abs(row[j]);
      auto const scaled = size == 1 ? term : term * size;
      if (!sum) sum = row[j] > 0 ? scaled : -scaled;
      else sum = row[j] > 0 ? *sum + scaled : *sum - scaled;
    };
    for (auto const sign : {1, -1})  // such that no first term is negated
      for (std::size_t j = 0; j < row.size(); ++j)
        if (row[j] * sign > 0 && wanted(j)) add(j);
    return sum;
  };
  for (std::size_t a = 0; a < rows.size(); ++a) {
    if (made[a]) continue;
    for (std::size_t b = a + 1; b < rows.size() && !made[a]; ++b) {
      if (made[b] || !share_a_part(rows[a], rows[b])) continue;
      auto const even = sum_of(rows[a], [&](std::size_t j) { return rows[a][j] == rows[b][j]; });
      auto const odd = sum_of(rows[a], [&](std::size_t j) { return rows[a][j] != rows[b][j]; });
      made[a] = *even + *odd;
      made[b] = *even - *odd;
    }
    if (!made[a]) made[a] = sum_of(rows[a], [](std::size_t) { return true; });
  }
  std::vector<form> forms;
  for (auto const& f : made) forms.push_back(f ? *f : nothing<form>());
  return forms;
}

/// Returns the linear forms after pairing columns that differ only in signs, so that their operands are added and
/// subtracted once: sum_i A[k][i] x_i with A[k][j] = ±A[k][i].
template <class Read>
auto paired_forms(small_matrix const& rows, Read const& read) {
  using form = decltype(read(std::int64_t{0}));
  auto const columns = rows[0].size();
  std::vector<std::size_t> partner(columns, columns);
  for (std::size_t i = 0; i < columns; ++i)
    for (std::size_t j = i + 1; j < columns && partner[i] == columns; ++j) {
      bool const mirrored = partner[j] == columns && std::all_of(rows.begin(), rows.end(), [&](auto const& row) {
                              return std::abs(row[i]) == std::abs(row[j]);
                            });
      if (mirrored) partner[i] = j, partner[j] = i;
    }
  std::vector<form> forms;
  for (auto const& row : rows) {
    std::optional<form> sum;
    for (std::size_t i = 0; i < columns; ++i) {
      if (row[i] == 0 || partner[i] < i) continue;
      auto term = read(static_cast<std::int64_t>(i));
      if (auto const j = partner[i]; j != columns) {
        auto const other = read(static_cast<std::int64_t>(j));
        term = row[i] == row[j] ? term + other : term - other;
      }
      if (row[i] != 1) term = term * row[i];
      sum = sum ? *sum + term : term;
    }
    forms.push_back(sum ? *sum : nothing<form>());
  }
  return forms;
}

/// Returns `forms[index]`, for an index that is constant once its loop is unrolled.
template <class Index, class Form>
auto choose_by(Index const& index, std::vector<Form> const& forms) {
  auto chosen = select(index == 0, forms[0], forms.back());
  for (std::size_t i = 1; i + 1 < forms.size(); ++i)
    chosen = select(index == static_cast<std::int64_t>(i), forms[i], chosen);
  return forms.size() == 1 ? decltype(chosen){forms[0].node} : chosen;
}

}}}}  // namespace ttune::v0::ops::detail
