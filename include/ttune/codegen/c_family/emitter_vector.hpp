// SPDX-License-Identifier: Apache-2.0
// Vectorised loops, as values of vector types or as moves of several elements at once, and asynchronous copies.
#pragma once

#include "ttune/codegen/c_family/emitter.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

/// Emits an asynchronous copy of `bytes` bytes; returns false if it must be an ordinary copy.
inline bool c_emitter::emit_async_copy(ir::buffer const& b, std::string const& to, ir::buffer const& source,
                                       std::string const& from, int bytes) {
  bool const from_device = source.where == ir::memory::operand || source.where == ir::memory::prepared;
  if (!b.ahead || !from_device || !source.content.empty() || bytes < 4 || !dialect_.has_async_copies(machine_))
    return false;
  auto const name = "ttune_copy_ahead_" + std::to_string(bytes);
  helpers_[name] = dialect_.async_copy_function(name, bytes);
  line(name + "(" + to + ", " + from + ");");
  return true;
}

/// Copies an element in its memory format, so that 16-bit floats are not widened. Returns false if the statement is not
/// a copy.
inline bool c_emitter::emit_copy(ir::store const& w) {
  auto const* a = ir::as<ir::access>(w.value);
  if (!a || lanes_ != 1 || w.value->type != w.to->type || moved_.contains(w.value.get())) return false;
  auto const& from = *std::get<handle<ir::buffer>>(a->from);
  if (w.to->ahead &&
      emit_async_copy(*w.to, offset(*w.to, flat_index(*w.to, w.indices)), from,
                      offset(from, flat_index(from, a->indices)), static_cast<int>(size_in_bytes(w.to->type))))
    return true;
  if (w.to->type != dtype::f16 && w.to->type != dtype::bf16) return false;
  auto const place = flat_index(from, a->indices);
  auto const to = flat_index(*w.to, w.indices);
  note_use(from, place, false);
  note_use(*w.to, to, true);
  line(element(*w.to, to) + " = " + element(from, place) + ";");
  return true;
}

inline dtype c_emitter::widest_store(ir::stmt const& s) {
  auto widest = dtype::i8;
  (void)detail::any_statement(s, [&](ir::stmt const& part) {
    auto const computed = [](dtype t) { return t == dtype::f16 || t == dtype::bf16 ? dtype::f32 : t; };
    if (auto const* w = ir::as<ir::store>(part); w && size_in_bytes(computed(w->to->type)) > size_in_bytes(widest))
      widest = computed(w->to->type);
    return false;
  });
  return widest;
}

/// Emits a loop in chunks of the target's vector width, then of half the width. If lanes would branch differently, the
/// loop is emitted element by element.
inline void c_emitter::emit_vectorized(ir::loop const& l, std::int64_t begin, std::int64_t end) {
  auto const width = std::min(16, machine_.lanes(widest_store(l.body)));
  auto const first = begin;
  auto const saved_text = text_;
  auto const saved_depth = depth_;
  auto const saved_scopes = scopes_;
  try {
    while (begin < end) {
      int lanes = 1;
      while (2 * lanes <= width && 2 * lanes <= end - begin) lanes *= 2;
      lane_linear at;
      at.constant = begin;
      at.lane = lanes > 1 ? 1 : 0;
      lanes_ = lanes;
      variables_[l.variable] = at;
      ranges_[l.variable] = {begin, begin + lanes - 1};
      emit(l.body);
      lanes_ = 1;
      begin += lanes;
    }
    variables_.erase(l.variable);
  } catch (needs_scalar const&) {
    lanes_ = 1;
    text_ = saved_text;
    depth_ = saved_depth;
    scopes_ = saved_scopes;
    transposed_.clear();
    constexpr std::int64_t most_unrolled = 64;
    if (end - first <= most_unrolled) emit_unrolled(l, first, end);
    else emit_rolled(l);
  }
}

/// Emits loads and stores of several elements at once if their addresses are aligned, with arithmetic on single
/// elements.
inline void c_emitter::emit_moves(ir::loop const& l, std::int64_t begin, std::int64_t end) {
  auto const move_all = [&](int width, auto const& move) {
    if (width < 2 || (end - begin) % width != 0) return false;
    auto const saved_text = text_;
    auto const saved_names = names_;
    bool all = true;
    for (auto i = begin; all && i < end; i += width) all = move(i, width);
    if (all) return true;
    text_ = saved_text;
    names_ = saved_names;
    return false;
  };
  auto const* w = ir::as<ir::store>(l.body);
  auto const bytes = static_cast<int>(size_in_bytes(widest_store(l.body)));
  bool const ahead = w && w->to->ahead && dialect_.has_async_copies(machine_);
  if (!ahead && move_all(16 / bytes, [&](std::int64_t i, int width) { return emit_wide_move(l, i, width); })) return;
  for (int const word : {16, 8, 4})
    if (w && move_all(word / static_cast<int>(size_in_bytes(w->to->type)),
                      [&](std::int64_t i, int width) { return emit_wide_copy(l, i, width); }))
      return;
  if (end - begin == 1) return emit_unrolled(l, begin, end);
  line(dialect_.unroll_hint());
  emit_rolled(l);
}

