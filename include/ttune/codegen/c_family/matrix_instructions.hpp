// SPDX-License-Identifier: Apache-2.0
// The part of a dialect for matrix products that the threads of a warp, or of four, compute together.
#pragma once

#include <string>

#include "ttune/core/dtype.hpp"
#include "ttune/core/matrix_product.hpp"
#include "ttune/core/target.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// Interface to functions of the text that are one instruction each. Each member returns the text of a function with
/// the given name.
class matrix_instructions {
 public:
  virtual ~matrix_instructions() = default;

  // ---- products of a warp (core/matrix_product.hpp)
  /// A function that rounds a float to TF32 and returns its register.
  [[nodiscard]] virtual std::string tf32_function(std::string const& name) const = 0;
  /// Returns true if a warp can load fragments of 8 x 8 elements of 16 bits from shared memory (ldmatrix).
  [[nodiscard]] virtual bool loads_matrices(target const& machine) const = 0;
  /// A function that loads `fragments` registers, given the address of a fragment's row. `transposed`: transposed.
  [[nodiscard]] virtual std::string matrix_load_function(std::string const& name, int fragments,
                                                         bool transposed) const = 0;
  /// A function that adds to four sums, given the registers of both operands: rows vary fastest, then the halves of the
  /// terms.
  [[nodiscard]] virtual std::string matrix_function(std::string const& name, matrix_product const& how, dtype left,
                                                    dtype right, dtype sum) const = 0;

  // ---- products of four warps (core/warpgroup_product.hpp)
  /// A function that makes an operand's descriptor from the address of its first line and the bytes between blocks of
  /// 64 rows or columns, if these are contiguous.
  [[nodiscard]] virtual std::string lines_function(std::string const& name) const = 0;
  /// A function that takes both descriptors and a thread's sums. `across`: rows (or columns) are contiguous, not
  /// terms.
  [[nodiscard]] virtual std::string warpgroup_function(std::string const& name, int columns, dtype type,
                                                       bool left_across, bool right_across) const = 0;
  /// A function without arguments, called before a batch of such products.
  [[nodiscard]] virtual std::string begin_products_function(std::string const& name) const = 0;
  /// The same, called after the batch.
  [[nodiscard]] virtual std::string close_products_function(std::string const& name) const = 0;
  /// The same, called before sums are used: it waits for all batches but the last `in_flight`.
  [[nodiscard]] virtual std::string await_products_function(std::string const& name, int in_flight) const = 0;
  /// The same, called before a barrier after which the products read data that threads have written.
  [[nodiscard]] virtual std::string publish_function(std::string const& name) const = 0;
  /// A function that takes sums and forces the compiler to keep them in registers at that point.
  [[nodiscard]] virtual std::string hold_function(std::string const& name, int count) const = 0;
};

}}}}  // namespace ttune::v0::codegen::c_family
