// SPDX-License-Identifier: Apache-2.0
// Instructions that an application brings along: each has the name of an intrinsic of LLVM, and a small program that
// says what it computes. Derived spaces and `tensorize` use it wherever a sum has such terms.
//
//   S(i) = sum(over(k), wide(L(i, k)) * wide(R(i, k)))     i: lanes, k: terms of a lane, which are neighbours in memory
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "ttune/core/target.hpp"
#include "ttune/ir/node.hpp"

namespace ttune { inline namespace v0 {
namespace ir {

/// The statement of an application about an instruction.
struct instruction_statement {
  std::string name;       ///< part of the keys of records
  std::string intrinsic;  ///< LLVM's name, as "llvm.aarch64.neon.sdot.v4i32.v16i8"
  /// The entry in LLVM's list of features, as "dotprod", without which a machine has no such instruction: LLVM ends the
  /// process if it meets an instruction that the machine lacks.
  std::string feature;
  /// Two inputs L(lanes, terms) and R(lanes, terms), and one output S(lanes): a sum over the terms.
  handle<program> semantics;
  /// The intrinsic takes the sums so far as its first argument. If not, it takes the operands only, and its result is
  /// added to the sums.
  bool takes_sums = true;
  /// LLVM's type of the operands as arguments, as "<16 x i32>" where four bytes are one element; empty: elements of L.
  std::string argument_type = {};
};

/// An instruction whose statement has been checked. Targets list the instructions that their programs may use
/// (`target::instructions`).
class own_instruction {
 public:
  /// Throws argument_error if the semantics are no sum of that form, if the terms of a lane are not 2 or 4 bytes
  /// together, or if the name of the intrinsic is none of LLVM's.
  explicit own_instruction(instruction_statement stated);

  [[nodiscard]] instruction_statement const& statement() const noexcept { return stated_; }
  [[nodiscard]] std::int32_t lanes() const noexcept { return lanes_; }
  [[nodiscard]] std::int32_t terms() const noexcept { return terms_; }
  [[nodiscard]] dtype left() const noexcept { return left_; }
  [[nodiscard]] dtype right() const noexcept { return right_; }
  [[nodiscard]] dtype sum() const noexcept { return sum_; }
  /// Returns true if the machine has the feature, and vectors of that many lanes. Features of the CPU "native" are not
  /// known here (runtime/add_instruction.hpp).
  [[nodiscard]] bool is_on(target const& machine) const;

  /// The accesses of a term that has the form of the semantics.
  struct operands {
    expr left, right;
  };
  /// Matches the term of a sum; nothing if it is another one. Operands may be exchanged where the form allows it.
  [[nodiscard]] std::optional<operands> match(expr const& term, dtype sum) const;

 private:
  [[noreturn]] void refuse(std::string const& why) const;
  void read_semantics();
  [[nodiscard]] bool has_form(expr const& term, expr const& left, expr const& right) const;

  instruction_statement stated_;
  expr term_;  ///< the term of the semantics, a function of the accesses `left_access_` and `right_access_`
  expr left_access_, right_access_;
  std::int32_t lanes_ = 0;
  std::int32_t terms_ = 0;
  dtype left_ = dtype::i8;
  dtype right_ = dtype::i8;
  dtype sum_ = dtype::i32;
};

}  // namespace ir

using ir::instruction_statement;
using ir::own_instruction;

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/ir/own_instruction.inl.hpp"
#endif
