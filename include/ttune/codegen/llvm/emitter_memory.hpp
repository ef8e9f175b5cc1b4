// SPDX-License-Identifier: Apache-2.0
// Buffers at code generation: addresses, loads and stores of whole vectors, register buffers as SSA values.
#pragma once

#include "ttune/codegen/llvm/emitter.hpp"
#include "ttune/codegen/llvm/lane_conversions.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

inline void llvm_emitter::declare(std::string const& declaration) { declarations_.insert(declaration); }

inline lane_value llvm_emitter::lanes_of(value const& v) { return {this, v.text, scalar_type(v.type), v.lanes}; }

inline value llvm_emitter::value_of(lane_value const& v, dtype type) { return {v.text, type, v.lanes}; }

/// Returns the address of an array of constants, computed once at the start of the function.
inline std::string llvm_emitter::constants(std::vector<double> const& values) {
  auto const [place, is_new] = constants_.try_emplace(values, "@constants" + std::to_string(constants_.size()));
  if (!is_new) return place->second;
  std::string list;
  for (double const v : values) list += (list.empty() ? "double " : ", double ") + real_literal(dtype::f64, v);
  globals_ += place->second + " = private unnamed_addr constant [" + std::to_string(values.size()) + " x double] [" +
              list + "], align 64\n";
  return place->second;
}

inline std::string llvm_emitter::splat(std::string const& scalar, std::string const& literal, int lanes) {
  if (lanes == 1) return literal;
  auto const type = vector_of(scalar, lanes);
  auto const one = "insertelement " + type + " undef, " + scalar + " " + literal + ", i32 0";
  auto const first = define_at(0, one, one);
  auto const all = "shufflevector " + type + " " + first + ", " + type + " undef, <" + std::to_string(lanes) +
                   " x i32> zeroinitializer";
  return define_at(0, all, all);
}

/// Returns the address of a buffer, computed once at the start of the function.
inline std::string llvm_emitter::base(ir::buffer const& b) {
  auto const key = "base " + b.name;
  if (auto const* known = frames_.find_known(0, key)) return *known;
  std::string made;
  if (!b.content.empty()) return tables_.at(&b);
  if (workspace_plan::on_stack(b)) {
    made = fresh();
    allocas_ += "  " + made + " = alloca [" + std::to_string(workspace_plan::bytes(b)) + " x i8], align 64\n";
  } else if (b.where == ir::memory::operand || b.where == ir::memory::prepared) {
    auto const slot = b.slot + (b.where == ir::memory::prepared ? static_cast<int>(program_.operands.size()) : 0);
    auto const place = define_at(0, key + " slot", "getelementptr ptr, ptr %operands, i64 " + std::to_string(slot));
    made = define_at(0, key, "load ptr, ptr " + place + ", align 8");
  } else {
    auto const offset = std::to_string(workspace_.offsets.at(&b));
    auto const region = b.where == ir::memory::workspace ? "%workspace" : "%local";
    made = define_at(0, key, std::string("getelementptr i8, ptr ") + region + ", i64 " + offset);
  }
  frames_.remember(0, key, made);
  return made;
}

/// Returns the address of an element. Variable parts are added loop by loop, so that the innermost loop adds one term.
inline std::string llvm_emitter::pointer(ir::buffer const& b, lane_linear const& flat) {
  auto const type = memory_type(b.type);
  auto address = base(b);
  for (std::size_t i = 0; i < flat.terms.size();) {
    auto const depth = flat.terms[i].depth;
    lane_linear part;
    for (; i < flat.terms.size() && flat.terms[i].depth == depth; ++i) part.terms.push_back(flat.terms[i]);
    auto const offset = materialise(part);
    auto const step = "getelementptr " + type + ", ptr " + address + ", i64 " + offset;
    address = define_at(depth, step, step);
  }
  if (flat.constant == 0) return address;
  return define("getelementptr " + type + ", ptr " + address + ", i64 " + std::to_string(flat.constant));
}

