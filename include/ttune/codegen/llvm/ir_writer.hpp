// SPDX-License-Identifier: Apache-2.0
// Writes the instructions and blocks of one function of LLVM IR.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ttune/codegen/llvm/frames.hpp"
#include "ttune/codegen/llvm/instruction_set.hpp"
#include "ttune/codegen/llvm/lane_code.hpp"
#include "ttune/codegen/llvm/module_text.hpp"
#include "ttune/core/target.hpp"
#include "ttune/ir/print.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// Begins the comment behind an instruction that has the line of its statement.
inline constexpr char const* line_mark = " ; @";

/// Instructions come in as text, the names of their results go out. Names are unique in the module. The function's text
/// is in frames (frames.hpp), one for each open loop and arm of a condition: arithmetic that only needs values of outer
/// loops is written there, once. `finish_function` moves the text to the module.
class ir_writer final : public lane_sink {
 public:
  ir_writer(target const& machine, module_text& module, bool annotates)
      : machine_(machine), instructions_(machine), module_(module), annotates_(annotates) {}

  [[nodiscard]] target const& machine() const { return machine_; }
  [[nodiscard]] instruction_set const& instructions() const { return instructions_; }
  [[nodiscard]] frames& open_frames() { return frames_; }

  // ------------------------------------------------------------------------------------------------------- names
  [[nodiscard]] int fresh_number() { return next_++; }
  [[nodiscard]] std::string fresh() { return "%v" + std::to_string(next_++); }
  [[nodiscard]] std::string fresh_label() { return "b" + std::to_string(next_++); }
  /// Returns the number that the next value gets: values with smaller numbers exist already.
  [[nodiscard]] int next_number() const { return next_; }
  void restart() {
    next_ = 0;
    mark_.clear();
  }

  // ------------------------------------------------------------------------------------------------ instructions
  void line(std::string const& text) { frames_.line(text, mark_); }

  /// Returns true if comments name the statements, for checked_llvm_ir.hpp.
  [[nodiscard]] bool annotates() const { return annotates_; }
  void annotate(ir::stmt const& s) {
    if (!annotates_) return;
    auto const text = ir::print(s);
    frames_.line("; " + text.substr(0, text.find('\n')));
  }

  /// From now on, each instruction ends with a comment that has the line of its statement, for lined_llvm_ir.hpp.
  void mark_lines(ir::statement_lines const& lines) { lines_ = &lines; }
  /// Begins a statement; returns the mark of the one around it. Statements without a line belong to that one.
  [[nodiscard]] std::string enter(ir::stmt const& s) {
    auto outer = mark_;
    if (auto const it = lines_->find(s.get()); it != lines_->end()) mark_ = line_mark + std::to_string(it->second);
    return outer;
  }
  void leave(std::string outer_mark) { mark_ = std::move(outer_mark); }
  [[nodiscard]] bool marks_lines() const { return lines_ != nullptr; }

  [[nodiscard]] std::string define(std::string const& instruction) override {
    auto name = fresh();
    frames_.line(name + " = " + instruction, mark_);
    return name;
  }

  /// Writes pure arithmetic once, at the start of the loop of a depth.
  [[nodiscard]] std::string define_at(int depth, std::string const& key, std::string const& instruction) {
    if (auto const* known = frames_.find_known(depth, key)) return *known;
    auto name = fresh();
    frames_.line_at(depth, name + " = " + instruction, mark_);
    frames_.remember(depth, key, name);
    return name;
  }
  [[nodiscard]] std::string define_at(int depth, std::string const& instruction) {
    return define_at(depth, instruction, instruction);
  }

  /// Writes an instruction at the start of the function.
  void entry_line(std::string const& text) { frames_.line_at(0, text, mark_); }

  /// Writes an instruction that needs no value before all others of the function, or before its return.
  void first_line(std::string const& text) { prologue_ += "  " + text + "\n"; }
  void last_line(std::string const& text) { epilogue_ += "  " + text + "\n"; }

  /// Returns the address of memory on the stack of the function.
  [[nodiscard]] std::string on_stack(std::string const& type, int alignment) {
    auto const name = fresh();
    prologue_ += "  " + name + " = alloca " + type + ", align " + std::to_string(alignment) + "\n";
    return name;
  }

