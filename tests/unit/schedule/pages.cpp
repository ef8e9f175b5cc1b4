// SPDX-License-Identifier: Apache-2.0
// Checks the pages of the primitives, which are the comments on top of their headers. A primitive that is not listed
// here checks its page in its own test.
#include <doctest/doctest.h>

#include "support/primitive_page.hpp"
#include "ttune/schedule.hpp"

namespace pages_tests {

using namespace ttune;
using ir::loop_kind;
using ttune_test::check_page;
using ttune_test::loop_text;
using ttune_test::program_text;

namespace {

constexpr auto i = axis<"i">{};
constexpr auto j = axis<"j">{};
constexpr auto k = axis<"k">{};
constexpr auto io = axis<"io">{};
constexpr auto ii = axis<"ii">{};
constexpr auto ij = axis<"ij">{};
constexpr auto l = axis<"l">{};
constexpr auto ko = axis<"ko">{};
constexpr auto ki = axis<"ki">{};

}  // namespace

TEST_CASE("pages: each primitive shows what is printed before and after it") {
  tensor<"A", float, 2> const A{{6, 8}};
  tensor<"B", float, 2> const B{{8, 10}};
  tensor<"B", float, 1> const K{{3}};
  constant<"W", float, 2> const W{{8, 10}};
  auto const D = compute<"D">(i, j) = A(i, j) * 2.0F;
  auto const C = compute<"C">(i, j) = sum(over(k), A(i, k) * B(k, j));
  auto const P = compute<"P">(i, j) = A(i, j) + 1.0F;
  auto const E = compute<"E">(i, j) = P(i, j) * P(i, j);
  auto const M = compute<"M">(i, j) = sum(over(k), A(i, k) * W(k, j));
  auto const d = schedule(D);
  auto const c = schedule(C);
  auto const e = schedule(E);
  auto const at = e.in(P).compute_at(E, i);
  check_page("fuse_axes", program_text(e), program_text(e.fuse_axes(i, j, ij)));
  check_page("cache_read", program_text(c), program_text(c.cache_read(B, "Bp")));
  check_page("cache_write", program_text(c), program_text(c.cache_write("acc")));
  check_page("rfactor", program_text(c), program_text(c.rfactor(k, 3, "Cf", l)));
  check_page("inline_stage", program_text(e), program_text(e.inline_stage(P)));
  auto const T = compute<"T">(i) = sum(over(k), A(i, k));
  auto const S = compute<"S">(i) = sum(over(k), A(i, k) * A(i, k));
  auto const t = schedule(op(inputs(A), outputs(T, S)), "T");
  check_page("compute_with", program_text(t), program_text(t.compute_with("S")));
  auto const L = compute<"L">(i, j) = sum(over(k), exp(A(i, k)) * B(k, j));
  check_page("compute_once", program_text(schedule(L)), program_text(schedule(L).compute_once({"i", "k"}, "E")));
  auto const G = compute<"G">(i.in(4), j.in(7)) = sum(over(k.in(3), l.in(2)), A(i + k, j + l));
  check_page("separate", program_text(schedule(G)), program_text(schedule(G).separate(l, "V")));
  auto const H = compute<"T">(l.in(10)) = sum(over(j.in(5)), A(l / 3, j) * K(l % 3));
  check_page("split_phases", program_text(schedule(H)), program_text(schedule(H).split_phases(l, 3, 0, "Tp", k, i)));
  auto const J = compute<"T">(l.in(9)) = sum(over(j.in(5)), A(l / 3, j) * K(l % 3));
  check_page("split_axis", program_text(schedule(J)), program_text(schedule(J).split_axis(l, 3, i, k)));
  check_page("split", loop_text(d), loop_text(d.split(i, 4, io, ii)));
  check_page("fuse", loop_text(d), loop_text(d.fuse(i, j, ij)));
  check_page("reorder", loop_text(c), loop_text(c.reorder(k, i)));
  check_page("parallel", loop_text(d), loop_text(d.parallel(i)));
  check_page("vectorize", loop_text(d), loop_text(d.vectorize(j)));
  check_page("unroll", loop_text(d), loop_text(d.unroll(j)));
  auto const N = compute<"N">(i.in(4), j) = P(i, j) + P(i + 1, j) + P(i + 2, j);
  auto const beside = schedule(N).in(P).compute_at(N, i);
  check_page("slide", loop_text(beside), loop_text(beside.slide()));
  auto const F = compute<"F">(i.in(4), j) = sum(over(k.in(3)), A(i + k, j));
  check_page("expand_reduction", program_text(schedule(F)), program_text(schedule(F).expand_reduction()));
  auto const threads = e.bind(i, loop_kind::block_x).bind(j, loop_kind::thread_x);
  check_page("bind", loop_text(at),
             loop_text(threads.in(P).compute_at(E, j).store_in(ir::memory::shared).bind(j, loop_kind::thread_x)));
  check_page("compute_at", loop_text(e), loop_text(at));
  check_page("store_in", loop_text(at), loop_text(at.store_in(ir::memory::registers)));
  auto const in_group = threads.in(P).compute_at(E, i).store_in(ir::memory::shared);
  check_page("swizzle", loop_text(in_group), loop_text(in_group.swizzle()));
  auto const copied = schedule(M).cache_read(W, "Wp").in("Wp").split(j, 4, io, ii).reorder(io, k, ii);
  check_page("pack", loop_text(copied), loop_text(copied.pack()));
  check_page("annotate", loop_text(d), loop_text(d.annotate(i, "hot", 2)));
  check_page("tensorize", loop_text(c.split(k, 4, ko, ki)),
             loop_text(c.split(k, 4, ko, ki).vectorize(j).reorder(ko, j, ki).tensorize(ki)));
  check_page("prefetch", loop_text(c), loop_text(c.reorder(i, k, j).prefetch(B, k, 2)));
  check_page("double_buffer", loop_text(at), loop_text(at.double_buffer()));
}

TEST_CASE("pages: every primitive has one") {
  for (int p = 0; p < primitive_count; ++p) {
    std::string const name = name_of(static_cast<primitive>(p));
    INFO(name);
    CHECK(ttune_test::header_text(name).find("\n// →\n") != std::string::npos);
  }
}

}  // namespace pages_tests
