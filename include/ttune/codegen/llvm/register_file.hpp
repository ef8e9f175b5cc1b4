// SPDX-License-Identifier: Apache-2.0
// Buffers in registers: which SSA vectors have their elements, before, in and after loops and conditions.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ttune/codegen/lane_linear.hpp"
#include "ttune/codegen/llvm/function_state.hpp"
#include "ttune/codegen/llvm/register_assembler.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// Values are stored at indices that are known during emission; stores write no text. A load returns the stored vector,
/// or assembles one. Where control flow meets, the caller names the values of both sides (phis), and this class finds
/// groups of the same shape for them.
class register_file {
 public:
  register_file(ir_writer& writer, function_state const& state, register_assembler& assembler)
      : writer_(writer), state_(state), assembler_(assembler) {}

  void clear() { contents_.clear(); }
  void erase(ir::buffer const& b) { contents_.erase(&b); }
  [[nodiscard]] register_contents const& contents() const { return contents_; }
  /// Sets the contents, as they were at another place; returns those of this place.
  register_contents exchange(register_contents contents) { return std::exchange(contents_, std::move(contents)); }

  void store(ir::buffer const& b, lane_linear const& flat, value const& v);
  [[nodiscard]] value load(ir::buffer const& b, lane_linear const& flat);

  /// Returns the groups of the live register buffers: the first element of each.
  [[nodiscard]] register_elements live_groups() const;
  /// Gives the vectors of groups other names.
  void rename(std::map<int, std::string> const& names);
  /// Returns the current content of groups in the shape that they have in other contents, by the number of the group.
  [[nodiscard]] std::map<int, std::string> in_shape_of(register_contents const& other, register_elements const& groups);

  /// Registers at the end of an arm of a condition, and the label of its last block.
  struct arm {
    register_contents contents;
    std::string label;
  };
  /// Gives the registers of an arm the shape that they have in the other arm, if that has longer vectors, or equally
  /// long ones and `ties` is true. Then both arms end with vectors that a phi can merge. Returns the text for the end
  /// of the arm.
  [[nodiscard]] std::string take_shape(arm& own, arm const& other, bool ties);
  /// Merges the registers of two arms that end with the same shapes.
  void merge(arm& a, arm& b);

 private:
  static void require_known(ir::buffer const& b, lane_linear const& flat) {
    if (!flat.terms.empty())
      throw backend_error("llvm: buffer " + b.name +
                          " lives in registers but is indexed by a loop that is not unrolled");
  }

  ir_writer& writer_;
  function_state const& state_;
  register_assembler& assembler_;
  register_contents contents_;
};

inline void register_file::store(ir::buffer const& b, lane_linear const& flat, value const& v) {
  require_known(b, flat);
  int const group = writer_.fresh_number();
  auto& file = contents_[&b];
  file.resize(static_cast<std::size_t>(b.elements()));
  for (int lane = 0; lane < v.lanes; ++lane) {  // lanes that the mask of the call leaves out may lie behind the buffer
    auto const at = static_cast<std::size_t>(flat.constant + flat.lane * lane);
    bool const never_runs = !state_.run_time_mask.empty() && at >= file.size();
    if ((v.lanes == 1 || state_.runs(lane)) && !never_runs) file.at(at) = {v.text, lane, v.lanes, group, v.type};
  }
}

inline value register_file::load(ir::buffer const& b, lane_linear const& flat) {
  require_known(b, flat);
  auto const& file = contents_[&b];
  register_elements all(static_cast<std::size_t>(flat.lane == 0 ? 1 : state_.lanes));
  if (flat.lane == 0) {  // one element for all lanes, whichever of them run
    auto const at = static_cast<std::size_t>(flat.constant);
    if (at < file.size()) all[0] = file[at];  // else only code that never runs reads it: nothing was stored before
    return assembler_.assemble(all, compute_type(b.type), &all);
  }
  if (flat.lane == 1 && flat.constant >= 0)
    if (auto const part = assembler_.part_of_points(file, static_cast<std::size_t>(flat.constant), state_.lanes,
                                                    compute_type(b.type)))
      return *part;
  auto const& chunk = state_.chunk_mask;
  auto wanted = all;
  for (int lane = 0; lane < static_cast<int>(all.size()); ++lane) {
    auto const at = static_cast<std::size_t>(flat.constant + flat.lane * lane);
    if (at >= file.size() || (!chunk.empty() && !chunk[static_cast<std::size_t>(lane)])) continue;
    all[static_cast<std::size_t>(lane)] = file[at];
    if (state_.runs(lane)) wanted[static_cast<std::size_t>(lane)] = file[at];
  }
  return assembler_.assemble(wanted, compute_type(b.type), &all);
}

