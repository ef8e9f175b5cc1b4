// SPDX-License-Identifier: Apache-2.0
// The command line of the benchmarks.
#include "options.hpp"

#include <sched.h>

#include <cstdlib>
#include <stdexcept>

#include "suite.hpp"

namespace ttune_bench {

namespace {

double number(std::string const& name, std::string const& text) {
  char* end = nullptr;
  auto const value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(value >= 0)) throw std::invalid_argument(name + ": not a number: " + text);
  return value;
}

int available_threads() {
  if (auto const* const wanted = std::getenv("OMP_NUM_THREADS"); wanted && std::atoi(wanted) > 0)
    return std::atoi(wanted);
  cpu_set_t mine;
  CPU_ZERO(&mine);
  return sched_getaffinity(0, sizeof mine, &mine) == 0 ? std::max(CPU_COUNT(&mine), 1) : 1;
}

std::vector<std::string> split(std::string const& text) {
  std::vector<std::string> parts(1);
  for (auto const c : text) {
    if (c == ',') parts.emplace_back();
    else parts.back() += c;
  }
  return parts;
}

}  // namespace

std::string usage() {
  std::string text =
      "usage: ttune-bench SUITE... [options]\n"
      "  --json FILE        appends a line for each case and system\n"
      "  --budget SECONDS   of tuning, a case (60; corpus: 4)\n"
      "  --trials N         of tuning, a case (as many as fit the budget)\n"
      "  --numerics X       error allowed to ttune, as a factor over direct sums' (0: reassociation only)\n"
      "  --mode M           layouts: nchw, nhwc or free (conv); plain or packed (gemm)\n"
      "  --cold             operands rotated through more than the last-level cache (conv, gemm; networks: in tuning)\n"
      "  --vary             each case also with all extents changed by -3, -1, 1, 3 (conv, gemm)\n"
      "  --fastest          the fastest sample counts, not the median: where others use the machine, too\n"
      "  --shape S,S        in place of the suite's cases: MxNxK (gemm), or (conv) batch x channels x height x width "
      "x\n"
      "                     filters x kernel x stride x padding [x dilation x groups], as in 8x64x56x56x128x3x1x1\n"
      "  --case A,B         only these cases; --system A,B only these systems\n"
      "  --threads N        (OMP_NUM_THREADS, or the cores that this process may use)\n"
      "  --samples N        of which the median counts (21); --sample-seconds S each at least so long (0.005)\n"
      "suites:\n";
  for (auto const& s : suites())
    text += "  " + s.name + std::string(s.name.size() < 10 ? 10 - s.name.size() : 1, ' ') + s.summary + "\n";
  return text;
}

options parse(int argc, char** argv) {
  options o;
  o.threads = available_threads();
  for (int i = 1; i < argc; ++i) {
    std::string const name = argv[i];
    if (!name.starts_with("--")) {
      o.suites.push_back(name);
      continue;
    }
    if (name == "--help") return options{};
    if (name == "--cold" || name == "--vary" || name == "--fastest") {
      (name == "--cold" ? o.cold : name == "--vary" ? o.vary : o.fastest) = true;
      continue;
    }
    if (i + 1 == argc) throw std::invalid_argument(name + ": a value is missing");
    std::string const value = argv[++i];
    if (name == "--json") o.json = value;
    else if (name == "--budget") o.budget_seconds = number(name, value), o.has_budget = true;
    else if (name == "--trials") o.trials = static_cast<std::int64_t>(number(name, value));
    else if (name == "--case") o.cases = split(value);
    else if (name == "--shape") o.shapes = split(value);
    else if (name == "--system") o.systems = split(value);
    else if (name == "--numerics") o.numerics = number(name, value);
    else if (name == "--mode") o.mode = value;
    else if (name == "--threads") o.threads = std::max(1, static_cast<int>(number(name, value)));
    else if (name == "--samples") o.samples = std::max(1, static_cast<int>(number(name, value)));
    else if (name == "--sample-seconds") o.sample_seconds = number(name, value);
    else throw std::invalid_argument("no option " + name + "\n" + usage());
  }
  return o;
}

}  // namespace ttune_bench
