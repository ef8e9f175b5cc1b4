// SPDX-License-Identifier: Apache-2.0
// Buffers: their memory spaces, and reads and writes of their elements.
#pragma once

#include "ttune/codegen/c_family/emitter.hpp"
#include "ttune/core/float16.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

/// Returns the memory space of a buffer. Large arrays of the only thread of a block are placed in shared memory, since
/// the memory of a thread is small on most devices.
inline ir::memory c_emitter::place_of(ir::buffer const& b) const {
  constexpr std::int64_t most_own_bytes = 16 << 10;
  bool const one_thread = grid_[3].size() * grid_[4].size() * grid_[5].size() == 1;
  auto const bytes = b.elements() * static_cast<std::int64_t>(size_in_bytes(b.type));
  if (b.where == ir::memory::local && one_thread && bytes > most_own_bytes && dialect_.has_threads())
    return ir::memory::shared;
  return b.where;
}

inline bool c_emitter::is_scalar(ir::buffer const& b) {
  return b.elements() == 1 && (b.where == ir::memory::local || b.where == ir::memory::registers);
}

/// Returns the name of a buffer; a buffer in the workspace is declared at its first use.
inline std::string c_emitter::array(ir::buffer const& b) {
  if (!b.content.empty()) return table(b);
  auto const known = arrays_.find(&b);
  if (known != arrays_.end()) return known->second;
  auto const place = shared_offsets_.find(&b);
  if (place == shared_offsets_.end())
    throw backend_error(std::string(dialect_.name()) + ": buffer " + b.name + " is used outside of its alloc");
  auto const name = names_.fresh(b.name);
  auto const pointer = dialect_.pointer(ir::memory::workspace, dialect_.storage(b.type), false);
  shared_arrays_ += "  " + pointer + " const " + name + " = (" + pointer + ")(workspace" +
                    (place->second != 0 ? " + " + std::to_string(place->second) : "") + ");\n";
  arrays_[&b] = name;
  return name;
}

inline std::string c_emitter::table(ir::buffer const& b) {
  auto& name = table_names_[&b];
  if (!name.empty()) return name;
  name = "table_" + std::to_string(table_names_.size());
  std::string values;
  for (auto const v : b.content) {
    ir::constant c;
    c.real = v;
    c.integer = static_cast<std::int64_t>(v);
    auto const text =
        b.type == dtype::f16 ? std::to_string(to_f16(v).bits)
        : b.type == dtype::bf16
            ? std::to_string(to_bf16(v).bits)
            : evaluate_constant(ir::make_number(b.type == dtype::boolean ? dtype::u8 : b.type, v), c).text;
    values += (values.empty() ? "" : ", ") + text;
  }
  tables_ += dialect_.table_prefix() + dialect_.storage(b.type) + " " + name + "[" + std::to_string(b.elements()) +
             "] = {" + values + "};\n\n";
  return name;
}

/// Returns one element of a buffer that is split into variables, see register_shapes.
inline std::string c_emitter::variable(ir::buffer const& b, std::int64_t element) {
  auto const p = shapes_.at(b, element);
  auto const name = array(b) + "_" + std::to_string(p.first);
  return p.width == 1 ? name : name + ".s" + "0123456789abcdef"[p.lane];
}

/// Returns the same lane of several vectors: a column of the tile whose rows they are. The tile is transposed once, and
/// the following columns reuse the result.
inline std::optional<c_emitter::value> c_emitter::column(ir::buffer const& b, lane_linear const& flat) {
  auto const first = shapes_.at(b, flat.constant);
  if (lanes_ < 2 || first.width < lanes_) return std::nullopt;
  std::vector<std::string> rows;
  std::string key;
  for (int i = 0; i < lanes_; ++i) {
    auto const p = shapes_.at(b, flat.constant + flat.lane * i);
    if (p.lane != first.lane || p.width != first.width) return std::nullopt;
    rows.push_back(array(b) + "_" + std::to_string(p.first));
    key += rows.back() + " ";
  }
  auto const bytes = static_cast<int>(size_in_bytes(b.type));
  auto const& plan =
      transpositions_.try_emplace({lanes_, first.width, bytes}, lanes_, first.width, bytes).first->second;
  auto& known = transposed_[key];
  if (!known.of) {
    known = {&b, scopes_.size(), std::move(rows)};
    for (auto const& step : plan.steps()) {
      auto const name = names_.fresh(b.name + "_transposed");
      line("const " + type_name(b.type, first.width) + " " + name + " = " +
           shuffled(step.places, known.vectors[static_cast<std::size_t>(step.first)],
                    known.vectors[static_cast<std::size_t>(step.second)], b.type) +
           ";");
      known.vectors.push_back(name);
    }
  }
  auto const& places = plan.column(first.lane);
  std::string lanes;
  bool whole = first.width == lanes_;
  for (int i = 0; i < lanes_; ++i) {
    auto const lane = places[static_cast<std::size_t>(i)].lane;
    whole = whole && lane == i;
    lanes += "0123456789abcdef"[lane];
  }
  auto const& from = known.vectors[static_cast<std::size_t>(places[0].vector)];
  return value{whole ? from : from + ".s" + lanes, b.type, lanes_};
}

