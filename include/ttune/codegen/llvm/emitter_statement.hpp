// SPDX-License-Identifier: Apache-2.0
// Loops, conditions and functions at code generation.
#pragma once

#include "ttune/codegen/llvm/emitter.hpp"
#include "ttune/core/float16.hpp"
#include "ttune/runtime/abi.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

inline std::string llvm_emitter::define(std::string const& instruction) {
  auto name = fresh();
  frames_.line(name + " = " + instruction);
  return name;
}

/// Emits pure arithmetic once, at the start of the loop of a depth.
inline std::string llvm_emitter::define_at(int depth, std::string const& key, std::string const& instruction) {
  if (auto const* known = frames_.find_known(depth, key)) return *known;
  auto name = fresh();
  frames_.line_at(depth, name + " = " + instruction);
  frames_.remember(depth, key, name);
  return name;
}

inline void llvm_emitter::start_block(std::string const& label) {
  frames_.top().body += label + ":\n";
  label_ = label;
}

inline std::string llvm_emitter::run() {
  find_tables(program_.prepare);
  find_tables(program_.body);
  for (;;) {
    try {
      return module();
    } catch (needs_scalar const&) {
      if (!vector_loop_) throw backend_error("llvm: a choice between vector lanes outside of a vectorized loop");
      scalar_loops_.insert(vector_loop_);
    }
  }
}

inline std::string llvm_emitter::module() {
  functions_.clear();
  helpers_.clear();
  variables_.clear();
  next_ = 0;
  parallel_depth_ = 0;
  lanes_ = 1;
  mask_.clear();
  chunk_mask_.clear();
  arm_begins_.reset();
  vector_loop_ = nullptr;
  if (program_.prepare) function("ttune_prepare", program_.prepare);
  function("ttune_main", program_.body);
  std::string text;
  for (auto const& d : declarations_) text += d + "\n";
  auto const bits = std::to_string(machine_.vector_bytes * 8);
  text += globals_ + "\n" + functions_ + "\nattributes #0 = { nounwind \"no-builtins\" \"prefer-vector-width\"=\"" +
          bits + "\" \"min-legal-vector-width\"=\"" + bits + "\" }\n";
  return text;
}

/// Makes buffers with known content constants of the module.
inline void llvm_emitter::find_tables(ir::stmt const& s) {
  auto const look = [&](ir::expr const& e) {
    auto const* a = ir::as<ir::access>(e);
    if (!a) return;
    auto const& b = *std::get<handle<ir::buffer>>(a->from);
    if (b.content.empty() || tables_.count(&b) != 0) return;
    auto const name = "@table" + std::to_string(tables_.size());
    auto const type = memory_type(b.type);
    std::string values;
    for (auto const v : b.content)
      values += (values.empty() ? "" : ", ") + type + " " +
                (b.type == dtype::f16    ? std::to_string(to_f16(v).bits)
                 : b.type == dtype::bf16 ? std::to_string(to_bf16(v).bits)
                 : is_float(b.type)      ? real_literal(b.type, v)
                                         : integer_literal(dtype::i64, static_cast<std::int64_t>(v)));
    globals_ += name + " = private unnamed_addr constant [" + std::to_string(b.elements()) + " x " + type + "] [" +
                values + "], align 64\n";
    tables_[&b] = name;
  };
  if (auto const* n = ir::as<ir::block>(s))
    for (auto const& c : n->body) find_tables(c);
  if (auto const* n = ir::as<ir::loop>(s)) find_tables(n->body);
  if (auto const* n = ir::as<ir::let>(s)) find_tables(n->body);
  if (auto const* n = ir::as<ir::conditional>(s))
    ir::for_each_node(n->condition, look), find_tables(n->then), find_tables(n->otherwise);
  if (auto const* n = ir::as<ir::allocate>(s)) find_tables(n->body);
  if (auto const* n = ir::as<ir::store>(s)) {
    for (auto const& i : n->indices) ir::for_each_node(i, look);
    ir::for_each_node(n->value, look);
  }
}

