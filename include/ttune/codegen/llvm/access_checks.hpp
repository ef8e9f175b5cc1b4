// SPDX-License-Identifier: Apache-2.0
// Checks in the text of a module: before each load and store, a comparison of its place with the size of its buffer.
//
//                                              %offset = %place - %base
//                                              %inside = %offset <= size && %offset + 64 <= size
//   %v = load <16 x float>, ptr %place    →    %note   = select (%inside || *%fault != 0), %unnoted, %fault
//                                              store the number of this load and %offset, ptr %note
//                                              %at     = select %inside, %place, %spare
//                                              %v      = load <16 x float>, ptr %at
//
// After some checks a block ends, and the function returns if a fault was noted: LLVM schedules blocks in a time that
// grows with the square of their length.
//
// The buffer of a place is found by following the address arithmetic back to where the text names the start of a
// buffer. The text that the emitter wrote is not trusted beyond that: what it computes is what is compared.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ttune/codegen/checked_llvm_ir.hpp"
#include "ttune/codegen/llvm/buffer_addresses.hpp"
#include "ttune/codegen/llvm/text_lines.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// The text of a module with annotations comes in (module_emitter::annotated), the same text with checks goes out.
class access_checks {
 public:
  access_checks(std::string const& text, base_addresses const& bases, int operands)
      : text_(text), bases_(bases), operands_(operands) {}

  /// Throws backend_error for an access whose buffer is not known.
  [[nodiscard]] std::string run() {
    for_each_line(text_, [&](std::string_view line) { look(line); });
    return made_ + "declare i128 @llvm.cttz.i128(i128, i1)\ndeclare i128 @llvm.ctlz.i128(i128, i1)\n";
  }
  /// Returns the accesses by their numbers.
  [[nodiscard]] std::vector<access_site> const& sites() const { return sites_; }

 private:
  /// The buffer that a pointer points into.
  struct origin {
    std::string base;  ///< the value with the buffer's address; empty for memory of the interface (abi.hpp)
    std::string size;  ///< of the buffer, in bytes: a number or a value
    ir::buffer const* of = nullptr;  ///< null for constants of the code
  };

  void look(std::string_view line);
  void begin_function(std::string_view head);
  void end_function();
  void instruction(std::string_view line);
  void define_pointer(std::string const& name, std::string_view what);
  void load(std::string const& name, std::string_view what);
  void store(std::string_view line);
  void masked_access(std::string_view line, std::string_view call);
  void gather(std::string_view line, std::string_view call);
  [[nodiscard]] origin origin_of(std::string const& pointer) const;
  [[nodiscard]] origin start_of(ir::buffer const& b, std::string const& address);
  [[nodiscard]] std::string offset_of(std::string const& pointer, origin const& from);
  [[nodiscard]] std::string lies_inside(std::string const& first, std::string const& end, origin const& from);
  [[nodiscard]] std::int64_t add_site(origin const& from, bool writes);
  [[nodiscard]] std::string checked_place(std::string const& pointer, std::int64_t site, std::string const& offset,
                                          std::string const& inside);
  void note_unless(std::string const& inside, std::int64_t site, std::string const& offset);
  void end_block_unless_noted(std::string const& none);

  [[nodiscard]] std::string define(std::string const& instruction) {
    auto name = "%checked" + std::to_string(next_++);
    write(name + " = " + instruction);
    return name;
  }
  void write(std::string_view line) { body_.append("  ").append(line).append("\n"); }
  void write_setup();

  std::string const& text_;
  base_addresses const& bases_;
  int operands_;
  std::string made_;
  std::vector<access_site> sites_;
  std::map<std::string, std::string, std::less<>> sizes_of_constants_;  ///< by the name of the array
  int next_ = 0;

  // State of the function.
  bool in_function_ = false;
  bool in_task_ = false;  ///< true for the body of a parallel loop: it loads what other functions have as parameters
  bool checks_ = false;   ///< false in helper functions, which know no buffers
  std::string body_;
  std::string statement_;
  bool before_entry_ = true;  ///< true before the first label
  std::string label_;         ///< of the block, as the emitter named it
  int checks_in_block_ = 0;
  std::map<std::string, std::string> last_parts_;  ///< of blocks that were ended, by their labels
  std::map<std::string, origin> origins_;
};