/// Selects lanes of two concatenated vectors, by a helper function for each selection.
inline std::string c_emitter::shuffled(std::vector<int> const& places, std::string const& a, std::string const& b,
                                       dtype type) {
  auto const width = static_cast<int>(places.size());
  auto const t = type_name(type, width);
  std::string name = "ttune_lanes";
  std::string lanes;
  for (int const p : places) {
    auto const digit = std::string(1, "0123456789abcdef"[p % width]);
    name += (p < width ? "_a" : "_b") + digit;
    lanes += (lanes.empty() ? "" : ", ") + std::string(p < width ? "a.s" : "b.s") + digit;
  }
  name += "_" + t;
  helpers_.try_emplace(name, dialect_.function_prefix() + t + " " + name + "(" + t + " a, " + t + " b) { return (" + t +
                                 ")(" + lanes + "); }\n");
  return name + "(" + a + ", " + b + ")";
}

/// Invalidates transposed tiles before one of the buffer's variables changes.
inline void c_emitter::forget_tiles(ir::buffer const& b) {
  std::erase_if(transposed_, [&](auto const& known) { return known.second.of == &b; });
}

/// Invalidates transposed tiles before the innermost scope ends.
inline void c_emitter::forget_tiles_of_scope() {
  std::erase_if(transposed_, [&](auto const& known) { return known.second.scope >= scopes_.size(); });
}

/// Returns lanes of such a buffer if they are a whole variable, or adjacent lanes of one.
inline std::optional<c_emitter::value> c_emitter::neighbours(ir::buffer const& b, lane_linear const& flat) {
  auto const first = shapes_.at(b, flat.constant);
  if (first.width < lanes_) return std::nullopt;
  std::string lanes;
  for (int i = 0; i < lanes_; ++i) {
    auto const p = shapes_.at(b, flat.constant + flat.lane * i);
    if (p.first != first.first || p.lane != first.lane + i) return std::nullopt;
    lanes += "0123456789abcdef"[p.lane];
  }
  return value{array(b) + "_" + std::to_string(first.first) + (first.width == lanes_ ? "" : ".s" + lanes), b.type,
               lanes_};
}

/// Returns lanes of such a buffer; lanes that are not adjacent are combined.
inline c_emitter::value c_emitter::load_variables(ir::buffer const& b, lane_linear const& flat) {
  if (auto const together = neighbours(b, flat)) return *together;
  if (auto const gathered = column(b, flat)) return *gathered;
  std::string all;
  for (int i = 0; i < lanes_; ++i) all += (i != 0 ? ", " : "") + variable(b, flat.constant + flat.lane * i);
  return {"(" + type_name(b.type, lanes_) + ")(" + all + ")", b.type, lanes_};
}

inline void c_emitter::store_variables(ir::buffer const& b, lane_linear const& flat, value const& v) {
  if (auto const to = neighbours(b, flat)) return line(to->text + " = " + widened(v, lanes_).text + ";");
  auto const name = names_.fresh(b.name + "_all");
  open("");
  line("const " + type_name(b.type, lanes_) + " " + name + " = " + widened(v, lanes_).text + ";");
  for (int i = 0; i < lanes_; ++i)
    line(variable(b, flat.constant + flat.lane * i) + " = " + name + ".s" + "0123456789abcdef"[i] + ";");
  close();
}

/// Records the use of a buffer while the kernel is emitted for the first time.
inline void c_emitter::note_use(ir::buffer const& b, lane_linear const& flat, bool stores) {
  if (shapes_.settled() || (b.where != ir::memory::registers && b.where != ir::memory::local)) return;
  bool const as_stored = b.type != dtype::f16 && b.type != dtype::bf16 && b.type != dtype::boolean;
  if (!flat.terms.empty() || !as_stored || place_of(b) == ir::memory::shared) return shapes_.use_anywhere(b);
  if (stores) shapes_.store(b, flat.constant, flat.lane, flat.lane == 0 ? 1 : lanes_);
}

