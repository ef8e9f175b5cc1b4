// SPDX-License-Identifier: Apache-2.0
// The systems of the corpus: ttune with an operator's program, its peers with the functions registered for it.
#include <omp.h>

#include <chrono>
#include <memory>

#include "../../peers/ttune.hpp"
#include "problem.hpp"

namespace {

using namespace ttune_bench;

ttune::kernel_call loaded(ttune::tuning_result const& found, ttune::tuner const& by,
                          std::vector<void*> const& operands) {
  ttune::kernel_call const call(ttune::load(found.image), by.kernel_executor());
  return call.prepare(operands);
}

std::int64_t refused(ttune::tuning_report const& by) {
  auto const count = [&](ttune::trial_status s) { return by.trials_by_status[static_cast<std::size_t>(s)]; };
  return count(ttune::trial_status::compile_failed) + count(ttune::trial_status::unsupported);
}

/// The `tuning_seconds` of the untuned kernel are those from the operator to its first result.
template <bool Tune>
peer_case prepare(corpus_problem const& p, buffer const& out, options const& chosen) {
  peer_case made{Tune ? "ttune" : "ttune-untuned", {}};
  with_tuner(chosen, Tune, [&](ttune::tuner& tuner, ttune::tuning_budget const& budget) {
    auto const operands = p.operands(out);
    auto const start = std::chrono::steady_clock::now();
    auto const program = p.shape.what->make(p.shape.extents);
    auto only_compiled = budget;
    only_compiled.trials = 0;
    auto const found = tuner.tune(program, Tune ? budget : only_compiled);
    auto const kernel = loaded(found, tuner, operands);
    kernel(operands);
    made.tuning_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    made.trials = Tune ? found.report.trials : 0;
    made.refused = refused(found.report);
    made.run = [kernel, operands] { kernel(operands); };
    return 0;
  });
  return made;
}

peer_case prepare_function(std::string const& system, corpus_problem const& p, buffer const& out,
                           options const& chosen) {
  omp_set_num_threads(chosen.threads);
  auto const* const f = corpus::find_function(system, p.shape.what->name);
  p.run(*f, out);
  return {system, [f, extents = p.shape.extents, operands = p.operands(out)] { f->run(extents, operands); }};
}

system_entry<corpus_problem> functions(int rank, std::string const& system) {
  return {
      rank, system,
      [system](auto const& p, auto const& out, auto const& chosen) { return prepare_function(system, p, out, chosen); },
      [system](auto const& p) { return corpus::find_function(system, p.shape.what->name) != nullptr; }};
}

add_system<corpus_problem> const tuned{{0, "ttune", prepare<true>}};
add_system<corpus_problem> const untuned{{1, "ttune-untuned", prepare<false>}};
add_system<corpus_problem> const loops{functions(2, "openmp")};
add_system<corpus_problem> const blas{functions(3, "openblas")};
add_system<corpus_problem> const matrices{functions(4, "eigen")};
add_system<corpus_problem> const networks{functions(5, "onednn")};
add_system<corpus_problem> const halide{functions(6, "halide")};
add_system<corpus_problem> const automatic{functions(7, "halide-auto")};

}  // namespace
