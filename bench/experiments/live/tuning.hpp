// SPDX-License-Identifier: Apache-2.0
// Workloads that live experiments tune repeatedly, and the way they tune.
#pragma once

#include <ttune/backends/orc.hpp>
#include <ttune/models/xgboost.hpp>
#include <ttune/records/memory_store.hpp>
#include <ttune/records/sqlite.hpp>
#include <ttune/ttune.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../../options.hpp"

namespace ttune_bench {

/// A workload that is tuned repeatedly.
struct subject {
  std::string name;
  ttune::space in;
};

/// Returns the layers of C1 to C12 with these names; all of them if there are no names.
[[nodiscard]] std::vector<subject> convolutions(std::vector<std::string> const& names, ttune::target const& machine);

/// Returns products with `least` to `most` multiplications, on all cores.
[[nodiscard]] std::vector<subject> products(ttune::target const& machine, std::int64_t least, std::int64_t most);

/// Settings of a tuning.
struct setting {
  std::int64_t trials = 64;
  std::uint64_t seed = 1;
  bool withhold_seed = false;  ///< a configuration drawn at random replaces the untuned kernel
  std::shared_ptr<ttune::memory_store> records = std::make_shared<ttune::memory_store>();
  ttune::any_cost_model model = ttune::xgboost{};
};

struct outcome {
  ttune::tuning_result found;
  std::vector<double> best_seconds;  ///< best time after each trial

  /// Returns the number of trials until a time was reached; one more than were made if it was not.
  [[nodiscard]] double trials_to(double seconds) const;
};

class bench_tuner {
 public:
  explicit bench_tuner(options const& chosen);
  /// Tunes for another machine whose code this processor runs, with as many threads as it has cores.
  explicit bench_tuner(ttune::target const& machine);

  [[nodiscard]] ttune::target const& machine() const { return compiler_->target(); }

  [[nodiscard]] outcome tune(subject const& s, setting const& how) const;

  /// Returns the result of many trials without records. They are kept in `known`, where an interrupted call continues.
  [[nodiscard]] ttune::kernel_image tune_once(subject const& s, ttune::sqlite& known, std::int64_t trials) const;

  /// Returns the seconds of each kernel, measured alternately: medians of some rounds. Empty if a kernel fails.
  [[nodiscard]] std::vector<double> time_in_turns(subject const& s,
                                                  std::vector<ttune::kernel_image> const& kernels) const;

 private:
  std::shared_ptr<ttune::orc_backend> compiler_;
  std::shared_ptr<ttune::thread_pool> pool_;
};

[[nodiscard]] std::shared_ptr<ttune::memory_store> copy_of(ttune::record_store const& from);

/// Returns a model that has learned from the records of some workloads.
[[nodiscard]] ttune::any_cost_model model_with_base(std::vector<subject> const& sources,
                                                    ttune::record_store const& records, ttune::target const& machine);

/// Returns the number of trials from the command line, or `otherwise`.
[[nodiscard]] inline std::int64_t trials_of(options const& chosen, std::int64_t otherwise) {
  return chosen.trials > 0 ? chosen.trials : otherwise;
}

}  // namespace ttune_bench
