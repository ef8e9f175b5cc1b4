// SPDX-License-Identifier: Apache-2.0
// Loads of elements: whole vectors, with masks, in pieces, with strides, lane by lane.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "ttune/codegen/interleaving.hpp"
#include "ttune/codegen/llvm/buffer_addresses.hpp"
#include "ttune/codegen/llvm/function_state.hpp"
#include "ttune/codegen/llvm/register_file.hpp"
#include "ttune/codegen/llvm/running_lanes.hpp"
#include "ttune/codegen/llvm/value_builder.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// Place of a read that may lie outside of its buffer: another place is read then.
struct read_guard {
  std::string condition;  ///< true if the read lies inside; empty if it always does
  std::string instead;
};

/// Buffers and linear indices come in; one value for all running lanes goes out, or one scalar that they share. Only
/// elements that running lanes need are read, or that lie between them. An element that was loaded before, and that no
/// store may have changed, is not loaded again.
class load_emitter {
 public:
  load_emitter(ir_writer& writer, function_state const& state, value_builder& values, buffer_addresses& addresses,
               register_file& registers)
      : writer_(writer), state_(state), values_(values), addresses_(addresses), registers_(registers) {}

  [[nodiscard]] value load(ir::buffer const& b, lane_linear const& flat, read_guard const& where = {});

  /// Loads the element at `address(lane)` for each running lane.
  template <class Address>
  [[nodiscard]] value load_each_lane(ir::buffer const& b, Address const& address);

  /// Loads a vector by a mask. `suffix` is the element's type in the name of the intrinsic.
  [[nodiscard]] std::string load_masked(std::string const& address, std::string const& scalar,
                                        std::string const& suffix, int lanes, std::size_t alignment,
                                        std::string const& mask);

  /// Replaces a masked load where the target has none: loads smaller vectors and joins them. `flat` is the index of
  /// lane 0; a lane has `elements` scalars of type `scalar`.
  [[nodiscard]] std::string load_pieces(ir::buffer const& b, lane_linear const& flat, std::string const& scalar,
                                        int elements);

  /// Returns true if one half that all lanes need is first copied to all lanes, then converted: it stays in a vector.
  [[nodiscard]] bool spreads_halves(ir::buffer const& b) const {
    return b.type == dtype::f16 && state_.lanes > 1 && writer_.instructions().converts_half;
  }

 private:
  [[nodiscard]] value load_memory(ir::buffer const& b, lane_linear const& flat, read_guard const& where);
  [[nodiscard]] static value element_of_table(ir::buffer const& b, lane_linear const& flat);
  [[nodiscard]] bool streams(ir::buffer const& b) const;
  void fetch_ahead(ir::buffer const& b, lane_linear const& flat);
  [[nodiscard]] bool loads_whole_vectors(ir::buffer const& b, lane_linear const& flat) const;
  [[nodiscard]] static bool reads_whole_groups(ir::buffer const& b, lane_linear const& flat);
  [[nodiscard]] std::string load_raw(ir::buffer const& b, lane_linear const& flat);
  [[nodiscard]] value load_strided(ir::buffer const& b, lane_linear const& flat);
  [[nodiscard]] bool takes_apart(ir::buffer const& b, lane_linear const& flat) const;
  [[nodiscard]] value load_component(ir::buffer const& b, lane_linear const& flat);
  [[nodiscard]] std::string load_raw_part(ir::buffer const& b, lane_linear const& flat, int first, int span);

  ir_writer& writer_;
  function_state const& state_;
  value_builder& values_;
  buffer_addresses& addresses_;
  register_file& registers_;
};

