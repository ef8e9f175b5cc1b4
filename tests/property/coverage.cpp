// SPDX-License-Identifier: Apache-2.0
// The primitives and rules that random programs reach. The programs and schedules of machine_code.cpp are lowered and
// emitted as LLVM IR, without compiling or running them, for instruction sets that do not depend on this machine. Each
// primitive, each rule of derived spaces and of the emitter, and each kind of program that is listed here, must occur:
// a rule without a kernel is not tested. No derived schedule may be refused.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "property/coverage_of_space.hpp"
#include "property/coverage_of_text.hpp"
#include "support/kernel_trial.hpp"
#include "ttune/autoschedule/cpu/contraction_axes.hpp"
#include "ttune/autoschedule/cpu/gathered_constants.hpp"
#include "ttune/codegen/llvm/functions/constant_quotient.hpp"
#include "ttune/codegen/llvm_ir.hpp"
#include "ttune/core/named_target.hpp"
#include "ttune/ir/parts_of_term.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/loop_nest/instantiate.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/lowering/split_long_loops.hpp"
#include "ttune/lowering/sum_in_runs.hpp"
#include "ttune/lowering/symmetric_functions.hpp"
#include "ttune/schedule/primitive/functions.hpp"

namespace coverage_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

target machine_for(std::uint64_t seed) {
  constexpr char const* names[] = {"x86-64-v4", "x86-64-v3", "x86-64-v2", "x86-64-v4-vnni-bf16"};
  auto machine = named_target(names[seed % std::size(names)]);
  machine.cores = 4;
  if (seed % 3 == 0) machine.l2_bytes = 4096;  // small matrices are not read twice
  return machine;
}

// ------------------------------------------------------------------------------------------------------- schedules

std::string source_name(schedule_source from) {
  return from == schedule_source::written ? "random schedule: " : "derived space: ";
}

void look_at_steps(space const& s, schedule_source from, reached& all) {
  reached here;
  for (auto const& one : s.steps) {
    ++here[name_of(one.what)];
    if (one.what == primitive::cache_read && one.loops.size() > 1) ++here["cache_read with an axis"];
  }
  for (auto const& [name, count] : here) ++all[source_name(from) + name];
}

/// Looks for rules of derived spaces by what the stages of the plan compute.
void look_at_plan(program_kind kind, space const& s, plan const& p, target const& machine, reached& all) {
  for (auto const& st : p.stages) {
    auto const& made = *st.definition;
    bool const is_once = made.name.find(".once") != std::string::npos;
    all["derived space: a function computed once with what surrounds it"] +=
        is_once && !primitives::is_function(made.components[0].value);
    all["derived space: elements gathered together combined before"] +=
        is_once && ir::as<ir::binary>(made.components[0].value) && kind == program_kind::values;
    all["derived space: constants read in the order of their addresses"] +=
        autoschedule::gathered_constants::suits(p, st, machine) && unrolls(s, made.name, "a");
    all["derived space: a factor of dot products that stays a stage"] +=
        made.name == "P" && kind == program_kind::contraction;
    if (!made.reduces()) continue;
    autoschedule::contraction_axes const axes(machine, p, st, st);
    for (auto a = axes.free_axes(); a < axes.all_axes() && axes.vectors >= 0; ++a)
      all["derived space: taps between two lanes unrolled"] +=
          axes.is_interleaved(a) && unrolls(s, made.name, axes.name(a));
  }
}

void look_at_nest(loop_nest const& n, schedule_source from, reached& all) {
  auto const end = n.stages.begin() + n.stage_count;
  if (std::any_of(n.stages.begin(), end, [](loop_nest::stage const& st) { return st.slid_axis >= 0; }))
    ++all[source_name(from) + "rows that slide"];
  if (std::any_of(n.stages.begin(), end, [](loop_nest::stage const& st) { return st.continued; }))
    ++all[source_name(from) + "a scan that continues its last part"];
}

// -------------------------------------------------------------------------------------------------------- programs

