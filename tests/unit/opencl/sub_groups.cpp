// SPDX-License-Identifier: Apache-2.0
// Reductions by shuffles of sub-groups. PoCL has none, so the text runs on a CPU under other names, and clang's front
// end checks that it is OpenCL C.
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>

#include "support/cuda_on_cpu.hpp"
#include "support/device_run.hpp"
#include "support/random_program.hpp"
#include "support/require.hpp"
#include "support/seed.hpp"
#include "support/temporary_folder.hpp"
#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/backends/opencl.hpp"
#include "ttune/codegen/opencl.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/loop_nest/instantiate.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/ops/layer_norm.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/ops/softmax.hpp"
#include "ttune/support/rng.hpp"

namespace sub_groups_tests {

using namespace ttune;

namespace {

target device_with(std::string features) {
  target t;
  t.name = "opencl device";
  t.triple = "opencl";
  t.block_threads = 256;
  t.block_bytes = 32 << 10;
  t.warp_threads = 32;
  t.features = std::move(features);
  return t;
}

ir::lowered lowered_of(space const& s) { return lower(s, s.seed); }

std::vector<handle<ir::program>> programs_of_rows() {
  return {ops::softmax<float>(3, 300).program(), ops::layer_norm<float>(3, 257).program(),
          ops::softmax<float>(2, 1024).program()};
}

bool holds(std::string const& text, char const* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("opencl: sub-groups of 32 reduce rows by shuffles, others by loops, to the same results") {
  rng random(ttune_test::seed());
  auto const machine = device_with(codegen::sub_groups_feature);
  for (auto const& program : programs_of_rows()) {
    auto const made = lowered_of(derive_space(program, machine));
    auto const text = codegen::opencl(made, machine);
    INFO(text.source);
    CHECK(holds(text.source, "sub_group_shuffle_xor("));
    CHECK(holds(text.source, "get_max_sub_group_size() == 32u"));
    if (!ttune_test::can_run_cuda_on_cpu()) continue;
    auto const operands = ttune_test::random_operands(*program, random);
    auto const wanted = ir::evaluate(*program, operands);
    for (auto const* size : {"32", "16", "64"}) {
      auto const names = std::string("#define SUB_GROUP ") + size + ttune_test::opencl_on_cuda;
      CHECK(ttune_test::difference(wanted, ttune_test::run_on_cpu(text, made, operands, names), 1e-5) == "");
    }
  }
}

TEST_CASE("opencl: a kernel that shuffles chooses the size of its sub-groups where it may, no other does") {
  auto const sized = device_with(std::string(codegen::sub_groups_feature) + "," + codegen::sub_group_size_feature);
  auto const none = device_with("");
  for (auto const& program : programs_of_rows()) {
    auto const made = lowered_of(derive_space(program, sized));
    CHECK(holds(codegen::opencl(made, sized).source, "intel_reqd_sub_group_size(32)"));
    CHECK_FALSE(holds(codegen::opencl(made, device_with(codegen::sub_groups_feature)).source, "intel_reqd"));
    CHECK_FALSE(holds(codegen::opencl(made, none).source, "sub_group"));
  }
  auto const product = lowered_of(derive_space(ops::matmul<float>(64, 64, 64).program(), sized));
  CHECK_FALSE(holds(codegen::opencl(product, sized).source, "sub_group"));
}

TEST_CASE("opencl: the text for sub-groups is OpenCL C") {
  std::string clang;
  for (auto const* name : {"clang-19", "clang-16", "clang"})
    if (clang.empty() && ttune_test::has_program(name)) clang = name;
  TTUNE_SKIP_UNLESS("clang", !clang.empty(), "no clang is installed");
  auto const machine = device_with(std::string(codegen::sub_groups_feature) + "," + codegen::sub_group_size_feature);
  ttune_test::temporary_folder const folder;
  for (auto const& program : programs_of_rows()) {
    auto const text = codegen::opencl(lowered_of(derive_space(program, machine)), machine).source;
    std::ofstream(folder / "kernel.cl") << text;
    for (auto const* language : {"CL2.0", "CL3.0"}) {
      auto const command = clang + " -x cl -cl-std=" + language +
                           " -target spir64 -Xclang -cl-ext=+cl_khr_subgroups,+cl_khr_subgroup_shuffle"
                           " -Xclang -finclude-default-header -fsyntax-only " +
                           (folder / "kernel.cl");
      INFO(command, "\n", text);
      CHECK(std::system(command.c_str()) == 0);
    }
  }
}

TEST_CASE("opencl: a device's target says whether it has sub-groups") {
  opencl::device_info d;
  CHECK(opencl::target_of(d).features.empty());
  d.has_sub_groups = true;
  CHECK(opencl::target_of(d).features == "+sub-groups");
  d.chooses_sub_groups = true;
  CHECK(opencl::target_of(d).features == "+sub-groups,+sub-group-size");
}

}  // namespace sub_groups_tests