inline value load_emitter::load(ir::buffer const& b, lane_linear const& flat, read_guard const& where) {
  if (b.where == ir::memory::registers) return registers_.load(b, flat);
  if (!b.content.empty() && flat.is_constant()) return element_of_table(b, flat);
  bool const spread = flat.lane == 0 && spreads_halves(b);
  auto const key = std::to_string(flat.constant) + " " + flat.key() +
                   (flat.lane != 0 ? state_.mask_text(state_.lanes) + state_.run_time_mask
                    : spread       ? "x" + std::to_string(state_.lanes)
                                   : "") +
                   where.condition + where.instead;
  auto& known_values = writer_.open_frames();
  if (auto const* known = known_values.find_load(b.name, key))
    return {*known, compute_type(b.type), flat.lane == 0 && !spread ? 1 : state_.lanes};
  auto const made = flat.lane == 0 || flat.lane == 1 ? load_memory(b, flat, where)
                    : takes_apart(b, flat)           ? load_component(b, flat)
                    : loads_whole_vectors(b, flat)
                        ? load_strided(b, flat)
                        : load_each_lane(b, [&](int lane) { return addresses_.pointer(b, in_lane(flat, lane)); });
  known_values.remember_load(b.name, key, made.text);
  return made;
}

inline value load_emitter::element_of_table(ir::buffer const& b, lane_linear const& flat) {
  auto const v = b.content[static_cast<std::size_t>(flat.constant)];
  auto const t = compute_type(b.type);
  return {is_float(t) ? real_literal(t, v) : integer_literal(t, static_cast<std::int64_t>(v)), t, 1};
}

/// Loads neighbours, or one element for all lanes.
inline value load_emitter::load_memory(ir::buffer const& b, lane_linear const& flat, read_guard const& where) {
  int const lanes = flat.lane == 0 ? 1 : state_.lanes;
  auto start = flat;
  start.lane = 0;
  auto address = addresses_.pointer(b, start);
  if (!where.condition.empty())
    address = writer_.define("select i1 " + where.condition + ", ptr " + address + ", ptr " + where.instead);
  auto const scalar = memory_type(b.type);
  if (flat.lane == 0 && spreads_halves(b)) {
    auto const all =
        values_.widened({writer_.define("load i16, ptr " + address + ", align 2"), dtype::i16, 1}, state_.lanes);
    return values_.from_memory(all.text, b.type, state_.lanes);
  }
  if (lanes > 1 && streams(b)) fetch_ahead(b, start);
  if (lanes == 1 || !state_.is_masked())
    return values_.from_memory(writer_.define("load " + vector_of(scalar, lanes) + ", ptr " + address + ", align " +
                                              std::to_string(size_in_bytes(b.type))),
                               b.type, lanes);
  if (!writer_.machine().has_masks) return values_.from_memory(load_pieces(b, start, scalar, 1), b.type, lanes);
  auto const suffix = scalar[0] == 'i' ? scalar : mangled(b.type, 1);
  return values_.from_memory(load_masked(address, scalar, suffix, lanes, size_in_bytes(b.type),
                                         running_lanes(writer_, state_, state_.mask_text(lanes), lanes)),
                             b.type, lanes);
}

inline std::string load_emitter::load_masked(std::string const& address, std::string const& scalar,
                                             std::string const& suffix, int lanes, std::size_t alignment,
                                             std::string const& mask) {
  auto const type = vector_of(scalar, lanes);
  auto const bits = vector_of("i1", lanes);
  auto const name = "@llvm.masked.load.v" + std::to_string(lanes) + suffix + ".p0";
  writer_.declare("declare " + type + " " + name + "(ptr, i32, " + bits + ", " + type + ")");
  return writer_.define("call " + type + " " + name + "(ptr " + address + ", i32 " + std::to_string(alignment) + ", " +
                        bits + " " + mask + ", " + type + " zeroinitializer)");
}

/// Returns true for constants that are stored in the order of their reads and are larger than the second-level cache of
/// a core: every call reads them from a more distant memory.
inline bool load_emitter::streams(ir::buffer const& b) const {
  return b.where == ir::memory::prepared &&
         b.elements() * static_cast<std::int64_t>(size_in_bytes(b.type)) > writer_.machine().l2_bytes;
}

/// Prefetches a line of a stream in time for its read. The hardware alone does not prefetch far enough while each line
/// keeps the arithmetic units busy (C12 of ResNet-18 with 25 MB of transformed weights: 696 us without, 686 with 4 KiB,
/// 618 with 8 or 16 KiB ahead; layers whose weights fit the last-level cache: within 2 %).
inline void load_emitter::fetch_ahead(ir::buffer const& b, lane_linear const& flat) {
  constexpr std::int64_t distance = 8192;
  constexpr std::int64_t line = 64;
  auto const bytes = static_cast<std::int64_t>(size_in_bytes(b.type));
  if (flat.constant * bytes % line != 0) return;
  auto ahead = flat;
  ahead.constant += distance / bytes;
  addresses_.prefetch(addresses_.pointer(b, ahead), 1);
}

