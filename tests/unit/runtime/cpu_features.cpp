// SPDX-License-Identifier: Apache-2.0
#include "ttune/runtime/cpu_features.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ttune/core/named_target.hpp"

namespace cpu_features_tests {

using namespace ttune;

TEST_CASE("cpu features: no name and no place occurs twice") {
  std::set<std::string_view> names, arm_names;
  std::set<std::vector<std::uint32_t>> places;
  for (auto const& f : detail::cpuid_features) {
    CHECK_MESSAGE(names.insert(f.name).second, f.name);
    CHECK_MESSAGE(
        places.insert({f.leaf, f.subleaf, static_cast<std::uint32_t>(f.word), static_cast<std::uint32_t>(f.bit)})
            .second,
        f.name);
  }
  std::set<std::pair<int, int>> arm_places;
  for (auto const& f : detail::hwcap_features) {
    CHECK_MESSAGE(arm_names.insert(f.name).second, f.name);
    CHECK_MESSAGE(arm_places.insert({f.word, f.bit}).second, f.name);
  }
}

TEST_CASE("cpu features: a feature string demands what has a plus, and named targets demand known features only") {
  std::vector<std::string> found;
  detail::for_each_feature("+avx2,-sse4a,+fma,,x,+", [&](std::string_view name) { found.emplace_back(name); });
  CHECK(found == std::vector<std::string>{"avx2", "fma", ""});
  detail::for_each_feature("", [&](std::string_view) { FAIL("nothing is demanded"); });
  for (auto const& level : detail::instruction_levels)
    detail::for_each_feature(level.features, [&](std::string_view name) {
      bool known = false;
      for (auto const& f : detail::cpuid_features) known = known || name == f.name;
      for (auto const& f : detail::hwcap_features) known = known || name == f.name;
      CHECK_MESSAGE(known, name);
    });
}

TEST_CASE("cpu features: an architecture has one spelling") {
  for (auto const* name : {"x86_64 znver4", "x86-64", "amd64 x x2"}) CHECK(detail::architecture_of(name) == "x86_64");
  for (auto const* name : {"aarch64", "arm64 apple-m1"}) CHECK(detail::architecture_of(name) == "aarch64");
  CHECK(detail::architecture_of("riscv64 x") == "riscv64");
}

}  // namespace cpu_features_tests