inline std::string llvm_emitter::mask_text(int lanes) const {
  std::string text = "<";
  for (int i = 0; i < lanes; ++i) text += std::string(i != 0 ? ", " : "") + (runs(i) ? "i1 true" : "i1 false");
  return text + ">";
}

/// Returns true if one of these lanes runs.
inline bool llvm_emitter::any_runs_in(mask const& lanes) const {
  for (std::size_t i = 0; i < lanes.size(); ++i)
    if (lanes[i] && runs(static_cast<int>(i))) return true;
  return false;
}

/// Returns the mask as a value that LLVM cannot evaluate. With a constant mask, masked stores of less than a register
/// take twice as long to compile: 40 ms instead of 20 for convolutions that store tiles of width 3.
inline std::string llvm_emitter::opaque_mask(int lanes) {
  std::uint64_t bits = 0;
  for (int i = 0; i < lanes; ++i) bits |= std::uint64_t{runs(i)} << i;
  auto const constant = "call i64 asm \"\", \"=r,0\"(i64 " + std::to_string(bits) + ")";
  auto const narrow = "trunc i64 " + define_at(0, constant, constant) + " to i" + std::to_string(lanes);
  auto const cast =
      "bitcast i" + std::to_string(lanes) + " " + define_at(0, narrow, narrow) + " to " + vector_of("i1", lanes);
  return define_at(0, cast, cast);
}

inline value llvm_emitter::from_memory(std::string const& raw, dtype type, int lanes) {
  if (type == dtype::boolean)
    return {define("icmp ne " + vector_of("i8", lanes) + " " + raw + ", " + splat_literal("i8", "0", lanes)), type,
            lanes};
  if (type == dtype::f16 || type == dtype::bf16) {
    auto const bits = lanes_of({raw, dtype::i16, lanes});
    if (type == dtype::bf16) return value_of(bfloat_to_float(bits), dtype::f32);
    return value_of(
        instructions_.converts_half ? bits.cast("bitcast", "half").cast("fpext", "float") : half_to_float(bits),
        dtype::f32);
  }
  return {raw, compute_type(type), lanes};
}

inline std::string llvm_emitter::to_memory(value const& v, dtype type) {
  if (type == dtype::boolean) return lanes_of(v).cast("zext", "i8").text;
  if (type == dtype::bf16) return float_to_bfloat(lanes_of(v)).text;
  if (type != dtype::f16) return v.text;
  return (instructions_.converts_half ? lanes_of(v).cast("fptrunc", "half").cast("bitcast", "i16")
                                      : float_to_half(lanes_of(v)))
      .text;
}

inline value llvm_emitter::load(ir::buffer const& b, lane_linear const& flat, guard const& where) {
  if (b.where == ir::memory::registers) return load_register(b, flat);
  if (!b.content.empty() && flat.is_constant()) return load_table(b, flat);
  bool const spread = flat.lane == 0 && spreads_halves(b);
  auto const key = std::to_string(flat.constant) + " " + flat.key() +
                   (flat.lane != 0 ? mask_text(lanes_)
                    : spread       ? "x" + std::to_string(lanes_)
                                   : "") +
                   where.condition + where.instead;
  if (auto const* known = frames_.find_load(b.name, key))
    return {*known, compute_type(b.type), flat.lane == 0 && !spread ? 1 : lanes_};
  auto const made = flat.lane == 0 || flat.lane == 1 ? load_memory(b, flat, where)
                    : loads_whole_vectors(b, flat)   ? load_strided(b, flat)
                                                     : load_lanes(b, flat);
  frames_.remember_load(b.name, key, made.text);
  return made;
}

inline value llvm_emitter::load_table(ir::buffer const& b, lane_linear const& flat) {
  auto const v = b.content[static_cast<std::size_t>(flat.constant)];
  auto const t = compute_type(b.type);
  return {is_float(t) ? real_literal(t, v) : integer_literal(t, static_cast<std::int64_t>(v)), t, 1};
}

