// SPDX-License-Identifier: Apache-2.0
// Addresses of buffers and of their elements.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ttune/codegen/llvm/constant_tables.hpp"
#include "ttune/codegen/llvm/index_arithmetic.hpp"
#include "ttune/codegen/llvm/ir_writer.hpp"
#include "ttune/codegen/llvm/workspace.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// The buffers whose first elements lie at values of the text, which are named.
using base_addresses = std::map<std::string, ir::buffer const*>;

/// Buffers and linear indices come in, pointers go out. Functions have the parameters %operands and %workspace, tasks
/// of a parallel loop load them; `define_local_memory` must be called at the start of each. A task loads addresses and
/// strides of operands from its closure: each other memory that the caller wrote would have to come from its core.
class buffer_addresses {
 public:
  /// A value of the function around a parallel loop that its tasks need.
  struct captured {
    ir::buffer const* of;
    std::optional<std::size_t> dimension;  ///< the stride of this dimension; none: the address
    [[nodiscard]] char const* type() const noexcept { return dimension ? "i64" : "ptr"; }
  };

  buffer_addresses(ir::lowered const& program, std::int64_t stack_limit, constant_tables const& tables,
                   ir_writer& writer, index_arithmetic& arithmetic)
      : operands_(static_cast<int>(program.operands.size())),
        workspace_(program, stack_limit),
        tables_(tables),
        writer_(writer),
        arithmetic_(arithmetic) {}

  /// Defines the memory of the thread that calls the kernel.
  void define_local_memory() {
    writer_.entry_line("%local = getelementptr i8, ptr %workspace, i64 " + std::to_string(workspace_.shared_bytes));
  }

  /// Defines the memory of the thread that runs a task: the one of the worker `%worker`.
  void define_local_memory_of_worker() {
    writer_.entry_line("%worker64 = sext i32 %worker to i64");
    writer_.entry_line("%local.skip = mul i64 %worker64, " + std::to_string(workspace_.local_bytes));
    writer_.entry_line("%local.first = getelementptr i8, ptr %workspace, i64 " +
                       std::to_string(workspace_.shared_bytes));
    writer_.entry_line("%local = getelementptr i8, ptr %local.first, i64 %local.skip");
  }

  /// Begins a task, whose closure has room for captured values from a slot on.
  void enter_task(std::size_t first_slot) { first_slot_ = first_slot; }
  /// Ends a task; returns what its closure must hold from that slot on.
  [[nodiscard]] std::vector<captured> leave_task() {
    first_slot_.reset();
    slots_.clear();
    return std::exchange(captured_, {});
  }
  [[nodiscard]] std::string value_of(captured const& what) {
    return what.dimension ? stride(*what.of, *what.dimension) : base(*what.of);
  }

  /// Returns the address of a buffer, computed once at the start of the function.
  [[nodiscard]] std::string base(ir::buffer const& b) {
    auto made = base_of(b);
    if (writer_.annotates()) bases_.insert_or_assign(made, &b);
    return made;
  }
  /// Returns the buffer of each address that `base` returned, if the text is annotated.
  [[nodiscard]] base_addresses const& bases() const { return bases_; }
  /// Forgets what the text had so far.
  void restart() {
    bases_.clear();
    (void)leave_task();
  }

  /// Returns the address of an element. Variable parts are added loop by loop, so that the innermost loop adds one
  /// term. The lane part of the index is ignored.
  [[nodiscard]] std::string pointer(ir::buffer const& b, lane_linear const& flat) {
    auto const type = memory_type(b.type);
    auto address = base(b);
    for (std::size_t i = 0; i < flat.terms.size();) {
      auto const depth = flat.terms[i].depth;
      lane_linear part;
      for (; i < flat.terms.size() && flat.terms[i].depth == depth; ++i) part.terms.push_back(flat.terms[i]);
      auto const offset = arithmetic_.materialise(part);
      address = writer_.define_at(depth, "getelementptr " + type + ", ptr " + address + ", i64 " + offset);
    }
    if (flat.constant == 0) return address;
    return writer_.define("getelementptr " + type + ", ptr " + address + ", i64 " + std::to_string(flat.constant));
  }

  /// Returns the stride of a dimension of a strided operand, read once at the start of the function.
  [[nodiscard]] std::string stride(ir::buffer const& b, std::size_t dimension) {
    auto const place = std::to_string(b.first_stride + static_cast<int>(dimension));
    if (first_slot_) return captured_value("stride " + place, {&b, dimension});
    auto const address = writer_.define_at(0, "getelementptr i64, ptr " + base(*b.strides_from) + ", i64 " + place);
    return writer_.define_at(0, "stride " + place, "load i64, ptr " + address + ", align 8");
  }

  /// Prefetches the line of an address into the cache of a level.
  void prefetch(std::string const& address, int cache_level) {
    writer_.declare("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)");
    writer_.line("call void @llvm.prefetch.p0(ptr " + address + ", i32 0, i32 " + std::to_string(4 - cache_level) +
                 ", i32 1)");
  }

 private:
  [[nodiscard]] std::string base_of(ir::buffer const& b) {
    auto const key = "base " + b.name;
    if (auto const* known = writer_.open_frames().find_known(0, key)) return *known;
    if (!b.content.empty()) return tables_.at(b);
    if (workspace_.on_stack(b)) {
      auto const made = writer_.on_stack("[" + std::to_string(workspace_plan::bytes(b)) + " x i8]", 64);
      writer_.open_frames().remember(key, made);
      return made;
    }
    if (b.where == ir::memory::operand || b.where == ir::memory::prepared) {
      if (first_slot_) return captured_value(key, {&b, std::nullopt});
      auto const slot = b.slot + (b.where == ir::memory::prepared ? operands_ : 0);
      auto const place =
          writer_.define_at(0, key + " slot", "getelementptr ptr, ptr %operands, i64 " + std::to_string(slot));
      return writer_.define_at(0, key, "load ptr, ptr " + place + ", align 8");
    }
    auto const offset = std::to_string(workspace_.offsets.at(&b));
    auto const region = b.where == ir::memory::workspace ? "%workspace" : "%local";
    return writer_.define_at(0, key, std::string("getelementptr i8, ptr ") + region + ", i64 " + offset);
  }

  /// Returns a value that a task loads from its closure, once.
  [[nodiscard]] std::string captured_value(std::string const& key, captured const& what) {
    if (auto const* known = writer_.open_frames().find_known(0, key)) return *known;
    auto const [at, is_new] = slots_.try_emplace(key, *first_slot_ + slots_.size());
    if (is_new) captured_.push_back(what);
    auto const slot = std::to_string(at->second);
    auto const place = writer_.define_at(0, key + " slot", "getelementptr i64, ptr %closure, i64 " + slot);
    return writer_.define_at(0, key, std::string("load ") + what.type() + ", ptr " + place + ", align 8");
  }

  std::optional<std::size_t> first_slot_;  ///< of the closure for captured values, in a task
  std::vector<captured> captured_;
  std::map<std::string, std::size_t> slots_;  ///< of these values in the closure; each arm loads them again
  int operands_;
  workspace_plan workspace_;
  constant_tables const& tables_;
  ir_writer& writer_;
  index_arithmetic& arithmetic_;
  base_addresses bases_;
};

}}}}  // namespace ttune::v0::codegen::llvm
