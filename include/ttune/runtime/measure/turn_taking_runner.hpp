// SPDX-License-Identifier: Apache-2.0
// A runner that takes its turn before it measures.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "ttune/runtime/measure/measuring_turns.hpp"
#include "ttune/runtime/measure/sequential_runner.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Another runner, whose measurements do not overlap with those of other tuners. Waiting is no part of a trial's time.
class turn_taking_runner final : public sequential_runner {
 public:
  turn_taking_runner(std::unique_ptr<runner> of, std::stop_token stop) : of_(std::move(of)), stop_(std::move(stop)) {}

  [[nodiscard]] measurement set_reference(kernel_image const& image, trial_limits const& limits) override {
    auto const turn = turns_.take(stop_);
    return of_->set_reference(image, limits);
  }
  void set_reference(std::vector<std::vector<std::uint8_t>> outputs) override {
    of_->set_reference(std::move(outputs));
  }
  [[nodiscard]] measurement measure(kernel_image const& image, trial_limits const& limits) override {
    auto const turn = turns_.take(stop_);
    return of_->measure(image, limits);
  }
  [[nodiscard]] measurement run(kernel_image const& image, std::vector<std::vector<std::uint8_t>>& outputs) override {
    return of_->run(image, outputs);
  }
  [[nodiscard]] comparison compare(kernel_image const& first, kernel_image const& second, std::int32_t pairs) override {
    auto const turn = turns_.take(stop_);
    return of_->compare(first, second, pairs);
  }
  [[nodiscard]] std::vector<std::uint8_t> operand_bytes(std::size_t operand) override {
    return of_->operand_bytes(operand);
  }
  void stop_with(std::stop_token token) override {
    stop_ = token;
    of_->stop_with(std::move(token));
  }
  [[nodiscard]] bool isolated() const noexcept override { return of_->isolated(); }
  [[nodiscard]] std::string description() const override { return of_->description(); }
  [[nodiscard]] std::int32_t respawns() const noexcept override { return of_->respawns(); }
  [[nodiscard]] bool lost() const noexcept override { return of_->lost(); }

 private:
  std::unique_ptr<runner> of_;
  std::stop_token stop_;
  measuring_turns turns_;
};

}}}  // namespace ttune::v0::detail