inline value llvm_emitter::load_memory(ir::buffer const& b, lane_linear const& flat, guard const& where) {
  int const lanes = flat.lane == 0 ? 1 : lanes_;
  auto start = flat;
  start.lane = 0;
  auto address = pointer(b, start);
  if (!where.condition.empty())
    address = define("select i1 " + where.condition + ", ptr " + address + ", ptr " + where.instead);
  auto const type = vector_of(memory_type(b.type), lanes);
  auto const align = std::to_string(size_in_bytes(b.type));
  if (flat.lane == 0 && spreads_halves(b)) {
    auto const all = widened({define("load i16, ptr " + address + ", align 2"), dtype::i16, 1}, lanes_);
    return from_memory(all.text, b.type, lanes_);
  }
  if (lanes > 1 && streams(b)) fetch_ahead(b, start);
  if (lanes == 1 || mask_.empty())
    return from_memory(define("load " + type + ", ptr " + address + ", align " + align), b.type, lanes);
  if (!machine_.has_masks) return from_memory(load_pieces(b, start, memory_type(b.type), 1), b.type, lanes);
  auto const suffix =
      ".v" + std::to_string(lanes) + (memory_type(b.type)[0] == 'i' ? memory_type(b.type) : mangled(b.type, 1));
  auto const bits = "<" + std::to_string(lanes) + " x i1>";
  declare("declare " + type + " @llvm.masked.load" + suffix + ".p0(ptr, i32, " + bits + ", " + type + ")");
  return from_memory(define("call " + type + " @llvm.masked.load" + suffix + ".p0(ptr " + address + ", i32 " + align +
                            ", " + bits + " " + mask_text(lanes) + ", " + type + " zeroinitializer)"),
                     b.type, lanes);
}

/// Returns true for constants that are stored in the order of their reads and are larger than the second-level cache of
/// a core: every call reads them from a more distant memory.
inline bool llvm_emitter::streams(ir::buffer const& b) const {
  return b.where == ir::memory::prepared &&
         b.elements() * static_cast<std::int64_t>(size_in_bytes(b.type)) > machine_.l2_bytes;
}

/// Prefetches a line of a stream in time for its read. The hardware alone does not prefetch far enough while each line
/// keeps the arithmetic units busy (C12 of ResNet-18 with 25 MB of transformed weights: 696 us without, 686 with 4 KiB,
/// 618 with 8 or 16 KiB ahead; layers whose weights fit the last-level cache: within 2 %).
inline void llvm_emitter::fetch_ahead(ir::buffer const& b, lane_linear const& flat) {
  constexpr std::int64_t distance = 8192;
  constexpr std::int64_t line = 64;
  auto const bytes = static_cast<std::int64_t>(size_in_bytes(b.type));
  if (flat.constant * bytes % line != 0) return;
  auto ahead = flat;
  ahead.constant += distance / bytes;
  ask_for(pointer(b, ahead), 1);
}

/// Prefetches the line of an address into the cache of a level.
inline void llvm_emitter::ask_for(std::string const& address, int cache_level) {
  declare("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)");
  frames_.line("call void @llvm.prefetch.p0(ptr " + address + ", i32 0, i32 " + std::to_string(4 - cache_level) +
               ", i32 1)");
}

/// Returns the running lanes as groups of neighbours: the first lane, and the size, a power of two.
inline std::vector<std::pair<int, int>> llvm_emitter::running_pieces() const {
  std::vector<std::pair<int, int>> pieces;
  for (int lane = 0; lane < lanes_;) {
    int count = 0;
    while (lane + count < lanes_ && runs(lane + count)) ++count;
    for (int part = lanes_; part > 0; part /= 2)
      while (count >= part) {
        pieces.emplace_back(lane, part);
        lane += part;
        count -= part;
      }
    ++lane;
  }
  return pieces;
}