inline std::string load_emitter::load_pieces(ir::buffer const& b, lane_linear const& flat, std::string const& scalar,
                                             int elements) {
  auto const whole = vector_of(scalar, state_.lanes);
  std::string made = "undef";
  for (auto const& [first, count] : state_.running_pieces()) {
    auto at = flat;
    at.constant += std::int64_t{first} * elements;
    auto const type = vector_of(scalar, count);
    auto const part = writer_.define("load " + type + ", ptr " + addresses_.pointer(b, at) + ", align " +
                                     std::to_string(size_in_bytes(b.type)));
    if (count == 1) {
      made = values_.insert(made, part, scalar, state_.lanes, first);
      continue;
    }
    std::string spread = "<";
    std::string merged = "<";
    for (int lane = 0; lane < state_.lanes; ++lane) {
      bool const here = lane >= first && lane < first + count;
      std::string const comma = lane != 0 ? ", i32 " : "i32 ";
      spread += comma + (here ? std::to_string(lane - first) : "undef");
      merged += comma + std::to_string(here ? state_.lanes + lane : lane);
    }
    auto const places = "<" + std::to_string(state_.lanes) + " x i32> ";
    auto const widened_part =
        writer_.define("shufflevector " + type + " " + part + ", " + type + " undef, " + places + spread + ">");
    made = writer_.define("shufflevector " + whole + " " + made + ", " + whole + " " + widened_part + ", " + places +
                          merged + ">");
  }
  return made;
}

/// Returns true if lanes are a few elements apart (windows that move by two, interleaved channels): the elements
/// between can be loaded, too. Running lanes must span a vector.
inline bool load_emitter::loads_whole_vectors(ir::buffer const& b, lane_linear const& flat) const {
  return flat.lane >= 2 && flat.lane <= 4 && state_.lanes >= 4 && b.content.empty() && b.least_extents.empty() &&
         flat.lane * (state_.first_running_lanes() - 1) + 1 >= state_.lanes;
}

/// Returns true if groups of `flat.lane` elements, one for each running lane, fill the buffer from its first element
/// on. Then all elements of these groups can be loaded, and reads of others of them share the loads.
inline bool load_emitter::reads_whole_groups(ir::buffer const& b, lane_linear const& flat) {
  auto const without_gaps = b.strides == operand_strides::dense ? b.elements() : b.extents.back();
  return flat.constant >= 0 && without_gaps % flat.lane == 0 &&
         std::all_of(flat.terms.begin(), flat.terms.end(),
                     [&](lane_linear::term const& t) { return t.coefficient % flat.lane == 0; });
}

/// Loads a vector as it is in memory, or returns the one that has been loaded from there.
inline std::string load_emitter::load_raw(ir::buffer const& b, lane_linear const& flat) {
  auto const key = "raw " + std::to_string(state_.lanes) + " " + std::to_string(flat.constant) + " " + flat.key();
  auto& known_values = writer_.open_frames();
  if (auto const* known = known_values.find_load(b.name, key)) return *known;
  auto const made = writer_.define("load " + vector_of(memory_type(b.type), state_.lanes) + ", ptr " +
                                   addresses_.pointer(b, flat) + ", align " + std::to_string(size_in_bytes(b.type)));
  known_values.remember_load(b.name, key, made);
  return made;
}

/// Loads as many vectors as lanes are elements apart, the last one up to the last lane's group or element; shuffles
/// them.
inline value load_emitter::load_strided(ir::buffer const& b, lane_linear const& flat) {
  int const lanes = state_.lanes;
  auto const step = static_cast<int>(flat.lane);
  bool const groups = reads_whole_groups(b, flat);
  int const place = groups ? static_cast<int>(flat.constant % flat.lane) : 0;
  int const span = step * state_.first_running_lanes() - (groups ? 0 : step - 1);
  std::string made = "undef";
  for (int part = 0; part * lanes < span; ++part) {
    int const first = std::min(part * lanes, span - lanes);
    auto at = flat;
    at.constant += first - place;
    at.lane = 0;
    auto const loaded = load_raw(b, at);
    std::vector<int> places;
    for (int lane = 0; lane < lanes; ++lane) {  // earlier parts loaded the elements before `first`
      int const wanted = lane * step + place;
      bool const here = wanted >= part * lanes && wanted - first < lanes;
      places.push_back(here ? lanes + wanted - first : lane);
    }
    made = values_.shuffle(memory_type(b.type), lanes, made, loaded, places);
  }
  return values_.from_memory(made, b.type, lanes);
}

