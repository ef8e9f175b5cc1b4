// SPDX-License-Identifier: Apache-2.0
// Suite check: compares all systems of conv, gemm, ops and fusion with plain loops, and the corpus' plain loops and
// untuned kernels with the interpreter, on small shapes, at every output. A test runs it.
#include <cstdio>
#include <string>

#include "../fusion_problem.hpp"
#include "../ops_problem.hpp"
#include "../suite.hpp"
#include "corpus/problem.hpp"
#include "run_cases.hpp"

namespace {

using namespace ttune_bench;

template <class Shape>
std::string mode_in(Shape const& shape) {
  if constexpr (requires { shape.mode; }) return shape.mode;
  else return "plain";
}

/// Returns true for systems to check: the corpus would take too long to tune.
template <class Problem>
bool is_asked(Problem const&, std::string const& system) {
  return !std::is_same_v<Problem, corpus_problem> || system != "ttune";
}

template <class Problem, class Shape>
int check(char const* suite, Shape const& shape, options const& chosen) {
  if (!chosen.wants_case(shape.name)) return 0;
  int failures = 0;
  Problem const problem(shape);
  buffer out(output_floats(problem));
  for (auto const& s : chosen_systems<Problem>(chosen)) {
    if (s.serves && !s.serves(problem)) continue;
    if (!is_asked(problem, s.name)) continue;
    contender<Problem> const c(s, problem, out, chosen, 0);
    std::printf("%s - %s %s %s %s: largest difference %.1e%s%s\n", c.ok() ? "ok" : "not ok", suite, shape.name.c_str(),
                mode_in(shape).c_str(), s.name.c_str(), c.error, c.ok() ? "" : ", ",
                c.ok() ? "" : c.peer.status.c_str());
    failures += c.ok() ? 0 : 1;
  }
  return failures;
}

int check_corpus(options const& chosen) {
  int failures = 0;
  for (auto const& family : corpus::families())
    for (auto const& o : family.operators) {
      try {
        failures += check<corpus_problem>("corpus", small(o), chosen);
      } catch (std::exception const& e) {
        std::printf("not ok - corpus %s: %s\n", o.name.c_str(), e.what());
        ++failures;
      }
    }
  return failures;
}

int run(options const& asked) {
  auto chosen = asked;
  if (chosen.trials == 0) chosen.trials = 4;  // only correctness matters here
  int failures = 0;
  for (auto g :
       {make_gemm(1, 1, 1), make_gemm(33, 65, 17), make_gemm(1, 40, 100), make_gemm(50, 1, 7), make_gemm(64, 64, 64)})
    for (auto const* const mode : {"plain", "packed"}) {
      g.mode = mode;
      failures += check<gemm_problem>("gemm", g, chosen);
    }
  std::vector<conv_shape> const convolutions{{"3x3", 1, 3, 9, 11, 5, 3, 1, 1},
                                             {"3x3 stride 2", 2, 4, 10, 9, 16, 3, 2, 1},
                                             {"1x1", 1, 16, 7, 7, 32, 1, 1, 0},
                                             {"1x1 stride 2", 1, 16, 8, 8, 32, 1, 2, 0},
                                             {"3x3 of 16", 1, 16, 9, 10, 32, 3, 1, 1},
                                             {"7x7 stride 2", 1, 3, 22, 22, 16, 7, 2, 3},
                                             {"3 groups", 1, 6, 9, 11, 12, 3, 1, 1, "", 1, 3},
                                             {"dilation 2", 1, 4, 9, 11, 5, 3, 1, 2, "", 2, 1},
                                             {"depthwise", 2, 16, 9, 11, 16, 3, 2, 1, "", 1, 16}};
  for (auto c : convolutions)
    for (auto const* const mode : {"nchw", "nhwc", "free"}) {
      c.mode = mode;
      failures += check<conv_problem>("conv", c, chosen);
    }
  for (auto const& o : small_ops_cases()) failures += check<ops_problem>("ops", o, chosen);
  for (auto const& f : small_fusion_cases()) failures += check<fusion_problem>("fusion", f, chosen);
  failures += check_corpus(chosen);
  return failures == 0 ? 0 : 1;
}

add_suite const check_suite{{"check", "every system against plain loops on small shapes; no timing", run}};

}  // namespace