/// Replaces a masked load where the target has none: loads smaller vectors and joins them. `flat` is the index of lane
/// 0; a lane has `elements` scalars of type `scalar`.
inline std::string llvm_emitter::load_pieces(ir::buffer const& b, lane_linear const& flat, std::string const& scalar,
                                             int elements) {
  auto const whole = vector_of(scalar, lanes_);
  std::string made = "undef";
  for (auto const& [first, count] : running_pieces()) {
    auto at = flat;
    at.constant += std::int64_t{first} * elements;
    auto const type = vector_of(scalar, count);
    auto const part =
        define("load " + type + ", ptr " + pointer(b, at) + ", align " + std::to_string(size_in_bytes(b.type)));
    if (count == 1) {
      made =
          define("insertelement " + whole + " " + made + ", " + scalar + " " + part + ", i32 " + std::to_string(first));
      continue;
    }
    std::string spread = "<";
    std::string merged = "<";
    for (int lane = 0; lane < lanes_; ++lane) {
      bool const here = lane >= first && lane < first + count;
      std::string const comma = lane != 0 ? ", i32 " : "i32 ";
      spread += comma + (here ? std::to_string(lane - first) : "undef");
      merged += comma + std::to_string(here ? lanes_ + lane : lane);
    }
    auto const places = "<" + std::to_string(lanes_) + " x i32> ";
    auto const widened_part =
        define("shufflevector " + type + " " + part + ", " + type + " undef, " + places + spread + ">");
    made = define("shufflevector " + whole + " " + made + ", " + whole + " " + widened_part + ", " + places + merged +
                  ">");
  }
  return made;
}

/// Returns true if one half that all lanes need is first copied to all lanes, then converted: it stays in a vector.
inline bool llvm_emitter::spreads_halves(ir::buffer const& b) const {
  return b.type == dtype::f16 && lanes_ > 1 && instructions_.converts_half;
}

/// Returns the number of running lanes if they are the first ones; 0 if they are others.
inline int llvm_emitter::first_running_lanes() const {
  int count = 0;
  while (count < lanes_ && runs(count)) ++count;
  for (int lane = count; lane < lanes_; ++lane)
    if (runs(lane)) return 0;
  return count;
}

/// Returns true if lanes are a few elements apart (windows that move by two, interleaved channels): the elements
/// between can be loaded, too. Running lanes must span a vector.
inline bool llvm_emitter::loads_whole_vectors(ir::buffer const& b, lane_linear const& flat) const {
  return flat.lane >= 2 && flat.lane <= 4 && lanes_ >= 4 && b.content.empty() &&
         flat.lane * (first_running_lanes() - 1) + 1 >= lanes_;
}

/// Returns true if groups of `flat.lane` elements, one for each running lane, fill the buffer from its first element
/// on. Then all elements of these groups can be loaded, and reads of others of them share the loads.
inline bool llvm_emitter::reads_whole_groups(ir::buffer const& b, lane_linear const& flat) const {
  return flat.constant >= 0 && b.elements() % flat.lane == 0 &&
         std::all_of(flat.terms.begin(), flat.terms.end(),
                     [&](lane_linear::term const& t) { return t.coefficient % flat.lane == 0; });
}

/// Loads a vector as it is in memory, or returns the one that has been loaded from there.
inline std::string llvm_emitter::load_raw(ir::buffer const& b, lane_linear const& flat) {
  auto const key = "raw " + std::to_string(lanes_) + " " + std::to_string(flat.constant) + " " + flat.key();
  if (auto const* known = frames_.find_load(b.name, key)) return *known;
  auto const made = define("load " + vector_of(memory_type(b.type), lanes_) + ", ptr " + pointer(b, flat) + ", align " +
                           std::to_string(size_in_bytes(b.type)));
  frames_.remember_load(b.name, key, made);
  return made;
}

