// SPDX-License-Identifier: Apache-2.0
// Arrays of a thread that are split into variables (register_shapes.hpp): their elements, vectors and columns.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ttune/codegen/c_family/buffer_names.hpp"
#include "ttune/codegen/c_family/kernel_state.hpp"
#include "ttune/codegen/c_family/register_shapes.hpp"
#include "ttune/codegen/transposition.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// Reads and writes such arrays. In: a buffer and the linear form of an index without variables. Out: text of values.
/// While the shapes are not settled, it records uses instead, and no buffer is split.
class register_emitter {
 public:
  register_emitter(kernel_state& kernel, buffer_names& names, register_shapes& shapes)
      : kernel_(kernel), names_(names), shapes_(shapes) {}

  [[nodiscard]] bool is_split(ir::buffer const& b) const { return shapes_.is_split(b); }
  /// Records the use of a buffer while the kernel is emitted for the first time.
  void note_use(ir::buffer const& b, lane_linear const& flat, bool stores);
  /// Returns true if a store to elements that are not adjacent may become one of a whole vector variable.
  [[nodiscard]] bool may_become_vector(ir::buffer const& b, lane_linear const& flat) const {
    return !shapes_.settled() && flat.terms.empty() && is_thread_memory(b);
  }

  void declare(ir::buffer const& b, std::string const& name);
  /// Returns one element.
  [[nodiscard]] std::string element(ir::buffer const& b, std::int64_t element);
  /// Returns the lanes of the current vectorised loop; lanes that are not adjacent are combined.
  [[nodiscard]] c_value load(ir::buffer const& b, lane_linear const& flat);
  void store(ir::buffer const& b, lane_linear const& flat, c_value const& v);

  /// Invalidates transposed tiles of a buffer, before one of its variables changes.
  void forget_tiles(ir::buffer const& b) {
    std::erase_if(tiles_, [&](auto const& known) { return known.second.of == &b; });
  }
  void forget_tiles() { tiles_.clear(); }

 private:
  struct tile {
    ir::buffer const* of = nullptr;
    kernel_text::scope_id scope = 0;   ///< the scope in which its vectors were declared
    std::vector<std::string> vectors;  ///< its rows, then the results of the transposition's steps
  };

  [[nodiscard]] std::optional<c_value> neighbours(ir::buffer const& b, lane_linear const& flat);
  [[nodiscard]] std::optional<std::vector<std::string>> rows_of_column(ir::buffer const& b, lane_linear const& flat);
  [[nodiscard]] std::optional<c_value> column(ir::buffer const& b, lane_linear const& flat);
  [[nodiscard]] tile const& transposed(ir::buffer const& b, std::vector<std::string> rows, int width,
                                       transposition const& plan);
  [[nodiscard]] std::string shuffled(std::vector<int> const& places, std::string const& a, std::string const& b,
                                     dtype type);
  [[nodiscard]] register_shapes::place place_of_lane(ir::buffer const& b, lane_linear const& flat, int lane) const {
    return shapes_.at(b, flat.constant + flat.lane * lane);
  }
  [[nodiscard]] std::string variable(ir::buffer const& b, std::int64_t first) {
    return names_.array(b) + "_" + std::to_string(first);
  }
  [[nodiscard]] int lanes() const { return kernel_.variables.lanes(); }

  kernel_state& kernel_;
  buffer_names& names_;
  register_shapes& shapes_;
  std::map<std::string, tile> tiles_;                                  ///< transposed ones, by the names of the rows
  std::map<std::tuple<int, int, int>, transposition> transpositions_;  ///< by rows, lanes, bytes per element
};

inline void register_emitter::note_use(ir::buffer const& b, lane_linear const& flat, bool stores) {
  if (shapes_.settled() || !is_thread_memory(b)) return;
  bool const as_stored = b.type != dtype::f16 && b.type != dtype::bf16 && b.type != dtype::boolean;
  if (!flat.terms.empty() || !as_stored || memory_space_of(b, kernel_) == ir::memory::shared)
    return shapes_.use_anywhere(b);
  if (stores) shapes_.store(b, flat.constant, flat.lane, flat.lane == 0 ? 1 : lanes());
}

inline void register_emitter::declare(ir::buffer const& b, std::string const& name) {
  for (auto const& [first, width] : shapes_.variables(b))
    kernel_.text.line(kernel_.dialect.storage(b.type) + (width > 1 ? std::to_string(width) : "") + " " + name + "_" +
                      std::to_string(first) + ";");
}

inline std::string register_emitter::element(ir::buffer const& b, std::int64_t element) {
  auto const p = shapes_.at(b, element);
  auto const name = variable(b, p.first);
  return p.width == 1 ? name : name + ".s" + lane_digit(p.lane);
}

inline c_value register_emitter::load(ir::buffer const& b, lane_linear const& flat) {
  if (auto const adjacent = neighbours(b, flat)) return *adjacent;
  if (auto const gathered = column(b, flat)) return *gathered;
  std::string all;
  for (int i = 0; i < lanes(); ++i) all += (i != 0 ? ", " : "") + element(b, flat.constant + flat.lane * i);
  return {"(" + kernel_.types.name(b.type, lanes()) + ")(" + all + ")", b.type, lanes()};
}