inline void llvm_emitter::function(std::string const& name, ir::stmt const& body) {
  frames_ = {};
  frames_.open(0, false);
  allocas_.clear();
  registers_.clear();
  label_ = "entry";
  frames_.top().entry +=
      "  %local = getelementptr i8, ptr %workspace, i64 " + std::to_string(workspace_.shared_bytes) + "\n";
  if (body) emit(body);
  frames_.line("ret void");
  auto const text = frames_.close();
  functions_ += "define void @" + name + "(ptr %operands, ptr %runtime, ptr %workspace) #0 {\nentry:\n" + allocas_ +
                text + "}\n\n";
}

inline void llvm_emitter::emit(ir::stmt const& s) {
  if (auto const* several = ir::as<ir::block>(s))
    for (auto const& c : several->body) emit(c);
  if (auto const* l = ir::as<ir::loop>(s)) emit_loop(*l);
  if (auto const* l = ir::as<ir::let>(s)) emit_let(*l);
  if (auto const* c = ir::as<ir::conditional>(s)) emit_conditional(*c);
  if (auto const* a = ir::as<ir::allocate>(s)) {
    emit(a->body);
    registers_.erase(a->storage.get());
    frames_.forget_loads(a->storage->name);
  }
  if (auto const* hint = ir::as<ir::prefetch>(s)) emit_prefetch(*hint);
  if (auto const* write = ir::as<ir::store>(s)) {
    auto const v = evaluate(write->value);
    store(*write->to, flat_index(*write->to, write->indices), v);
  }
}

/// Prefetches into the second-level cache: the first one is too small for lines so far ahead.
inline void llvm_emitter::emit_prefetch(ir::prefetch const& hint) {
  auto const at = flat_index(*hint.from, hint.indices);
  if (at.lane == 0) ask_for(pointer(*hint.from, at), 2);
}

inline void llvm_emitter::emit_let(ir::let const& l) {
  auto const saved = variables_;
  variables_[l.variable] = index(l.value);
  emit(l.body);
  variables_ = saved;
}

// ------------------------------------------------------------------------------------------------------ loops

inline void llvm_emitter::emit_loop(ir::loop const& l) {
  if (l.kind >= ir::loop_kind::block_x)
    throw backend_error("llvm: loop " + l.variable +
                        " is bound to blocks or threads of a GPU: a CPU has parallel loops");
  auto const begin = index(l.begin);
  auto const end = index(l.end);
  if (begin.lane != 0 || end.lane != 0) throw needs_scalar{};
  bool const known = begin.is_constant() && end.is_constant();
  if (known && end.constant <= begin.constant) return;
  if (known && l.kind == ir::loop_kind::vectorized && lanes_ == 1)
    return emit_vectorized(l, begin.constant, end.constant);
  if (known && l.kind == ir::loop_kind::tensorized && emit_dot(l, begin.constant, end.constant)) return;
  bool const unroll =
      l.kind == ir::loop_kind::unrolled || l.kind == ir::loop_kind::vectorized || l.kind == ir::loop_kind::tensorized;
  if (known && (unroll || end.constant - begin.constant == 1)) return emit_unrolled(l, begin.constant, end.constant);
  if (l.kind == ir::loop_kind::parallel && parallel_depth_ == 0 && lanes_ == 1) return emit_parallel(l, begin, end);
  emit_rolled(l, begin, end);
}

inline void llvm_emitter::emit_unrolled(ir::loop const& l, std::int64_t begin, std::int64_t end) {
  for (auto i = begin; i < end; ++i) {
    lane_linear at;
    at.constant = i;
    variables_[l.variable] = at;
    emit(l.body);
  }
  variables_.erase(l.variable);
}

inline std::set<std::string> llvm_emitter::stored_buffers(ir::stmt const& s) {
  std::set<std::string> names;
  auto const join = [&](ir::stmt const& inner) { names.merge(stored_buffers(inner)); };
  if (auto const* n = ir::as<ir::block>(s))
    for (auto const& c : n->body) join(c);
  if (auto const* n = ir::as<ir::loop>(s)) join(n->body);
  if (auto const* n = ir::as<ir::let>(s)) join(n->body);
  if (auto const* n = ir::as<ir::conditional>(s)) join(n->then), join(n->otherwise);
  if (auto const* n = ir::as<ir::allocate>(s)) join(n->body);
  if (auto const* n = ir::as<ir::store>(s)) names.insert(n->to->name);
  return names;
}

