// SPDX-License-Identifier: Apache-2.0
#include "ttune/backends/orc/host.hpp"

#include <doctest/doctest.h>

using namespace ttune;

TEST_CASE("host: what is told of this machine is plausible") {
  auto const t = host_target();
  CHECK_FALSE(t.triple.empty());
  CHECK_FALSE(t.cpu.empty());
  CHECK(t.name.find(t.cpu) != std::string::npos);
  CHECK(t.vector_bytes >= 16);
  CHECK(t.vector_registers >= 16);
  CHECK(t.cores >= 1);
  CHECK(t.l1_bytes >= 8 << 10);
  CHECK(t.l2_bytes >= t.l1_bytes);
  CHECK(t.line_bytes >= 32);
}

TEST_CASE("host: vectors follow from triple and features") {
  target t;
  t.triple = "x86_64-pc-linux-gnu";
  t.cpu = "znver4";
  t.features = "+sse2,+avx,+fma,+avx512f,+avx512vl";
  orc::derive_vectors(t);
  CHECK(t.name == "x86-64 znver4");
  CHECK((t.vector_bytes == 64 && t.vector_registers == 32 && t.has_fma && t.has_masks));

  t.features = "+sse2,+avx,+fma,-avx512f,+avx512vl";
  orc::derive_vectors(t);
  CHECK((t.vector_bytes == 32 && t.vector_registers == 16 && t.has_fma && !t.has_masks));

  t.features = "+sse2,+fma4";
  orc::derive_vectors(t);
  CHECK((t.vector_bytes == 16 && t.vector_registers == 16 && !t.has_fma && !t.has_masks));

  t.triple = "aarch64-unknown-linux-gnu";
  t.features = "+neon";
  orc::derive_vectors(t);
  CHECK(t.name == "aarch64 znver4");
  CHECK((t.vector_bytes == 16 && t.vector_registers == 32 && t.has_fma && !t.has_masks));
}
