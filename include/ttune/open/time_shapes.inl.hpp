// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>

#include "ttune/open/time_shapes.hpp"
#include "ttune/runtime/call_extents.hpp"
#include "ttune/runtime/measure/trial_check.hpp"
#include "ttune/runtime/strided_operand.hpp"
#include "ttune/support/clock.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Returns the strides, in elements, of the operands of a signature that have strides of their own: without gaps.
inline std::vector<std::int64_t> strides_without_gaps(kernel_signature const& signature) {
  std::vector<std::int64_t> made;
  for (auto const& o : signature.operands) {
    if (o.strides == operand_strides::dense) continue;
    auto const own = dense_strides(o.shape);
    made.insert(made.end(), own.begin(), own.end());
  }
  return made;
}

/// The operands of a call at one shape.
class shaped_operands {
 public:
  explicit shaped_operands(kernel_signature const& signature) : strides_(strides_without_gaps(signature)) {
    extents_ = extents_of(signature);
    std::uint64_t seed = 1;
    for (auto const& o : signature.operands) {
      bool const given = is_given_by_kernels(o);
      auto const room = static_cast<std::size_t>(given ? 0 : o.bytes() + line);
      auto& own = memory_.emplace_back(room);
      void* at = own.data();
      std::size_t space = room;
      if (!given) at = std::align(line, static_cast<std::size_t>(o.bytes()), at, space);
      if (o.direction == operand_direction::strides) at = strides_.data();
      if (o.direction == operand_direction::extents) at = extents_.data();
      if (!given && o.direction != operand_direction::out) {
        auto const content = make_input(o, ++seed);
        std::copy(content.begin(), content.end(), static_cast<std::uint8_t*>(at));
      }
      pointers_.push_back(at);
    }
  }

  [[nodiscard]] std::span<void* const> pointers() const noexcept { return pointers_; }

 private:
  static constexpr std::size_t line = 64;

  std::vector<std::int64_t> strides_;
  std::vector<std::int64_t> extents_;
  std::vector<std::vector<std::uint8_t>> memory_;
  std::vector<void*> pointers_;
};

/// Returns the least seconds of a call; those of the first call if they are beyond `limit`. Calls that take long are
/// repeated once.
inline double seconds_of_call(kernel_call const& kernel, std::span<void* const> operands, double limit) {
  constexpr double window = 50e-6;
  constexpr int windows = 3;
  auto const time = [&](std::int64_t calls) {
    auto const start = steady::now();
    for (std::int64_t i = 0; i < calls; ++i) kernel(operands);
    return seconds_since(start) / static_cast<double>(calls);
  };
  auto const start = steady::now();
  auto least = time(1);  // with cold caches
  if (least > limit) return least;
  for (int w = 0; w < windows && (w == 0 || seconds_since(start) < windows * window); ++w) {
    auto const calls = static_cast<std::int64_t>(window / std::max(least, 1e-9));
    least = std::min(least, time(std::clamp<std::int64_t>(calls, 1, 10'000)));
  }
  return least;
}

std::vector<shape_candidate> time_shapes(std::vector<kernel_call> const& kernels,
                                         std::vector<call_shape> const& largest, std::vector<shape_use> const& uses,
                                         deadline const& until) {
  constexpr double hopeless = 3;  // times the best kernel's
  constexpr std::size_t least_shapes = 32;
  std::vector<shape_candidate> made;
  for (auto const& l : largest) made.push_back({l, {}});
  for (std::size_t u = 0; u < uses.size() && (u < least_shapes || !until.passed()); ++u) {
    for (auto& m : made) m.seconds.push_back(std::numeric_limits<double>::infinity());
    auto best = std::numeric_limits<double>::infinity();
    shaped_operands const operands(at_extents(kernels.front().signature(), uses[u].shape));
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      if (!made[k].computes(uses[u].shape)) continue;
      made[k].seconds[u] = seconds_of_call(kernels[k], operands.pointers(), best * hopeless);
      best = std::min(best, made[k].seconds[u]);
    }
  }
  return made;
}

}}}  // namespace ttune::v0::detail
