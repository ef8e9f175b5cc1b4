// SPDX-License-Identifier: Apache-2.0
// Suite roof: schedules in which one fault is planted, timed on this machine; does `judge` name the fault by what it
// measures?
#include <ttune/backends/orc.hpp>
#include <ttune/ir/count_flops.hpp>
#include <ttune/roof/count_work.hpp>
#include <ttune/roof/judge.hpp>
#include <ttune/runtime/kernel_call.hpp>
#include <ttune/runtime/load.hpp>
#include <ttune/runtime/machine.hpp>
#include <ttune/runtime/measure_roof.hpp>
#include <ttune/tune/workload.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../../tests/support/planted_faults.hpp"
#include "../figures.hpp"
#include "../harness.hpp"
#include "../suite.hpp"

namespace {

using namespace ttune_bench;

/// Operands of a kernel: floats from 1 to 2, and indices.
class operands {
 public:
  explicit operands(ttune::kernel_signature const& signature) {
    std::uint32_t state = 1;
    for (auto const& o : signature.operands) {
      auto& one = memory_.emplace_back(static_cast<std::size_t>(o.bytes()) / sizeof(float) + 16);
      for (auto& value : one) {
        state = state * 1664525 + 1013904223;
        if (o.has_range) value.index = static_cast<std::int32_t>((state >> 8) % static_cast<std::uint32_t>(o.high));
        else value.number = 1 + static_cast<float>(state >> 8) * 0x1p-24F;
      }
      auto const past = reinterpret_cast<std::uintptr_t>(one.data()) / sizeof(float) % 16;
      pointers_.push_back(one.data() + (16 - past) % 16);  // to a line of the cache
    }
  }
  [[nodiscard]] std::vector<void*> const& pointers() const noexcept { return pointers_; }

 private:
  union element {
    float number;
    std::int32_t index;
  };
  std::vector<std::vector<element>> memory_;
  std::vector<void*> pointers_;
};

/// Returns true if the fault is named.
bool measure(ttune_test::planted_fault const& f, ttune::machine_roof const& roof, std::shared_ptr<ttune::executor> pool,
             options const& chosen, figure_table& table) {
  auto machine = ttune::probe_host();
  machine.cores = f.cores > 1 ? pool->threads() : 1;
  if (f.cores == 1) pool = std::make_shared<ttune::serial_executor>();
  ttune::orc_backend backend(machine);
  ttune::workload const work(f.schedule, machine);
  auto const lowered = work.lower(f.schedule.seed);
  auto const compiled = backend.compile(lowered, work.signature());
  if (!compiled.image) {
    table.add({"", f.fault, "ttune", 0}, "does not compile");
    return false;
  }
  operands const memory(work.signature());
  ttune::kernel_call const kernel(ttune::load(*compiled.image), pool);
  std::function<void()> const call = [&] { kernel(memory.pointers()); };
  auto const taken = time_interleaved({&call, 1}, chosen).front();
  auto const made = judge(count_work(lowered, machine), roof, ttune::count_flops(*f.program), taken.seconds);
  bool const named = made.sentence().find(f.words) != std::string::npos;
  table.add({"", f.fault, "ttune", taken.seconds}, std::string(named ? "named:  " : "missed: ") +
                                                       time_text(taken.seconds) + ", expected " +
                                                       time_text(made.expected) + "; " + made.sentence());
  return named;
}

int run(options const& chosen) {
  figure_table table("roof", chosen, "planted faults, and what is said of them");
  auto const pool = std::make_shared<ttune::thread_pool>(chosen.threads);
  auto const several = ttune::measure_roof(*pool);
  ttune::serial_executor serial;
  auto const one = ttune::measure_roof(serial);
  int named = 0, all = 0;
  for (auto const& f : ttune_test::all_planted_faults(pool->threads())) {
    if (!chosen.wants_case(f.fault)) continue;
    ++all;
    named += measure(f, f.cores > 1 ? several : one, pool, chosen, table) ? 1 : 0;
  }
  std::printf("%d of %d named\n", named, all);
  return table.status();
}

add_suite const roof_suite{{"roof", "planted faults, and whether the roof names them", run}};

}  // namespace