/// Loads as many vectors as lanes are elements apart, the last one up to the last lane's group or element; shuffles
/// them.
inline value llvm_emitter::load_strided(ir::buffer const& b, lane_linear const& flat) {
  auto const type = vector_of(memory_type(b.type), lanes_);
  auto const step = static_cast<int>(flat.lane);
  bool const groups = reads_whole_groups(b, flat);
  int const place = groups ? static_cast<int>(flat.constant % flat.lane) : 0;
  int const span = step * first_running_lanes() - (groups ? 0 : step - 1);
  std::string made = "undef";
  for (int part = 0; part * lanes_ < span; ++part) {
    int const first = std::min(part * lanes_, span - lanes_);
    auto at = flat;
    at.constant += first - place;
    at.lane = 0;
    auto const loaded = load_raw(b, at);
    std::string places = "<";
    for (int lane = 0; lane < lanes_; ++lane) {  // earlier parts loaded the elements before `first`
      int const wanted = lane * step + place;
      bool const here = wanted >= part * lanes_ && wanted - first < lanes_;
      places += (lane != 0 ? ", i32 " : "i32 ") + std::to_string(here ? lanes_ + wanted - first : lane);
    }
    made = define("shufflevector " + type + " " + made + ", " + type + " " + loaded + ", <" + std::to_string(lanes_) +
                  " x i32> " + places + ">");
  }
  return from_memory(made, b.type, lanes_);
}

/// Returns the index of one lane.
inline lane_linear llvm_emitter::in_lane(lane_linear flat, int lane) {
  flat.constant += flat.lane * lane;
  flat.lane = 0;
  return flat;
}

/// Loads the element at `address(lane)` for each running lane.
template <class Address>
value llvm_emitter::load_each_lane(ir::buffer const& b, Address const& address) {
  auto const type = memory_type(b.type);
  auto const vector = vector_of(type, lanes_);
  auto const align = ", align " + std::to_string(size_in_bytes(b.type));
  std::string made = "undef";
  for (int lane = 0; lane < lanes_; ++lane) {
    if (!runs(lane)) continue;
    auto const scalar = define("load " + type + ", ptr " + address(lane) + align);
    made =
        define("insertelement " + vector + " " + made + ", " + type + " " + scalar + ", i32 " + std::to_string(lane));
  }
  return from_memory(made, b.type, lanes_);
}

/// Loads lanes that are not neighbours by one scalar load each.
inline value llvm_emitter::load_lanes(ir::buffer const& b, lane_linear const& flat) {
  return load_each_lane(b, [&](int lane) { return pointer(b, in_lane(flat, lane)); });
}

inline std::string llvm_emitter::extract(value const& v, int lane) {
  if (v.lanes == 1) return v.text;
  return define("extractelement " + vector_of(scalar_type(v.type), v.lanes) + " " + v.text + ", i32 " +
                std::to_string(lane));
}

/// If all lanes store to one element, they must store the same value, and each of them must store it: a lane that a
/// condition leaves out may have a buffer of its own.
inline void llvm_emitter::store(ir::buffer const& b, lane_linear const& flat, value v) {
  if (flat.lane != 0) v = widened(v, lanes_);
  if (flat.lane == 0 && (v.lanes != 1 || mask_ != chunk_mask_)) throw needs_scalar{};
  if (b.where == ir::memory::registers) return store_register(b, flat, v);
  store_memory(b, flat, v);
}

inline void llvm_emitter::store_memory(ir::buffer const& b, lane_linear const& flat, value v) {
  auto const raw = to_memory(v, b.type);
  auto const scalar = memory_type(b.type);
  auto const type = vector_of(scalar, v.lanes);
  auto const align = std::to_string(size_in_bytes(b.type));
  auto start = flat;
  start.lane = 0;
  if (v.lanes != 1 && flat.lane != 1) {
    for (int lane = 0; lane < v.lanes; ++lane) {
      if (!runs(lane)) continue;
      start.constant = flat.constant + flat.lane * lane;
      auto const one = define("extractelement " + type + " " + raw + ", i32 " + std::to_string(lane));
      frames_.line("store " + scalar + " " + one + ", ptr " + pointer(b, start) + ", align " + align);
    }
  } else if (v.lanes == 1 || mask_.empty()) {
    frames_.line("store " + type + " " + raw + ", ptr " + pointer(b, start) + ", align " + align);
  } else if (!machine_.has_masks) {
    store_pieces(b, start, raw);
  } else {
    auto const suffix = ".v" + std::to_string(v.lanes) + (scalar[0] == 'i' ? scalar : mangled(b.type, 1));
    auto const bits = "<" + std::to_string(v.lanes) + " x i1>";
    bool const whole =
        static_cast<std::size_t>(v.lanes) * size_in_bytes(b.type) >= static_cast<std::size_t>(machine_.vector_bytes) ||
        v.lanes > 64;
    auto const running = whole ? mask_text(v.lanes) : opaque_mask(v.lanes);
    declare("declare void @llvm.masked.store" + suffix + ".p0(" + type + ", ptr, i32, " + bits + ")");
    frames_.line("call void @llvm.masked.store" + suffix + ".p0(" + type + " " + raw + ", ptr " + pointer(b, start) +
                 ", i32 " + align + ", " + bits + " " + running + ")");
  }
  frames_.forget_loads(b.name);
}

