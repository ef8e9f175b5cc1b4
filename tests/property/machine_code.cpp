// SPDX-License-Identifier: Apache-2.0
// Runs random programs as machine code of this machine's instruction set and of smaller ones, and compares with the
// interpreter: plain loops, derived seeds, random choices of derived spaces, random schedules. Kernels run in child
// processes between guard pages. A program with a fault is made smaller and printed with its seed.
#include <doctest/doctest.h>

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <thread>

#include "support/added_instructions.hpp"
#include "support/emulated_tiles.hpp"
#include "support/forked.hpp"
#include "support/kernel_trial.hpp"
#include "support/program_count.hpp"
#include "support/random_open.hpp"
#include "support/require.hpp"
#include "support/sanitized.hpp"
#include "support/seed.hpp"
#include "support/smaller_program.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/core/named_target.hpp"
#include "ttune/runtime/machine.hpp"

namespace machine_code_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

/// Known faults per thousand kernels.
constexpr std::uint64_t known_wrong = 0;
constexpr std::uint64_t known_refused = 0;

/// Backends for this machine and for other machines whose code it can run: without masks, with short vectors. Of three
/// backends, one compiles as users do, and two without LLVM's passes, which takes less time. (Code generation of level
/// 0 would take half as long, but LLVM 19 recurses endlessly there: seed 574, transposed tiles of 64-bit integers.) Two
/// more make kernels that check their accesses: guard pages find no fault between two buffers of a workspace.
std::vector<std::unique_ptr<backend>> const& backends() {
  static auto const all = [] {
    std::vector<target> machines{probe_host()};
    for (char const* name : {"x86-64-v3", "x86-64-v2"}) {
      auto const lesser = named_target(name, probe_host());
      if (is_host_architecture(lesser.name) && missing_features(lesser.features).empty()) machines.push_back(lesser);
    }
    std::vector<std::unique_ptr<backend>> made;
    for (int how = 0; how < 3; ++how)
      for (auto& m : machines) {
        m.cores = 4;
        m.instructions.clear();
        if (how == 1) m.l2_bytes = 4096;  // small matrices are not read twice
        if (how == 1)                     // products of words by an instruction that is added
          for (bool const takes_sums : {true, false}) add_pairs_of_words(m, takes_sums);
        if (how == 2) m.l2_bytes = 1024;  // panels of small operands are made in blocks
        auto const options = how == 0 ? orc::compiler_options{} : orc::compiler_options{"none", 1};
        made.push_back(std::make_unique<orc_backend>(m, options));
      }
    if (!machines.front().has_tiles && machines.front().vector_bytes == 64)
      made.push_back(std::make_unique<emulated_tiles>(machines.front(), orc::compiler_options{"none", 1}));
    for (auto const* m : {&machines.front(), &machines.back()})
      made.push_back(orc_backend(*m, orc::compiler_options{"none", 1}).checked());
    return made;
  }();
  return all;
}

/// A trial has the name of the program's seed and the source of its schedule; the backend, the number of threads and
/// the operands follow from the seed.
struct named_trial {
  std::uint64_t seed = 1;
  schedule_source from = schedule_source::plain;

  [[nodiscard]] ttune::backend& backend() const { return *backends()[seed % backends().size()]; }
  [[nodiscard]] int threads() const { return seed % 4 == 0 ? 3 : 1; }
  [[nodiscard]] handle<ir::program> program() const { return program_for(seed); }
  /// The kernels of one program in four take some of its extents from the call.
  [[nodiscard]] opened_program opened(handle<ir::program> const& p) const {
    rng random(seed);
    return seed % 8 < 2 ? open_some(random, p) : opened_program{};
  }
  [[nodiscard]] scheduled schedule(handle<ir::program> const& p) const {
    auto const open = opened(p).program;
    if (!open) return schedule_for(p, from, backend().target(), seed);
    if (seed % 16 == 8)
      if (auto made = schedule_of_constants(p, open)) return made;
    return schedule_for(open, from, backend().target(), seed);
  }
  /// Returns a schedule for the program with constant extents, as that of the open one (open/shape_spaces.hpp); nothing
  /// if it needs constants.
  [[nodiscard]] scheduled schedule_of_constants(handle<ir::program> const& p, handle<ir::program> const& open) const {
    auto made = schedule_for(p, from, backend().target(), seed);
    if (!made) return made;
    made->first.program = open;
    try {
      (void)make_plan(made->first);
    } catch (schedule_error const&) {
      return std::nullopt;
    }
    return made;
  }
  [[nodiscard]] std::vector<ir::ndarray> operands(ir::program const& p) const { return operands_for(seed, p); }
  /// A derivation that throws is a fault, too.
  [[nodiscard]] trial_outcome outcome(handle<ir::program> const& p, std::function<scheduled()> const& make,
                                      std::vector<ir::ndarray> const& values, expected_results const& expected) const {
    scheduled what;
    try {
      what = make();
    } catch (std::exception const& failure) {
      return {is_derived(from) ? trial_kind::refused : trial_kind::inapplicable,
              std::string("no schedule: ") + failure.what()};
    }
    auto const open = opened(p);
    if (!open.program) return try_kernel(backend(), from, what, threads(), values, expected);
    return try_kernel(backend(), from, what, threads(), operands_when_open(*p, *open.program, values), expected,
                      open.values);
  }
};

