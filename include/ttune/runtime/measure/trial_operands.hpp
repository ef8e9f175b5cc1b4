// SPDX-License-Identifier: Apache-2.0
// The operands of a workload in the memory of a runner: their contents, what a candidate must write, and what it
// damaged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ttune/runtime/image.hpp"
#include "ttune/runtime/measure/guarded_memory.hpp"
#include "ttune/runtime/measure/runner_options.hpp"
#include "ttune/runtime/measure/trial_check.hpp"
#include "ttune/runtime/strided_operand.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Two copies of each operand, one flush against either end of its memory: a read over one of the ends faults in one of
/// two runs. Each copy also serves to detect changes of an input in the other. Strided operands have the strides of
/// trials (strided_operand.hpp), and what lies between their elements must not change either. Contents come in and go
/// out without gaps.
class trial_operands {
 public:
  /// Takes inputs from the options, or generates them. Throws argument_error for data of a wrong size, std::bad_alloc
  /// if there is no memory.
  trial_operands(kernel_signature const& signature, runner_options& options);

  [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }
  /// Returns the memory of an operand at the end of its pages, or at their start, where it is aligned to a page.
  [[nodiscard]] guarded_memory const& memory(std::size_t operand, bool at_end) const noexcept {
    return at_end ? all_[operand].at_end : all_[operand].at_start;
  }
  [[nodiscard]] std::vector<void*> pointers(bool at_end) const;
  /// Returns true if a call reads what the previous call wrote.
  [[nodiscard]] bool updated_in_place() const noexcept;
  /// Poisons the outputs and resets operands that are both read and written.
  void restore(bool at_end, int round) const;

  /// Repairs inputs, and what surrounds the operands. Returns the first damage that it found, as "changed its input A";
  /// empty if there was none.
  [[nodiscard]] std::string repair(bool at_end) const;
  /// Returns true if the outputs at both ends of their memory are the same, bit by bit.
  [[nodiscard]] bool has_same_outputs() const;
  /// Returns the outputs, by operand; entries for inputs are empty.
  [[nodiscard]] std::vector<std::vector<std::uint8_t>> outputs(bool at_end) const;
  /// Describes an element that no run wrote since the outputs were poisoned; empty if there is none.
  [[nodiscard]] std::string unwritten(bool at_end) const;

  /// Sets the reference, by operand; entries for inputs are ignored. Throws argument_error for a wrong size.
  void expect(std::vector<std::vector<std::uint8_t>> outputs, double tolerance);
  void forget_reference() noexcept;
  [[nodiscard]] bool has_reference() const noexcept { return has_reference_; }
  /// Describes the first difference of the outputs from the reference; empty if there is none, or no reference.
  [[nodiscard]] std::string difference(bool at_end) const;
  /// Returns true if nothing has overwritten the reference.
  [[nodiscard]] bool reference_intact() const noexcept;
  /// Returns an input as kernels get it, or a reference output; without a reference, the memory of that output.
  [[nodiscard]] std::vector<std::uint8_t> bytes(std::size_t operand) const;
  /// Returns the reference of all operands; empty for inputs, and all empty without a reference.
  [[nodiscard]] std::vector<std::vector<std::uint8_t>> reference() const;

 private:
  struct one {
    operand_info info;
    guarded_memory at_end;
    guarded_memory at_start;
    strided_operand place;              ///< of its elements in memory, if it is strided
    std::vector<std::uint8_t> initial;  ///< initial content of inputs
    expected_output expected;           ///< expected content of outputs

    [[nodiscard]] bool is_written() const noexcept {
      return info.direction == operand_direction::out || info.direction == operand_direction::inout;
    }
    [[nodiscard]] bool is_strided() const noexcept { return info.strides != operand_strides::dense; }
    /// Returns the elements of one of the copies.
    [[nodiscard]] std::vector<std::uint8_t> content(guarded_memory const& memory) const;
    void fill(guarded_memory const& memory, std::span<std::uint8_t const> content) const;
    [[nodiscard]] bool has_content(guarded_memory const& memory, std::span<std::uint8_t const> content) const;
    [[nodiscard]] bool gaps_intact(guarded_memory const& memory) const;
  };

  std::vector<one> all_;
  double terms_;  ///< of the workload's sums; decides how far outputs may differ
  bool has_reference_ = false;
};

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/measure/trial_operands.inl.hpp"
#endif