inline std::string c_emitter::element(ir::buffer const& b, lane_linear const& flat) {
  if (is_scalar(b)) return array(b);
  if (shapes_.is_split(b)) return variable(b, flat.constant);
  return array(b) + "[" + written(flat).text + "]";
}

/// Returns a pointer to the first lane.
inline std::string c_emitter::offset(ir::buffer const& b, lane_linear const& flat) {
  auto first = flat;
  first.lane = 0;
  if (first.is_constant() && first.constant == 0) return array(b);
  return array(b) + " + " + in(written(first), sum);
}

/// Returns true if `lanes` adjacent elements are aligned to their total size for all values of the variables.
inline bool c_emitter::is_aligned(ir::buffer const& b, lane_linear const& flat, int lanes) const {
  if (flat.lane != 1 || flat.constant % lanes != 0) return false;
  if (b.where != ir::memory::operand && b.where != ir::memory::prepared && b.where != ir::memory::workspace &&
      b.where != ir::memory::shared)
    return false;
  if (!b.content.empty()) return false;
  return std::all_of(flat.terms.begin(), flat.terms.end(),
                     [&](lane_linear::term const& t) { return t.coefficient % lanes == 0; });
}

// ----------------------------------------------------------------------------------------------- values in memory

inline c_emitter::value c_emitter::from_storage(std::string const& raw, dtype stored, int lanes) {
  switch (stored) {
    case dtype::boolean:
      if (lanes > 1) return {"(convert_int" + std::to_string(lanes) + "(" + raw + ") != 0)", dtype::boolean, lanes};
      return {raw, dtype::boolean, 1};
    case dtype::f16: return helper("from_half", dtype::f32, {{raw, dtype::u16, lanes}});
    case dtype::bf16: return helper("from_bf16", dtype::f32, {{raw, dtype::u16, lanes}});
    default: return {raw, stored, lanes};
  }
}

inline std::string c_emitter::to_storage(value const& v, dtype stored) {
  if (stored == dtype::f16) return helper("to_half", dtype::u16, {v}).text;
  if (stored == dtype::bf16) return helper("to_bf16", dtype::u16, {v}).text;
  if (stored == dtype::boolean && v.lanes > 1)
    return "convert_uchar" + std::to_string(v.lanes) + "(" + in(v, prefix) + " & 1)";
  if (stored == dtype::boolean && v.binds != primary) return "(" + v.text + ") ? 1 : 0";
  return v.text;
}

inline c_emitter::value c_emitter::load(ir::expr const& e, ir::access const& a) {
  if (auto const it = moved_.find(e.get()); it != moved_.end())
    return {it->second + "." + std::string(1, "xyzw"[lane_]), e->type, 1};
  auto const& b = *std::get<handle<ir::buffer>>(a.from);
  auto const flat = flat_index(b, a.indices);
  note_use(b, flat, false);
  if (flat.lane != 0) return load_lanes(b, flat);
  return from_storage(element(b, flat), b.type, 1);
}

/// Loads adjacent elements as one vector, and gathers others.
inline c_emitter::value c_emitter::load_lanes(ir::buffer const& b, lane_linear const& flat) {
  auto const n = std::to_string(lanes_);
  if (shapes_.is_split(b)) return load_variables(b, flat);
  if (flat.lane == 1) return from_storage("vload" + n + "(0, " + offset(b, flat) + ")", b.type, lanes_);
  std::string all;
  for (int lane = 0; lane < lanes_; ++lane) {
    auto one = flat;
    one.lane = 0;
    one.constant += flat.lane * lane;
    all += (lane != 0 ? ", " : "") + element(b, one);
  }
  return from_storage("(" + dialect_.storage(b.type) + n + ")(" + all + ")", b.type, lanes_);
}

inline void c_emitter::store(ir::buffer const& b, lane_linear const& flat, value const& v) {
  note_use(b, flat, true);
  forget_tiles(b);
  if (lanes_ == 1) return line(element(b, flat) + " = " + to_storage(v, b.type) + ";");
  if (flat.lane == 0) throw needs_scalar{};
  if (shapes_.is_split(b)) return store_variables(b, flat, v);
  if (flat.lane != 1 &&
      (shapes_.settled() || !flat.terms.empty() || (b.where != ir::memory::registers && b.where != ir::memory::local)))
    throw needs_scalar{};
  line("vstore" + std::to_string(lanes_) + "(" + to_storage(widened(v, lanes_), b.type) + ", 0, " + offset(b, flat) +
       ");");
}

}}}  // namespace ttune::v0::codegen
