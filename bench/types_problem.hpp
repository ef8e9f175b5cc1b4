// SPDX-License-Identifier: Apache-2.0
// The cases of suite types: matrix products of narrow elements with wider sums.
#pragma once

#include <ttune/core/dot_product.hpp>
#include <ttune/runtime/machine.hpp>
#include <ttune/support/rng.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "problem.hpp"
#include "ttune/core/float16.hpp"

namespace ttune_bench {

enum class narrow_type { bytes, bf16, f16 };  ///< bytes: u8 x i8 with sums of i32; others have sums of f32

/// C = A * B as gemm_shape; B is constant and prepared.
struct types_shape {
  std::string name;
  narrow_type type;
  std::int64_t m = 0, n = 0, k = 0;
  [[nodiscard]] double flops() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
  /// Returns the GFLOP/s of instructions with several products, at the rate of the f32 multiply-adds; those of tiles of
  /// matrices take as long as 32 of these.
  [[nodiscard]] double attainable(double fma_peak, double) const {
    auto const machine = ttune::probe_host();
    if (machine.has_tiles && type != narrow_type::f16) return fma_peak * (type == narrow_type::bytes ? 32 : 16);
    if (type == narrow_type::bytes) return fma_peak * (machine.has_byte_dot ? 4 : 2);
    return fma_peak * (type == narrow_type::bf16 && machine.has_bfloat_dot ? 2 : 1);
  }
};

[[nodiscard]] inline std::vector<types_shape> types_cases() {
  return {{"gemm_i8_1024", narrow_type::bytes, 1024, 1024, 1024},
          {"gemm_i8_128x4096x1024", narrow_type::bytes, 128, 4096, 1024},
          {"gemm_i8_3136x64x256", narrow_type::bytes, 3136, 64, 256},
          {"gemm_bf16_1024", narrow_type::bf16, 1024, 1024, 1024},
          {"gemm_bf16_128x4096x1024", narrow_type::bf16, 128, 4096, 1024},
          {"gemm_bf16_3136x64x256", narrow_type::bf16, 3136, 64, 256},
          {"gemm_f16_1024", narrow_type::f16, 1024, 1024, 1024}};
}

struct types_problem {
  explicit types_problem(types_shape s) : shape(std::move(s)) {
    ttune::rng random(7);
    for (auto* to : {&a, &b})
      to->resize(static_cast<std::size_t>((to == &a ? shape.m * shape.k : shape.k * shape.n) * bytes()));
    if (shape.type == narrow_type::bytes) {
      for (auto* to : {&a, &b})
        for (auto& x : *to) x = static_cast<std::uint8_t>(random.below(256));
      return;
    }
    for (auto* to : {&a, &b})
      for (std::size_t i = 0; i < to->size(); i += 2) {
        auto const value = 2 * random.uniform() - 1;
        auto const bits = shape.type == narrow_type::bf16 ? ttune::to_bf16(value).bits : ttune::to_f16(value).bits;
        (*to)[i] = static_cast<std::uint8_t>(bits & 255);
        (*to)[i + 1] = static_cast<std::uint8_t>(bits >> 8);
      }
  }
  [[nodiscard]] std::int64_t bytes() const { return shape.type == narrow_type::bytes ? 1 : 2; }
  [[nodiscard]] std::int64_t outputs() const { return shape.m * shape.n; }
  [[nodiscard]] double expected(std::int64_t index) const {
    double sum = 0;
    for (std::int64_t k = 0; k < shape.k; ++k)
      sum += number(a, index / shape.n * shape.k + k, false) * number(b, k * shape.n + index % shape.n, true);
    return sum;
  }

  types_shape shape;
  std::vector<std::uint8_t> a, b;

 private:
  [[nodiscard]] double number(std::vector<std::uint8_t> const& of, std::int64_t at, bool has_sign) const {
    auto const i = static_cast<std::size_t>(at * bytes());
    if (shape.type == narrow_type::bytes) return has_sign ? static_cast<std::int8_t>(of[i]) : of[i];
    auto const bits = static_cast<std::uint16_t>(of[i] | of[i + 1] << 8);
    return double{shape.type == narrow_type::bf16 ? to_float(ttune::bf16{bits}) : to_float(ttune::f16{bits})};
  }
};

}  // namespace ttune_bench
