// SPDX-License-Identifier: Apache-2.0
// The operands that calls of a lowered program read, and those that it lays out.
#include "ttune/ir/operand_uses.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "ttune/core/operand_use.hpp"
#include "ttune/ir/make.hpp"

namespace operand_uses_tests {

using namespace ttune;
using namespace ttune::ir;

namespace {

handle<buffer> buffer_named(char const* name, memory where) {
  buffer made;
  made.name = name;
  made.extents = {8};
  made.where = where;
  return share(std::move(made));
}

/// C(i) = P(i) for the buffers of a program that lays out W as P.
struct prepared_copy {
  handle<buffer> w = buffer_named("W", memory::operand), x = buffer_named("x", memory::operand),
                 c = buffer_named("C", memory::operand), p = buffer_named("P", memory::prepared);
  expr i = make_variable("i");

  [[nodiscard]] std::vector<std::uint8_t> read_by(stmt body) const {
    lowered program;
    program.operands = {w, x, c};
    program.prepared = {p};
    program.prepare = in_loop(make_store(p, {i}, make_access(w, {i})));
    program.body = in_loop(std::move(body));
    return operand_uses(program);
  }
  [[nodiscard]] static stmt in_loop(stmt body) {
    return make_loop("i", make_index(0), make_index(8), loop_kind::serial, std::move(body));
  }
};

using marks = std::vector<std::uint8_t>;

constexpr std::uint8_t unread = unread_by_prepare;                  // neither by calls nor by `prepare`
constexpr std::uint8_t called = read_by_calls | unread_by_prepare;  // by calls only
constexpr std::uint8_t both = read_by_calls;

}  // namespace

TEST_CASE("operand uses: an operand that is only laid out is not read by calls") {
  prepared_copy const of;
  auto const laid_out = make_access(of.p, {of.i});
  CHECK(of.read_by(make_store(of.c, {of.i}, laid_out)) == marks{0, unread, unread, called});
  CHECK(of.read_by(make_store(of.c, {of.i}, laid_out + make_access(of.x, {of.i}))) == marks{0, called, unread, called});
  CHECK(of.read_by(make_store(of.c, {of.i}, laid_out + make_access(of.w, {of.i}))) ==
        marks{both, unread, unread, called});
}

TEST_CASE("operand uses: prepared buffers that calls do not read are told") {
  prepared_copy const of;
  CHECK(of.read_by(make_store(of.c, {of.i}, make_access(of.x, {of.i}))) == marks{0, called, unread, unread});
}

TEST_CASE("operand uses: indices, conditions, updates and hints count") {
  prepared_copy const of;
  auto const zero = make_index(0);
  auto const index = make_cast(dtype::index, make_access(of.x, {of.i}));
  CHECK(of.read_by(make_store(of.c, {index}, make_access(of.p, {of.i}))) == marks{0, called, unread, called});
  CHECK(of.read_by(make_store(of.c, {of.i}, make_access(of.c, {of.i}))) == marks{0, unread, called, unread});
  CHECK(of.read_by(make_prefetch(of.w, {of.i})) == marks{both, unread, unread, unread});
  auto const at_start =
      make_conditional(make_binary(binary_op::less, make_access(of.w, {zero}), make_access(of.x, {zero})),
                       make_store(of.c, {of.i}, make_access(of.p, {of.i})));
  CHECK(of.read_by(at_start) == marks{both, called, unread, called});
}

TEST_CASE("operand uses: a program without preparation lays out nothing") {
  prepared_copy const of;
  lowered program;
  program.operands = {of.w, of.c};
  program.body = prepared_copy::in_loop(make_store(of.c, {of.i}, make_access(of.w, {of.i})));
  CHECK(operand_uses(program) == marks{called, unread});
}

}  // namespace operand_uses_tests