inline register_elements register_file::live_groups() const {
  register_elements groups;
  std::set<int> seen;
  for (auto const& [b, file] : contents_)
    for (auto const& e : file)
      if (!e.vector.empty() && seen.insert(e.group).second) groups.push_back(e);
  return groups;
}

inline void register_file::rename(std::map<int, std::string> const& names) {
  for (auto& [b, file] : contents_)
    for (auto& e : file)
      if (auto const it = names.find(e.group); !e.vector.empty() && it != names.end()) e.vector = it->second;
}

inline std::map<int, std::string> register_file::in_shape_of(register_contents const& other,
                                                             register_elements const& groups) {
  std::map<int, std::string> made;
  for (auto const& [b, file] : other) {
    std::map<int, register_elements> parts;
    auto const& now = contents_[b];
    for (std::size_t offset = 0; offset < file.size(); ++offset) {
      auto const& e = file[offset];
      if (e.vector.empty()) continue;
      auto& p = parts[e.group];
      p.resize(static_cast<std::size_t>(e.lanes));
      if (offset < now.size()) p[static_cast<std::size_t>(e.lane)] = now[offset];
    }
    for (auto const& g : groups)
      if (auto const it = parts.find(g.group); it != parts.end())
        made[g.group] = assembler_.assemble(it->second, g.type).text;
  }
  return made;
}

inline std::string register_file::take_shape(arm& own, arm const& other, bool ties) {
  using place = std::pair<ir::buffer const*, std::size_t>;
  struct group {
    register_elements lanes;
    std::vector<std::pair<place, register_element>> taken;
  };
  std::map<int, group> groups;  // groups of the other arm
  for (auto const& [b, file] : other.contents) {
    auto const it = own.contents.find(b);
    if (it == own.contents.end()) continue;
    for (std::size_t offset = 0; offset < std::min(file.size(), it->second.size()); ++offset) {
      auto const& theirs = file[offset];
      auto const& mine = it->second[offset];
      if (theirs.vector.empty() || mine.vector.empty() || mine == theirs) continue;
      bool const differs = mine.lane != theirs.lane || mine.lanes != theirs.lanes;
      if (!differs || theirs.lanes < mine.lanes || (theirs.lanes == mine.lanes && !ties)) continue;
      auto& g = groups[theirs.group];
      g.lanes.resize(static_cast<std::size_t>(theirs.lanes));
      g.lanes[static_cast<std::size_t>(theirs.lane)] = mine;
      g.taken.push_back({{b, offset}, theirs});
    }
  }
  if (groups.empty()) return "";
  writer_.open_arm();
  for (auto const& [_, g] : groups) {
    auto const made = assembler_.assemble(g.lanes, g.taken.front().second.type);
    auto const id = writer_.fresh_number();
    for (auto const& [where, shape] : g.taken)
      own.contents[where.first][where.second] = {made.text, shape.lane, shape.lanes, id, shape.type};
  }
  return writer_.close();
}

inline void register_file::merge(arm& a, arm& b) {
  std::map<std::pair<int, int>, register_element> merged;
  auto const merge_elements = [&](register_element const& x, register_element const& y) {
    bool const in_x = !x.vector.empty();
    bool const in_y = !y.vector.empty();
    if (x == y) return x;
    auto const& e = in_x ? x : y;
    auto const [it, added] = merged.try_emplace(std::pair{in_x ? x.group : -1, in_y ? y.group : -1}, e);
    if (added) {
      it->second.vector =
          writer_.define("phi " + vector_of(scalar_type(e.type), e.lanes) + " [" + (in_x ? x.vector : "undef") + ", %" +
                         a.label + "], [" + (in_y ? y.vector : "undef") + ", %" + b.label + "]");
      it->second.group = writer_.fresh_number();
    }
    auto both = it->second;
    both.lane = e.lane;
    return both;
  };
  for (auto const& [buffer, file] : b.contents)
    a.contents[buffer].resize(std::max(file.size(), a.contents[buffer].size()));
  for (auto& [buffer, file] : a.contents) {
    b.contents[buffer].resize(file.size());
    auto& made = contents_[buffer];
    made.resize(file.size());
    for (std::size_t offset = 0; offset < file.size(); ++offset)
      made[offset] = merge_elements(file[offset], b.contents[buffer][offset]);
  }
}

}}}}  // namespace ttune::v0::codegen::llvm