/// Returns true if a program has an odd or even function whose sign is moved.
bool moves_signs(ir::program const& p) {
  return std::any_of(p.stages.begin(), p.stages.end(), [](auto const& st) {
    return std::any_of(st->components.begin(), st->components.end(),
                       [](auto const& c) { return lowering::symmetric_functions(c.value) != c.value; });
  });
}

/// Returns true if a program divides by a constant that multiply-adds divide by.
bool divides_by_few_bits(ir::program const& p) {
  auto const divides = [](ir::expr const& e) {
    auto const* b = ir::as<ir::binary>(e);
    auto const* c = b && b->op == ir::binary_op::divide ? ir::as<ir::constant>(b->right) : nullptr;
    return c && is_float(e->type) && codegen::exact_reciprocal(e->type, c->real).has_value();
  };
  return std::any_of(p.stages.begin(), p.stages.end(), [&](auto const& st) {
    return std::any_of(st->components.begin(), st->components.end(),
                       [&](auto const& c) { return ir::contains(c.value, divides); });
  });
}

/// Returns true if a stage that is no result has other axes, or axes in another order, than in the program before.
bool arranges_inner_stage(ir::program const& before, ir::program const& p) {
  auto const names = [](ir::stage const& st) {
    std::string made;
    for (auto const& a : st.axes) made += a.name + ",";
    return made;
  };
  for (std::size_t i = 0; i < p.stages.size(); ++i)
    if (std::find(p.outputs.begin(), p.outputs.end(), p.stages[i]) == p.outputs.end() &&
        names(*p.stages[i]) != names(*before.stages[i]))
      return true;
  return false;
}

/// Returns true if a stage reads at a place that is data, moved by an axis.
bool reads_moved_places(ir::program const& p) {
  auto const is_moved = [](ir::expr const& e) {
    auto const* const b = ir::as<ir::binary>(e);
    if (!b || b->op != ir::binary_op::add || e->type != dtype::index) return false;
    auto const* const left = ir::as<ir::cast>(b->left);
    auto const* const right = ir::as<ir::cast>(b->right);
    return (left && ir::as<ir::variable>(b->right)) || (right && ir::as<ir::variable>(b->left));
  };
  return std::any_of(p.stages.begin(), p.stages.end(),
                     [&](auto const& st) { return ir::contains(st->components[0].value, is_moved); });
}

/// Looks for the kinds of programs, and for what was done to a program (support/program_kinds.hpp).
void look_at_program(std::uint64_t seed, handle<ir::program> const& p, reached& all) {
  auto const base = base_program(seed);
  auto const& last = *p->stages.back();
  bool const has_end = p->stages.size() == base->stages.size() + 1;
  auto const composed = has_end ? composed_for(seed, base) : std::nullopt;
  auto const& before = composed ? composed->program : base;
  bool const has_layouts = gets_layouts(seed) && !arranged_for(seed, before).layouts.empty();
  auto const is_sibling = [](auto const& st) { return st->name.find("_0") != std::string::npos; };
  all["program: element-wise end"] += has_end;
  all["program: element-wise end of another type"] += has_end && last.type() != p->stages.end()[-2]->type();
  all["program: other layouts"] += has_layouts;
  all["program: axes in blocks"] += has_layouts && ir::print(*p).find("_inner") != std::string::npos;
  all["program: end and other layouts"] += has_end && has_layouts;
  all["program: an inner stage arranged as it is read"] += has_layouts && arranges_inner_stage(*before, *p);
  all["program: sums of narrow elements scaled to bytes"] +=
      kind_of_program(seed) == program_kind::contraction && last.name == "Q" && size_in_bytes(last.type()) == 1;
  all["program: several sums of the same windows"] +=
      is_pipeline(*p) && std::any_of(p->stages.begin(), p->stages.end(), is_sibling);
  all["program: signs that leave functions"] += moves_signs(*p);
  all["program: quotients by constants of few bits"] += divides_by_few_bits(*p);
  all["program: terms added by parts"] += last.reduces() && !ir::parts_of_term(last.components[0].value).empty();
  all["program: places of data moved by axes"] += reads_moved_places(*p);
  auto const has_inputs = [&](operand_strides how) {
    return std::any_of(p->inputs.begin(), p->inputs.end(), [&](auto const& t) { return t->strides == how; });
  };
  all["program: strided operands"] += has_inputs(operand_strides::outer);
  all["program: operands of any strides"] += has_inputs(operand_strides::all);
  all["program: strided results"] += std::any_of(p->outputs.begin(), p->outputs.end(),
                                                 [](auto const& s) { return s->strides != operand_strides::dense; });
  all["program: rows summed in a fixed tree of lanes"] +=
      std::any_of(p->stages.begin(), p->stages.end(), [](auto const& st) { return st->name.ends_with(".lanes"); });
  all["program: complex elements"] += kind_of_program(seed) == program_kind::complex;
  all["program: a turned factor of complex products"] +=
      std::any_of(p->stages.begin(), p->stages.end(), [](auto const& st) { return st->name.ends_with(".turned"); });
  all["program: floats of 16 bits"] += kind_of_program(seed) == program_kind::halves;
}

