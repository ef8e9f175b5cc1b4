// SPDX-License-Identifier: Apache-2.0
// Reads a program's text: operands, stages, outputs.
#pragma once

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ttune/arith/interval.hpp"
#include "ttune/capture/bounds.hpp"
#include "ttune/capture/program_text/expression_reader.hpp"
#include "ttune/capture/strides.hpp"
#include "ttune/ir/verify.hpp"
#include "ttune/support/internal_error.hpp"

namespace ttune { inline namespace v0 { namespace capture { namespace detail {

class program_reader {
 public:
  explicit program_reader(std::string_view text) : from_(text) {}

  [[nodiscard]] handle<ir::program> run() {
    from_.expect("program");
    made_.name = from_.name();
    while (from_.now().what != text_token::kind::end) read_definition();
    if (made_.outputs.empty()) from_.refuse("the program has no output");
    add_strides(made_);
    check();
    return share(std::move(made_));
  }

 private:
  /// Reads one definition. Faults that constructors of expressions find have no line.
  void read_definition() {
    from_.begin_definition();
    auto const line = from_.now().line;
    try {
      read_stage_or_operand();
    } catch (program_error const& fault) {
      std::string const what = fault.what();
      if (what.starts_with(text_scanner::line_word)) throw;
      throw program_error(text_scanner::place(line) + what);
    }
  }
  void read_stage_or_operand() {
    if (from_.take_if("stage")) return read_stage();
    if (from_.take_if("output")) return read_output();
    auto const role =
        from_.now().what == text_token::kind::word ? meaning_of(role_words, from_.now().text) : std::nullopt;
    if (!role) from_.refuse("`input`, `constant`, `table`, `inout`, `stage` or `output` is expected" + from_.found());
    (void)from_.take();
    read_operand(*role);
  }

  // ------------------------------------------------------------------------------------------------- operands

  void read_operand(ir::tensor_role role) {
    ir::tensor t;
    t.role = role;
    t.name = from_.name();
    t.type = from_.element_type();
    std::int64_t elements = 1;
    for (auto const extent : read_shape()) {
      t.shape.emplace_back(extent);
      elements = multiplied(elements, extent);
    }
    read_layout(t.order, t.strides, t.shape.size());
    if (from_.take_if("in")) {
      t.has_range = true;
      std::tie(t.low, t.high) = read_interval();
    }
    if (role == ir::tensor_role::table) read_content(t, elements);
    if (known_.operands.count(t.name) != 0) from_.refuse("two operands are called " + t.name);
    made_.inputs.push_back(share(std::move(t)));
    known_.operands.emplace(made_.inputs.back()->name, made_.inputs.back());
  }
  void read_content(ir::tensor& t, std::int64_t elements) {
    from_.expect("=");
    do t.content.push_back(read_real());
    while (from_.take_if(","));
    if (static_cast<std::int64_t>(t.content.size()) != elements)
      from_.refuse("table " + t.name + " has " + std::to_string(t.content.size()) + " numbers, its shape " +
                   std::to_string(elements));
  }
  [[nodiscard]] double read_real() {
    bool const negative = from_.take_if("-");
    auto const value = real_of(from_.now().text);
    if (!value) from_.refuse("a number is expected" + from_.found());
    (void)from_.take();
    return negative ? -*value : *value;
  }

  [[nodiscard]] std::int64_t read_extent() {
    auto const extent = from_.integer();
    if (extent < 0) from_.refuse("an extent is negative");
    return extent;
  }
  /// Returns the product of two extents. More elements than 2^62 are refused.
  [[nodiscard]] std::int64_t multiplied(std::int64_t a, std::int64_t b) const {
    if (b != 0 && a > (std::int64_t{1} << 62) / b) from_.refuse("there are too many elements");
    return a * b;
  }
  [[nodiscard]] std::vector<std::int64_t> read_shape() {
    std::vector<std::int64_t> made;
    from_.list([&] { made.push_back(read_extent()); });
    return made;
  }
  void read_layout(ir::layout& order, operand_strides& strides, std::size_t rank) {
    if (from_.take_if("strided")) strides = strides_of_rank(operand_strides::outer, rank);
    if (!from_.take_if("of")) return;
    from_.expect("any");
    if (from_.take_if("strides")) {
      strides = strides_of_rank(operand_strides::all, rank);
    } else {
      from_.expect("layout");
      order = ir::layout::any;
    }
  }
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> read_interval() {
    from_.expect("[");
    auto const low = from_.integer();
    from_.expect(",");
    auto const high = from_.integer();
    from_.expect(")");
    return {low, high};
  }

