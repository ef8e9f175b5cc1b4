// SPDX-License-Identifier: Apache-2.0
// Products of row-major matrices by cuBLAS, on the stream of a device.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "gpu_cases.hpp"

namespace ttune_bench::gpu {

/// C (m, n) = scale * A (m, k) * B (k, n), or B (n, k) if it is transposed; `batch` such products, stored in sequence.
struct product {
  std::int64_t m = 0, n = 0, k = 0, batch = 1;
  float scale = 1;
  bool b_is_transposed = false;
};

/// Types of operands and sums in a mode; results are f32.
struct product_types {
  int operands;  ///< cudaDataType of A and B
  int sums;      ///< cublasComputeType
};
[[nodiscard]] inline product_types product_types_of(std::string const& mode) {
  if (mode == "f16") return {data_f16, compute_f32};
  if (mode == "bf16") return {data_bf16, compute_f32};
  return {data_f32, mode == "tf32" ? compute_tf32 : compute_f32};
}

class blas {
 public:
  blas(device const& on, std::string const& mode) : types_(product_types_of(mode)) {
    handle made = nullptr;
    check(cublasCreate(&made), "cublasCreate");
    owner_.reset(made, [](handle h) { (void)cublasDestroy(h); });
    check(cublasSetStream(made, on.stream()), "cublasSetStream");
  }
  /// Enqueues a product. The row-major C = A B is the column-major C' = B' A'.
  void enqueue(product const& p, memory const& a, memory const& b, memory const& c) const {
    constexpr int as_it_is = 0;
    constexpr int transposed = 1;
    constexpr int any_algorithm = -1;
    auto const size = [](std::int64_t n) { return static_cast<int>(n); };
    int const op_b = p.b_is_transposed ? transposed : as_it_is;
    int const row_b = size(p.b_is_transposed ? p.k : p.n);
    int const m = size(p.m), n = size(p.n), k = size(p.k);
    float const zero = 0;
    if (p.batch == 1)
      check(cublasGemmEx(owner_.get(), op_b, as_it_is, n, m, k, &p.scale, b.pointer(), types_.operands, row_b,
                         a.pointer(), types_.operands, k, &zero, c.pointer(), data_f32, n, types_.sums, any_algorithm),
            "cublasGemmEx");
    else
      check(cublasGemmStridedBatchedEx(owner_.get(), op_b, as_it_is, n, m, k, &p.scale, b.pointer(), types_.operands,
                                       row_b, p.k * p.n, a.pointer(), types_.operands, k, p.m * p.k, &zero, c.pointer(),
                                       data_f32, n, p.m * p.n, size(p.batch), types_.sums, any_algorithm),
            "cublasGemmStridedBatchedEx");
  }

 private:
  product_types types_;
  std::shared_ptr<void> owner_;
};

}  // namespace ttune_bench::gpu
