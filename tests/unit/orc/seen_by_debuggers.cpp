// SPDX-License-Identifier: Apache-2.0
// Sessions of gdb, perf and the profiler in the process on this program: they name functions of kernels, and the lines
// of their loop nests.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "support/require.hpp"
#include "support/shell.hpp"
#include "support/temporary_folder.hpp"
#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/records/memory_store.hpp"
#include "ttune/runtime/image_io.hpp"
#include "ttune/runtime/kernel_call.hpp"
#include "ttune/runtime/tools/asked_tools.hpp"
#include "ttune/ttune.hpp"
#include "ttune/tune/workload.hpp"

namespace seen_by_debuggers_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

constexpr char const* watched = "TTUNE_TEST_WATCHED";  ///< in the environment of the program that a tool watches

/// Returns the path of this program.
std::string this_program() {
  char path[4096];
  auto const size = ::readlink("/proc/self/exe", path, sizeof path);
  return {path, size > 0 ? static_cast<std::size_t>(size) : 0};
}

/// Returns the command that runs the watched test case in another process.
std::string watched_program() {
  return this_program() + " --no-skip=true '-tc=seen by debuggers: the program that they watch'";
}

/// Returns why gdb can run no programs here; empty if it can. Some containers let no process trace another.
std::string gdb_failure() {
  if (!has_program("gdb")) return "gdb is not installed";
  bool const runs = shell("gdb -nx -batch -ex run true").text.find("exited normally") != std::string::npos;
  return runs ? "" : "gdb may not trace programs here";
}

std::string perf_failure() {
  if (!has_program("perf")) return "perf is not installed (linux-perf)";
  temporary_folder const folder;
  auto const data = folder / "perf.data";
  auto const record = shell("perf record -k mono -e cpu-clock -o " + data + " true");
  if (record.status != 0) return "perf may not measure programs here";
  return shell("perf inject --jit -i " + data + " -o " + (folder / "out")).status == 0 ? "" : "perf inject fails here";
}

kernel_image product() {
  auto machine = probe_host();
  machine.cores = 4;  // so that there is a parallel loop
  orc_backend backend(machine);
  auto const op = ops::matmul(96, 96, 96);
  workload const work(derive_space(op.program(), backend.target()), backend.target());
  auto made = backend.compile(work.lower(work.seed()), work.signature());
  REQUIRE_MESSAGE(made.image, made.diagnostics);
  return std::move(*made.image);
}

/// Calls a kernel until as many seconds have passed, at least once.
void run(kernel_image const& image, double seconds) {
  std::vector<float> a(96 * 96, 1.F), b(96 * 96, 1.F), c(96 * 96);
  std::vector<void*> operands = {a.data(), b.data(), c.data()};
  kernel_call const call(load(image), std::make_shared<serial_executor>());
  auto const start = std::chrono::steady_clock::now();
  do call(operands);
  while (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < seconds);
  CHECK(c[0] == 96.F);
}

/// Runs gdb on the watched program with these commands.
std::string gdb_session(temporary_folder const& folder, std::string const& environment, std::string const& commands) {
  std::ofstream(folder / "commands") << "set pagination off\nset breakpoint pending on\nset width 0\n" << commands;
  return shell("env JITDUMPDIR=" + folder.path() + " " + watched + "=" + environment +
               " TTUNE_TOOLS=gdb timeout 100 gdb -nx -batch -x " + (folder / "commands") + " --args " +
               watched_program())
      .text;
}

bool says(std::string const& text, std::string const& what) { return text.find(what) != std::string::npos; }

/// Calls a kernel that a tuner takes from its records.
void run_recorded() {
  auto const store = std::make_shared<memory_store>();
  auto const op = ops::matmul(96, 96, 96);
  auto const tune = [&] {
    tuner finds{orc_backend{}, {.records = store}};
    return finds.tune(op, {.trials = 2});
  };
  (void)tune();
  auto const kernel = tune();
  CHECK(kernel.report().source == tuning_report::origin::record);
  std::vector<float> const a(96 * 96, 1.F), b(96 * 96, 1.F);
  std::vector<float> c(96 * 96);
  kernel(a, b, c);
  CHECK(c[0] == 96.F);
}

/// Returns the part of gdb's output that begins with the innermost frame of a backtrace.
std::string backtrace_of(std::string const& text) { return text.substr(std::min(text.find("#0"), text.size())); }

}  // namespace

TEST_CASE("seen by debuggers: the program that they watch" * doctest::skip()) {
  auto const* const variable = std::getenv(watched);
  REQUIRE(variable);
  std::string const how = variable;
  if (how == "recorded") return run_recorded();
  auto const image = product();
  run(how == "stored" ? image_from_bytes(to_bytes(image)) : image, how == "long" ? 0.5 : 0);
}

