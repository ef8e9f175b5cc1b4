// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ttune/arith/needed_flops.hpp"
#include "ttune/capture/bind.hpp"
#include "ttune/ir/open_extents.hpp"
#include "ttune/loop_nest/instantiate.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/runtime/call_extents.hpp"
#include "ttune/runtime/signature.hpp"
#include "ttune/support/error.hpp"
#include "ttune/tune/workload.hpp"

namespace ttune { inline namespace v0 {

workload::workload(ttune::space space, ttune::target machine)
    : space_(std::move(space)),
      trial_program_(space_.program),
      machine_(std::move(machine)),
      plan_(make_plan(space_)),
      sampler_(space_.knobs, space_.constraints),
      features_(plan_, machine_),
      signature_(signature_of(space_.program)) {
  if (sampler_.empty()) throw schedule_error("space", space_.program->name, "no configuration meets all constraints");
  signature_.flops = arith::needed_flops(space_.program);
  if (!space_.trial_extents.empty()) give_trial_extents();
}

/// Trials, and the numbers of their report, are those of calls with these extents.
void workload::give_trial_extents() {
  auto const open = ir::open_extents(*space_.program);
  if (space_.trial_extents.size() != open.size())
    throw schedule_error("space", space_.program->name,
                         "gives " + std::to_string(space_.trial_extents.size()) +
                             " extents to trials; its kernels take " + std::to_string(open.size()));
  std::vector<bound_dim> values;
  for (std::size_t i = 0; i < open.size(); ++i) values.push_back({dim{open[i]->name}, space_.trial_extents[i]});
  signature_ = at_extents(signature_, space_.trial_extents);
  trial_program_ = capture::bind(space_.program, values);
  signature_.flops = arith::needed_flops(trial_program_);
}

configuration workload::seed() const {
  if (space_.seed.choices.size() == space_.knobs.size() && sampler_.valid(space_.seed)) return space_.seed;
  rng random(0);
  return sampler_.draw(random);
}

void workload::featurise(std::span<configuration const> candidates, std::vector<float>& rows) const {
  auto const first = rows.size();
  rows.resize(first + candidates.size() * features_.size());
  featurise(candidates, std::span(rows).subspan(first));
}

void workload::featurise(std::span<configuration const> candidates, std::span<float> rows) const {
  auto const columns = features_.size();
  loop_nest n;
  block_work kept;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    auto const row = rows.subspan(i * columns, columns);
    if (i > 0 && features_.same_nest(candidates[i - 1], candidates[i])) {
      std::copy_n(row.data() - columns, columns, row.data());
      features_.extract_again(n, candidates[i], kept, row);
      continue;
    }
    instantiate(plan_, candidates[i], n);
    features_.extract(n, candidates[i], row, kept);
  }
}

ir::lowered workload::lower(configuration const& chosen) const { return ttune::lower(plan_, chosen); }

}}  // namespace ttune::v0