inline dtype llvm_emitter::widest_store(ir::stmt const& s) {
  dtype widest = dtype::i8;
  auto const join = [&](dtype t) {
    if (size_in_bytes(compute_type(t)) > size_in_bytes(compute_type(widest))) widest = t;
  };
  if (auto const* n = ir::as<ir::block>(s))
    for (auto const& c : n->body) join(widest_store(c));
  if (auto const* n = ir::as<ir::loop>(s)) join(widest_store(n->body));
  if (auto const* n = ir::as<ir::let>(s)) join(widest_store(n->body));
  if (auto const* n = ir::as<ir::conditional>(s)) join(widest_store(n->then)), join(widest_store(n->otherwise));
  if (auto const* n = ir::as<ir::allocate>(s)) join(widest_store(n->body));
  if (auto const* n = ir::as<ir::store>(s)) join(n->to->type);
  return widest;
}

/// Emits chunks of the target's vector width. The remaining lanes are one masked chunk or, where the target has no
/// masks, halves down to a scalar.
inline void llvm_emitter::emit_vectorized(ir::loop const& l, std::int64_t begin, std::int64_t end) {
  if (scalar_loops_.count(&l) != 0) return emit_unrolled(l, begin, end);
  int const width = machine_.lanes(compute_type(widest_store(l.body)));
  while (begin < end) {
    auto const left = end - begin;
    int lanes = 1;
    while (lanes < width && lanes < left) lanes *= 2;
    if (!machine_.has_masks)
      while (lanes > left) lanes /= 2;
    auto const running = static_cast<int>(std::min<std::int64_t>(lanes, left));
    emit_chunk(l, begin, lanes, running);
    begin += running;
  }
  variables_.erase(l.variable);
}

inline void llvm_emitter::emit_chunk(ir::loop const& l, std::int64_t begin, int lanes, int running) {
  if (lanes == 1) return emit_unrolled(l, begin, begin + 1);
  lanes_ = lanes;
  mask_.clear();
  if (running != lanes) {
    mask_.assign(static_cast<std::size_t>(lanes), false);
    std::fill(mask_.begin(), mask_.begin() + running, true);
  }
  chunk_mask_ = mask_;
  lane_linear at;
  at.constant = begin;
  at.lane = 1;
  variables_[l.variable] = at;
  vector_loop_ = &l;
  emit(l.body);
  vector_loop_ = nullptr;
  lanes_ = 1;
  mask_.clear();
  chunk_mask_.clear();
}

/// Returns the groups of the live register buffers: the first element of each.
inline std::vector<llvm_emitter::element> llvm_emitter::live_registers() const {
  std::vector<element> groups;
  std::set<int> seen;
  for (auto const& [b, file] : registers_)
    for (auto const& e : file)
      if (!e.vector.empty() && seen.insert(e.group).second) groups.push_back(e);
  return groups;
}

inline void llvm_emitter::rename_registers(std::map<int, std::string> const& names) {
  for (auto& [b, file] : registers_)
    for (auto& e : file)
      if (auto const it = names.find(e.group); !e.vector.empty() && it != names.end()) e.vector = it->second;
}

