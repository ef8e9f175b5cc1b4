// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

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

/// Returns the least seconds of a call; those of the first calls if they are beyond `limit`. Calls that take long are
/// repeated once.
inline double seconds_of_call(kernel_call const& kernel, std::span<void* const> operands, double limit) {
  constexpr double window = 50e-6;
  constexpr int windows = 3;
  constexpr double cold = 100e-6;  // what loading the code and the operands may take
  auto const time = [&](std::int64_t calls) {
    auto const start = steady::now();
    for (std::int64_t i = 0; i < calls; ++i) kernel(operands);
    return seconds_since(start) / static_cast<double>(calls);
  };
  auto const start = steady::now();
  auto least = time(1);
  if (least > limit + cold) return least;
  for (int w = 0; w < windows && (w == 0 || (least <= limit && seconds_since(start) < windows * window)); ++w) {
    auto const calls = static_cast<std::int64_t>(window / std::max(least, 1e-9));
    least = std::min(least, time(std::clamp<std::int64_t>(calls, 1, 10'000)));
  }
  return least;
}

/// Times kernels at one shape after the other. Most kernels are many times slower than the best one at shapes that they
/// were not made for. A kernel that was so at a similar shape is not timed at a large one: its time is estimated.
class shape_timer {
 public:
  shape_timer(std::vector<kernel_call> const& kernels, std::vector<call_shape> const& largest) : kernels_(kernels) {
    for (auto const& l : largest) made_.push_back({l, {}});
    measured_.resize(kernels.size());
  }

  void add(call_shape const& shape) {
    for (auto& m : made_) m.seconds.push_back(std::numeric_limits<double>::infinity());
    best_ = std::numeric_limits<double>::infinity();
    shaped_operands const operands(at_extents(kernels_.front().signature(), shape));
    std::vector<std::pair<std::size_t, double>> slow;  // kernels, and their times over the best one's
    for (std::size_t k = 0; k < made_.size(); ++k) {
      if (!made_[k].computes(shape)) continue;
      if (auto const times = expected_times(k, shape); times >= hopeless) slow.emplace_back(k, times);
      else measure(k, shape, operands);
    }
    constexpr double large = 100e-6;
    for (auto const& [k, times] : slow) {
      if (best_ < large || !std::isfinite(best_)) measure(k, shape, operands);
      else made_[k].seconds.back() = times * best_;
    }
  }
  [[nodiscard]] std::vector<shape_candidate> run() && { return std::move(made_); }

 private:
  static constexpr double hopeless = 3;  ///< times the best kernel's

  struct measured_shape {
    call_shape shape;
    double seconds;
    double best;  ///< of the kernels that were measured until then
  };

  void measure(std::size_t k, call_shape const& shape, shaped_operands const& operands) {
    auto const seconds = seconds_of_call(kernels_[k], operands.pointers(), best_ * hopeless);
    made_[k].seconds.back() = seconds;
    best_ = std::min(best_, seconds);
    measured_[k].push_back({shape, seconds, best_});
  }

  /// Returns how many times slower than the best kernel one was at the most similar shape; 1 if there is none.
  [[nodiscard]] double expected_times(std::size_t k, call_shape const& shape) const {
    constexpr double similar = 12;  // each extent at most four times as large, or a fourth
    auto nearest = similar;
    double made = 1;
    for (auto const& m : measured_[k])
      if (auto const apart = distance_of(m.shape, shape); apart < nearest) nearest = apart, made = m.seconds / m.best;
    return made;
  }

  std::vector<kernel_call> const& kernels_;
  std::vector<shape_candidate> made_;
  std::vector<std::vector<measured_shape>> measured_;
  double best_ = 0;  ///< of the shape
};

std::vector<shape_candidate> time_shapes(std::vector<kernel_call> const& kernels,
                                         std::vector<call_shape> const& largest, std::vector<shape_use> const& uses,
                                         deadline const& until) {
  constexpr std::size_t least_shapes = 16;
  shape_timer timer(kernels, largest);
  for (std::size_t u = 0; u < uses.size() && (u < least_shapes || !until.passed()); ++u) timer.add(uses[u].shape);
  return std::move(timer).run();
}

}}}  // namespace ttune::v0::detail