/// Replaces a masked store where the target has none. `flat` is the index of lane 0.
inline void llvm_emitter::store_pieces(ir::buffer const& b, lane_linear const& flat, std::string const& raw) {
  auto const scalar = memory_type(b.type);
  auto const whole = vector_of(scalar, lanes_);
  for (auto const& [first, count] : running_pieces()) {
    auto at = flat;
    at.constant += first;
    auto const type = vector_of(scalar, count);
    std::string part;
    if (count == 1) {
      part = define("extractelement " + whole + " " + raw + ", i32 " + std::to_string(first));
    } else {
      std::string places = "<";
      for (int lane = first; lane < first + count; ++lane)
        places += (lane != first ? ", i32 " : "i32 ") + std::to_string(lane);
      part = define("shufflevector " + whole + " " + raw + ", " + whole + " undef, <" + std::to_string(count) +
                    " x i32> " + places + ">");
    }
    frames_.line("store " + type + " " + part + ", ptr " + pointer(b, at) + ", align " +
                 std::to_string(size_in_bytes(b.type)));
  }
}

// ------------------------------------------------------------------------------------------ register buffers

inline void llvm_emitter::store_register(ir::buffer const& b, lane_linear const& flat, value const& v) {
  if (!flat.terms.empty())
    throw backend_error("llvm: buffer " + b.name + " lives in registers but is indexed by a loop that is not unrolled");
  int const group = next_++;
  auto& file = registers_[&b];
  file.resize(static_cast<std::size_t>(b.elements()));
  for (int lane = 0; lane < v.lanes; ++lane)
    if (v.lanes == 1 || runs(lane))
      file.at(static_cast<std::size_t>(flat.constant + flat.lane * lane)) = {v.text, lane, v.lanes, group, v.type};
}

inline value llvm_emitter::load_register(ir::buffer const& b, lane_linear const& flat) {
  if (!flat.terms.empty())
    throw backend_error("llvm: buffer " + b.name + " lives in registers but is indexed by a loop that is not unrolled");
  auto const& file = registers_[&b];
  std::vector<element> all(static_cast<std::size_t>(flat.lane == 0 ? 1 : lanes_));
  if (flat.lane == 0) {  // one element for all lanes, whichever of them run
    auto const at = static_cast<std::size_t>(flat.constant);
    if (at < file.size()) all[0] = file[at];  // else only code that never runs reads it: nothing was stored before
    return assemble(all, compute_type(b.type), &all);
  }
  auto wanted = all;
  for (int lane = 0; lane < static_cast<int>(all.size()); ++lane) {
    auto const at = static_cast<std::size_t>(flat.constant + flat.lane * lane);
    if (at >= file.size() || (!chunk_mask_.empty() && !chunk_mask_[static_cast<std::size_t>(lane)])) continue;
    all[static_cast<std::size_t>(lane)] = file[at];
    if (runs(lane)) wanted[static_cast<std::size_t>(lane)] = file[at];
  }
  return assemble(wanted, compute_type(b.type), &all);
}

