// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <unordered_set>
#include <utility>

#include "ttune/runtime/machine.hpp"
#include "ttune/tune/session/candidate.hpp"
#include "ttune/tune/session/parallel_compiler.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// State that the threads share: each takes the next candidate until none is left.
class parallel_compiler::batch_job {
 public:
  batch_job(workload const& of, std::span<configuration const> batch,
            std::function<bool(std::uint64_t)> const& is_known)
      : work_(of), batch_(batch), is_known_(is_known), made_(batch.size()) {}

  template <class IsOver>
  void work(backend& by, IsOver const& is_over) noexcept {
    try {
      while (!over_ && !is_over()) {
        auto const i = next_++;
        if (i >= batch_.size()) return;
        made_[i] = compile(by, batch_[i]);
      }
    } catch (...) {
      std::scoped_lock const lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
    over_ = true;
  }

  [[nodiscard]] std::vector<compiled_candidate> result() {
    if (failure_) std::rethrow_exception(failure_);
    return std::move(made_);
  }

 private:
  [[nodiscard]] compiled_candidate compile(backend& by, configuration const& chosen) {
    auto lowered = make_candidate(work_, chosen);
    compiled_candidate made{lowered.text, {}};
    if (is_first(made.text))
      made.made = lowered.diagnostics.empty() ? by.compile(lowered.program, std::move(lowered.signature))
                                              : compile_result{std::nullopt, std::move(lowered.diagnostics), 0};
    return made;
  }

  [[nodiscard]] bool is_first(std::uint64_t text) {
    std::scoped_lock const lock(mutex_);
    return !is_known_(text) && taken_.insert(text).second;
  }

  workload const& work_;
  std::span<configuration const> batch_;
  std::function<bool(std::uint64_t)> const& is_known_;
  std::vector<compiled_candidate> made_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> over_{false};
  std::mutex mutex_;  ///< protects the following members
  std::unordered_set<std::uint64_t> taken_;
  std::exception_ptr failure_;
};

void parallel_compiler::make_others(std::size_t wanted) {
  while (others_.size() < wanted && !no_more_) {
    auto one = by_.another();
    if (one && one->availability()) others_.push_back(std::move(one));
    else no_more_ = true;
  }
}

std::vector<compiled_candidate> parallel_compiler::compile(std::span<configuration const> batch,
                                                           std::function<bool(std::uint64_t)> const& is_known,
                                                           std::function<bool()> const& is_over) {
  auto const at_once = static_cast<std::size_t>(std::max(1, at_once_ > 0 ? at_once_ : usable_cpus()));
  auto const beside = std::min(at_once, batch.size()) - (batch.empty() ? 0 : 1);
  make_others(beside);
  batch_job job(work_, batch, is_known);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < std::min(beside, others_.size()); ++i)
      threads.emplace_back([&job, &by = *others_[i]] { job.work(by, [] { return false; }); });
    job.work(by_, is_over);
  }
  return job.result();
}

}}}  // namespace ttune::v0::detail
