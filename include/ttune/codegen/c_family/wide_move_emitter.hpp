// SPDX-License-Identifier: Apache-2.0
// Vectorised loops as loads and stores of several elements at once, for languages where arithmetic is on single
// elements.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ttune/codegen/c_family/copy_emitter.hpp"
#include "ttune/codegen/c_family/kernel_state.hpp"
#include "ttune/codegen/c_family/loop_emitter.hpp"
#include "ttune/codegen/c_family/memory_emitter.hpp"
#include "ttune/codegen/c_family/value_emitter.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// In: a vectorised loop with known bounds. Out: its body for 16, 8 or 4 bytes at a time if the addresses of its loads
/// or its store are contiguous and aligned; otherwise a loop of the text.
class wide_move_emitter {
 public:
  wide_move_emitter(kernel_state& kernel, index_emitter& indices, memory_emitter& memory, value_emitter& values,
                    copy_emitter& copies, loop_emitter& loops)
      : kernel_(kernel), indices_(indices), memory_(memory), values_(values), copies_(copies), loops_(loops) {}

  void emit(ir::loop const& l, std::int64_t begin, std::int64_t end);

 private:
  /// Loads of several elements at once: accesses with the position of their first element.
  using wide_loads = std::vector<std::pair<ir::expr, lane_linear>>;

  template <class Move>
  [[nodiscard]] bool emit_all(std::int64_t begin, std::int64_t end, int width, Move const& move);
  [[nodiscard]] bool emit_move(ir::loop const& l, std::int64_t begin, int lanes);
  [[nodiscard]] wide_loads find_wide_loads(ir::loop const& l, std::int64_t begin, int lanes, ir::store const& w);
  [[nodiscard]] std::vector<std::string> emit_wide_loads(wide_loads const& loads, std::string const& type);
  void bind_lane(ir::loop const& l, std::int64_t begin, int lane, wide_loads const& loads,
                 std::vector<std::string> const& names);

  kernel_state& kernel_;
  index_emitter& indices_;
  memory_emitter& memory_;
  value_emitter& values_;
  copy_emitter& copies_;
  loop_emitter& loops_;
};

inline void wide_move_emitter::emit(ir::loop const& l, std::int64_t begin, std::int64_t end) {
  constexpr int most_bytes = 16;
  auto const* w = ir::as<ir::store>(l.body);
  bool const ahead = w && w->to->ahead && kernel_.dialect.has_async_copies(kernel_.machine);
  auto const computed_bytes = static_cast<int>(size_in_bytes(widest_stored_type(l.body)));
  auto const move = [&](std::int64_t i, int width) { return emit_move(l, i, width); };
  if (!ahead && emit_all(begin, end, most_bytes / computed_bytes, move)) return;
  auto const copy = [&](std::int64_t i, int width) { return copies_.emit_wide(l, i, width); };
  for (int const bytes : {most_bytes, 8, 4})
    if (w && emit_all(begin, end, bytes / static_cast<int>(size_in_bytes(w->to->type)), copy)) return;
  if (end - begin == 1) return loops_.emit_unrolled(l, begin, end);
  loops_.hint_unrolling();
  loops_.emit_rolled(l);
}

/// Emits all iterations by `move(first, width)`; removes their text if one of them returns false.
template <class Move>
bool wide_move_emitter::emit_all(std::int64_t begin, std::int64_t end, int width, Move const& move) {
  if (width < 2 || (end - begin) % width != 0) return false;
  auto const before = kernel_.text.mark_with_names();
  bool all = true;
  for (auto i = begin; all && i < end; i += width) all = move(i, width);
  if (!all) kernel_.text.return_to(before);
  return all;
}

inline wide_move_emitter::wide_loads wide_move_emitter::find_wide_loads(ir::loop const& l, std::int64_t begin,
                                                                        int lanes, ir::store const& w) {
  wide_loads found;
  ir::for_each_node(w.value, [&](ir::expr const& e) {
    auto const* a = ir::as<ir::access>(e);
    if (!a || e->type != w.to->type) return;
    if (auto const flat = copies_.wide_place(l, begin, lanes, buffer_of(*a), a->indices)) found.emplace_back(e, *flat);
  });
  return found;
}

/// Writes the loads; returns the names of the loaded values.
inline std::vector<std::string> wide_move_emitter::emit_wide_loads(wide_loads const& loads, std::string const& type) {
  std::vector<std::string> names;
  for (auto const& [e, flat] : loads) {
    auto const& b = buffer_of(*ir::as<ir::access>(e));
    names.push_back(kernel_.text.fresh(b.name + "_wide"));
    kernel_.text.line("const " + type + " " + names.back() + " = *(const " + type + "*)(" +
                      memory_.pointer_to(b, flat) + ");");
  }
  return names;
}

/// Binds the loop's variable to one iteration, and its loads to their elements.
inline void wide_move_emitter::bind_lane(ir::loop const& l, std::int64_t begin, int lane, wide_loads const& loads,
                                         std::vector<std::string> const& names) {
  kernel_.variables.bind(l.variable, constant_index(begin + lane));
  for (std::size_t i = 0; i < loads.size(); ++i)
    values_.replace(loads[i].first, names[i] + "." + std::string(1, "xyzw"[lane]));
}

/// Emits a wide move; returns false if the loop's body is not a store that benefits from one.
inline bool wide_move_emitter::emit_move(ir::loop const& l, std::int64_t begin, int lanes) {
  auto const* w = ir::as<ir::store>(l.body);
  if (!w || (w->to->type != dtype::f32 && w->to->type != dtype::i32 && w->to->type != dtype::u32)) return false;
  auto const to = copies_.wide_place(l, begin, lanes, *w->to, w->indices);
  auto const loads = find_wide_loads(l, begin, lanes, *w);
  if (!to && loads.empty()) return false;
  std::string const type = w->to->type == dtype::f32 ? "float4" : w->to->type == dtype::i32 ? "int4" : "uint4";
  auto const names = emit_wide_loads(loads, type);
  std::string all;
  for (int lane = 0; lane < lanes; ++lane) {
    bind_lane(l, begin, lane, loads, names);
    auto const v = values_.evaluate(w->value);
    if (to) all += (all.empty() ? "" : ", ") + v.text;
    else memory_.store(*w->to, indices_.flat_index(*w->to, w->indices), v);
  }
  if (to)
    kernel_.text.line("*(" + type + "*)(" + memory_.pointer_to(*w->to, *to) + ") = make_" + type + "(" + all + ");");
  values_.forget_replacements();
  kernel_.variables.unbind(l.variable);
  return true;
}

}}}}  // namespace ttune::v0::codegen::c_family
