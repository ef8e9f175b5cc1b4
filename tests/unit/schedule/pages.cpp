// SPDX-License-Identifier: Apache-2.0
// Checks the pages of the primitives, include/ttune/schedule/primitive/README.md: their texts before and after must be
// those that the library prints. TTUNE_PRINT_PAGES=1 prints the right texts.
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>

#include "ttune/ir/print.hpp"
#include "ttune/loop_nest/instantiate.hpp"
#include "ttune/lowering/statements.hpp"
#include "ttune/schedule.hpp"

using namespace ttune;
using ir::loop_kind;

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

std::string program_text(space const& s) { return ir::print(*make_plan(s).program); }

std::string loop_text(space const& s) {
  loop_nest n;
  auto const p = make_plan(s);
  instantiate(p, {}, n);
  auto const made = lowering::build_statements(p, n);
  auto const prepare = made.prepare ? "prepare:\n" + ir::print(made.prepare) + "body:\n" : std::string();
  return prepare + ir::print(made.body);
}

struct page {
  std::string before;
  std::string after;
};

/// Returns the texts before and after each primitive.
std::map<std::string, page> pages() {
  tensor<"A", float, 2> const A{{6, 8}};
  tensor<"B", float, 2> const B{{8, 10}};
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
  std::map<std::string, page> made;
  made["merge"] = {program_text(e), program_text(e.merge(i, j, ij))};
  made["cache_read"] = {program_text(c), program_text(c.cache_read(B, "Bp"))};
  made["cache_write"] = {program_text(c), program_text(c.cache_write("acc"))};
  made["rfactor"] = {program_text(c), program_text(c.rfactor(k, 3, "Cf", l))};
  made["inline_stage"] = {program_text(e), program_text(e.inline_stage(P))};
  auto const T = compute<"T">(i) = sum(over(k), A(i, k));
  auto const S = compute<"S">(i) = sum(over(k), A(i, k) * A(i, k));
  auto const t = schedule(op(inputs(A), outputs(T, S)), "T");
  made["compute_with"] = {program_text(t), program_text(t.compute_with("S"))};
  auto const L = compute<"L">(i, j) = sum(over(k), exp(A(i, k)) * B(k, j));
  made["compute_once"] = {program_text(schedule(L)), program_text(schedule(L).compute_once({"i", "k"}, "E"))};
  auto const G = compute<"G">(i.in(4), j.in(7)) = sum(over(k.in(3), l.in(2)), A(i + k, j + l));
  made["separate"] = {program_text(schedule(G)), program_text(schedule(G).separate(l, "V"))};
  made["split"] = {loop_text(d), loop_text(d.split(i, 4, io, ii))};
  made["fuse"] = {loop_text(d), loop_text(d.fuse(i, j, ij))};
  made["reorder"] = {loop_text(c), loop_text(c.reorder(k, i))};
  made["parallel"] = {loop_text(d), loop_text(d.parallel(i))};
  made["vectorize"] = {loop_text(d), loop_text(d.vectorize(j))};
  made["unroll"] = {loop_text(d), loop_text(d.unroll(j))};
  auto const N = compute<"N">(i.in(4), j) = P(i, j) + P(i + 1, j) + P(i + 2, j);
  auto const beside = schedule(N).in(P).compute_at(N, i);
  made["slide"] = {loop_text(beside), loop_text(beside.slide())};
  auto const F = compute<"F">(i.in(4), j) = sum(over(k.in(3)), A(i + k, j));
  made["expand_reduction"] = {program_text(schedule(F)), program_text(schedule(F).expand_reduction())};
  auto const threads = e.bind(i, loop_kind::block_x).bind(j, loop_kind::thread_x);
  made["bind"] = {loop_text(at),
                  loop_text(threads.in(P).compute_at(E, j).store_in(ir::memory::shared).bind(j, loop_kind::thread_x))};
  made["compute_at"] = {loop_text(e), loop_text(at)};
  made["store_in"] = {loop_text(at), loop_text(at.store_in(ir::memory::registers))};
  auto const in_group = threads.in(P).compute_at(E, i).store_in(ir::memory::shared);
  made["swizzle"] = {loop_text(in_group), loop_text(in_group.swizzle())};
  auto const copied = schedule(M).cache_read(W, "Wp").in("Wp").split(j, 4, io, ii).reorder(io, k, ii);
  made["pack"] = {loop_text(copied), loop_text(copied.pack())};
  made["annotate"] = {loop_text(d), loop_text(d.annotate(i, "hot", 2))};
  made["tensorize"] = {loop_text(c.split(k, 4, ko, ki)),
                       loop_text(c.split(k, 4, ko, ki).vectorize(j).reorder(ko, j, ki).tensorize(ki))};
  made["prefetch"] = {loop_text(c), loop_text(c.reorder(i, k, j).prefetch(B, k, 2))};
  made["double_buffer"] = {loop_text(at), loop_text(at.double_buffer())};
  return made;
}

std::string file_text(std::string const& path) {
  std::ifstream in(path);
  REQUIRE_MESSAGE(in.good(), path);
  std::stringstream all;
  all << in.rdbuf();
  return all.str();
}

std::string block(std::string const& text) { return "```\n" + text + (text.back() == '\n' ? "" : "\n") + "```\n"; }

}  // namespace

TEST_CASE("pages: every primitive has one, and it shows what is printed") {
  auto const text = file_text(TTUNE_TESTS_DIR "/../include/ttune/schedule/primitive/README.md");
  auto const shown = pages();
  for (int p = 0; p <= static_cast<int>(primitive::separate); ++p) {
    std::string const name = name_of(static_cast<primitive>(p));
    REQUIRE_MESSAGE(shown.count(name) == 1, name);
    auto const& [before, after] = shown.at(name);
    auto const wanted = block(before) + "→\n" + block(after);
    if (std::getenv("TTUNE_PRINT_PAGES")) std::printf("## %s\n\n%s\n", name.c_str(), wanted.c_str());
    auto const begin = text.find("\n## " + name + "\n");
    REQUIRE_MESSAGE(begin != std::string::npos, name, " has no page");
    auto const page_text = text.substr(begin, text.find("\n## ", begin + 1) - begin);
    CHECK_MESSAGE(page_text.find(wanted) != std::string::npos, name, " prints\n", wanted);
  }
}
