// SPDX-License-Identifier: Apache-2.0
// Finds the values of run-time extents in the shapes of a call's arguments.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ttune/expr/builder.hpp"
#include "ttune/ir/node.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// The places of an operator's run-time extents in the shapes of its operands.
class open_extents {
 public:
  static constexpr std::size_t most = 8;
  static constexpr std::int64_t unknown = -1;

  /// A dimension of an operand: the number of its run-time extent, or the extent; both unknown if it is computed.
  struct place {
    std::int32_t number = -1;
    std::int64_t extent = unknown;
  };

  /// `operands` are the names, in the order of the arguments. Throws argument_error if there is no run-time extent, or
  /// if there are more than `most`.
  open_extents(ir::program const& of, std::vector<std::string> const& operands);

  [[nodiscard]] std::size_t count() const noexcept { return names_.size(); }
  /// Returns the places of an operand, in the order of memory.
  [[nodiscard]] std::vector<place> const& places(std::size_t operand) const noexcept { return operands_[operand]; }
  /// Returns the first dimension that an extent has, counted through the dimensions of all operands; `in_no_shape` if
  /// there is none.
  [[nodiscard]] std::size_t first_dimension(std::size_t extent) const noexcept { return first_dimensions_[extent]; }
  static constexpr std::size_t in_no_shape = static_cast<std::size_t>(-1);
  /// Returns values in the order in which this object numbers them. Throws argument_error if one is missing.
  [[nodiscard]] std::vector<std::int64_t> in_order(std::vector<bound_dim> const& values) const;
  [[nodiscard]] std::vector<bound_dim> bound(std::span<std::int64_t const> values) const;
  /// Throws argument_error for the first extent that the arguments of a call do not tell.
  [[noreturn]] void refuse(std::span<std::int64_t const> values) const;

 private:
  std::string operator_;
  std::vector<std::string> names_;
  std::vector<std::vector<place>> operands_;
  std::array<std::size_t, most> first_dimensions_{};
};

/// The values that one call has. It takes the operands whose shape is known first; the number of elements of another
/// one tells one more extent.
class call_extents {
 public:
  explicit call_extents(open_extents const& from) noexcept : from_(from) { values_.fill(open_extents::unknown); }

  /// Takes an extent of an argument; dimensions are in the order of memory.
  void take(std::size_t operand, std::size_t dimension, std::int64_t extent) noexcept {
    auto const number = from_.places(operand)[dimension].number;
    if (number >= 0 && values_[static_cast<std::size_t>(number)] == open_extents::unknown)
      values_[static_cast<std::size_t>(number)] = extent;
  }
  /// Takes the shapes of all arguments, one behind the other. It sets all extents that dimensions have.
  void take_all(std::span<std::int64_t const> shapes) noexcept {
    for (std::size_t e = 0; e < from_.count(); ++e)
      if (auto const at = from_.first_dimension(e); at != open_extents::in_no_shape) values_[e] = shapes[at];
  }
  /// Takes the number of elements of an argument: it tells an extent if all others are known.
  void take_elements(std::size_t operand, std::int64_t elements) noexcept {
    std::int32_t wanted = -1;
    std::int64_t known = 1;
    for (auto const& p : from_.places(operand)) {
      auto const value = p.number < 0 ? p.extent : values_[static_cast<std::size_t>(p.number)];
      if (value != open_extents::unknown) known *= value;
      else if (p.number < 0 || wanted >= 0) return;
      else wanted = p.number;
    }
    if (wanted >= 0 && known > 0) values_[static_cast<std::size_t>(wanted)] = elements / known;
  }
  [[nodiscard]] bool complete() const noexcept {
    for (auto const v : values())
      if (v == open_extents::unknown) return false;
    return true;
  }
  [[nodiscard]] std::span<std::int64_t const> values() const noexcept { return {values_.data(), from_.count()}; }
  /// Returns where the values are, for kernels, which take all operands by pointers to memory that may be written.
  [[nodiscard]] std::int64_t* data() noexcept { return values_.data(); }

 private:
  open_extents const& from_;
  std::array<std::int64_t, open_extents::most> values_{};
};

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/open/open_extents.inl.hpp"
#endif