/// Returns true if lanes read one of several components of points whose elements can all be loaded and are taken apart
/// by shuffles (interleaving.hpp). Two and three components have shorter forms. Lanes of short vectors cost less if
/// each is loaded by itself; so do those of an even number of components that is larger than the number of lanes.
inline bool load_emitter::takes_apart(ir::buffer const& b, lane_linear const& flat) const {
  auto const most = flat.lane % 2 == 0 ? state_.lanes : 2 * state_.lanes;
  auto const least = writer_.machine().vector_bytes > 16 ? 4 : 5;
  return flat.lane >= least && flat.lane <= std::min<std::int64_t>(most_interleaved, most) &&
         interleaves(state_.lanes) && b.content.empty() && flat.lane * state_.first_running_lanes() >= state_.lanes &&
         reads_whole_groups(b, flat);
}

/// Loads all components of the points of running lanes, and returns one of them.
inline value load_emitter::load_component(ir::buffer const& b, lane_linear const& flat) {
  int const lanes = state_.lanes;
  auto const count = static_cast<int>(flat.lane);
  auto at = flat;
  at.lane = 0;
  at.constant -= flat.constant % flat.lane;
  auto const key = [&](int component) {
    return "component " + std::to_string(at.constant + component) + " of " + std::to_string(count) + " " + at.key() +
           state_.mask_text(lanes);
  };
  auto& known_values = writer_.open_frames();
  auto const wanted = static_cast<int>(flat.constant - at.constant);
  if (auto const* known = known_values.find_load(b.name, key(wanted)))
    return values_.from_memory(*known, b.type, lanes);
  std::vector<std::string> vectors;
  int const span = count * state_.first_running_lanes();
  for (int part = 0; part < count; ++part) vectors.push_back(load_raw_part(b, at, part * lanes, span));
  interleaving const plan(count, lanes, interleaving::direction::apart);
  auto const type = memory_type(b.type);
  for (auto const& step : plan.steps()) vectors.push_back(values_.shuffled(vectors, step, type, lanes));
  auto const result = [&](int component) {
    return vectors[static_cast<std::size_t>(plan.results()[static_cast<std::size_t>(component)])];
  };
  for (int c = 0; c < count; ++c) known_values.remember_load(b.name, key(c), result(c));
  return values_.from_memory(result(wanted), b.type, lanes);
}

/// Loads the vector `first` elements after an index. Elements from `span` on are not read, and undefined.
inline std::string load_emitter::load_raw_part(ir::buffer const& b, lane_linear const& flat, int first, int span) {
  int const lanes = state_.lanes;
  if (first >= span) return "undef";
  int const start = std::min(first, span - lanes);
  auto at = flat;
  at.constant += start;
  auto const loaded = load_raw(b, at);
  if (start == first) return loaded;
  transposition::step moved{0, 0, {}};
  for (int lane = 0; lane < lanes; ++lane) moved.places.push_back(std::min(lane + first - start, lanes - 1));
  return values_.shuffled({loaded}, moved, memory_type(b.type), lanes);
}

template <class Address>
value load_emitter::load_each_lane(ir::buffer const& b, Address const& address) {
  auto const type = memory_type(b.type);
  auto const align = ", align " + std::to_string(size_in_bytes(b.type));
  std::string made = "undef";
  for (int lane = 0; lane < state_.lanes; ++lane) {
    if (!state_.runs(lane)) continue;
    auto const scalar = writer_.define("load " + type + ", ptr " + address(lane) + align);
    made = values_.insert(made, scalar, type, state_.lanes, lane);
  }
  return values_.from_memory(made, b.type, state_.lanes);
}

}}}}  // namespace ttune::v0::codegen::llvm
