// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ttune/arith/needed_flops.hpp"
#include "ttune/loop_nest/instantiate.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/runtime/signature.hpp"
#include "ttune/support/error.hpp"
#include "ttune/tune/workload.hpp"

namespace ttune { inline namespace v0 {

workload::workload(ttune::space space, ttune::target machine)
    : space_(std::move(space)),
      machine_(std::move(machine)),
      plan_(make_plan(space_)),
      sampler_(space_.knobs, space_.constraints),
      features_(plan_, machine_),
      signature_(signature_of(space_.program)) {
  if (sampler_.empty()) throw schedule_error("space", space_.program->name, "no configuration meets all constraints");
  signature_.flops = arith::needed_flops(space_.program);
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
