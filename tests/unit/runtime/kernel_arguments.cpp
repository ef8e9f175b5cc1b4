// SPDX-License-Identifier: Apache-2.0
// Arguments that typed kernels refuse at the call: <ttune/kernel.hpp>. tests/compile_fail/argument_* has those that do
// not compile.
#include <doctest/doctest.h>

#include <span>
#include <vector>

#include "ttune/kernel.hpp"
#include "ttune/runtime/abi.hpp"
#include "ttune/runtime/device_code.hpp"
#include "ttune/support/error.hpp"

namespace kernel_arguments_tests {

using namespace ttune;

namespace {

using in = operand<"A", float, 2, row_major, tensor_kind::input, false>;
using scalar = operand<"s", float, 0, row_major, tensor_kind::input, false>;
using out = operand<"C", float, 2, row_major, tensor_kind::input, true>;
using other_out = operand<"D", std::int32_t, 1, row_major, tensor_kind::input, true>;

class nothing final : public device_code {
 public:
  double run(entry, void* const*, std::int64_t, bool) override {
    ++calls;
    return 0;
  }
  static inline int calls = 0;
};

operand_info info(char const* name, dtype type, std::vector<std::int64_t> shape, operand_direction direction) {
  operand_info made;
  made.name = name;
  made.type = type;
  made.shape = std::move(shape);
  made.direction = direction;
  return made;
}

/// Reads A (2, 3) and s, writes C (2, 3) and D (4).
kernel<in, scalar, out, other_out> make() {
  kernel_image image;
  image.signature.name = "k";
  image.signature.operands = {
      info("A", dtype::f32, {2, 3}, operand_direction::in), info("s", dtype::f32, {}, operand_direction::in),
      info("C", dtype::f32, {2, 3}, operand_direction::out), info("D", dtype::i32, {4}, operand_direction::out)};
  image.abi = abi_version;
  image.in_process_code = std::make_shared<nothing>();
  return kernel<in, scalar, out, other_out>(kernel_call(load(image)));
}

struct operands {
  std::vector<float> a = std::vector<float>(6), c = std::vector<float>(6);
  std::vector<std::int32_t> d = std::vector<std::int32_t>(4);
  float s = 1;
};

template <class A, class C, class D>
std::string said(A&& a, C&& c, D&& d) {
  auto const before = nothing::calls;
  try {
    make()(a, 1.0F, c, d);
  } catch (argument_error const& e) {
    CHECK(nothing::calls == before);
    return e.what();
  }
  CHECK(nothing::calls == before + 1);
  return "";
}

}  // namespace

TEST_CASE("kernel: vectors, spans, views and numbers are passed") {
  operands o;
  CHECK(said(o.a, o.c, o.d) == "");
  CHECK(said(std::span<float const>(o.a), std::span(o.c), std::span<std::int32_t, 4>(o.d)) == "");
  CHECK(said(view<float const, 2>{o.a.data(), {2, 3}}, view<float, 2>{o.c.data(), {2, 3}},
             view<std::int32_t, 1>{o.d.data(), {4}}) == "");
}

TEST_CASE("kernel: shapes that differ name the operand, the dimension and both extents") {
  operands o;
  CHECK(said(std::span(o.a).first(5), o.c, o.d) == "kernel k, operand A: has 5 elements, the operand 6");
  CHECK(said(view<float, 2>{o.a.data(), {3, 2}}, o.c, o.d) ==
        "kernel k, operand A: dimension 0 is 3, the operand's is 2");
  CHECK(said(o.a, view<float, 2>{o.c.data(), {2, 4}}, o.d) ==
        "kernel k, operand C: dimension 1 is 4, the operand's is 3");
}

TEST_CASE("kernel: a null pointer and a misaligned one") {
  operands o;
  CHECK(said(view<float, 2>{nullptr, {2, 3}}, o.c, o.d) == "kernel k, operand A: is a null pointer");
  CHECK(said(o.a, o.c, view<std::int32_t, 1>{nullptr, {4}}) == "kernel k, operand D: is a null pointer");
  alignas(float) char bytes[32] = {};
  auto* const odd = reinterpret_cast<float*>(bytes + 1);
  CHECK(said(view<float, 2>{odd, {2, 3}}, o.c, o.d) == "kernel k, operand A: is not aligned for its element type");
}

TEST_CASE("kernel: an output overlaps no other operand") {
  operands o;
  std::vector<float> both(11);
  CHECK(said(o.a, o.a, o.d) == "kernel k, operand C: overlaps operand A");
  CHECK(said(std::span(both).first(6), std::span(both).last(6), o.d) == "kernel k, operand C: overlaps operand A");
  both.resize(12);
  CHECK(said(std::span(both).first(6), std::span(both).last(6), o.d) == "");  // neighbouring memory
  CHECK(said(o.a, o.c, view<std::int32_t, 1>{reinterpret_cast<std::int32_t*>(o.c.data() + 5), {4}}) ==
        "kernel k, operand C: overlaps operand D");
  auto const k = make();
  CHECK_NOTHROW(k(o.a, o.a[3], o.c, o.d));  // inputs may overlap
  CHECK_THROWS_AS(k(o.a, o.c[0], o.c, o.d), argument_error);
}

}  // namespace kernel_arguments_tests