/// Emits a loop of the machine. Register buffers that live around it become phis.
inline void llvm_emitter::emit_rolled(ir::loop const& l, lane_linear const& begin, lane_linear const& end) {
  for (auto const& b : stored_buffers(l.body)) frames_.forget_loads(b);
  bool const surely_runs = begin.is_constant() && end.is_constant();
  auto const first = materialise(begin);
  auto const limit = materialise(end);
  auto const header = fresh_label();
  auto const exit = fresh_label();
  if (surely_runs) {
    frames_.line("br label %" + header);
  } else {
    auto const runs_at_all = define("icmp slt i64 " + first + ", " + limit);
    frames_.line("br i1 " + runs_at_all + ", label %" + header + ", label %" + exit);
  }
  auto const before = label_;
  auto const outside = live_registers();
  auto const outside_file = registers_;
  std::map<int, std::string> entered;
  for (auto const& v : outside) entered[v.group] = fresh();
  rename_registers(entered);
  auto const inside_file = registers_;

  auto const counter = fresh();
  int const depth = frames_.depth() == frames::here ? 0 : frames_.depth() + 1;
  frames_.open(depth, false);
  label_ = header;
  auto const saved = variables_;
  variables_[l.variable] = as_linear(counter, depth);
  emit(l.body);
  variables_ = saved;

  // The content of the registers at the end of the body, in the shape that they had at its start.
  std::map<int, std::string> latched;
  for (auto const& [b, file] : inside_file) {
    std::map<int, std::vector<element>> parts;
    auto const& now = registers_[b];
    for (std::size_t offset = 0; offset < file.size(); ++offset) {
      auto const& e = file[offset];
      if (e.vector.empty()) continue;
      auto& p = parts[e.group];
      p.resize(static_cast<std::size_t>(e.lanes));
      if (offset < now.size()) p[static_cast<std::size_t>(e.lane)] = now[offset];
    }
    for (auto const& v : outside)
      if (auto const it = parts.find(v.group); it != parts.end()) latched[v.group] = assemble(it->second, v.type).text;
  }
  auto const next = define("add i64 " + counter + ", 1");
  auto const again = define("icmp slt i64 " + next + ", " + limit);
  frames_.line("br i1 " + again + ", label %" + header + ", label %" + exit);
  auto const latch = label_;
  auto const body = frames_.close();

  std::string phis = "  " + counter + " = phi i64 [" + first + ", %" + before + "], [" + next + ", %" + latch + "]\n";
  for (auto const& v : outside)
    phis += "  " + entered.at(v.group) + " = phi " + vector_of(scalar_type(v.type), v.lanes) + " [" + v.vector + ", %" +
            before + "], [" + latched.at(v.group) + ", %" + latch + "]\n";
  frames_.top().body += header + ":\n" + phis + body;
  start_block(exit);
  registers_ = outside_file;
  std::map<int, std::string> left;
  for (auto const& v : outside) {
    auto const& last = latched.at(v.group);
    left[v.group] = surely_runs ? last
                                : define("phi " + vector_of(scalar_type(v.type), v.lanes) + " [" + v.vector + ", %" +
                                         before + "], [" + last + ", %" + latch + "]");
  }
  rename_registers(left);
  for (auto const& b : stored_buffers(l.body)) frames_.forget_loads(b);
}

