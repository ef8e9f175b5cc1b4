// SPDX-License-Identifier: Apache-2.0
// Rows of neighbouring elements whose places are data of each lane: the matrix of a bone, both ends of an edge. A few
// neighbours are loaded at once for each lane, then the lanes are put together by shuffles:
//
//   lane 0: x0 y0 z0 w0, lane 1: x1 y1 z1 w1, …     →     x0 x1 …, y0 y1 …, z0 z1 …, w0 w1 …
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "ttune/codegen/interleaving.hpp"
#include "ttune/codegen/llvm/buffer_addresses.hpp"
#include "ttune/codegen/llvm/function_state.hpp"
#include "ttune/codegen/llvm/value_builder.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// Starts of rows come in, one element of the row of each running lane goes out. Only elements of these rows are read.
class row_gathers {
 public:
  row_gathers(ir_writer& writer, function_state const& state, value_builder& values, buffer_addresses& addresses)
      : writer_(writer), state_(state), values_(values), addresses_(addresses) {}

  /// An element of a row that is known during emission.
  struct element {
    std::int64_t place = 0;  ///< its number in the row
    std::int64_t row = 1;    ///< elements of a row
  };

  /// Returns true if elements of the buffer are loaded with their neighbours: there are at least two in 128 bits.
  [[nodiscard]] bool suits(ir::buffer const& b) const {
    auto const bytes = size_in_bytes(b.type);
    return b.where != ir::memory::registers && b.content.empty() && (bytes == 4 || bytes == 8) &&
           state_.lanes >= chunk(b) && (state_.lanes & (state_.lanes - 1)) == 0;
  }

  /// Returns an element of the row that begins `starts` after the index `shared`, for each running lane.
  [[nodiscard]] value load(ir::buffer const& b, lane_linear const& shared, value const& starts, element const& wanted);

 private:
  /// Number of elements in 128 bits, within which shuffles are cheapest.
  [[nodiscard]] static int chunk(ir::buffer const& b) { return static_cast<int>(16 / size_in_bytes(b.type)); }
  [[nodiscard]] std::vector<std::string> load_groups(ir::buffer const& b, lane_linear const& first, value const& starts,
                                                     int count);
  [[nodiscard]] std::string joined(std::string const& a, std::string const& b, std::string const& scalar, int lanes);
  [[nodiscard]] transposition::step in_chunks(transposition::step const& step, int chunk) const;

  ir_writer& writer_;
  function_state const& state_;
  value_builder& values_;
  buffer_addresses& addresses_;
};

/// Groups of 128 bits, or of two elements in shorter rows, begin at multiples of their size; the last one ends with the
/// row.
inline value row_gathers::load(ir::buffer const& b, lane_linear const& shared, value const& starts,
                               element const& wanted) {
  auto const count = std::int64_t{wanted.row >= chunk(b) ? chunk(b) : 2};
  auto const begin = std::min(wanted.place / count * count, wanted.row - count);
  auto first = shared;
  first.constant += begin;
  auto const key = [&](std::int64_t place) {
    return "row " + starts.text + " " + std::to_string(first.constant + place) + " " + first.key() +
           state_.mask_text(state_.lanes);
  };
  auto& known_values = writer_.open_frames();
  auto const number = wanted.place - begin;
  if (auto const* known = known_values.find_load(b.name, key(number)))
    return values_.from_memory(*known, b.type, state_.lanes);
  auto vectors = load_groups(b, first, starts, static_cast<int>(count));
  interleaving const plan(static_cast<int>(count), chunk(b), interleaving::direction::apart);
  for (auto const& step : plan.steps())
    vectors.push_back(values_.shuffled(vectors, in_chunks(step, chunk(b)), memory_type(b.type), state_.lanes));
  auto const result = [&](std::int64_t place) {
    return vectors[static_cast<std::size_t>(plan.results()[static_cast<std::size_t>(place)])];
  };
  for (std::int64_t place = 0; place < count; ++place) known_values.remember_load(b.name, key(place), result(place));
  return values_.from_memory(result(number), b.type, state_.lanes);
}

/// Loads `count` elements for each running lane. Chunk k of vector v has the lanes of chunk k of a result, a part of
/// them.
inline std::vector<std::string> row_gathers::load_groups(ir::buffer const& b, lane_linear const& first,
                                                         value const& starts, int count) {
  auto const scalar = memory_type(b.type);
  auto const base = addresses_.pointer(b, first);
  auto const group = [&](int lane) -> std::string {
    if (!state_.runs(lane)) return "undef";
    auto const at =
        writer_.define_at(frames::here, "extractelement " + vector_of(scalar_type(starts.type), state_.lanes) + " " +
                                            starts.text + ", i32 " + std::to_string(lane));
    auto const address =
        writer_.define("getelementptr " + scalar + ", ptr " + base + ", " + scalar_type(starts.type) + " " + at);
    return writer_.define("load " + vector_of(scalar, count) + ", ptr " + address + ", align " +
                          std::to_string(size_in_bytes(b.type)));
  };
  int const in_chunk = chunk(b) / count;  // lanes whose groups fill 128 bits
  std::vector<std::string> vectors;
  for (int v = 0; v < count; ++v) {
    std::vector<std::string> parts;
    for (int start = v * in_chunk; start < state_.lanes; start += chunk(b))
      for (int lane = start; lane < start + in_chunk; ++lane) parts.push_back(group(lane));
    for (int width = count; parts.size() > 1; width *= 2) {
      std::vector<std::string> wider;
      for (std::size_t i = 0; i < parts.size(); i += 2) wider.push_back(joined(parts[i], parts[i + 1], scalar, width));
      parts = std::move(wider);
    }
    vectors.push_back(parts[0]);
  }
  return vectors;
}

/// Returns two vectors of `lanes` lanes as one.
inline std::string row_gathers::joined(std::string const& a, std::string const& b, std::string const& scalar,
                                       int lanes) {
  if (a == "undef" && b == "undef") return a;
  std::vector<int> places;
  for (int i = 0; i < 2 * lanes; ++i) places.push_back(i);
  return values_.shuffle(scalar, lanes, a, b, places);
}

/// Returns a shuffle of chunks as one that does the same in each chunk of whole vectors.
inline transposition::step row_gathers::in_chunks(transposition::step const& step, int chunk) const {
  transposition::step made{step.first, step.second, {}};
  for (int lane = 0; lane < state_.lanes; ++lane) {
    auto const place = step.places[static_cast<std::size_t>(lane % chunk)];
    made.places.push_back(place % chunk + lane / chunk * chunk + (place >= chunk ? state_.lanes : 0));
  }
  return made;
}

}}}}  // namespace ttune::v0::codegen::llvm
