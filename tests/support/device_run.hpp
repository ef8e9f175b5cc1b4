// SPDX-License-Identifier: Apache-2.0
// Compiles a lowered program with a backend and runs it on arrays in the worker, as the interpreter runs it: drivers
// may crash.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ttune/ir/ndarray.hpp"
#include "ttune/runtime/backend.hpp"
#include "ttune/runtime/measure/make_runner.hpp"
#include "ttune/runtime/signature.hpp"

namespace ttune_test {

struct device_result {
  ttune::measurement how;
  std::vector<ttune::ir::ndarray> results;  ///< in the form of ir::run, if there was no fault
};

inline device_result run_on(ttune::backend& by, ttune::ir::lowered const& lowered,
                            ttune::handle<ttune::ir::program> const& program,
                            std::span<ttune::ir::ndarray const> operands, ttune::worker_choice const& where = {}) {
  using namespace ttune;
  device_result made;
  auto const compiled = by.compile(lowered, signature_of(program));
  if (!compiled.image) {
    made.how.status = trial_status::compile_failed;
    made.how.message = compiled.diagnostics;
    return made;
  }
  auto const& all = compiled.image->signature.operands;
  runner_options options;
  std::size_t next = 0;
  for (auto const& o : all) {
    auto& bytes = options.data.emplace_back();
    if (o.direction == operand_direction::out) continue;
    bytes.resize(static_cast<std::size_t>(o.bytes()));
    ir::store_ndarray(operands[next++], bytes.data());
  }
  auto const by_worker = make_runner(where, compiled.image->signature, options);
  std::vector<std::vector<std::uint8_t>> outputs;
  made.how = by_worker->run(*compiled.image, outputs);
  if (!made.how.ok()) return made;
  for (auto const& out : program->outputs)
    for (auto const& c : out->components) {
      auto const name = out->updates                  ? out->updates->name
                        : out->components.size() == 1 ? out->name
                                                      : out->name + "." + c.name;
      for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].name == name) made.results.push_back(ir::load_ndarray(all[i].type, all[i].shape, outputs[i].data()));
    }
  return made;
}

}  // namespace ttune_test