inline void register_emitter::store(ir::buffer const& b, lane_linear const& flat, c_value const& v) {
  auto const text = kernel_.types.widened(v, lanes()).text;
  if (auto const to = neighbours(b, flat)) return kernel_.text.line(to->text + " = " + text + ";");
  auto const name = kernel_.text.fresh(b.name + "_all");
  kernel_.text.open("");
  kernel_.text.line("const " + kernel_.types.name(b.type, lanes()) + " " + name + " = " + text + ";");
  for (int i = 0; i < lanes(); ++i)
    kernel_.text.line(element(b, flat.constant + flat.lane * i) + " = " + name + ".s" + lane_digit(i) + ";");
  kernel_.text.close();
}

/// Returns lanes that are a whole variable, or adjacent lanes of one.
inline std::optional<c_value> register_emitter::neighbours(ir::buffer const& b, lane_linear const& flat) {
  auto const first = shapes_.at(b, flat.constant);
  if (first.width < lanes()) return std::nullopt;
  std::string digits;
  for (int i = 0; i < lanes(); ++i) {
    auto const p = place_of_lane(b, flat, i);
    if (p.first != first.first || p.lane != first.lane + i) return std::nullopt;
    digits += lane_digit(p.lane);
  }
  return c_value{variable(b, first.first) + (first.width == lanes() ? "" : ".s" + digits), b.type, lanes()};
}

// ------------------------------------------------------------------------------------------------- columns of tiles

/// Returns the vectors whose same lane the elements are; nothing if there are none.
inline std::optional<std::vector<std::string>> register_emitter::rows_of_column(ir::buffer const& b,
                                                                                lane_linear const& flat) {
  auto const first = shapes_.at(b, flat.constant);
  if (lanes() < 2 || first.width < lanes()) return std::nullopt;
  std::vector<std::string> rows;
  for (int i = 0; i < lanes(); ++i) {
    auto const p = place_of_lane(b, flat, i);
    if (p.lane != first.lane || p.width != first.width) return std::nullopt;
    rows.push_back(variable(b, p.first));
  }
  return rows;
}

/// Returns the same lane of several vectors: a column of the tile whose rows they are. The tile is transposed once, and
/// the following columns reuse the result.
inline std::optional<c_value> register_emitter::column(ir::buffer const& b, lane_linear const& flat) {
  auto rows = rows_of_column(b, flat);
  if (!rows) return std::nullopt;
  auto const first = shapes_.at(b, flat.constant);
  auto const bytes = static_cast<int>(size_in_bytes(b.type));
  auto const& plan =
      transpositions_.try_emplace({lanes(), first.width, bytes}, lanes(), first.width, bytes).first->second;
  auto const& known = transposed(b, std::move(*rows), first.width, plan);
  auto const& places = plan.column(first.lane);
  std::string digits;
  bool whole = first.width == lanes();
  for (int i = 0; i < lanes(); ++i) {
    auto const lane = places[static_cast<std::size_t>(i)].lane;
    whole = whole && lane == i;
    digits += lane_digit(lane);
  }
  auto const& from = known.vectors[static_cast<std::size_t>(places[0].vector)];
  return c_value{whole ? from : from + ".s" + digits, b.type, lanes()};
}

/// Returns the transposed tile with these rows; it is written if no open scope has it.
inline register_emitter::tile const& register_emitter::transposed(ir::buffer const& b, std::vector<std::string> rows,
                                                                  int width, transposition const& plan) {
  std::string key;
  for (auto const& row : rows) key += row + " ";
  auto& known = tiles_[key];
  if (known.of && kernel_.text.is_open(known.scope)) return known;
  known = {&b, kernel_.text.innermost_scope(), std::move(rows)};
  for (auto const& step : plan.steps()) {
    auto const name = kernel_.text.fresh(b.name + "_transposed");
    kernel_.text.line("const " + kernel_.types.name(b.type, width) + " " + name + " = " +
                      shuffled(step.places, known.vectors[static_cast<std::size_t>(step.first)],
                               known.vectors[static_cast<std::size_t>(step.second)], b.type) +
                      ";");
    known.vectors.push_back(name);
  }
  return known;
}

/// Selects lanes of two concatenated vectors, by a function for each selection.
inline std::string register_emitter::shuffled(std::vector<int> const& places, std::string const& a,
                                              std::string const& b, dtype type) {
  auto const width = static_cast<int>(places.size());
  auto const t = kernel_.types.name(type, width);
  std::string name = "ttune_lanes";
  std::string selected;
  for (int const p : places) {
    auto const digit = std::string(1, lane_digit(p % width));
    name += (p < width ? "_a" : "_b") + digit;
    selected += (selected.empty() ? "" : ", ") + std::string(p < width ? "a.s" : "b.s") + digit;
  }
  name += "_" + t;
  kernel_.shared.define(name, [&] {
    return kernel_.dialect.function_prefix() + t + " " + name + "(" + t + " a, " + t + " b) { return (" + t + ")(" +
           selected + "); }\n";
  });
  return name + "(" + a + ", " + b + ")";
}

}}}}  // namespace ttune::v0::codegen::c_family