/// Makes the body a function of its own, which the runtime's workers call. Outer variables are passed in a closure.
inline void llvm_emitter::emit_parallel(ir::loop const& l, lane_linear const& begin, lane_linear const& end) {
  auto const name = "@task" + std::to_string(next_++);
  std::vector<std::string> captured;  // names of the outer variables that are values
  for (auto const& [variable, at] : variables_)
    if (!at.is_constant()) captured.push_back(variable);
  std::sort(captured.begin(), captured.end());

  auto const closure = fresh();
  allocas_ += "  " + closure + " = alloca [" + std::to_string(4 + captured.size()) + " x i64], align 16\n";
  auto const put = [&](std::size_t slot, std::string const& type, std::string const& text) {
    auto const place = define("getelementptr i64, ptr " + closure + ", i64 " + std::to_string(slot));
    frames_.line("store " + type + " " + text + ", ptr " + place + ", align 8");
  };
  put(0, "ptr", "%operands");
  put(1, "ptr", "%runtime");
  put(2, "ptr", "%workspace");
  put(3, "i64", materialise(begin));
  for (std::size_t i = 0; i < captured.size(); ++i) put(4 + i, "i64", materialise(variables_.at(captured[i])));
  auto const tasks = materialise(end + begin.scaled(-1));
  auto const place = define("getelementptr i8, ptr %runtime, i64 " + std::to_string(offsetof(runtime_table, parallel)));
  auto const run = define("load ptr, ptr " + place + ", align 8");
  frames_.line("call void " + run + "(ptr %runtime, ptr " + name + ", ptr " + closure + ", i64 " + tasks + ")");
  for (auto const& b : stored_buffers(l.body)) frames_.forget_loads(b);

  auto const outer_frames = std::move(frames_);
  auto const outer_label = label_;
  auto const outer_allocas = std::move(allocas_);
  auto const outer_variables = variables_;
  auto const outer_registers = std::exchange(registers_, {});  // no loop uses them: codegen/llvm/storage.hpp
  frames_ = {};
  frames_.open(0, false);
  allocas_.clear();
  label_ = "entry";
  auto const get = [&](std::string const& result, std::size_t slot, std::string const& type) {
    auto const at = result + ".place";
    frames_.top().entry += "  " + at + " = getelementptr i64, ptr %closure, i64 " + std::to_string(slot) + "\n  " +
                           result + " = load " + type + ", ptr " + at + ", align 8\n";
  };
  get("%operands", 0, "ptr");
  get("%runtime", 1, "ptr");
  get("%workspace", 2, "ptr");
  get("%begin", 3, "i64");
  for (std::size_t i = 0; i < captured.size(); ++i) {
    get("%outer" + std::to_string(i), 4 + i, "i64");
    variables_[captured[i]] = as_linear("%outer" + std::to_string(i), 0);
  }
  frames_.top().entry +=
      "  %index = add i64 %begin, %task\n  %worker64 = sext i32 %worker to i64\n  %local.skip = mul i64 %worker64, " +
      std::to_string(workspace_.local_bytes) + "\n  %local.first = getelementptr i8, ptr %workspace, i64 " +
      std::to_string(workspace_.shared_bytes) + "\n  %local = getelementptr i8, ptr %local.first, i64 %local.skip\n";
  variables_[l.variable] = as_linear("%index", 0);
  ++parallel_depth_;
  emit(l.body);
  --parallel_depth_;
  frames_.line("ret void");
  auto const text = frames_.close();
  functions_ += "define internal void " + name + "(ptr %closure, i64 %task, i32 %worker) #0 {\nentry:\n" + allocas_ +
                text + "}\n\n";
  frames_ = outer_frames;
  label_ = outer_label;
  allocas_ = outer_allocas;
  variables_ = outer_variables;
  registers_ = outer_registers;
}

// ------------------------------------------------------------------------------------------------- conditions

inline void llvm_emitter::emit_conditional(ir::conditional const& c) {
  auto const known = decide(c.condition);
  if (!known) {
    if (!varies(c.condition)) return emit_branch(c);
    // Conditions that differ between lanes become a mask; conditions that do not become a branch around it.
    auto const* both = ir::as<ir::binary>(c.condition);
    if (!both || both->op != ir::binary_op::logical_and || c.otherwise) throw needs_scalar{};
    auto const right = ir::make_conditional(both->right, c.then);
    return emit(ir::make_conditional(both->left, right));
  }
  auto const under = [&](mask const& m, ir::stmt const& s) {
    if (!s) return;
    auto const saved = mask_;
    mask_ = m;
    if (!saved.empty())
      for (std::size_t i = 0; i < m.size(); ++i) mask_[i] = m[i] && saved[i];
    if (std::find(mask_.begin(), mask_.end(), false) == mask_.end()) mask_ = saved;
    if (std::find(mask_.begin(), mask_.end(), true) != mask_.end() || mask_.empty()) emit(s);
    mask_ = saved;
  };
  if (lanes_ == 1) {
    auto const& taken = (*known)[0] ? c.then : c.otherwise;
    if (taken) emit(taken);
    return;
  }
  auto inverse = *known;
  inverse.flip();
  under(*known, c.then);
  under(inverse, c.otherwise);
}

/// Emits an arm of a condition, without the jump at its end.
inline llvm_emitter::arm_end llvm_emitter::emit_arm(std::string const& label, ir::stmt const& s,
                                                    std::optional<int> begins) {
  auto const outer_arm = std::exchange(arm_begins_, begins);
  frames_.open(frames_.depth(), true);
  start_block(label);
  if (s) emit(s);
  arm_begins_ = outer_arm;
  return {registers_, label_, frames_.close()};
}

