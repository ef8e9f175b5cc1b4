// SPDX-License-Identifier: Apache-2.0
// Division into kernels: the outermost loop over blocks or threads, a parallel loop outside of one (its iterations
// become blocks of one thread), and the statements between such loops, run by one thread. Serial loops around kernels
// become repeated launches; conditions and lets around kernels move into them.
#pragma once

#include "ttune/codegen/c_family/emitter.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

inline int c_emitter::direction_of(ir::loop_kind k) {
  return k == ir::loop_kind::parallel ? 0 : static_cast<int>(k) - static_cast<int>(ir::loop_kind::block_x);
}

inline bool c_emitter::has_kernel(ir::stmt const& s) {
  return detail::any_statement(s, [](ir::stmt const& part) {
    auto const* l = ir::as<ir::loop>(part);
    return l && (l->kind == ir::loop_kind::parallel || l->kind >= ir::loop_kind::block_x);
  });
}

/// Returns true for a loop over blocks or threads of the current kernel.
inline bool c_emitter::is_kernel_loop(ir::loop const& l) const {
  if (!dialect_.has_threads()) return false;
  return detail::is_block_loop(l.kind) || detail::is_thread_loop(l.kind) ||
         (l.kind == ir::loop_kind::parallel && entered_ == 0);
}

/// Collects properties of the whole program: written buffers, use of doubles, the width of indices, the offsets of
/// scratch buffers.
inline void c_emitter::survey() {
  for (auto const* list : {&program_.operands, &program_.prepared})
    for (auto const& b : *list)
      if (b->elements() > std::int64_t{0x7fffffff}) index_bits_ = 64;
  survey(program_.prepare);
  survey(program_.body);
}

inline void c_emitter::survey(ir::stmt const& s) {
  auto const in_expression = [&](ir::expr const& whole) {
    ir::for_each_node(whole, [&](ir::expr const& e) { doubles_ = doubles_ || e->type == dtype::f64; });
  };
  (void)detail::any_statement(s, [&](ir::stmt const& part) {
    if (auto const* w = ir::as<ir::store>(part)) {
      written_.insert(w->to.get());
      doubles_ = doubles_ || w->to->type == dtype::f64;
      in_expression(w->value);
    }
    if (auto const* c = ir::as<ir::conditional>(part)) in_expression(c->condition);
    if (auto const* l = ir::as<ir::loop>(part))
      if (ir::is_constant(l->end) && ir::constant_integer(l->end) > 0x7fffffff) index_bits_ = 64;
    auto const* a = ir::as<ir::allocate>(part);
    if (!a) return false;
    auto const& b = *a->storage;
    if (b.elements() > std::int64_t{0x7fffffff}) index_bits_ = 64;
    if (b.where == ir::memory::workspace && shared_offsets_.count(&b) == 0) {
      shared_offsets_[&b] = shared_bytes_;
      shared_bytes_ += (b.elements() * static_cast<std::int64_t>(size_in_bytes(b.type)) + 255) / 256 * 256;
    }
    return false;
  });
}

inline device_program c_emitter::run() {
  device_program made;
  survey();
  preparing_ = true;
  host(program_.prepare, made.prepare);
  flush(made.prepare);
  preparing_ = false;
  host(program_.body, made.main);
  flush(made.main);
  made.workspace_bytes = shared_bytes_;
  for (auto const& b : program_.operands) made.written.push_back(written_.count(b.get()) != 0);
  made.source = dialect_.prelude(doubles_);
  for (auto const& [name, text] : helpers_) made.source += text;
  if (!helpers_.empty()) made.source += "\n";
  made.source += tables_ + kernels_;
  return made;
}

inline void c_emitter::host(ir::stmt const& s, std::vector<device_launch>& launches) {
  if (!s) return;
  if (auto const* a = ir::as<ir::allocate>(s); a && (a->storage->where == ir::memory::workspace))
    return host(a->body, launches);
  if (!dialect_.has_threads() || !has_kernel(s)) return alone_.push_back(s);
  if (auto const* n = ir::as<ir::block>(s)) {
    for (auto const& part : n->body) host(part, launches);
    return;
  }
  flush(launches);
  if (auto const* n = ir::as<ir::let>(s)) {
    around_.push_back(s);
    host_ranges_[n->variable] = {n->low, n->high - 1};
    host(n->body, launches);
    flush(launches);
    host_ranges_.erase(n->variable);
    around_.pop_back();
    return;
  }
  if (auto const* n = ir::as<ir::conditional>(s)) {
    for (bool const taken : {true, false}) {
      auto const& arm = taken ? n->then : n->otherwise;
      if (!arm) continue;
      auto const condition = taken ? n->condition : ir::make_unary(ir::unary_op::logical_not, n->condition);
      around_.push_back(ir::make_conditional(condition, arm));
      host(arm, launches);
      flush(launches);
      around_.pop_back();
    }
    return;
  }
  auto const* l = ir::as<ir::loop>(s);
  if (!l) return kernel(s, launches);  // a buffer of its threads or of its only block
  if (l->kind == ir::loop_kind::parallel || l->kind >= ir::loop_kind::block_x) return kernel(s, launches);
  host_loop(*l, launches);
}