  // --------------------------------------------------------------------------------------------------- stages

  [[nodiscard]] std::vector<ir::axis> read_axes() {
    std::vector<ir::axis> made;
    from_.list([&] { made.push_back(read_axis()); });
    return made;
  }
  [[nodiscard]] ir::axis read_axis() {
    auto const name = from_.name();
    if (from_.take_if("<")) return {name, 0, read_extent()};
    from_.expect("in");
    auto const [begin, end] = read_interval();
    if (end < begin) from_.refuse("axis " + name + " runs backwards");
    return {name, begin, end};
  }

  void read_stage() {
    ir::stage s;
    s.name = from_.name();
    s.axes = read_axes();
    std::int64_t elements = 1;
    for (auto const& a : s.axes) elements = multiplied(elements, a.size());
    read_layout(s.order, s.strides, s.axes.size());
    if (from_.take_if("updates")) s.updates = operand_named(from_.name());
    from_.expect("=");
    read_reduction(s.reduction);
    do read_component(s);
    while (from_.take_if(";"));
    read_combines(s);
    if (from_.take_if("where")) s.predicate = expression_reader(from_, known_).read();
    if (known_.stages.count(s.name) != 0) from_.refuse("two stages are called " + s.name);
    made_.stages.push_back(share(std::move(s)));
    known_.stages.emplace(made_.stages.back()->name, made_.stages.back());
  }
  [[nodiscard]] handle<ir::tensor> operand_named(std::string const& name) const {
    auto const at = known_.operands.find(name);
    if (at == known_.operands.end()) from_.refuse("there is no operand " + name);
    return at->second;
  }
  void read_reduction(ir::reduction& to) {
    if (from_.now().what != text_token::kind::word) return;
    auto const kind = meaning_of(reduction_words, from_.now().text);
    if (!kind) return;
    (void)from_.take();
    to.kind = *kind;
    to.axes = read_axes();
    while (from_.take_if("not")) {
      auto& law = from_.now().is("associative") ? to.associative : to.commutative;
      from_.expect(&law == &to.associative ? "associative" : "commutative");
      law = false;
    }
  }
  void read_component(ir::stage& of) {
    ir::component made;
    if (from_.now().what == text_token::kind::name) made.name = from_.name();
    made.type = from_.element_type();
    from_.expect(":");
    made.value = expression_reader(from_, known_).read();
    of.components.push_back(std::move(made));
    if (of.reduction.kind != ir::reduction_kind::tuple) return;
    from_.expect("from");
    of.reduction.identity.push_back(expression_reader(from_, known_).read());
  }
  /// Reads the combine functions of a tuple, which name all of its components.
  void read_combines(ir::stage& of) {
    if (of.reduction.kind != ir::reduction_kind::tuple) return;
    std::vector<dtype> types;
    for (auto const& c : of.components) types.push_back(c.type);
    from_.expect("by");
    do of.reduction.combine.push_back(expression_reader(from_, known_, types).read());
    while (from_.take_if(","));
  }

  void read_output() {
    auto const name = from_.name();
    auto const at = known_.stages.find(name);
    if (at == known_.stages.end()) from_.refuse("there is no stage " + name);
    made_.outputs.push_back(at->second);
  }

  // --------------------------------------------------------------------------------------------------- checks

  /// Checks what the notation in C++ checks while a program is captured.
  void check() const {
    try {
      ir::verify(made_);
    } catch (internal_error const& fault) {
      std::string_view what = fault.what();
      what.remove_prefix(what.starts_with(internal_prefix) ? internal_prefix.size() : 0);
      throw program_error("the text of " + made_.name + " is no program: " + std::string(what));
    }
    for (auto const& s : made_.stages) check_reads_of(*s);
  }
  static void check_reads_of(ir::stage const& s) {
    arith::ranges axes;
    for (auto const* const all : {&s.axes, &s.reduction.axes})
      for (auto const& a : *all) axes[a.name] = {a.begin, a.end.value - 1};
    for (auto const& c : s.components) check_reads(s.name, c.value, axes);
    if (s.predicate) check_reads(s.name, s.predicate, axes);
  }

  text_scanner from_;
  named_sources known_;
  ir::program made_;
};

}}}}  // namespace ttune::v0::capture::detail