/// Gives the registers of an arm the shape that they have in the other arm, if that has longer vectors, or equally long
/// ones and `ties` is true. Then both arms end with vectors that a phi can merge.
inline void llvm_emitter::take_shape(arm_end& arm, arm_end const& other, bool ties) {
  using place = std::pair<ir::buffer const*, std::size_t>;
  struct group {
    std::vector<element> lanes;
    std::vector<std::pair<place, element>> taken;
  };
  std::map<int, group> groups;  // groups of the other arm
  for (auto const& [b, file] : other.registers) {
    auto const it = arm.registers.find(b);
    if (it == arm.registers.end()) continue;
    for (std::size_t offset = 0; offset < std::min(file.size(), it->second.size()); ++offset) {
      auto const& theirs = file[offset];
      auto const& own = it->second[offset];
      if (theirs.vector.empty() || own.vector.empty() || own == theirs) continue;
      bool const differs = own.lane != theirs.lane || own.lanes != theirs.lanes;
      if (!differs || theirs.lanes < own.lanes || (theirs.lanes == own.lanes && !ties)) continue;
      auto& g = groups[theirs.group];
      g.lanes.resize(static_cast<std::size_t>(theirs.lanes));
      g.lanes[static_cast<std::size_t>(theirs.lane)] = own;
      g.taken.push_back({{b, offset}, theirs});
    }
  }
  if (groups.empty()) return;
  frames_.open(frames_.depth(), true);
  for (auto const& [_, g] : groups) {
    auto const made = assemble(g.lanes, g.taken.front().second.type);
    auto const id = next_++;
    for (auto const& [where, shape] : g.taken)
      arm.registers[where.first][where.second] = {made.text, shape.lane, shape.lanes, id, shape.type};
  }
  arm.text += frames_.close();
}

/// Emits a condition of the machine; registers written in an arm are merged after it.
inline void llvm_emitter::emit_branch(ir::conditional const& c) {
  auto const condition = evaluate(c.condition);
  if (condition.lanes != 1) throw needs_scalar{};
  auto const yes = fresh_label();
  auto const no = fresh_label();
  auto const join = fresh_label();
  auto const before = registers_;
  auto const begins = [&] { return c.then && c.otherwise ? std::optional(next_) : std::nullopt; };
  auto a = emit_arm(yes, c.then, begins());
  registers_ = before;
  auto b = emit_arm(no, c.otherwise, begins());
  take_shape(b, a, true);
  take_shape(a, b, false);
  auto const jump = "  br label %" + join + "\n";
  frames_.line("br i1 " + condition.text + ", label %" + yes + ", label %" + no);
  frames_.top().body += a.text + jump + b.text + jump;
  start_block(join);
  registers_ = before;
  merge_registers(a, b);
  for (auto const* s : {&c.then, &c.otherwise})
    if (*s)
      for (auto const& name : stored_buffers(*s)) frames_.forget_loads(name);
}

/// Merges the registers of two arms that end with the same shapes.
inline void llvm_emitter::merge_registers(arm_end& a, arm_end& b) {
  std::map<std::pair<int, int>, element> merged;
  auto const merge = [&](element const& x, element const& y) {
    bool const in_x = !x.vector.empty();
    bool const in_y = !y.vector.empty();
    if (x == y) return x;
    auto const& e = in_x ? x : y;
    auto const [it, added] = merged.try_emplace(std::pair{in_x ? x.group : -1, in_y ? y.group : -1}, e);
    if (added) {
      it->second.vector = define("phi " + vector_of(scalar_type(e.type), e.lanes) + " [" + (in_x ? x.vector : "undef") +
                                 ", %" + a.label + "], [" + (in_y ? y.vector : "undef") + ", %" + b.label + "]");
      it->second.group = next_++;
    }
    auto both = it->second;
    both.lane = e.lane;
    return both;
  };
  for (auto const& [buffer, file] : b.registers)
    a.registers[buffer].resize(std::max(file.size(), a.registers[buffer].size()));
  for (auto& [buffer, file] : a.registers) {
    b.registers[buffer].resize(file.size());
    auto& made = registers_[buffer];
    made.resize(file.size());
    for (std::size_t offset = 0; offset < file.size(); ++offset)
      made[offset] = merge(file[offset], b.registers[buffer][offset]);
  }
}

}}}  // namespace ttune::v0::codegen