/// Looks for an end that is computed in the loops of the program before it, or the other way around.
void look_at_end(std::uint64_t seed, space const& s, reached& all) {
  auto const& stages = s.program->stages;
  bool const has_end = gets_end(seed) && stages.size() > 1 && s.program->name.find("_end") != std::string::npos;
  all["derived space: a reduction computed in the loops of an end"] +=
      has_end && std::any_of(s.steps.begin(), s.steps.end(), [&](step const& one) {
        return one.what == primitive::compute_at && one.loops[0] == stages.back()->name;
      });
}

/// A schedule that the library makes and refuses is a fault: its text says so.
void look_at(std::uint64_t seed, schedule_source from, handle<ir::program> const& p, reached& all,
             std::string& faults) {
  auto const machine = machine_for(seed);
  auto const fault = [&](std::string const& what) {
    faults += "\nseed " + std::to_string(seed) + ", " + name_of(from) + ", " + machine.name + ": " + what;
  };
  try {
    auto const what = schedule_for(p, from, machine, seed);
    if (!what) {
      if (is_derived(from)) fault("the space is empty");
      return;
    }
    auto const& [s, chosen] = *what;
    auto const planned = make_plan(s);
    auto const made = lower(planned, chosen);
    look_at_text(made, codegen::llvm_ir(made, machine), all);
    all["lowered: long sums in runs"] += !made.same_bits && lowering::sum_in_runs(made.body) != made.body;
    all["lowered: loops of thousands of lanes in blocks"] += lowering::split_long_loops(made.body) != made.body;
    all["lowered: lanes that run a statement together"] += ir::print(made).find("if any lane has") != std::string::npos;
    if (from == schedule_source::plain) return;
    look_at_steps(s, from, all);
    loop_nest n;
    instantiate(planned, chosen, n);
    look_at_nest(n, from, all);
    if (from == schedule_source::written) return;
    look_at_rules(s, all);
    look_at_plan(kind_of_program(seed), s, planned, machine, all);
    look_at_end(seed, s, all);
  } catch (schedule_error const& refused) {
    if (is_derived(from)) fault(refused.what());
  }
}

// -------------------------------------------------------------------------------------------------------- required

/// Returns the primitives that random schedules for CPUs draw.
std::vector<primitive> drawn() {
  auto const options = cpu_schedules();
  auto all = options.structural_primitives;
  all.insert(all.end(), options.loop_primitives.begin(), options.loop_primitives.end());
  return all;
}

/// Returns the primitives of derived spaces for CPUs (prefetches only of operands that are larger than a cache),
/// without those for registers for tiles (tile_products.cpp).
std::vector<primitive> derived() {
  auto all = drawn();
  std::erase(all, primitive::pad);
  primitives::for_each_rules([&]<class Rules>(primitive p) {
    if (!Rules::in_derived_spaces) std::erase(all, p);
  });
  return all;
}

