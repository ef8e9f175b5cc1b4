// SPDX-License-Identifier: Apache-2.0
#include "ttune/runtime/machine.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <string>

#include "ttune/runtime/executor.hpp"
#include "ttune/runtime/measure_roof.hpp"

namespace machine_tests {

TEST_CASE("machine: its facts make sense") {
  auto const t = ttune::probe_host();
  CHECK(t.cores == ttune::usable_cpus());
  CHECK(t.cores >= 1);
  CHECK(t.vector_bytes >= 16);
  CHECK(t.l1_bytes >= 8 << 10);
  CHECK(t.l2_bytes >= t.l1_bytes);
  CHECK(t.line_bytes >= 32);
  CHECK(ttune::is_host_architecture(t.name));
  CHECK(ttune::is_host_architecture(t.name.substr(0, t.name.find(' '))));
  CHECK_FALSE(ttune::is_host_architecture("sparc niagara"));
  CHECK_FALSE(ttune::is_host_architecture(""));
  CHECK_FALSE(ttune::processor_name().empty());
}

TEST_CASE("machine: features that it lacks are named, others are not looked at") {
  CHECK(ttune::missing_features("").empty());
  CHECK(ttune::missing_features("-xop,-avx512f").empty());
  CHECK(ttune::missing_features("+no-such-feature").empty());
#if defined(__x86_64__)
  CHECK(ttune::missing_features("+sse3,+cx16").empty());
  CHECK(ttune::missing_features("+sse3,+fma4,+xop,+tbm").find("fma4") != std::string::npos);
  CHECK(ttune::is_host_architecture("x86-64 znver4"));
  CHECK((ttune::probe_host().vector_bytes == 64) == ttune::missing_features("+avx512f,+avx512vl").empty());
#endif
}

TEST_CASE("machine: peaks are measured") {
  auto const one = ttune::measure_fma_peak(1, ttune::dtype::f32, 1e-3);
  MESSAGE("multiply-adds on one core: ", one, " GFLOP/s");
  if (ttune::probe_host().has_fma) CHECK(one > 0);
  CHECK(std::isfinite(one));
  CHECK(ttune::measure_fma_peak(1, ttune::dtype::i8, 1e-3) == 0);
  auto const bandwidth = ttune::measure_copy_bandwidth(1, 1e-3);
  CHECK(bandwidth > 0);
  CHECK(std::isfinite(bandwidth));
}

TEST_CASE("machine: the roof has all its numbers") {
  ttune::thread_pool pool(2);
  auto const roof = ttune::measure_roof(pool, 1e-3);
  if (!ttune::probe_host().has_fma) return;
  REQUIRE(roof.known());
  CHECK(roof.target == ttune::probe_host().name);
  CHECK(roof.threads == pool.threads());
  for (auto const seconds : {roof.arithmetic, roof.division, roof.load, roof.store, roof.latency}) {
    CHECK(seconds > 1e-12);
    CHECK(seconds < 1e-3);
  }
  for (std::size_t level = 0; level < 3; ++level)
    for (auto const rate : {roof.one_core[level], roof.all_cores[level]}) {
      CHECK(rate > 1e6);
      CHECK(rate < 1e15);
    }
  CHECK(roof.start >= 0);
  CHECK(std::isfinite(roof.start));
}

}  // namespace machine_tests