inline void c_emitter::host_loop(ir::loop const& l, std::vector<device_launch>& launches) {
  constexpr std::int64_t most_launches = 4096;
  auto const low = arith::bounds(l.begin, host_ranges_);
  auto const high = arith::bounds(l.end, host_ranges_);
  if (!arith::is_bounded(low) || !arith::is_bounded(high))
    throw backend_error(std::string(dialect_.name()) + ": the loop " + l.variable +
                        " around kernels has no known bounds");
  auto const begin = low.low;
  auto const end = high.high;
  if (begin >= end) return;
  auto const place = host_variables_.size();
  host_variables_.push_back(l.variable);
  host_ranges_[l.variable] = {begin, end - 1};
  std::vector<device_launch> once;
  auto const guards = around_.size();
  auto const at = ir::make_variable(l.variable);
  if (low.low != low.high)
    around_.push_back(ir::make_conditional(ir::make_binary(ir::binary_op::less_equal, l.begin, at), l.body));
  if (high.low != high.high)
    around_.push_back(ir::make_conditional(ir::make_binary(ir::binary_op::less, at, l.end), l.body));
  host(l.body, once);
  flush(once);
  around_.resize(guards);
  host_variables_.pop_back();
  host_ranges_.erase(l.variable);
  if (static_cast<std::int64_t>(once.size()) * (end - begin) + static_cast<std::int64_t>(launches.size()) >
      most_launches)
    throw backend_error(std::string(dialect_.name()) + ": the loop " + l.variable + " would launch more than " +
                        std::to_string(most_launches) + " kernels: bind a loop further out");
  for (auto i = begin; i < end; ++i)
    for (auto launch : once) {
      launch.values[place] = i;
      launches.push_back(std::move(launch));
    }
}

/// Emits the statements collected between kernels as a kernel of one thread.
inline void c_emitter::flush(std::vector<device_launch>& launches) {
  if (alone_.empty()) return;
  auto const body = ir::make_block(std::exchange(alone_, {}));
  kernel(body, launches);
}

/// Computes the ranges of blocks and threads: each direction covers all loops over it.
inline void c_emitter::measure(ir::stmt const& s, arith::ranges& known, bool inside) {
  if (!s) return;
  if (auto const* n = ir::as<ir::block>(s))
    for (auto const& part : n->body) measure(part, known, inside);
  if (auto const* n = ir::as<ir::allocate>(s)) measure(n->body, known, inside);
  if (auto const* n = ir::as<ir::conditional>(s)) measure(n->then, known, inside), measure(n->otherwise, known, inside);
  if (auto const* n = ir::as<ir::let>(s)) {
    known[n->variable] = {n->low, n->high - 1};
    measure(n->body, known, inside);
  }
  auto const* l = ir::as<ir::loop>(s);
  if (!l) return;
  auto const low = arith::bounds(l->begin, known);
  auto const high = arith::bounds(l->end, known);
  known[l->variable] = {low.low, high.high - 1};
  bool const bound = detail::is_block_loop(l->kind) || detail::is_thread_loop(l->kind) ||
                     (l->kind == ir::loop_kind::parallel && !inside);
  if (bound) {
    if (!arith::is_bounded(low) || !arith::is_bounded(high))
      throw backend_error(std::string(dialect_.name()) + ": the number of blocks or threads of loop " + l->variable +
                          " is not known");
    auto& g = grid_[static_cast<std::size_t>(direction_of(l->kind))];
    if (low.low < high.high) {
      g.begin = g.used ? std::min(g.begin, low.low) : low.low;
      g.end = g.used ? std::max(g.end, high.high) : high.high;
      g.used = true;
    }
  }
  measure(l->body, known, inside || bound);
}

inline std::vector<std::string> c_emitter::parameters() {
  std::vector<std::string> made;
  for (auto const* list : {&program_.operands, &program_.prepared})
    for (auto const& b : *list) {
      auto const name = names_.fresh(b->name);
      arrays_[b.get()] = name;
      made.push_back(dialect_.pointer(ir::memory::operand, dialect_.storage(b->type), written_.count(b.get()) == 0) +
                     " " + dialect_.restrict_word() + " " + name);
    }
  made.push_back(dialect_.pointer(ir::memory::operand, dialect_.storage(dtype::u8), false) + " " +
                 dialect_.restrict_word() + " workspace");
  for (auto const& v : host_variables_) {
    auto const name = names_.fresh(v);
    made.push_back("const " + type_name(dtype::index) + " " + name);
    variables_[v] = atom(name, host_ranges_.at(v).low >= 0);
  }
  return made;
}

