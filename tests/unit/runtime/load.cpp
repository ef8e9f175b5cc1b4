// SPDX-License-Identifier: Apache-2.0
#include "ttune/runtime/load.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <string>

#include "support/machine_code.hpp"
#include "ttune/runtime/kernel_call.hpp"
#include "ttune/runtime/machine.hpp"
#include "ttune/support/error.hpp"

namespace load_tests {

using namespace ttune_test;

TEST_CASE("loaded image: runs its code") {
  TTUNE_SKIP_UNLESS_X86();
  auto const code = ttune::load(copy_image(4));
  float const in[4] = {1, 2, 3, 4};
  float out[4] = {};
  void* const operands[] = {const_cast<float*>(in), out};
  ttune::kernel_call const call(code);
  call(operands);
  CHECK(std::memcmp(in, out, sizeof in) == 0);
  CHECK_FALSE(static_cast<bool>(code->prepare()));
  CHECK(static_cast<bool>(ttune::load(prepared_image())->prepare()));
}

TEST_CASE("loaded image: the workspace of a call is whole lines") {
  TTUNE_SKIP_UNLESS_X86();
  auto image = copy_image();
  image.signature.shared_bytes = 100;
  image.signature.local_bytes = 64;
  CHECK(ttune::load(image)->workspace_bytes(3) == 320);
}

TEST_CASE("loaded image: an image that cannot run here is refused with a reason") {
  TTUNE_SKIP_UNLESS_X86();
  auto const reason = [](auto const& change) {
    auto image = copy_image();
    change(image);
    CHECK_THROWS_AS((void)ttune::load(image), ttune::argument_error);
    return ttune::can_load(image).reason;
  };
  CHECK(ttune::can_load(copy_image()).available);
  CHECK(reason([](auto& i) { i.abi = 99; }).find("ABI 99") != std::string::npos);
  CHECK(reason([](auto& i) { i.target = "aarch64 cortex-a72"; }).find("another kind of processor") !=
        std::string::npos);
  CHECK(reason([](auto& i) { i.features = "+sse3,+xop,+amx-fp16"; }).find("needs xop") != std::string::npos);
  CHECK(reason([](auto& i) { i.main_offset = 1 << 20; }).find("outside of its code") != std::string::npos);
  CHECK(reason([](auto& i) { i.main_offset = -1; }).find("outside of its code") != std::string::npos);
  CHECK(reason([](auto& i) { i.prepare_offset = -2; }).find("outside of its code") != std::string::npos);
  CHECK(reason([](auto& i) { i.code.clear(); }).find("outside of its code") != std::string::npos);
}

}  // namespace load_tests
