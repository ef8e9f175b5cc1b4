// SPDX-License-Identifier: Apache-2.0
// Builds a vector from elements that are lanes of other vectors: by transposing a tile, by interleaving a few vectors,
// or lane by lane.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ttune/codegen/interleaving.hpp"
#include "ttune/codegen/llvm/ir_writer.hpp"
#include "ttune/codegen/llvm/register_elements.hpp"
#include "ttune/codegen/llvm/value_builder.hpp"
#include "ttune/codegen/transposition.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// Elements come in, in the order of the wanted lanes; one vector goes out. A tile is transposed once, and its other
/// columns are then known up to the end of the frame.
class register_assembler {
 public:
  register_assembler(ir_writer& writer, value_builder& values) : writer_(writer), values_(values) {}

  /// Builds one vector from elements, or returns the vector that has them in this order already. Elements without a
  /// vector are undefined; elements of `all_lanes` may take their places, so that a tile is transposed once for masked
  /// and unmasked uses.
  [[nodiscard]] value assemble(register_elements const& elements, dtype type,
                               register_elements const* all_lanes = nullptr);

  /// Builds the vector of the `lanes` elements from number `first` on of a buffer in registers, if they are a part of
  /// points whose components are in one vector each: the components are interleaved once for all parts.
  [[nodiscard]] std::optional<value> part_of_points(register_elements const& file, std::size_t first, int lanes,
                                                    dtype type);

  /// Tells that an arm of a two-armed condition begins (or, with nothing, that another kind of arm does). Returns what
  /// was told before, to be restored at the end of the arm.
  [[nodiscard]] std::optional<int> begin_arm(std::optional<int> first_value) {
    return std::exchange(arm_begins_, first_value);
  }
  void end_arm(std::optional<int> outer) { arm_begins_ = outer; }

 private:
  [[nodiscard]] std::optional<value> column(register_elements const& elements, dtype type);
  [[nodiscard]] bool lie_before_arm(std::vector<std::string> const& vectors);
  void transpose(transposition const& plan, std::vector<std::string> vectors, int lanes, dtype type,
                 std::string const& key);
  [[nodiscard]] static std::vector<std::string> components_of(register_elements const& file, std::size_t first,
                                                              std::size_t count, int lanes);
  [[nodiscard]] static std::vector<std::string> vectors_of(register_elements const& elements, std::size_t most);
  [[nodiscard]] std::optional<value> interleaved(register_elements const& elements, dtype type);

  ir_writer& writer_;
  value_builder& values_;
  std::map<std::tuple<int, int, int>, transposition> transpositions_;  ///< key: rows, lanes, bytes of an element
  std::optional<int> arm_begins_;  ///< number of the first value in the current arm, if its condition has two arms
};

inline value register_assembler::assemble(register_elements const& elements, dtype type,
                                          register_elements const* all_lanes) {
  int const lanes = static_cast<int>(elements.size());
  std::string whole;
  bool same = true;
  for (int i = 0; i < lanes; ++i) {
    auto const& e = elements[static_cast<std::size_t>(i)];
    if (e.vector.empty()) continue;
    if (whole.empty()) whole = e.vector;
    same = same && e.vector == whole && e.lane == i && e.lanes == lanes;
  }
  if (whole.empty()) return {"undef", type, lanes};
  if (same) return {whole, type, lanes};
  if (all_lanes)
    if (auto const from_rows = column(*all_lanes, type)) return *from_rows;
  if (auto const from_rows = column(elements, type)) return *from_rows;
  if (auto const woven = interleaved(elements, type)) return *woven;
  std::string made = "undef";
  for (int i = 0; i < lanes; ++i) {
    auto const& e = elements[static_cast<std::size_t>(i)];
    if (e.vector.empty()) continue;
    auto const one = values_.extract({e.vector, type, e.lanes}, e.lane);
    if (lanes == 1) return {one, type, 1};
    made = values_.insert(made, one, scalar_type(type), lanes, i);
  }
  return {made, type, lanes};
}

/// Returns true if an arm of a two-armed condition is being emitted and the values were defined before it.
inline bool register_assembler::lie_before_arm(std::vector<std::string> const& vectors) {
  return arm_begins_ && writer_.open_frames().in_arm() &&
         std::all_of(vectors.begin(), vectors.end(),
                     [&](std::string const& v) { return v == "undef" || std::stoi(v.substr(2)) < *arm_begins_; });
}