inline void c_emitter::kernel(ir::stmt body, std::vector<device_launch>& launches) {
  for (auto outer = around_.rbegin(); outer != around_.rend(); ++outer) {
    if (auto const* n = ir::as<ir::let>(*outer)) body = ir::make_let(n->variable, n->value, n->low, n->high, body);
    else body = ir::make_conditional(ir::as<ir::conditional>(*outer)->condition, body);
  }
  body = spread_virtual_threads(body);
  auto const name = program_.name + (preparing_ ? "_prepare_" : "_kernel_") + std::to_string(kernel_count_++);
  shapes_ = {};
  if (dialect_.vectors() == vector_style::types) {
    (void)begin_kernel(name, body);
    emit(body);
  }
  shapes_.settle();
  auto const arguments = begin_kernel(name, body);
  emit(body);

  device_launch launch;
  launch.kernel = c_names().fresh(name);
  for (std::size_t d = 0; d < 3; ++d) {
    launch.groups[d] = grid_[d].size();
    launch.threads[d] = grid_[3 + d].size();
  }
  launch.groups[0] *= spacing_;
  declare_shared_arrays(launch);
  launch.may_idle = is_for_tasks(body) && !dialect_.block_count(0).empty();
  if (launch.may_idle)
    shared_arrays_ =
        "  if (" + dialect_.block_count(0) + " != " + std::to_string(launch.groups[0]) + ") return;\n" + shared_arrays_;
  launch.values.resize(host_variables_.size());
  kernels_ += dialect_.head(launch.kernel, arguments, launch.threads.data(), shuffles_) + " {\n" + shared_arrays_ +
              text_ + "}\n\n";
  launches.push_back(std::move(launch));
}

/// Declares one array per buffer, or all in one array whose size the launch sets.
inline void c_emitter::declare_shared_arrays(device_launch& launch) {
  constexpr std::int64_t unit = 16;  // the largest unit of a move
  std::string apart;
  std::string together;
  auto const whole = std::string("ttune_group_memory");
  for (auto const& [b, name] : in_shared_) {
    auto const bytes = b->room() * static_cast<std::int64_t>(size_in_bytes(b->type));
    auto const pointer = dialect_.pointer(ir::memory::shared, dialect_.storage(b->type), false);
    apart += "  " + declaration(*b, ir::memory::shared, name) + "\n";
    together += "  " + pointer + " const " + name + " = (" + pointer + ")(" + whole + " + " +
                std::to_string(launch.launch_bytes) + ");\n";
    launch.group_bytes += bytes;
    launch.launch_bytes += (bytes + unit - 1) / unit * unit;
  }
  bool const declared = launch.launch_bytes <= dialect_.declared_shared_bytes();
  shared_arrays_ = (declared ? apart : "  " + dialect_.launch_array(whole) + "\n" + together) + shared_arrays_;
  if (declared) launch.launch_bytes = 0;
  else launch.group_bytes = launch.launch_bytes;
}

/// Resets the state of the last kernel; returns the parameters of the next one.
inline std::vector<std::string> c_emitter::begin_kernel(std::string const& name, ir::stmt const& body) {
  text_.clear();
  scopes_.clear();
  names_ = {};
  grid_ = {};
  entered_ = 0;
  identities_.clear();
  shared_arrays_.clear();
  in_shared_.clear();
  arrays_.clear();
  variables_.clear();
  transposed_.clear();
  naturals_.clear();
  ranges_ = host_ranges_;
  of_threads_.clear();
  of_warps_.clear();
  publishes_ = has_warpgroup_tile(body);
  apart_ = 0;
  shuffles_ = false;
  follows_ = false;
  thread_loops_.clear();
  forget_fragments();
  depth_ = 1;
  (void)names_.fresh(name);
  auto const arguments = parameters();
  auto known = host_ranges_;
  if (dialect_.has_threads()) measure(body, known, false);
  spacing_ = spacing_of(body);
  if (spacing_ > 1)
    shared_arrays_ += "  if (" + dialect_.block_id(0) + " % " + std::to_string(spacing_) + " != 0) return;\n";
  return arguments;
}

/// Returns true for blocks of one thread on a CPU.
inline bool c_emitter::is_for_tasks(ir::stmt const& body) const {
  bool const one_thread = grid_[3].size() * grid_[4].size() * grid_[5].size() == 1;
  return !machine_.is_gpu() && one_thread && !detail::has_barrier(body);
}

/// Returns the spacing of working blocks. A CPU device with few blocks of one thread gets idle blocks between them, so
/// that each core gets some working ones.
inline int c_emitter::spacing_of(ir::stmt const& body) const {
  bool const few = grid_[0].size() > 1 && grid_[1].size() * grid_[2].size() == 1 &&
                   grid_[0].size() < 2 * dialect_.blocks_at_a_time() * machine_.cores;
  return machine_.cores > 1 && few && is_for_tasks(body) ? dialect_.blocks_at_a_time() : 1;
}

inline std::string c_emitter::block_id(int direction) const {
  if (direction != 0 || spacing_ == 1) return dialect_.block_id(direction);
  return "(" + dialect_.block_id(0) + " / " + std::to_string(spacing_) + ")";
}

}}}  // namespace ttune::v0::codegen
