// SPDX-License-Identifier: Apache-2.0
// Builds vectors of register buffers from elements of a few other vectors. Example: phases of an axis, which were
// computed separately, are interleaved by shuffles.
//
//   a = x0 x2 x4 x6, b = x1 x3 x5 x7     →     x0 x1 x2 x3, x4 x5 x6 x7
#pragma once

#include "ttune/codegen/llvm/emitter.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

/// Returns the vectors that contain the elements, in the order of their first use. Returns none if an element is a
/// scalar or a constant, if vectors differ in width or are narrower than the result, or if there are more than `most`.
inline std::vector<std::string> llvm_emitter::vectors_of(std::vector<element> const& elements, std::size_t most) {
  std::vector<std::string> vectors;
  int width = 0;
  for (auto const& e : elements) {
    if (e.vector.empty()) continue;
    if (e.lanes < static_cast<int>(elements.size()) || (width != 0 && e.lanes != width) || e.vector[0] != '%')
      return {};
    width = e.lanes;
    if (std::find(vectors.begin(), vectors.end(), e.vector) == vectors.end()) vectors.push_back(e.vector);
  }
  if (vectors.size() > most) vectors.clear();
  return vectors;
}

/// Builds one vector from elements of a few others, with a shuffle for each of them but the first; nothing if that is
/// not possible. Elements without a vector are undefined.
inline std::optional<value> llvm_emitter::interleaved(std::vector<element> const& elements, dtype type) {
  constexpr std::size_t most_vectors = 8;
  int const lanes = static_cast<int>(elements.size());
  auto const vectors = vectors_of(elements, most_vectors);
  if (lanes < 2 || vectors.empty()) return std::nullopt;
  auto const first = std::find_if(elements.begin(), elements.end(), [](element const& e) { return !e.vector.empty(); });
  int const width = first->lanes;
  auto const vector = vector_of(scalar_type(type), width);
  auto made = vectors[0];
  auto const steps = std::max<std::size_t>(vectors.size(), 2);
  for (std::size_t i = 1; i < steps; ++i) {  // adds the elements of vectors[i]
    int const places = i + 1 == steps ? lanes : width;
    std::string text;
    for (int lane = 0; lane < places; ++lane) {
      std::string place = "undef";
      if (auto const* e = lane < lanes ? &elements[static_cast<std::size_t>(lane)] : nullptr; e && !e->vector.empty()) {
        auto const from =
            static_cast<std::size_t>(std::find(vectors.begin(), vectors.end(), e->vector) - vectors.begin());
        if (from <= i) place = std::to_string(from == i ? width + e->lane : i == 1 ? e->lane : lane);
      }
      text += (lane != 0 ? ", i32 " : "i32 ") + place;
    }
    auto const with = i < vectors.size() ? vectors[i] : std::string("undef");
    made = define("shufflevector " + vector + " " + made + ", " + vector + " " + with + ", <" + std::to_string(places) +
                  " x i32> <" + text + ">");
  }
  return value{made, type, lanes};
}

}}}  // namespace ttune::v0::codegen
