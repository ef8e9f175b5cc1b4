// SPDX-License-Identifier: Apache-2.0
// Finds races of parallel parts: every pair of accesses of which one writes, in whatever order the interpreter runs
// them.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "ttune/ir/interpret.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/support/internal_error.hpp"

namespace races_tests {

using namespace ttune;
using namespace ttune::ir;

namespace {

constexpr std::int64_t size = 8;  // size of all axes and buffers

handle<buffer> buffer_of(std::string name, memory where, std::int64_t extent = size) {
  return share(buffer{{}, std::move(name), dtype::f32, {extent}, where});
}

expr index(std::int64_t i) { return make_index(i); }
stmt meet(std::int32_t pending = -1) { return share(stmt_node{{}, barrier{pending}}); }
stmt only(expr const& v, std::int64_t i, stmt const& then) {
  return make_conditional(make_binary(binary_op::equal, v, index(i)), then);
}
stmt over(char const* name, loop_kind kind, stmt const& body, std::int64_t end = size) {
  return make_loop(name, index(0), index(end), kind, body);
}

expr const x = make_variable("x"), b = make_variable("b"), v = make_variable("v");

/// Y(x) = A(x): the result of all programs here, if they are right.
struct fixture {
  handle<tensor> input = [] {
    tensor t{{}, "A", dtype::f32};
    t.shape.push_back(size);
    return share(std::move(t));
  }();
  handle<program> means = [this] {
    stage s;
    s.name = "Y";
    s.axes = {{"i", 0, size}};
    s.reduction.kind = reduction_kind::none;
    auto const value = make_access(input, {make_variable("i")});
    s.components.push_back({"", value->type, value});
    auto const copy = share(std::move(s));
    program p;
    p.name = "p";
    p.inputs = {input};
    p.stages = {copy};
    p.outputs = {copy};
    return share(std::move(p));
  }();
  handle<buffer> a = share(buffer{{}, "A", dtype::f32, {size}, memory::operand, 0});
  handle<buffer> y = share(buffer{{}, "Y", dtype::f32, {size}, memory::operand, 1});
  handle<buffer> g = buffer_of("g", memory::shared);

  [[nodiscard]] stmt get(handle<buffer> const& from, expr const& at = x) const {
    return make_store(y, {x}, make_access(from, {at}));
  }
  [[nodiscard]] stmt put(handle<buffer> const& to, expr const& at = x) const {
    return make_store(to, {at}, make_access(a, {x}));
  }
  [[nodiscard]] stmt threads(std::vector<stmt> parts) const {
    return make_allocate(g, over("x", loop_kind::thread_x, make_block(std::move(parts))));
  }

