// SPDX-License-Identifier: Apache-2.0
#include "ttune/ir/verify.hpp"

#include <doctest/doctest.h>

#include "support/random_program.hpp"
#include "support/seed.hpp"
#include "ttune/arith/canonicalize_boundaries.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/support/internal_error.hpp"

namespace verify_tests {

using namespace ttune;
using namespace ttune::ir;

namespace {

expr const i = make_variable("i"), k = make_variable("k");
auto const A = share(tensor{{}, "A", dtype::f32, {8, 8}});

stage sum_of(expr const& value) {
  stage s;
  s.name = "S";
  s.axes = {{"i", 0, 8}};
  s.reduction.kind = reduction_kind::sum;
  s.reduction.axes = {{"k", 0, 8}};
  s.components.push_back({"", dtype::f32, value});
  return s;
}

std::string fault(stage s, std::vector<handle<tensor>> inputs = {A}) {
  auto const only = share(std::move(s));
  try {
    verify(program{{}, "p", std::move(inputs), {only}, {only}});
  } catch (internal_error const& e) {
    return e.what();
  }
  return "";
}

std::string fault(stmt const& body) {
  try {
    verify(lowered{"p", {}, {}, {}, body});
  } catch (internal_error const& e) {
    return e.what();
  }
  return "";
}

stmt over(std::string const& name, stmt const& body) {
  return make_loop(name, make_index(0), make_index(8), loop_kind::serial, body);
}

}  // namespace

TEST_CASE("verify: a sound program passes, also after canonicalize_boundaries") {
  CHECK(fault(sum_of(make_access(A, {i, k}))) == "");
  auto const seed = ttune_test::seed();
  for (std::uint64_t n = 0; n < 500; ++n) {
    rng random(seed + n);
    auto const p = ttune_test::random_program(random);
    INFO("TTUNE_SEED=" << seed + n << "\n" << print(*p));
    REQUIRE_NOTHROW(verify(*p));
    REQUIRE_NOTHROW(verify(*arith::canonicalize_boundaries(p)));
  }
}

TEST_CASE("verify: faults of programs are named") {
  CHECK(fault(sum_of(make_access(A, {i, make_variable("z")}))) ==
        "ttune: internal: in stage S: z: the variable is not bound");
  CHECK(fault(sum_of(make_access(A, {i, k})), {}) ==
        "ttune: internal: in stage S: A(i, k): the source is not there (yet)");
  CHECK(fault(sum_of(make_cast(dtype::f64, make_access(A, {i, k})))) ==
        "ttune: internal: in stage S: cast<f64>(A(i, k)): has another type than its place");
  auto const tf32 = make_unary(unary_op::round_to_tf32, make_cast(dtype::f64, make_access(A, {i, k})));
  CHECK(fault(sum_of(make_cast(dtype::f32, tf32))) ==
        "ttune: internal: in stage S: round_to_tf32(cast<f64>(A(i, k))): is not of f32");
  auto s = sum_of(make_access(A, {i, k}));
  s.axes.push_back({"k", 0, 8});
  CHECK(fault(s) == "ttune: internal: in stage S: two axes have one name");
  s = sum_of(make_access(A, {i, k}));
  s.reduction.kind = reduction_kind::none;
  CHECK(fault(s) == "ttune: internal: in stage S: has reduced axes but no reduction");
  CHECK(fault(sum_of(make_argument(dtype::f32, false, 0))) ==
        "ttune: internal: in stage S: left.0: is no argument of a combine function here");
}

TEST_CASE("verify: an update reads its operand where it writes") {
  auto c = *A;
  c.name = "C";
  c.role = tensor_role::inout;
  auto const C = share(c);
  stage s;
  s.name = "C";
  s.axes = {{"i", 0, 8}, {"k", 0, 8}};
  s.updates = C;
  s.components.push_back({"", dtype::f32, make_access(C, {i, k}) + make_access(A, {k, i})});
  CHECK(fault(s, {A, C}) == "");
  s.components[0].value = make_access(C, {k, i});
  CHECK(fault(s, {A, C}) ==
        "ttune: internal: in stage C: C(k, i): an update reads its operand elsewhere than it writes");
}

TEST_CASE("verify: faults of lowered programs are named") {
  auto const b = share(buffer{{}, "b", dtype::f32, {8}});
  auto const one = make_real(dtype::f32, 1);
  auto const put = make_store(b, {i}, one);
  CHECK(fault(make_allocate(b, over("i", put))) == "");
  CHECK(fault(over("i", put)) == "ttune: internal: in `b[i] = 1.0`: stores into a buffer that is not there");
  CHECK(fault(make_allocate(b, put)) == "ttune: internal: in `b[i] = 1.0`: i: the variable is not bound");
  CHECK(fault(make_allocate(b, over("i", over("i", put)))) ==
        "ttune: internal: in `for i < 8`: the variable is bound already");
  CHECK(fault(make_allocate(b, over("i", make_store(b, {i}, make_access(A, {i, i}))))) ==
        "ttune: internal: in `b[i] = A(i, i)`: A(i, i): a lowered program reads buffers only");
  CHECK(fault(make_allocate(b, over("i", make_store(b, {i, i}, one)))) ==
        "ttune: internal: in `b[i, i] = 1.0`: the number of indices is not the rank");
}

TEST_CASE("verify: statements for instructions are checked as the loops that they stand for") {
  auto const shared = share(buffer{{}, "G", dtype::f32, {32}, memory::shared});
  auto const own = share(buffer{{}, "r", dtype::f32, {1}, memory::local});
  auto const reduced = [&](handle<buffer> const& to, expr const& at) {
    return make_allocate(
        shared, make_allocate(own, make_statement(warp_reduction{
                                       "w", 32, binary_op::add, to, {make_index(0)}, make_access(shared, {at})})));
  };
  CHECK(fault(reduced(own, make_variable("w"))) == "");
  CHECK(fault(reduced(own, i)) == "ttune: internal: in `r[0] += G[i]`: i: the variable is not bound");
  CHECK(fault(reduced(shared, make_variable("w"))) ==
        "ttune: internal: in `warp_reduce w < 32: G[0] += G[w]`: the result of a warp's reduction is not each thread's "
        "own");
  auto const copy = make_statement(store{own, {make_index(0)}, make_access(own, {make_index(0)}), true});
  CHECK(fault(make_allocate(own, copy)) ==
        "ttune: internal: in `copy_async r[0] = r[0]`: is no copy into a buffer that is filled ahead");
}

}  // namespace verify_tests
