// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <utility>

#include "ttune/runtime/machine.hpp"
#include "ttune/tune/session/parallel_compiler.hpp"
#include "ttune/tune/session/share_work.hpp"

namespace ttune { inline namespace v0 { namespace detail {

parallel_compiler::parallel_compiler(workload const& of, backend& by, std::int32_t at_once)
    : work_(of), by_(by), at_once_(static_cast<std::size_t>(std::max(1, at_once > 0 ? at_once : usable_cpus()))) {}

void parallel_compiler::make_others(std::size_t wanted) {
  while (others_.size() < wanted && !no_more_) {
    auto one = by_.another();
    if (one && one->availability()) others_.push_back(std::move(one));
    else no_more_ = true;
  }
}

std::vector<lowered_candidate> parallel_compiler::lower(std::span<configuration const> batch,
                                                        deadline const& until) const {
  std::vector<lowered_candidate> made(batch.size());
  made.resize(share_work(batch.size(), at_once_, until,
                         [&](std::size_t, std::size_t i) { made[i] = lower_candidate(work_, batch[i]); }));
  return made;
}

std::vector<compiled_candidate> parallel_compiler::compile(std::vector<lowered_candidate> batch,
                                                           deadline const& until) {
  if (batch.empty()) return {};
  make_others(std::min(at_once_, batch.size()) - 1);
  std::vector<compiled_candidate> made(batch.size());
  auto const threads = std::min(at_once_, others_.size() + 1);
  made.resize(share_work(batch.size(), threads, until, [&](std::size_t thread, std::size_t i) {
    auto& by = thread == 0 ? by_ : *others_[thread - 1];
    made[i] = compile_candidate(std::move(batch[i]), by, work_.signature());
  }));
  return made;
}

}}}  // namespace ttune::v0::detail