  /// Returns the interpreter's error message; empty if there is none.
  [[nodiscard]] std::string said(stmt const& body) const {
    ndarray operand(dtype::f32, {size});
    for (std::size_t i = 0; i < static_cast<std::size_t>(size); ++i) operand.set_number(i, static_cast<double>(i));
    try {
      (void)run(lowered{"p", {a, y}, {}, {}, body}, *means, std::vector{operand});
      return {};
    } catch (internal_error const& e) {
      return e.what();
    }
  }
  [[nodiscard]] bool says(stmt const& body, std::string const& sentence) const {
    auto const what = said(body);
    bool const found = what.find(sentence) != std::string::npos;
    if (!found) MESSAGE("said: ", what);
    return found;
  }
};

char const* const missing = "a barrier is missing between them";
char const* const blocks = "blocks of one launch do not wait for each other";
char const* const dependent = "are not independent";

}  // namespace

TEST_CASE_FIXTURE(fixture, "races: threads between two barriers") {
  auto const turned = index(7) - x;
  CHECK(said(threads({put(g), meet(), get(g, turned)})) == "");
  CHECK(said(threads({put(g), get(g)})) == "");  // each thread uses its own element
  CHECK(says(threads({put(g), get(g, turned)}), missing));
  CHECK(says(threads({get(a), make_store(g, {index(0)}, make_access(a, {x}))}), missing));  // all write one element
  CHECK(said(threads({put(g), meet(), get(g, turned), meet(), put(g)})) == "");
  CHECK(says(threads({put(g), meet(), get(g, turned), put(g)}), missing));  // it is written before all have read it
  // a barrier between two of three accesses does not help the third one
  CHECK(says(threads({put(g), meet(), get(g), meet(), only(x, 3, put(g)), get(g, turned)}), missing));
}

TEST_CASE_FIXTURE(fixture, "races: a barrier outside of kernels is one thread's") {
  auto const serial = [](stmt const& body) { return over("x", loop_kind::serial, body); };
  CHECK(said(make_allocate(g, make_block({serial(put(g)), meet(), serial(get(g))}))) == "");
}

TEST_CASE_FIXTURE(fixture, "races: whichever of many readers it is that writes") {
  auto const zero = make_real(dtype::f32, 0);
  for (std::int64_t writer = 0; writer < size; ++writer) {
    auto const spoil = only(x, writer, make_store(g, {index(5)}, zero));
    CHECK(says(threads({put(g), meet(), get(g, index(5)), spoil}), missing));
    CHECK(says(threads({put(g), meet(), spoil, get(g, index(5))}), missing));
    CHECK(said(threads({put(g), meet(), get(g, index(5)), meet(), spoil})) == "");
    // only the writer itself reads
    CHECK(said(threads({put(g), get(a), meet(), only(x, writer, get(g, index(5))), spoil})) == "");
  }
}

TEST_CASE_FIXTURE(fixture, "races: two lanes of one thread do not hide another thread") {
  auto const t = buffer_of("t", memory::registers);
  auto const lanes = over("v", loop_kind::vectorized, make_store(t, {v}, make_access(g, {index(5)})));
  auto const spoil = make_store(g, {index(5)}, make_real(dtype::f32, 0));
  auto const of = [&](std::int64_t first, std::int64_t second, std::int64_t writer) {
    return threads(
        {put(g), get(a), meet(),
         make_allocate(t, make_block({only(x, first, lanes), only(x, second, lanes), only(x, writer, spoil)}))});
  };
  CHECK(said(of(2, 2, 2)) == "");
  CHECK(says(of(2, 3, 2), missing));
  CHECK(says(of(2, 3, 3), missing));
  CHECK(says(of(2, 3, 1), missing));
}

TEST_CASE_FIXTURE(fixture, "races: blocks of one launch") {
  auto const s = buffer_of("s", memory::workspace);
  auto const launch = [&](std::vector<stmt> parts) {
    return over("x", loop_kind::block_x, make_block(std::move(parts)));
  };
  auto const in = [&](std::vector<stmt> launches) { return make_allocate(s, make_block(std::move(launches))); };
  auto const turned = index(7) - x;
  CHECK(said(in({launch({put(s), get(s)})})) == "");
  CHECK(said(in({launch({put(s)}), launch({get(s, turned)})})) == "");
  CHECK(says(in({launch({put(s), get(s, turned)})}), blocks));
  CHECK(says(in({launch({put(s)}), launch({get(s, turned), put(s)})}), blocks));
  CHECK(says(in({launch({get(a), make_store(s, {index(0)}, make_access(a, {x}))})}), blocks));
  CHECK(says(in({launch({make_store(y, {index(0)}, make_access(a, {x}))})}), blocks));
  // a barrier covers one block
  auto const by_threads = over("b", loop_kind::block_x,
                               over("x", loop_kind::thread_x,
                                    make_block({make_store(s, {b * 4 + x}, make_access(a, {x})), meet(),
                                                make_store(y, {b * 4 + x}, make_access(s, {index(7) - (b * 4 + x)}))}),
                                    4),
                               2);
  CHECK(says(in({by_threads}), blocks));
}

TEST_CASE_FIXTURE(fixture, "races: parallel and vectorized loops") {
  auto const s = buffer_of("s", memory::workspace);
  auto const sum = buffer_of("sum", memory::local, 1);
  auto const turned = index(7) - x;
  auto const zero = make_store(sum, {index(0)}, make_real(dtype::f32, 0));
  auto const add = make_store(sum, {index(0)}, make_access(sum, {index(0)}) + make_access(a, {x}));
  for (auto const kind : {loop_kind::parallel, loop_kind::vectorized}) {
    auto const in = [&](std::vector<stmt> parts) { return make_allocate(s, make_block(std::move(parts))); };
    CHECK(said(in({over("x", kind, put(s)), over("x", kind, get(s, turned))})) == "");
    CHECK(says(in({over("x", kind, put(s)), over("x", kind, make_block({get(s, turned), put(s)}))}), dependent));
    CHECK(says(in({over("x", kind, make_block({put(s), get(s, turned)}))}), dependent));
    CHECK(says(make_allocate(sum, make_block({zero, over("x", kind, make_block({add, get(a)}))})), dependent));
    CHECK(said(over("x", kind, make_allocate(sum, make_block({zero, add, get(a)})))) == "");
    // the inner loop is sequential for each iteration of this one
    auto const inner = over("v", loop_kind::serial, add);
    CHECK(said(over("x", kind, make_allocate(sum, make_block({zero, inner, get(a)})))) == "");
  }
}

TEST_CASE_FIXTURE(fixture, "races: shared memory is a block's, and the same one in each iteration") {
  auto const turned = index(7) - x;
  auto const used = [&](std::vector<stmt> after) {
    std::vector<stmt> parts{put(g), meet(), get(g, turned)};
    parts.insert(parts.end(), after.begin(), after.end());
    return make_allocate(g, make_block(std::move(parts)));
  };
  auto const again = [&](stmt const& body) {
    return over("x", loop_kind::thread_x, over("v", loop_kind::serial, body, 3));
  };
  CHECK(said(again(used({meet()}))) == "");
  CHECK(says(again(used({})), missing));
  // threads of two blocks
  auto const share_of = [&](stmt const& body) { return over("b", loop_kind::block_x, only(b, 1, body), 2); };
  auto const each = make_allocate(g, make_block({only(b, 0, put(g)), only(b, 1, make_block({put(g), get(g)}))}));
  CHECK(said(over("b", loop_kind::block_x, over("x", loop_kind::thread_x, each), 2)) == "");
  CHECK(said(share_of(again(used({meet()})))) == "");
}

TEST_CASE_FIXTURE(fixture, "races: memory of a thread's own") {
  auto const t = buffer_of("t", memory::local);
  auto const of = [&](expr const& at) {
    return make_allocate(t, over("x", loop_kind::thread_x, make_block({put(t), meet(), get(t, at)})));
  };
  CHECK(said(of(x)) == "");
  CHECK(says(of(index(7) - x), "memory of a thread's own"));
}

TEST_CASE_FIXTURE(fixture, "races: copies that are under way") {
  char const* const not_awaited = "a barrier that awaits it is missing between them";
  auto const turned = index(7) - x;
  auto ahead = *buffer_of("h", memory::shared);
  ahead.ahead = true;
  auto const h = share(std::move(ahead));
  auto const in = [&](std::vector<stmt> parts) {
    return make_allocate(h, over("x", loop_kind::thread_x, make_block(std::move(parts))));
  };
  CHECK(said(in({put(h), meet(0), get(h, turned)})) == "");
  CHECK(said(in({put(h), meet(1), meet(0), get(h, turned)})) == "");
  CHECK(said(in({put(h), meet(1), meet(1), get(h, turned)})) == "");
  CHECK(says(in({put(h), meet(1), get(h, turned)}), not_awaited));
  CHECK(says(in({put(h), meet(), get(h, turned)}), not_awaited));  // met, but did not wait for the copy
  CHECK(says(in({put(h), get(h)}), not_awaited));                  // a thread must also wait for its own copy
  // overwriting a buffer during a copy
  CHECK(says(in({put(h), meet(1), put(h), meet(0), get(h)}), not_awaited));
  CHECK(said(in({put(h), meet(0), put(h), meet(0), get(h)})) == "");
  // overwriting the source of a copy
  auto const s = buffer_of("s", memory::workspace);
  auto const from = [&](std::int32_t pending) {
    auto const copy = make_store(h, {x}, make_access(s, {x}));
    auto const kernel = in({copy, meet(pending), make_store(s, {turned}, make_real(dtype::f32, 0)), meet(0), get(h)});
    return make_allocate(s, make_block({over("x", loop_kind::parallel, put(s)), kernel}));
  };
  CHECK(said(from(0)) == "");
  CHECK(says(from(1), not_awaited));
}

}  // namespace races_tests
