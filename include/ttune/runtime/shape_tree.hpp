// SPDX-License-Identifier: Apache-2.0
// A binary tree of comparisons of extents that chooses among kernels.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// The extents of a call, in the order of `open_extents`.
using call_shape = std::vector<std::int64_t>;

/// A product of up to three extents, by their places. Places that are not used are `none`.
struct extent_product {
  static constexpr std::uint8_t none = 8;  ///< behind the last place that an extent may have

  std::array<std::uint8_t, 3> of{none, none, none};

  [[nodiscard]] bool is_one() const noexcept { return of[1] == none; }
  /// Returns the product in a shape. It saturates: extents may be as large as memory.
  [[nodiscard]] std::int64_t in(std::span<std::int64_t const> shape) const noexcept {
    std::int64_t made = 1;
    for (auto const place : of)
      if (place != none && __builtin_mul_overflow(made, shape[static_cast<std::size_t>(place)], &made))
        return std::numeric_limits<std::int64_t>::max();
    return made;
  }
};

/// A tree of comparisons of extents and of products of them. A call passes a handful, in a few nanoseconds.
class shape_tree {
 public:
  struct node {
    extent_product what;     ///< a leaf has none
    std::int64_t most = 0;   ///< smaller or equal products go to `below`
    std::int32_t below = 0;  ///< number of a node; of a leaf, that of the kernel
    std::int32_t above = 0;

    [[nodiscard]] bool is_leaf() const noexcept { return what.of[0] == extent_product::none; }
  };

  shape_tree() = default;
  /// The first node is the root.
  explicit shape_tree(std::vector<node> nodes) : nodes_(std::move(nodes)) {}

  [[nodiscard]] std::size_t choose(std::span<std::int64_t const> shape) const noexcept {
    auto const* at = nodes_.data();
    while (!at->is_leaf()) {
      auto const value = at->what.is_one() ? shape[static_cast<std::size_t>(at->what.of[0])] : at->what.in(shape);
      at = nodes_.data() + (value <= at->most ? at->below : at->above);
    }
    return static_cast<std::size_t>(at->below);
  }
  /// Returns the tree as an expression of C++: `M <= 64 ? 1 : M * N <= 4096 ? 2 : 0`.
  [[nodiscard]] std::string text(std::vector<std::string> const& names) const { return text_of(0, names); }
  [[nodiscard]] std::vector<node> const& nodes() const noexcept { return nodes_; }

 private:
  [[nodiscard]] std::string text_of(std::int32_t at, std::vector<std::string> const& names) const;

  std::vector<node> nodes_{node{}};
};

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/shape_tree.inl.hpp"
#endif