TEST_CASE("seen by debuggers: gdb stops in a kernel, shows its line, and its callers up to main") {
  TTUNE_SKIP_UNLESS("gdb", gdb_failure().empty(), gdb_failure());
  temporary_folder const folder;
  auto const text = gdb_session(folder, "once", "break matmul.main\nrun\nbt\nlist 1,2\ninfo symbol $pc\n");
  INFO(text);
  CHECK(says(text, "matmul.main () at ttune-"));
  CHECK(says(text, "parallel C.tasks"));          // the line's text
  CHECK(says(text, "1\tmatmul(A f32 (96, 96)"));  // the file begins so
  auto const frames = backtrace_of(text);
  CHECK(says(frames, "matmul.main () at"));
  CHECK(says(frames, "kernel_call"));
  CHECK(says(frames, " main ("));
}

TEST_CASE("seen by debuggers: gdb unwinds from the tasks of a parallel loop") {
  TTUNE_SKIP_UNLESS("gdb", gdb_failure().empty(), gdb_failure());
  temporary_folder const folder;
  auto const text = gdb_session(folder, "once", "break matmul.parallel_C.tasks\nrun\nnext\nnext\nbt\n");
  INFO(text);
  auto const frames = backtrace_of(text);
  CHECK(says(frames, "matmul.parallel_C.tasks () at ttune-"));
  CHECK(says(frames, "matmul.main () at ttune-"));
  CHECK(says(frames, " main ("));
}

TEST_CASE("seen by debuggers: gdb knows the names of stored images") {
  TTUNE_SKIP_UNLESS("gdb", gdb_failure().empty(), gdb_failure());
  temporary_folder const folder;
  auto const text = gdb_session(folder, "stored", "break matmul.main\nrun\ninfo symbol $pc\n");
  INFO(text);
  // Without a language, gdb may take the dot for one of Ada's.
  CHECK((says(text, "in matmul.main ()") || says(text, "in matmul[main] ()")));
  CHECK(says(text, "in section .text of"));
}

TEST_CASE("seen by debuggers: kernels of a database are compiled again, and have lines") {
  TTUNE_SKIP_UNLESS("gdb", gdb_failure().empty(), gdb_failure());
  temporary_folder const folder;
  auto const text = gdb_session(folder, "recorded", "break matmul.main\nrun\nbt\n");
  INFO(text);
  auto const frames = backtrace_of(text);
  CHECK(says(frames, "matmul.main () at ttune-"));
  CHECK(says(frames, " main ("));
}

TEST_CASE("seen by debuggers: perf names the functions of kernels") {
  TTUNE_SKIP_UNLESS("perf", perf_failure().empty(), perf_failure());
  temporary_folder const folder;
  auto const data = folder / "perf.data";
  auto const record = "env JITDUMPDIR=" + folder.path() + " " + watched + "=long TTUNE_TOOLS=";
  auto const report = " && perf report --stdio --sort=sym -i ";
  auto const dump =
      shell(record + "jitdump perf record -k mono -e cpu-clock -o " + data + " " + watched_program() +
            " && perf inject --jit -i " + data + " -o " + (folder / "jit.data") + report + (folder / "jit.data"));
  CHECK_MESSAGE(says(dump.text, "matmul.parallel_C.tasks"), dump.text);
  auto const map = shell(record + "map perf record -e cpu-clock -o " + data + " " + watched_program() + report + data);
  CHECK_MESSAGE(says(map.text, "matmul.parallel_C.tasks"), map.text);
}

TEST_CASE("seen by debuggers: samples of the process fall on the line of the sum") {
  temporary_folder const folder;
  auto const run =
      shell("env JITDUMPDIR=" + folder.path() + " " + watched + "=long TTUNE_TOOLS=samples " + watched_program());
  INFO(run.text);
  CHECK(run.status == 0);
  std::string text;
  for (auto const& f : std::filesystem::directory_iterator(folder.path()))
    if (f.path().extension() == ".samples") {
      std::ifstream in(f.path());
      text.assign(std::istreambuf_iterator<char>(in), {});
    }
  INFO(text);
  CHECK(says(text, " of them in kernels\n\nkernel "));
  double sum = 0, most = 0;  // shares of the samples: of the lines of the sum, of the largest of the others
  for (std::istringstream in(text); std::getline(in, text);) {
    if (text.find(" %  ") != 5) continue;
    auto const share = std::stod(text);
    if (says(text, " += A[") || says(text, " += B[")) sum += share;
    else most = std::max(most, share);
  }
  CHECK(sum > most);
}

}  // namespace seen_by_debuggers_tests
