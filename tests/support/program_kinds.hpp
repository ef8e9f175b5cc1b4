// SPDX-License-Identifier: Apache-2.0
// The random programs that run as machine code, by seed: which generator makes one, and what is done to it then.
#pragma once

#include <cstdint>
#include <string_view>

#include "support/random_complex.hpp"
#include "support/random_constants.hpp"
#include "support/random_contraction.hpp"
#include "support/random_end.hpp"
#include "support/random_layouts.hpp"
#include "support/random_matrix.hpp"
#include "support/random_operands.hpp"
#include "support/random_pipeline.hpp"
#include "support/random_product.hpp"
#include "support/random_program.hpp"
#include "support/random_ranked.hpp"
#include "support/random_scan.hpp"
#include "support/random_scatter.hpp"
#include "support/random_strides.hpp"
#include "support/random_values.hpp"
#include "ttune/capture/in_order.hpp"

namespace ttune_test {

/// The generators. Of 28 programs, four are pipelines, three contractions, two are products of wide matrices, two read
/// a matrix by rows and by columns, two have floats of 16 and 32 bits only, one has large constants, one scans an axis,
/// in one data choose the places of terms, one uses values repeatedly, one takes the largest elements of an axis, and
/// one has complex elements.
enum class program_kind : std::uint8_t {
  any,
  pipeline,
  contraction,
  product,
  matrix,
  halves,
  constants,
  scan,
  scatter,
  values,
  ranked,
  complex
};

[[nodiscard]] constexpr program_kind kind_of_program(std::uint64_t seed) noexcept {
  if (seed % 7 == 3) return program_kind::pipeline;
  if (seed % 28 == 26) return program_kind::complex;
  if (seed % 7 == 5) return program_kind::contraction;
  if (seed % 14 == 8) return program_kind::matrix;
  if (seed % 14 == 13) return program_kind::product;
  if (seed % 28 == 2) return program_kind::constants;
  if (seed % 28 == 16) return program_kind::scan;
  if (seed % 28 == 9) return program_kind::scatter;
  if (seed % 28 == 23) return program_kind::values;
  if (seed % 28 == 4) return program_kind::ranked;
  return seed % 14 == 6 ? program_kind::halves : program_kind::any;
}

/// Four of 11 programs get an element-wise end (if they have one result); three of 13 get other layouts; two of 17 get
/// strided operands. 7, 11, 13 and 17 have no common divisor with the numbers of backends and threads, which follow
/// from the seed, too.
[[nodiscard]] constexpr bool gets_end(std::uint64_t seed) noexcept { return seed % 11 < 4; }
[[nodiscard]] constexpr bool gets_layouts(std::uint64_t seed) noexcept { return seed % 13 < 3; }
[[nodiscard]] constexpr bool gets_strides(std::uint64_t seed) noexcept { return seed % 17 < 2; }
[[nodiscard]] constexpr bool gets_order(std::uint64_t seed) noexcept { return seed % 19 == 5; }

[[nodiscard]] inline random_program_options options_of_program(program_kind kind) {
  random_program_options options;
  options.functions = true;
  options.conversions = true;
  options.long_sums = true;
  if (kind == program_kind::halves) options.types = {dtype::f16, dtype::bf16, dtype::f32};
  return options;
}

/// Returns the program before it gets an end, layouts or strides.
[[nodiscard]] inline handle<ir::program> base_program(std::uint64_t seed) {
  ttune::rng random(seed);
  auto const kind = kind_of_program(seed);
  auto const options = options_of_program(kind);
  if (kind == program_kind::pipeline) return random_pipeline(random);
  if (kind == program_kind::contraction) return contraction_generator(random, options).make();
  if (kind == program_kind::matrix) return matrix_generator(random, options).make();
  if (kind == program_kind::product) return product_generator(random, options).make();
  if (kind == program_kind::complex) return complex_generator(random, options).make();
  if (kind == program_kind::scan) return scan_generator(random, options).make();
  if (kind == program_kind::scatter) return scatter_generator(random, options).make();
  if (kind == program_kind::ranked) return ranked_generator(random, options).make();
  if (kind == program_kind::values) return values_generator(random, options).make();
  if (kind == program_kind::constants) return constants_generator(random, options).make();
  return random_program(random, options);
}

/// Returns the composition of the program with a random end.
[[nodiscard]] inline std::optional<composed_program> composed_for(std::uint64_t seed,
                                                                  handle<ir::program> const& program) {
  ttune::rng random(seed ^ 0x5eedULL);
  auto const options = options_of_program(kind_of_program(seed));
  return with_random_end(random, program, options);
}

/// Returns the program in random layouts.
[[nodiscard]] inline arranged_program arranged_for(std::uint64_t seed, handle<ir::program> const& program) {
  ttune::rng random(seed ^ 0x1a107ULL);
  return in_random_layouts(random, program);
}

/// Returns the program with strided operands.
[[nodiscard]] inline handle<ir::program> strided_for(std::uint64_t seed, handle<ir::program> const& program) {
  ttune::rng random(seed ^ 0x57421de5ULL);
  return with_random_strides(random, program);
}

/// Returns the program of a trial on a device: always the same one for a seed.
[[nodiscard]] inline handle<ir::program> dense_program_for(std::uint64_t seed) {
  auto made = base_program(seed);
  if (gets_end(seed))
    if (auto const composed = composed_for(seed, made)) made = composed->program;
  return gets_layouts(seed) ? arranged_for(seed, made).program : made;
}

/// Returns the program of a trial on a processor, which may sum in a fixed order, and may have strided operands.
[[nodiscard]] inline handle<ir::program> program_for(std::uint64_t seed) {
  auto made = dense_program_for(seed);
  constexpr ttune::capture::parts_of_rows short_parts{32, 64};
  if (gets_order(seed))
    made = seed % 2 == 0 ? ttune::capture::in_order(made) : ttune::capture::in_order(made, short_parts);
  return gets_strides(seed) ? strided_for(seed, made) : made;
}

/// Returns true for a pipeline of stencils, with an end or without.
[[nodiscard]] inline bool is_pipeline(ir::program const& p) { return std::string_view(p.name).starts_with("pipeline"); }

/// Returns true for a scan, with an end or without.
[[nodiscard]] inline bool is_scan(ir::program const& p) { return std::string_view(p.name).starts_with("scan"); }

/// Returns true for a program in which data choose the places of terms, with an end or without.
[[nodiscard]] inline bool is_scatter(ir::program const& p) { return std::string_view(p.name).starts_with("scatter"); }

/// Returns the operands of a trial: small numbers, or all bits of their types.
[[nodiscard]] inline std::vector<ir::ndarray> operands_for(std::uint64_t seed, ir::program const& p) {
  ttune::rng random(seed);
  bool const whole = kind_of_program(seed) == program_kind::any ? random.chance(0.3) : random.chance(0.6);
  return whole ? whole_operands(p, random) : random_operands(p, random);
}

}  // namespace ttune_test