  // ------------------------------------------------------------------------------------- vectors and the module
  [[nodiscard]] std::string splat(std::string const& scalar, std::string const& literal, int lanes) override {
    if (lanes == 1) return literal;
    auto const type = vector_of(scalar, lanes);
    auto const first = define_at(0, "insertelement " + type + " undef, " + scalar + " " + literal + ", i32 0");
    return define_at(0, "shufflevector " + type + " " + first + ", " + type + " undef, <" + std::to_string(lanes) +
                            " x i32> zeroinitializer");
  }
  [[nodiscard]] std::string row(std::string const& scalar, std::vector<double> const& numbers) override {
    auto const type = vector_of(scalar, static_cast<int>(numbers.size()));
    std::string list;
    for (double const v : numbers)
      list +=
          (list.empty() ? "<" : ", ") + scalar + " " + real_literal(scalar == "double" ? dtype::f64 : dtype::f32, v);
    return define_at(0, "bitcast " + type + " " + list + "> to " + type);
  }
  void declare(std::string const& declaration) override { module_.declare(declaration); }
  [[nodiscard]] std::string constants(std::vector<double> const& values) override { return module_.array_of(values); }
  [[nodiscard]] std::string bytes(std::vector<std::uint8_t> const& values) { return module_.array_of_bytes(values); }
  [[nodiscard]] bool has_fma() const override { return machine_.has_fma; }
  [[nodiscard]] bool has_scaling() const override { return instructions_.scales; }
  [[nodiscard]] bool permutes() const override { return instructions_.permutes; }

  // ------------------------------------------------------------------------------------------------------ blocks
  /// The label of the current block.
  [[nodiscard]] std::string const& label() const { return label_; }

  void start_block(std::string const& label) {
    frames_.top().body += label + ":\n";
    label_ = label;
  }

  /// Begins a frame for the body of a loop. Its block gets its label, and its phis, when the body is known.
  void open_loop(int depth, std::string const& header) {
    frames_.open_loop(depth);
    label_ = header;
  }

  /// Begins a frame whose text may be skipped. Values are hoisted into it if it `takes` them.
  void open_arm() { frames_.open_arm(false, {}); }
  void open_arm(std::string const& label, bool takes = false) {
    frames_.open_arm(takes, label + ":\n");
    label_ = label;
  }

  /// Ends the innermost frame and returns its text, which the caller places by `append`.
  [[nodiscard]] std::string close() { return frames_.close(); }
  void append(std::string const& blocks) { frames_.top().body += blocks; }

  // --------------------------------------------------------------------------------------------------- functions
  /// The unfinished text of a function while another one is written.
  struct unfinished {
    frames open;
    std::string label;
    std::string prologue;
    std::string epilogue;
  };

  /// Begins a function. Returns what has been written of the current one.
  unfinished begin_function() {
    unfinished outer{std::exchange(frames_, {}), std::exchange(label_, "entry"), std::exchange(prologue_, {}),
                     std::exchange(epilogue_, {})};
    frames_.open_loop(0);
    return outer;
  }

  /// Ends a function with this head, such as "define void @name()", by a return; adds it to the module. `placement`
  /// names a section.
  void finish_function(std::string const& head, std::string const& end = "ret void",
                       std::string const& placement = {}) {
    append(epilogue_);
    line(end);
    auto const text = frames_.close();
    module_.add_function(head + " #0" + placement + " {\nentry:\n" + prologue_ + text + "}\n\n");
  }

  void resume_function(unfinished outer) {
    frames_ = std::move(outer.open);
    label_ = std::move(outer.label);
    prologue_ = std::move(outer.prologue);
    epilogue_ = std::move(outer.epilogue);
  }

 private:
  target const& machine_;
  instruction_set instructions_;
  module_text& module_;
  bool annotates_;
  ir::statement_lines const* lines_ = nullptr;
  std::string mark_;  ///< the comment behind the instructions of the current statement
  frames frames_;
  std::string label_;
  std::string prologue_;
  std::string epilogue_;
  int next_ = 0;
};

}}}}  // namespace ttune::v0::codegen::llvm