// ------------------------------------------------------------------------------------------------- many trials

constexpr std::size_t most_faults = 256;

struct fault {
  named_trial trial;
  trial_kind kind = trial_kind::wrong;
  std::array<char, 100> text{};

  /// Returns the kind of a fault: equal for faults that differ in names and numbers only.
  [[nodiscard]] std::string sort() const {
    std::string made = text.data();
    std::erase_if(made, [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
    return std::string(kind == trial_kind::refused ? "refused" : "wrong") + ", " + name_of(trial.from) + ": " +
           made.substr(0, made.find('\n'));
  }
};

/// Results of a child, in memory shared with its parent.
struct progress {
  named_trial now;
  bool done = false;
  std::array<std::array<std::uint64_t, 4>, schedule_sources> counts;  ///< by source, then by kind
  std::array<fault, most_faults> faults;
  std::size_t fault_count = 0;

  void note(trial_outcome const& made) {
    ++counts[static_cast<std::size_t>(now.from)][static_cast<std::size_t>(made.kind)];
    if ((made.kind != trial_kind::wrong && made.kind != trial_kind::refused) || fault_count == most_faults) return;
    auto& f = faults[fault_count++];
    f.trial = now;
    f.kind = made.kind;
    made.text.copy(f.text.data(), f.text.size() - 1);
  }
};

/// Runs all trials of every `step`-th program, from the one at `p.now` on.
void work(progress& p, std::uint64_t end, std::uint64_t step) {
  for (; p.now.seed < end; p.now.seed += step, p.now.from = schedule_source::plain) {
    limit_time(180);  // against loops without an end: a program takes up to 10 s with sanitizers
    auto const program = p.now.program();
    auto const operands = p.now.operands(*program);
    auto const expected = expect(*program, operands);
    while (static_cast<int>(p.now.from) < schedule_sources) {
      p.note(p.now.outcome(program, [&] { return p.now.schedule(program); }, operands, expected));
      p.now.from = static_cast<schedule_source>(static_cast<int>(p.now.from) + 1);
    }
  }
  p.done = true;
}

constexpr int thrown = 3;  ///< status of a child that has noted an exception

/// Starts the child again after each trial that ends it.
void supervise(progress& p, std::uint64_t end, std::uint64_t step) {
  while (!p.done) {
    auto const child = fork();
    if (child == 0) {
      begin_child();
      try {
        work(p, end, step);
      } catch (std::exception const& failure) {
        p.note({trial_kind::wrong, std::string("throws: ") + failure.what()});
        _exit(thrown);
      }
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (p.done) return;
    bool const noted = WIFEXITED(status) && WEXITSTATUS(status) == thrown;
    if (!noted) p.note({trial_kind::wrong, ending_of(status)});
    p.now.from = static_cast<schedule_source>(static_cast<int>(p.now.from) + 1);
    if (static_cast<int>(p.now.from) == schedule_sources) {
      p.now.from = schedule_source::plain;
      p.now.seed += step;
    }
  }
}

/// Runs `count` programs, shared among child processes.
std::vector<progress> run_all(std::uint64_t first, std::uint64_t count) {
  auto const workers = static_cast<std::size_t>(std::clamp(usable_cpus(), 1, 16));
  auto* const memory =
      mmap(nullptr, workers * sizeof(progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  auto* const all = static_cast<progress*>(memory);
  std::vector<pid_t> supervisors;
  for (std::size_t w = 0; w < workers; ++w) {
    new (all + w) progress{};
    all[w].now.seed = first + w;
    auto const id = fork();
    if (id == 0) {
      begin_child();
      supervise(all[w], first + count, workers);
      _exit(0);
    }
    supervisors.push_back(id);
  }
  for (auto const id : supervisors) waitpid(id, nullptr, 0);
  std::vector<progress> made(all, all + workers);
  munmap(memory, workers * sizeof(progress));
  return made;
}

// ------------------------------------------------------------------------------------------------- one fault

/// Runs a trial in a child; returns an empty text, or the fault with its kind first.
std::string fault_of(named_trial const& t, handle<ir::program> const& p, std::function<scheduled()> const& what) {
  return said_by_child(
      [&]() -> std::string {
        try {
          auto const values = t.operands(*p);
          auto const made = t.outcome(p, what, values, expect(*p, values));
          if (made.kind == trial_kind::wrong) return "wrong: " + made.text;
          if (made.kind == trial_kind::refused) return "refused: " + made.text;
        } catch (std::exception const&) {
        }
        return {};
      },
      5);
}

bool same_kind(std::string const& a, std::string const& b) { return a.substr(0, 5) == b.substr(0, 5); }

/// Removes steps while the fault stays.
scheduled with_fewer_steps(named_trial const& t, handle<ir::program> const& p, scheduled what,
                           std::string const& fault) {
  for (auto i = what->first.steps.size(); i-- > 0;) {
    auto less = what;
    less->first.steps.erase(less->first.steps.begin() + static_cast<std::ptrdiff_t>(i));
    if (same_kind(fault_of(t, p, [&] { return less; }), fault)) what = less;
  }
  return what;
}

std::string described(named_trial const& t) {
  auto p = t.program();
  auto const fault = fault_of(t, p, [&] { return t.schedule(p); });
  auto text = "TTUNE_SEED=" + std::to_string(t.seed) + " TTUNE_PROGRAMS=1, " + name_of(t.from) + ", " +
              t.backend().target().name + "\n" + fault + "\n";
  auto const fails = [&](handle<ir::program> const& q) {
    return same_kind(fault_of(t, q, [&] { return t.schedule(q); }), fault);
  };
  if (fault.empty()) return text + "(not again)\n" + ir::print(*p);
  if (auto const open = t.opened(p); open.program) {  // a smaller program would have other open extents
    text += ir::print(*open.program) + "\nextents";
    for (auto const v : open.values) text += " " + std::to_string(v);
    auto const what = t.schedule(p);
    return text + "\n" + (what ? to_cpp(what->first, what->second) : "");
  }
  if (t.from == schedule_source::written) {
    // Keep the steps: a smaller program would get another schedule if it were drawn anew.
    auto what = with_fewer_steps(t, p, t.schedule(p), fault);
    p = program_shrinker(
        [&](handle<ir::program> const& q) {
          auto moved = what;
          moved->first.program = q;
          return same_kind(fault_of(t, q, [&] { return moved; }), fault);
        },
        60)(p);
    what->first.program = p;
    return text + ir::print(*p) + "\n" + to_cpp(what->first, what->second) + "\n" +
           fault_of(t, p, [&] { return what; });
  }
  p = program_shrinker(fails, 60)(p);
  text += ir::print(*p) + "\n";
  try {
    auto const what = t.schedule(p);
    if (what) text += to_cpp(what->first, what->second) + "\n";
  } catch (std::exception const&) {  // the fault says so
  }
  return text + fault_of(t, p, [&] { return t.schedule(p); });
}

}  // namespace

TEST_CASE("machine code: random programs under all kinds of schedules compute what the interpreter does") {
  auto const available = backends()[0]->availability();
  TTUNE_SKIP_UNLESS("orc", available.available, available.reason);
  for (auto const& b : backends()) (void)b->availability();  // opens LLVM before children are forked
  auto const first = ttune_test::seed();
  // Sanitizers see the library, not the machine code: fewer programs reach all of it.
  auto const all = run_all(first, program_count(TTUNE_TEST_SANITIZED ? 300 : 1'000, 25'000));
  std::array<std::array<std::uint64_t, 4>, schedule_sources> counts{};
  std::map<std::string, std::vector<fault>> faults;
  for (auto const& p : all) {
    for (std::size_t s = 0; s < counts.size(); ++s)
      for (std::size_t k = 0; k < 4; ++k) counts[s][k] += p.counts[s][k];
    for (std::size_t f = 0; f < p.fault_count; ++f) faults[p.faults[f].sort()].push_back(p.faults[f]);
  }
  for (std::size_t s = 0; s < counts.size(); ++s)
    MESSAGE(std::string(name_of(static_cast<schedule_source>(s))), ": ", counts[s][0], " right, ", counts[s][1],
            " inapplicable, ", counts[s][2], " refused, ", counts[s][3], " wrong");
  for (auto const& [sort, some] : faults) {
    std::string seeds;
    for (auto const& f : some) seeds += " " + std::to_string(f.trial.seed);
    MESSAGE(some.size(), " times ", sort, ", seeds", seeds);
  }
  char const* const given = std::getenv("TTUNE_FAULTS");  // number of faults of a kind to make smaller and print
  auto const most = given ? std::strtoull(given, nullptr, 10) : 1;
  for (auto const& [sort, some] : faults)
    for (std::size_t i = 0; i < std::min<std::size_t>(some.size(), most); ++i) MESSAGE(described(some[i].trial));
  for (std::size_t s = 0; s < counts.size(); ++s) {
    INFO(std::string(name_of(static_cast<schedule_source>(s))));
    auto const tried = counts[s][0] + counts[s][1] + counts[s][2] + counts[s][3];
    CHECK(counts[s][static_cast<std::size_t>(trial_kind::wrong)] <= tried * known_wrong / 1000);
    CHECK(counts[s][static_cast<std::size_t>(trial_kind::refused)] <= tried * known_refused / 1000);
  }
}

}  // namespace machine_code_tests