inline void access_checks::look(std::string_view line) {
  if (line.starts_with("define ")) return begin_function(line);
  if (line == "}") return end_function();
  if (!in_function_ || !checks_) {
    if (line.starts_with("@"))
      if (auto const array = array_in(line)) sizes_of_constants_[first_word(line)] = std::to_string(array->bytes());
    made_.append(line).append("\n");
    return;
  }
  if (label_in(line)) {
    body_.append(line).append("\n");
    label_ = line.substr(0, line.find(':'));
    checks_in_block_ = 0;
    if (std::exchange(before_entry_, false) && !in_task_) write_setup();
    return;
  }
  if (line.starts_with("  ")) return instruction(line.substr(2));
  body_.append(line).append("\n");
}

inline void access_checks::begin_function(std::string_view head) {
  made_.append(head).append("\n");
  in_function_ = true;
  auto const is = [&](char const* name) { return head.find(name) != std::string_view::npos; };
  in_task_ = is(" @task");
  checks_ = in_task_ || is(" @ttune_main(") || is(" @ttune_prepare(");
  before_entry_ = true;
  body_.clear();
  statement_.clear();
  origins_ = {{"%operands", {}}, {"%runtime", {}}, {"%workspace", {}}, {"%closure", {}}};
}

inline void access_checks::end_function() {
  in_function_ = false;
  for (auto const& [label, last] : last_parts_) {  // phis name the block from which a branch came
    auto const before = ", %" + label + "]", after = ", %" + last + "]";
    for (auto at = body_.find(before); at != std::string::npos; at = body_.find(before, at + after.size()))
      body_.replace(at, before.size(), after);
  }
  if (!last_parts_.empty()) body_ += "fault.noted:\n  ret void\n";
  last_parts_.clear();
  made_ += body_ + "}\n";
}

/// Loads what the runtime table of a checked kernel has, once the table's address is known.
inline void access_checks::write_setup() {
  auto const member = [&](char const* name, std::size_t offset) {
    write(std::string(name) + ".place = getelementptr i8, ptr %runtime, i64 " + std::to_string(offset));
    write(std::string(name) + " = load ptr, ptr " + name + ".place, align 8");
  };
  member("%sizes", offsetof(checked_runtime, sizes));
  member("%spare", offsetof(checked_runtime, spare));
  member("%fault", offsetof(checked_runtime, fault));
  write("%unnoted = alloca i64, align 8");
}

inline void access_checks::instruction(std::string_view line) {
  if (line.starts_with("; ")) statement_ = line.substr(2);
  if (line.starts_with("store ")) return store(line);
  if (line.find("@llvm.masked.gather.") != std::string_view::npos) return gather(line, after_name(line));
  if (line.find("@llvm.masked.") != std::string_view::npos) return masked_access(line, after_name(line));
  if (!line.starts_with("%")) return write(line);
  auto const name = first_word(line);
  auto const what = after_name(line);
  if (what.starts_with("load ")) return load(name, what);
  write(line);
  if (what.starts_with("getelementptr ") || what.starts_with("alloca ") || what.starts_with("select i1 "))
    define_pointer(name, what);
}

/// Notes where a new pointer comes from, and writes what its checks need.
inline void access_checks::define_pointer(std::string const& name, std::string_view what) {
  if (auto const known = bases_.find(name); known != bases_.end() && !what.starts_with("select "))
    origins_[name] = start_of(*known->second, name);
  else if (what.starts_with("alloca ")) origins_[name] = {};  // the closure of a parallel loop
  else if (what.starts_with("getelementptr ")) origins_[name] = origin_of(word_after(what, ", ptr "));
  else if (auto const choice = pointers_of_select(what)) {
    auto const yes = origin_of(choice->when_true);
    auto const no = origin_of(choice->when_false);
    auto const either = "select i1 " + choice->condition + ", ";
    origins_[name] = {define(either + "ptr " + yes.base + ", ptr " + no.base),
                      define(either + "i64 " + yes.size + ", i64 " + no.size), yes.of};
  }
}

/// Returns the start of a buffer. The sizes of operands and of prepared buffers are known to the call.
inline access_checks::origin access_checks::start_of(ir::buffer const& b, std::string const& address) {
  bool const prepared = b.where == ir::memory::prepared;
  if (b.where != ir::memory::operand && !prepared)
    return {address, std::to_string(b.elements() * static_cast<std::int64_t>(size_in_bytes(b.type))), &b};
  auto const slot = b.slot + (prepared ? operands_ : 0);
  auto const place = define("getelementptr i64, ptr %sizes, i64 " + std::to_string(slot));
  return {address, define("load i64, ptr " + place + ", align 8"), &b};
}

