// SPDX-License-Identifier: Apache-2.0
// Runs one program under one schedule as machine code: compiles it, runs it between guard pages with its operands at
// either end of their memory, and compares with the interpreter. A failing program is made smaller.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/emulator.hpp"
#include "support/program_kinds.hpp"
#include "support/random_schedule.hpp"
#include "support/rounding_bounds.hpp"
#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/open_extents.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/ir/verify.hpp"
#include "ttune/runtime/backend.hpp"
#include "ttune/runtime/call_extents.hpp"
#include "ttune/runtime/kernel_call.hpp"
#include "ttune/runtime/machine.hpp"
#include "ttune/runtime/measure/kernel_runner.hpp"
#include "ttune/runtime/strided_operand.hpp"
#include "ttune/schedule/to_cpp.hpp"
#include "ttune/space/sampler.hpp"
#include "ttune/tune/workload.hpp"

namespace ttune_test {

/// The source of a trial's schedule.
enum class schedule_source : std::uint8_t { plain, derived_seed, derived, written };
inline constexpr int schedule_sources = 4;
[[nodiscard]] inline char const* name_of(schedule_source s) {
  constexpr char const* names[] = {"plain loops", "derived seed", "derived", "written"};
  return names[static_cast<int>(s)];
}

enum class trial_kind : std::uint8_t {
  right,
  inapplicable,  ///< the random schedule is refused before a backend gets it
  refused,       ///< the derivation fails, its schedule is refused, or the backend refuses it
  wrong,         ///< another result, or an access outside of an operand
};

struct trial_outcome {
  trial_kind kind = trial_kind::right;
  std::string text;
};

/// A space and its configuration; nothing if there is none to run.
using scheduled = std::optional<std::pair<ttune::space, ttune::configuration>>;

/// Returns a schedule for a program from a seed: always the same one for the same program.
[[nodiscard]] inline scheduled schedule_for(ttune::handle<ttune::ir::program> const& p, schedule_source from,
                                            ttune::target const& machine, std::uint64_t seed) {
  using namespace ttune;
  rng random(seed);
  if (from == schedule_source::plain) {
    space plain;
    plain.program = p;
    return std::pair{plain, configuration{}};
  }
  if (from == schedule_source::written) {
    primitive_counts counts;
    bool const slides = is_pipeline(*p);
    auto const options = slides           ? sliding_schedules()
                         : is_scan(*p)    ? scanning_schedules()
                         : is_scatter(*p) ? scattering_schedules()
                                          : cpu_schedules();
    auto const s = random_schedule(random, p, counts, options);
    auto const chosen = random_choices(random, s.knobs);
    if (computed_elements(s, chosen) > (slides ? 1e5 : 1e8)) return std::nullopt;  // it would take seconds
    if (expands_thousands(s, chosen)) return std::nullopt;
    return std::pair{s, chosen};
  }
  auto const s = derive_space(p, machine);
  if (from == schedule_source::derived_seed) return std::pair{s, workload(s, machine).seed()};
  sampler const draws(s.knobs, s.constraints);
  if (draws.empty()) return std::nullopt;
  return std::pair{s, draws.draw(random)};
}

[[nodiscard]] inline std::vector<std::vector<std::uint8_t>> bytes_of(ttune::kernel_signature const& signature,
                                                                     std::vector<ttune::ir::ndarray> const& operands) {
  std::vector<std::vector<std::uint8_t>> made;
  std::size_t next = 0;
  for (auto const& o : signature.operands) {
    auto& bytes = made.emplace_back();
    if (o.direction == ttune::operand_direction::out) continue;
    bytes.resize(static_cast<std::size_t>(o.bytes()));
    ttune::ir::store_ndarray(operands[next++], bytes.data());
  }
  return made;
}

/// Returns results in the form of `ir::evaluate`.
[[nodiscard]] inline std::vector<ttune::ir::ndarray> results_of(ttune::ir::program const& p,
                                                                ttune::kernel_signature const& signature,
                                                                std::vector<std::vector<std::uint8_t>> const& bytes) {
  std::vector<ttune::ir::ndarray> made;
  for (auto const& out : p.outputs)
    for (auto const& c : out->components) {
      auto const name = out->updates                  ? out->updates->name
                        : out->components.size() == 1 ? out->name
                                                      : out->name + "." + c.name;
      for (std::size_t i = 0; i < signature.operands.size(); ++i) {
        auto const& o = signature.operands[i];
        if (o.name == name) made.push_back(ttune::ir::load_ndarray(o.type, o.shape, bytes[i].data()));
      }
    }
  return made;
}

/// Returns true for schedules that the library makes: one that is refused is a fault of the library.
[[nodiscard]] constexpr bool is_derived(schedule_source from) noexcept {
  return from == schedule_source::derived_seed || from == schedule_source::derived;
}

/// Runs a kernel by `run(memory)`, which takes the operands' memory and returns a fault, or an empty text.
template <class Run>
[[nodiscard]] trial_outcome try_in(ttune::kernel_signature const& signature, ttune::ir::program const& program,
                                   std::vector<ttune::ir::ndarray> const& operands, expected_results const& expected,
                                   Run const& run) {
  using namespace ttune;
  auto const& all = signature.operands;
  auto memory = bytes_of(signature, operands);
  auto const place = [&](std::size_t i) { return strided_operand(all[i], trial_strides(all[i])); };
  for (std::size_t i = 0; i < memory.size(); ++i) {
    memory[i].resize(static_cast<std::size_t>(all[i].bytes()), 0xFF);
    if (all[i].direction == operand_direction::strides) memory[i] = content_of_strides(signature);
    if (all[i].direction == operand_direction::extents) memory[i] = content_of_extents(signature);
    if (all[i].strides != operand_strides::dense) memory[i] = place(i).with_gaps(memory[i]);
  }
  if (auto const fault = run(memory); !fault.empty()) return {trial_kind::wrong, fault};
  for (std::size_t i = 0; i < memory.size(); ++i)
    if (all[i].strides != operand_strides::dense) memory[i] = place(i).gather(memory[i].data());
  auto const found = difference_from(expected, results_of(program, signature, memory));
  return {found.empty() ? trial_kind::right : trial_kind::wrong, found};
}

/// Runs a kernel that exists in this process only, and checks its accesses. Returns its fault, or an empty text.
[[nodiscard]] inline std::string run_checked(ttune::kernel_image const& image,
                                             std::vector<std::vector<std::uint8_t>>& memory) {
  std::vector<void*> pointers;
  for (auto& m : memory) pointers.push_back(m.data());
  try {
    ttune::kernel_call(ttune::load(image))(pointers);
    return {};
  } catch (ttune::access_error const& fault) {
    return fault.what();
  }
}

/// Returns a statement with open extents whose calls all have several tasks for each thread, however small they are.
[[nodiscard]] inline ttune::ir::stmt for_all_threads(ttune::ir::stmt const& s) {
  using namespace ttune;
  if (auto const* a = ir::as<ir::allocate>(s)) return ir::make_allocate(a->storage, for_all_threads(a->body));
  auto const* l = ir::as<ir::let>(s);
  if (!l) return s;
  if (l->variable != ir::tasks_of_call)
    return ir::make_let(l->variable, l->value, l->low, l->high, for_all_threads(l->body));
  return ir::make_let(l->variable, ir::make_variable(ir::threads_of_call) * 2, l->low, l->high, l->body);
}

/// Compiles and runs in this process: a kernel that touches a guard page ends the process. Code for another processor
/// runs in the emulator. `extents` are those that the call gives, if the program keeps some open.
[[nodiscard]] inline trial_outcome try_kernel(ttune::backend& by, schedule_source from, scheduled const& what,
                                              int threads, std::vector<ttune::ir::ndarray> const& operands,
                                              expected_results const& expected,
                                              std::vector<std::int64_t> const& extents = {}) {
  using namespace ttune;
  auto const without_kernel = is_derived(from) ? trial_kind::refused : trial_kind::inapplicable;
  if (!what) return {without_kernel, "the space is empty"};
  auto const& [s, chosen] = *what;
  ir::lowered lowered;
  kernel_signature signature;
  try {
    workload const work(s, by.target());
    lowered = work.lower(chosen);
    signature = work.signature();
    // Random programs are small: half of those with open extents start the runtime's threads all the same.
    if (from == schedule_source::derived || from == schedule_source::written)
      lowered.body = for_all_threads(lowered.body);
  } catch (schedule_error const& refused) {
    return {without_kernel, refused.what()};
  }
  auto const compiled = by.compile(lowered, signature);
  if (!compiled.image) return {trial_kind::refused, compiled.diagnostics};
  signature = at_extents(signature, extents);
  auto const run_by = [&](auto const& run) {
    return try_in(signature, *s.program, operands, expected,
                  [&](std::vector<std::vector<std::uint8_t>>& memory) { return run(*compiled.image, memory); });
  };
  if (compiled.image->in_process_code) return run_by(run_checked);
  if (!is_host_architecture(by.target().name)) return run_by(run_emulated);
  runner_options options;
  options.threads = threads;
  options.data = bytes_of(signature, operands);
  kernel_runner bench(signature, std::move(options));
  std::vector<std::vector<std::uint8_t>> outputs;
  auto const how = bench.run(*compiled.image, outputs);
  if (!how.ok()) return {trial_kind::wrong, how.message};
  auto const found = difference_from(expected, results_of(*s.program, signature, outputs));
  return {found.empty() ? trial_kind::right : trial_kind::wrong, found};
}

}  // namespace ttune_test