std::vector<std::string> required() {
  std::vector<std::string> names;
  for (auto const p : drawn()) names.push_back(std::string("random schedule: ") + name_of(p));
  for (auto const p : derived()) names.push_back(std::string("derived space: ") + name_of(p));
  for (char const* const what : {"cache_read with an axis", "rows that slide", "a scan that continues its last part"})
    for (char const* const source : {"random schedule: ", "derived space: "})
      names.push_back(source + std::string(what));
  for (char const* const rule : {"rows summed in order by all cores",
                                 "terms shared by the cores",
                                 "vectors that take terms in turn",
                                 "rows packed term by term",
                                 "scans with rows in lanes",
                                 "panels of a task made before its loops",
                                 "panels of what another stage computes",
                                 "phases of rows",
                                 "phases of rows that stay a loop",
                                 "phases of vectors",
                                 "more than eight phases of vectors",
                                 "siblings of a pipeline in one loop nest",
                                 "vectors along interleaved pixels",
                                 "rows and columns of sums in one axis",
                                 "groups of sums in registers",
                                 "rows computed in the loops of column sums",
                                 "a function computed once with what surrounds it",
                                 "elements gathered together combined before",
                                 "values computed for each vector",
                                 "taps between two lanes unrolled",
                                 "an output computed where it is read",
                                 "results of a pipeline in one loop nest",
                                 "a factor of dot products that stays a stage",
                                 "panels of a constant shared by the cores",
                                 "constants read in the order of their addresses"})
    names.push_back("derived space: " + std::string(rule));
  for (char const* const code :
       {"masked gather", "masked load", "masked store", "loads of gathered places, lane by lane",
        "rows of places that were gathered", "reads whose lanes turn", "dot product of bytes", "dot product of bfloats",
        "distances of bytes", "dot product of words", "products of pairs of bytes",
        "vectors of floats converted to words", "vectors of floats rounded to f16", "rows permuted by AVX2",
        "rows permuted by AVX-512", "powers with a branch for unusual numbers", "roots estimated in 12 bits",
        "roots estimated in 14 bits"})
    names.push_back("text: " + std::string(code));
  for (char const* const what :
       {"element-wise end", "element-wise end of another type", "other layouts", "axes in blocks",
        "rows summed in a fixed tree of lanes", "end and other layouts", "an inner stage arranged as it is read",
        "sums of narrow elements scaled to bytes", "several sums of the same windows", "terms added by parts",
        "floats of 16 bits", "signs that leave functions", "quotients by constants of few bits", "complex elements",
        "a turned factor of complex products", "places of data moved by axes", "strided operands",
        "operands of any strides", "strided results"})
    names.push_back("program: " + std::string(what));
  names.push_back("derived space: a reduction computed in the loops of an end");
  names.push_back("lowered: lanes that run a statement together");
  names.push_back("lowered: long sums in runs");
  names.push_back("lowered: loops of thousands of lanes in blocks");
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace

TEST_CASE("coverage: random programs reach every primitive and every rule") {
  constexpr std::uint64_t programs = 1'000;
  reached all;
  std::string faults;
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    auto const p = program_for(seed);
    look_at_program(seed, p, all);
    for (int from = 0; from < schedule_sources; ++from)
      look_at(seed, static_cast<schedule_source>(from), p, all, faults);
  }
  // rows seldom slide, and scans seldom continue, under random schedules; siblings are seldom kept, and phases seldom
  // stay a loop: more programs
  for (std::uint64_t seed = programs + 1; seed <= 3 * programs; ++seed) {
    auto const p = program_for(seed);
    auto const kind = kind_of_program(seed);
    if (kind == program_kind::pipeline || kind == program_kind::scan)
      look_at(seed, schedule_source::written, p, all, faults);
    look_at_rules(derive_space(p, machine_for(seed)), all);
  }
  CHECK_MESSAGE(faults.empty(), "schedules that the library makes and refuses:", faults);
  std::string missing;
  std::string found;
  for (auto const& name : required()) {
    if (all[name] == 0) missing += "\n  " + name;
    else found += "\n  " + name + ": " + std::to_string(all[name]);
  }
  CHECK_MESSAGE(missing.empty(), "no kernel of ", programs, " random programs has", missing);
  if (!missing.empty()) MESSAGE("kernels that have", found);
}

}  // namespace coverage_tests