inline access_checks::origin access_checks::origin_of(std::string const& pointer) const {
  if (auto const it = origins_.find(pointer); it != origins_.end()) return it->second;
  if (auto const it = sizes_of_constants_.find(pointer); it != sizes_of_constants_.end()) {
    auto const known = bases_.find(pointer);
    return {pointer, it->second, known == bases_.end() ? nullptr : known->second};
  }
  throw backend_error("llvm: the buffer of " + pointer +
                      " is not known, which a checked kernel accesses in: " + statement_);
}

inline void access_checks::load(std::string const& name, std::string_view what) {
  auto const pointer = word_after(what, ", ptr ");
  auto const from = origin_of(pointer);
  if (from.base.empty() || what.starts_with("load ptr,")) {  // of the interface (abi.hpp)
    write(name + " = " + std::string(what));
    if (name == "%runtime") write_setup();
    if (auto const known = bases_.find(name); known != bases_.end()) origins_[name] = start_of(*known->second, name);
    else origins_[name] = {};
    return;
  }
  auto const bytes = type_in(what.substr(5)).bytes();
  auto const offset = offset_of(pointer, from);
  auto const end = define("add i64 " + offset + ", " + std::to_string(bytes));
  auto const site = add_site(from, false);
  auto const place = checked_place(pointer, site, offset, lies_inside(offset, end, from));
  write(name + " = " + with_last(what, "ptr " + pointer, "ptr " + place));
}

inline void access_checks::store(std::string_view line) {
  auto const pointer = word_after_last(line, ", ptr ");
  auto const from = origin_of(pointer);
  if (from.base.empty()) return write(line);
  auto const bytes = type_in(line.substr(6)).bytes();
  auto const offset = offset_of(pointer, from);
  auto const end = define("add i64 " + offset + ", " + std::to_string(bytes));
  auto const site = add_site(from, true);
  auto const place = checked_place(pointer, site, offset, lies_inside(offset, end, from));
  write(with_last(line, "ptr " + pointer, "ptr " + place));
}

/// Checks from the first to the last running lane of `llvm.masked.load` or `llvm.masked.store`.
inline void access_checks::masked_access(std::string_view line, std::string_view call) {
  bool const writes = call.find("@llvm.masked.store.") != std::string_view::npos;
  auto const arguments = arguments_of(call);
  auto const type = type_in(writes ? std::string_view(arguments[0]) : call.substr(5));
  auto const pointer = last_word(arguments[writes ? 1 : 0]);
  auto const from = origin_of(pointer);
  auto const lanes = std::to_string(type.lanes);
  auto const bits = define("bitcast " + arguments[writes ? 3 : 2] + " to i" + lanes);
  auto const running = define("zext i" + lanes + " " + bits + " to i128");
  auto const none = define("icmp eq i128 " + running + ", 0");
  auto const element = ", " + std::to_string(type.element_bytes);
  auto const first = define("call i128 @llvm.cttz.i128(i128 " + running + ", i1 false)");
  auto const above = define("call i128 @llvm.ctlz.i128(i128 " + running + ", i1 false)");
  auto const count = define("sub i128 128, " + above);
  auto const skip = define("mul i64 " + define("trunc i128 " + first + " to i64") + element);
  auto const span = define("mul i64 " + define("trunc i128 " + count + " to i64") + element);
  auto const base = offset_of(pointer, from);
  auto const start = define("add i64 " + base + ", " + skip);
  auto const end = define("add i64 " + base + ", " + span);
  auto const inside = define("or i1 " + none + ", " + lies_inside(start, end, from));
  auto const place = checked_place(pointer, add_site(from, writes), start, inside);
  write(with_last(line, "ptr " + pointer, "ptr " + place));
}