/// Builds a vector from the same lane of several vectors: a column of a tile whose rows they are. The tile is
/// transposed once; later columns are then known. Missing rows are undefined.
inline std::optional<value> register_assembler::column(register_elements const& elements, dtype type) {
  auto const rows = static_cast<int>(elements.size());
  int lane = -1;
  int lanes = 0;
  std::vector<std::string> vectors;
  std::string key = "rows";
  for (auto const& e : elements) {
    if (!e.vector.empty()) {
      if ((lane >= 0 && (e.lane != lane || e.lanes != lanes)) || e.lanes < rows || e.vector[0] != '%')
        return std::nullopt;
      lane = e.lane;
      lanes = e.lanes;
    }
    vectors.push_back(e.vector.empty() ? "undef" : e.vector);
    key += " " + vectors.back();
  }
  if (rows < 2 || (rows & (rows - 1)) != 0) return std::nullopt;
  auto const bytes = static_cast<int>(size_in_bytes(type));
  auto const& plan = transpositions_.try_emplace({rows, lanes, bytes}, rows, lanes, bytes).first->second;
  auto& open = writer_.open_frames();
  if (!open.find_load("transposed", key)) {
    // In an arm, transpose before the condition: the other arm stores the same tile, whole or with a mask.
    auto arm = lie_before_arm(vectors) ? std::optional(open.suspend()) : std::nullopt;
    open.remember_load("transposed", key, "all");
    transpose(plan, std::move(vectors), lanes, type, key);
    if (arm) open.resume(std::move(*arm));
  }
  auto const& places = plan.column(lane);
  auto const* const from = open.find_load("transposed", key + " " + std::to_string(places[0].vector));
  bool whole = rows == lanes;
  std::string text = "<";
  for (int i = 0; i < rows; ++i) {
    auto const place = places[static_cast<std::size_t>(i)].lane;
    whole = whole && place == i;
    text += (i != 0 ? ", i32 " : "i32 ") + std::to_string(place);
  }
  if (whole) return value{*from, type, rows};
  auto const vector = vector_of(scalar_type(type), lanes);
  return value{writer_.define("shufflevector " + vector + " " + *from + ", " + vector + " undef, <" +
                              std::to_string(rows) + " x i32> " + text + ">"),
               type, rows};
}

/// Emits the shuffles; remembers their results under the key and the number of the vector.
inline void register_assembler::transpose(transposition const& plan, std::vector<std::string> vectors, int lanes,
                                          dtype type, std::string const& key) {
  for (auto const& step : plan.steps()) {
    auto made = values_.shuffled(vectors, step, scalar_type(type), lanes);
    writer_.open_frames().remember_load("transposed", key + " " + std::to_string(vectors.size()), made);
    vectors.push_back(std::move(made));
  }
}

/// Returns the vector of each component of the points from element `first` on, a vector's lanes of them; none if the
/// elements lie in another way.
inline std::vector<std::string> register_assembler::components_of(register_elements const& file, std::size_t first,
                                                                  std::size_t count, int lanes) {
  std::vector<std::string> vectors(count);
  for (std::size_t c = 0; c < count; ++c)
    for (int lane = 0; lane < lanes; ++lane) {
      auto const at = first + c + static_cast<std::size_t>(lane) * count;
      if (at >= file.size() || file[at].vector.empty()) continue;
      auto const& e = file[at];
      if (e.lane != lane || e.lanes != lanes || (!vectors[c].empty() && vectors[c] != e.vector)) return {};
      vectors[c] = e.vector;
    }
  for (auto& v : vectors)
    if (v.empty()) v = "undef";
  return vectors;
}

inline std::optional<value> register_assembler::part_of_points(register_elements const& file, std::size_t first,
                                                               int lanes, dtype type) {
  constexpr std::size_t least = 4;  // fewer components have shorter forms
  constexpr auto most = static_cast<std::size_t>(most_interleaved);
  if (!interleaves(lanes) || first >= file.size()) return std::nullopt;
  auto const are_neighbours = [&](std::size_t a, std::size_t b) {
    return b < file.size() && !file[a].vector.empty() && file[a].vector == file[b].vector &&
           file[a].lane + 1 == file[b].lane;
  };
  std::size_t count = 1;
  while (count <= most && !are_neighbours(first, first + count) &&
         (count > first || !are_neighbours(first - count, first)))
    ++count;
  if (count < least || count > most) return std::nullopt;
  auto const width = static_cast<std::size_t>(lanes);
  auto const block = first / (count * width) * (count * width);
  if (first % width != 0) return std::nullopt;
  auto vectors = components_of(file, block, count, lanes);
  if (vectors.empty()) return std::nullopt;
  std::string key = "points";
  for (auto const& v : vectors) key += " " + v;
  auto& open = writer_.open_frames();
  auto const part = (first - block) / width;
  if (!open.find_load("interleaved", key + " " + std::to_string(part))) {
    interleaving const plan(static_cast<int>(count), lanes, interleaving::direction::together);
    for (auto const& step : plan.steps()) vectors.push_back(values_.shuffled(vectors, step, scalar_type(type), lanes));
    for (std::size_t p = 0; p < count; ++p)
      open.remember_load("interleaved", key + " " + std::to_string(p),
                         vectors[static_cast<std::size_t>(plan.results()[p])]);
  }
  return value{*open.find_load("interleaved", key + " " + std::to_string(part)), type, lanes};
}

/// Returns the vectors that contain the elements, in the order of their first use. Returns none if an element is a
/// scalar or a constant, if vectors differ in width or are narrower than the result, or if there are more than `most`.
inline std::vector<std::string> register_assembler::vectors_of(register_elements const& elements, std::size_t most) {
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
/// not possible. Elements without a vector are undefined. Example: phases of an axis, which were computed separately.
///
///   a = x0 x2 x4 x6, b = x1 x3 x5 x7     →     x0 x1 x2 x3, x4 x5 x6 x7
inline std::optional<value> register_assembler::interleaved(register_elements const& elements, dtype type) {
  constexpr std::size_t most_vectors = 8;
  int const lanes = static_cast<int>(elements.size());
  auto const vectors = vectors_of(elements, most_vectors);
  if (lanes < 2 || vectors.empty()) return std::nullopt;
  auto const first = std::find_if(elements.begin(), elements.end(), [](auto const& e) { return !e.vector.empty(); });
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
    made = writer_.define("shufflevector " + vector + " " + made + ", " + vector + " " + with + ", <" +
                          std::to_string(places) + " x i32> <" + text + ">");
  }
  return value{made, type, lanes};
}

}}}}  // namespace ttune::v0::codegen::llvm