/// Builds one vector from elements, or returns the vector that has them in this order already. Elements without a
/// vector are undefined; elements of `all_lanes` may take their places, so that a tile is transposed once for masked
/// and unmasked uses.
inline value llvm_emitter::assemble(std::vector<element> const& elements, dtype type,
                                    std::vector<element> const* all_lanes) {
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
    auto const one = extract({e.vector, type, e.lanes}, e.lane);
    if (lanes == 1) return {one, type, 1};
    made = define("insertelement " + vector_of(scalar_type(type), lanes) + " " + made + ", " + scalar_type(type) + " " +
                  one + ", i32 " + std::to_string(i));
  }
  return {made, type, lanes};
}

/// Returns true if an arm of a two-armed condition is being emitted and the values were defined before it.
inline bool llvm_emitter::lie_before_arm(std::vector<std::string> const& vectors) const {
  return arm_begins_ && frames_.in_arm() && std::all_of(vectors.begin(), vectors.end(), [&](std::string const& v) {
           return v == "undef" || std::stoi(v.substr(2)) < *arm_begins_;
         });
}

/// Builds a vector from the same lane of several vectors: a column of a tile whose rows they are. The tile is
/// transposed once; later columns are then known. Missing rows are undefined.
inline std::optional<value> llvm_emitter::column(std::vector<element> const& elements, dtype type) {
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
  if (!frames_.find_load("transposed", key)) {
    // In an arm, transpose before the condition: the other arm stores the same tile, whole or with a mask.
    auto arm = lie_before_arm(vectors) ? std::optional(frames_.suspend()) : std::nullopt;
    frames_.remember_load("transposed", key, "all");
    transpose(plan, std::move(vectors), lanes, type, key);
    if (arm) frames_.resume(std::move(*arm));
  }
  auto const& places = plan.column(lane);
  auto const* const from = frames_.find_load("transposed", key + " " + std::to_string(places[0].vector));
  bool whole = rows == lanes;
  std::string text = "<";
  for (int i = 0; i < rows; ++i) {
    auto const place = places[static_cast<std::size_t>(i)].lane;
    whole = whole && place == i;
    text += (i != 0 ? ", i32 " : "i32 ") + std::to_string(place);
  }
  if (whole) return value{*from, type, rows};
  auto const vector = vector_of(scalar_type(type), lanes);
  return value{define("shufflevector " + vector + " " + *from + ", " + vector + " undef, <" + std::to_string(rows) +
                      " x i32> " + text + ">"),
               type, rows};
}

/// Returns the same value and hides its origin from instruction selection, which searches chains of shuffles for
/// shorter ones: in vain for a transposition, and it takes 6 ms for a 16 x 16 one.
inline std::string llvm_emitter::fenced(std::string const& v, dtype type, int lanes) {
  if (!is_float(type)) return v;
  auto const vector = vector_of(scalar_type(type), lanes);
  auto const name = "@llvm.arithmetic.fence." + mangled(type, lanes);
  declare("declare " + vector + " " + name + "(" + vector + ")");
  return define("call " + vector + " " + name + "(" + vector + " " + v + ")");
}

/// Emits the shuffles; remembers their results under the key and the number of the vector.
inline void llvm_emitter::transpose(transposition const& plan, std::vector<std::string> vectors, int lanes, dtype type,
                                    std::string const& key) {
  auto const vector = vector_of(scalar_type(type), lanes);
  for (auto const& step : plan.steps()) {
    auto const& a = vectors[static_cast<std::size_t>(step.first)];
    auto const& b = vectors[static_cast<std::size_t>(step.second)];
    std::string places = "<";
    for (int const p : step.places) places += (places.size() > 1 ? ", i32 " : "i32 ") + std::to_string(p);
    bool const nothing = a == "undef" && b == "undef";
    auto made = nothing ? "undef"
                        : fenced(define("shufflevector " + vector + " " + a + ", " + vector + " " + b + ", <" +
                                        std::to_string(lanes) + " x i32> " + places + ">"),
                                 type, lanes);
    frames_.remember_load("transposed", key + " " + std::to_string(vectors.size()), made);
    vectors.push_back(std::move(made));
  }
}

}}}  // namespace ttune::v0::codegen