/// Checks each running lane of `llvm.masked.gather`. Lanes outside of the buffer do not run.
inline void access_checks::gather(std::string_view line, std::string_view call) {
  auto const arguments = arguments_of(call);
  auto const type = type_in(call.substr(5));
  auto const lanes = std::to_string(type.lanes);
  auto const pointers = last_word(arguments[0]);
  auto const from = origin_of(pointers);
  auto const integers = "<" + lanes + " x i64>";
  auto const all = [&](std::string const& scalar) {
    auto const one = define("insertelement " + integers + " undef, i64 " + scalar + ", i32 0");
    return define("shufflevector " + integers + " " + one + ", " + integers + " undef, <" + lanes +
                  " x i32> zeroinitializer");
  };
  auto const places = define("ptrtoint <" + lanes + " x ptr> " + pointers + " to " + integers);
  auto const base = define("ptrtoint ptr " + from.base + " to i64");
  auto const offsets = define("sub " + integers + " " + places + ", " + all(base));
  auto const last = define("sub i64 " + from.size + ", " + std::to_string(type.element_bytes));
  auto const inside = define("icmp ule " + integers + " " + offsets + ", " + all(last));
  auto const flags = "<" + lanes + " x i1>";
  auto const mask = without_vector_type(arguments[2]);
  auto const kept = define("and " + flags + " " + mask + ", " + inside);
  auto const lost = define("xor " + flags + " " + kept + ", " + mask);
  auto const bits = define("bitcast " + flags + " " + lost + " to i" + lanes);
  auto const none = define("icmp eq i" + lanes + " " + bits + ", 0");
  auto const wide = define("zext i" + lanes + " " + bits + " to i128");
  auto const first = define("call i128 @llvm.cttz.i128(i128 " + wide + ", i1 false)");
  auto const lane = define("urem i64 " + define("trunc i128 " + first + " to i64") + ", " + lanes);
  auto const offset = define("extractelement " + integers + " " + offsets + ", i64 " + lane);
  note_unless(none, add_site(from, false), offset);
  write(with_last(line, flags + " " + mask, flags + " " + kept));
}

inline std::string access_checks::offset_of(std::string const& pointer, origin const& from) {
  auto const place = define("ptrtoint ptr " + pointer + " to i64");
  auto const start = define("ptrtoint ptr " + from.base + " to i64");
  return define("sub i64 " + place + ", " + start);
}

/// Returns the condition that bytes [first, end) lie inside of a buffer. Both are compared as numbers without a sign:
/// the difference of a place before the buffer is huge.
inline std::string access_checks::lies_inside(std::string const& first, std::string const& end, origin const& from) {
  auto const begins = define("icmp ule i64 " + first + ", " + from.size);
  auto const ends = define("icmp ule i64 " + end + ", " + from.size);
  return define("and i1 " + begins + ", " + ends);
}

inline std::int64_t access_checks::add_site(origin const& from, bool writes) {
  access_site made;
  made.writes = writes;
  made.statement = statement_;
  if (from.of) {
    made.buffer = from.of->name;
    made.type = from.of->type;
    made.extents = from.of->extents;
    made.dense = from.of->strides == operand_strides::dense;
  } else {
    made.buffer = "a constant of the code";
    made.type = dtype::u8;
    made.extents = {std::stoll(from.size)};
  }
  sites_.push_back(std::move(made));
  if (sites_.size() >> access_fault::site_bits)
    throw backend_error("llvm: a checked kernel has too many loads and stores: unroll fewer loops");
  return static_cast<std::int64_t>(sites_.size());
}

/// Ends the block after many checks. `none` tells that no fault has been noted.
inline void access_checks::end_block_unless_noted(std::string const& none) {
  constexpr int most_checks = 64;
  if (++checks_in_block_ < most_checks) return;
  checks_in_block_ = 0;
  auto const next = "go.on" + std::to_string(next_++);
  write("br i1 " + none + ", label %" + next + ", label %fault.noted");
  body_ += next + ":\n";
  last_parts_[label_] = next;
}

/// Notes the fault unless `inside` holds, without a branch: a kernel with thousands of accesses in one block would get
/// as many blocks more, and LLVM takes minutes for those. Threads may note at once: processors write an aligned word as
/// a whole. Atomic accesses would make LLVM take 2.5 times as long.
inline void access_checks::note_unless(std::string const& inside, std::int64_t site, std::string const& offset) {
  auto const noted = define("load i64, ptr %fault, align 8");
  auto const none = define("icmp eq i64 " + noted + ", 0");
  auto const keeps = define("select i1 " + inside + ", i1 false, i1 " + none);
  auto const place = define("select i1 " + keeps + ", ptr %fault, ptr %unnoted");
  auto const shifted = define("shl i64 " + offset + ", " + std::to_string(access_fault::site_bits));
  auto const note = define("or i64 " + shifted + ", " + std::to_string(site));
  write("store i64 " + note + ", ptr " + place + ", align 8");
  end_block_unless_noted(none);
}

/// Returns the place to access: the spare memory if it is not inside of its buffer.
inline std::string access_checks::checked_place(std::string const& pointer, std::int64_t site,
                                                std::string const& offset, std::string const& inside) {
  note_unless(inside, site, offset);
  return define("select i1 " + inside + ", ptr " + pointer + ", ptr %spare");
}

}}}}  // namespace ttune::v0::codegen::llvm
