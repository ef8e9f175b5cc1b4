// SPDX-License-Identifier: Apache-2.0
// Finds neighbours by making the tuple of each possible move and looking it up.
#pragma once

#include <algorithm>
#include <numeric>

#include "ttune/space/knob_adjacency.hpp"
#include "ttune/space/solver/row_numbering.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Finds the choice of a tuple. The outermost part of factors follows from the inner ones and is not in the key.
class choice_index {
 public:
  explicit choice_index(knob const& k)
      : skip_(k.kind == knob::sort::factors && k.width > 1 ? 1U : 0U),
        numbers_(static_cast<std::size_t>(k.width) - skip_) {
    for (std::int32_t c = 0; c < k.choices(); ++c)
      if (numbers_.number_of(k.choice(c).data() + skip_) == first_.size()) first_.push_back(c);
  }
  /// Returns -1 if there is no such choice.
  [[nodiscard]] std::int32_t find(std::vector<std::int32_t> const& tuple) const {
    auto const number = numbers_.find(tuple.data() + skip_);
    return number == row_numbering<std::int32_t>::none ? -1 : first_[number];
  }

 private:
  std::size_t skip_;
  row_numbering<std::int32_t> numbers_;
  std::vector<std::int32_t> first_;
};

inline void primes_of(std::int32_t n, std::vector<std::int32_t>& out) {
  for (std::int32_t p = 2; p <= n / p; ++p)
    if (n % p == 0) {
      out.push_back(p);
      while (n % p == 0) n /= p;
    }
  if (n > 1) out.push_back(n);
}

/// Calls `visit` with each tuple that is one move away.
template <class Visit>
void for_each_factor_move(std::vector<std::int32_t> const& tuple, Visit const& visit) {
  std::vector<std::int32_t> primes{2, 3};
  for (auto const part : tuple) primes_of(part, primes);
  std::sort(primes.begin(), primes.end());
  primes.erase(std::unique(primes.begin(), primes.end()), primes.end());
  auto moved = tuple;
  for (std::size_t a = 1; a < tuple.size(); ++a) {
    for (auto const p : primes) {
      if (tuple[a] <= 2147483647 / p) {
        moved[a] = tuple[a] * p;
        visit(moved);
      }
      if (tuple[a] % p != 0) continue;
      moved[a] = tuple[a] / p;
      visit(moved);
      for (std::size_t b = 1; b < tuple.size(); ++b) {
        if (b == a || tuple[b] > 2147483647 / p) continue;
        moved[b] = tuple[b] * p;
        visit(moved);
        moved[b] = tuple[b];
      }
    }
    for (auto const d : {-1, 1}) {
      moved[a] = tuple[a] + d;
      visit(moved);
    }
    moved[a] = tuple[a];
  }
}

template <class Visit>
void for_each_swap(std::vector<std::int32_t> const& tuple, Visit const& visit) {
  auto moved = tuple;
  for (std::size_t a = 0; a < tuple.size(); ++a)
    for (std::size_t b = a + 1; b < tuple.size(); ++b) {
      std::swap(moved[a], moved[b]);
      visit(moved);
      std::swap(moved[a], moved[b]);
    }
}

/// Connects each choice with the next smaller and the next larger value.
inline void chain_by_value(knob const& k, std::vector<std::vector<std::int32_t>>& to) {
  std::vector<std::int32_t> order(to.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](auto a, auto b) {
    auto const x = k.choice(a), y = k.choice(b);
    if (std::equal(x.begin(), x.end(), y.begin())) return a < b;
    return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
  });
  for (std::size_t i = 1; i < order.size(); ++i) {
    to[static_cast<std::size_t>(order[i])].push_back(order[i - 1]);
    to[static_cast<std::size_t>(order[i - 1])].push_back(order[i]);
  }
}

std::pair<std::vector<std::uint32_t>, std::vector<std::int32_t>> adjacent_choices(knob const& k) {
  std::vector<std::vector<std::int32_t>> to(static_cast<std::size_t>(k.choices()));
  bool const factors = k.kind == knob::sort::factors && k.width > 1;
  if (factors || k.kind == knob::sort::permutation) {
    choice_index index(k);
    std::vector<std::int32_t> tuple;
    for (std::int32_t c = 0; c < k.choices(); ++c) {
      auto& list = to[static_cast<std::size_t>(c)];
      auto const visit = [&](std::vector<std::int32_t> const& moved) {
        if (auto const found = index.find(moved); found >= 0 && found != c) list.push_back(found);
      };
      tuple.assign(k.choice(c).begin(), k.choice(c).end());
      if (factors) for_each_factor_move(tuple, visit);
      else for_each_swap(tuple, visit);
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
  } else {
    chain_by_value(k, to);
  }
  std::pair<std::vector<std::uint32_t>, std::vector<std::int32_t>> flat;
  flat.first.push_back(0);
  for (auto const& list : to) {
    flat.second.insert(flat.second.end(), list.begin(), list.end());
    flat.first.push_back(static_cast<std::uint32_t>(flat.second.size()));
  }
  return flat;
}

}}}  // namespace ttune::v0::detail