/// Returns the position of the first of `lanes` elements, which the loop's next iterations access; nothing if they are
/// not contiguous or not aligned.
inline std::optional<lane_linear> c_emitter::wide_place(ir::loop const& l, std::int64_t begin, int lanes,
                                                        ir::buffer const& b, std::vector<ir::expr> const& indices) {
  lane_linear at;
  at.constant = begin;
  at.lane = 1;
  lanes_ = lanes;
  variables_[l.variable] = at;
  std::optional<lane_linear> made;
  try {
    auto const flat = flat_index(b, indices);
    if (is_aligned(b, flat, lanes)) made = flat;
  } catch (needs_scalar const&) {
  }
  lanes_ = 1;
  return made;
}

/// Copies elements in their memory format. Returns false if the loop's body is not such a copy.
inline bool c_emitter::emit_wide_copy(ir::loop const& l, std::int64_t begin, int lanes) {
  auto const* w = ir::as<ir::store>(l.body);
  auto const* a = w ? ir::as<ir::access>(w->value) : nullptr;
  if (!a || w->value->type != w->to->type) return false;
  auto const& source = *std::get<handle<ir::buffer>>(a->from);
  auto const to = wide_place(l, begin, lanes, *w->to, w->indices);
  auto const from = wide_place(l, begin, lanes, source, a->indices);
  variables_.erase(l.variable);
  if (!to || !from) return false;
  auto const bytes = lanes * static_cast<int>(size_in_bytes(w->to->type));
  if (emit_async_copy(*w->to, offset(*w->to, *to), source, offset(source, *from), bytes)) return true;
  std::string const type = bytes == 16 ? "uint4" : bytes == 8 ? "uint2" : "unsigned int";
  line("*(" + type + "*)(" + offset(*w->to, *to) + ") = *(const " + type + "*)(" + offset(source, *from) + ");");
  return true;
}

/// Emits a wide move; returns false if the loop's body is not a store that benefits from one.
inline bool c_emitter::emit_wide_move(ir::loop const& l, std::int64_t begin, int lanes) {
  auto const* w = ir::as<ir::store>(l.body);
  if (!w || (w->to->type != dtype::f32 && w->to->type != dtype::i32 && w->to->type != dtype::u32)) return false;
  auto const is_wide = [&](ir::buffer const& b, std::vector<ir::expr> const& indices) {
    return wide_place(l, begin, lanes, b, indices);
  };
  auto const to = is_wide(*w->to, w->indices);
  std::vector<std::pair<ir::expr, lane_linear>> reads;
  ir::for_each_node(w->value, [&](ir::expr const& e) {
    auto const* a = ir::as<ir::access>(e);
    if (!a || e->type != w->to->type) return;
    auto const& b = *std::get<handle<ir::buffer>>(a->from);
    if (auto const flat = is_wide(b, a->indices)) reads.emplace_back(e, *flat);
  });
  if (!to && reads.empty()) return false;
  auto const type = dialect_.storage(w->to->type) == "float" ? "float4"
                    : dialect_.storage(w->to->type) == "int" ? "int4"
                                                             : "uint4";
  for (auto const& [e, flat] : reads) {
    auto const& b = *std::get<handle<ir::buffer>>(ir::as<ir::access>(e)->from);
    auto const name = names_.fresh(b.name + "_wide");
    line("const " + std::string(type) + " " + name + " = *(const " + type + "*)(" + offset(b, flat) + ");");
    moved_[e.get()] = name;
  }
  std::vector<std::string> values;
  for (lane_ = 0; lane_ < lanes; ++lane_) {
    lane_linear at;
    at.constant = begin + lane_;
    variables_[l.variable] = at;
    auto const v = evaluate(w->value);
    if (to) values.push_back(v.text);
    else store(*w->to, flat_index(*w->to, w->indices), v);
  }
  if (to) {
    std::string all;
    for (auto const& v : values) all += (all.empty() ? "" : ", ") + v;
    line("*(" + std::string(type) + "*)(" + offset(*w->to, *to) + ") = make_" + type + "(" + all + ");");
  }
  moved_.clear();
  variables_.erase(l.variable);
  return true;
}

}}}  // namespace ttune::v0::codegen
