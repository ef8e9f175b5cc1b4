// SPDX-License-Identifier: Apache-2.0
#include "ttune/backends/orc/host.hpp"

#include <doctest/doctest.h>

#include "ttune/runtime/machine.hpp"

namespace host_tests {

using namespace ttune;

TEST_CASE("host: LLVM's names go with what was probed") {
  auto const t = orc::named_by_llvm(probe_host());
  auto const probed = probe_host();
  CHECK_FALSE(t.triple.empty());
  CHECK_FALSE(t.cpu.empty());
  CHECK(is_host_architecture(t.name));
  CHECK(t.cores == probed.cores);
  CHECK(t.l2_bytes == probed.l2_bytes);
}

TEST_CASE("host: LLVM's features and the probed vectors agree") {
  auto const t = orc::named_by_llvm(probe_host());
  CHECK(missing_features(t.features).empty());
  auto const has = [&](char const* feature) {
    return ("," + t.features + ",").find(std::string(",+") + feature + ",") != std::string::npos;
  };
  if (!t.name.starts_with("x86_64")) return;
  CHECK(t.has_fma == has("fma"));
  CHECK(t.has_masks == (has("avx512f") && has("avx512vl")));
  CHECK((t.vector_bytes >= 32) == has("avx2"));
}

}  // namespace host_tests
