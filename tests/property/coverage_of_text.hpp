// SPDX-License-Identifier: Apache-2.0
// The instructions, and the patterns of loads, that the LLVM IR of a kernel has (coverage.cpp).
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ttune/ir/make.hpp"
#include "ttune/ir/stmt.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune_test {

/// Numbers of kernels that reach something, by its name.
using reached = std::map<std::string, long>;

/// Returns true if a loop over lanes reads at an index with a remainder, quotient or limit that depends on the lane.
inline bool has_turning_lanes(ttune::ir::stmt const& s) {
  std::vector<std::string> lanes;
  bool found = false;
  auto const depends = [&](ttune::ir::expr const& e) {
    return ttune::ir::contains(e, [&](ttune::ir::expr const& n) {
      auto const* v = ttune::ir::as<ttune::ir::variable>(n);
      return v && std::find(lanes.begin(), lanes.end(), v->name) != lanes.end();
    });
  };
  auto const turns = [&](ttune::ir::expr const& e) {
    return ttune::ir::contains(e, [&](ttune::ir::expr const& n) {
      auto const* b = ttune::ir::as<ttune::ir::binary>(n);
      using op = ttune::ir::binary_op;
      return b && n->type == ttune::dtype::index && ttune::ir::is_constant(b->right) && depends(b->left) &&
             (b->op == op::floor_modulo || b->op == op::floor_divide || b->op == op::minimum || b->op == op::maximum);
    });
  };
  auto const look = [&](ttune::ir::expr const& e) {
    ttune::ir::for_each_node(e, [&](ttune::ir::expr const& n) {
      if (auto const* a = ttune::ir::as<ttune::ir::access>(n))
        found = found || std::any_of(a->indices.begin(), a->indices.end(), turns);
    });
    return e;
  };
  auto const walk = [&](auto const& self, ttune::ir::stmt const& at) -> ttune::ir::stmt {
    auto const* l = at ? ttune::ir::as<ttune::ir::loop>(at) : nullptr;
    bool const opens = l && l->kind == ttune::ir::loop_kind::vectorized;
    if (opens) lanes.push_back(l->variable);
    if (at) (void)ttune::ir::map_parts(at, [&](ttune::ir::stmt const& part) { return self(self, part); }, look);
    if (opens) lanes.pop_back();
    return at;
  };
  (void)walk(walk, s);
  return found;
}

/// Returns true if neighbours are loaded at a place of each lane, as rows that data choose.
inline bool loads_rows_of_lanes(std::string_view text) {
  constexpr std::string_view load = " = load <4 x float>, ptr %";
  for (auto at = text.find(load); at != std::string_view::npos; at = text.find(load, at + 1)) {
    auto const name_begin = at + load.size() - 1;
    auto const name = text.substr(name_begin, text.find(',', name_begin) - name_begin);
    auto const made = text.rfind(std::string(name) + " = getelementptr float, ptr ", at);
    if (made != std::string_view::npos && text.substr(made, at - made).find(", i32 %") != std::string_view::npos)
      return true;
  }
  return false;
}

/// Returns true if elements are loaded one by one at places that were computed in vectors.
inline bool loads_gathered_places(std::string_view text) {
  constexpr std::string_view address = " = getelementptr ";
  for (auto at = text.find(address); at != std::string_view::npos; at = text.find(address, at + 1)) {
    auto const line_end = text.find('\n', at);
    auto const line = text.substr(at, line_end - at);
    if (line.find(", i32 %") == std::string_view::npos) continue;
    auto const name_begin = text.rfind('%', at);
    auto const wanted = std::string("ptr ") + std::string(text.substr(name_begin, at - name_begin)) + ",";
    auto const next = text.substr(line_end + 1, text.find('\n', line_end + 1) - line_end - 1);
    if (next.find(" = load ") != std::string_view::npos && next.find(wanted) != std::string_view::npos) return true;
  }
  return false;
}

inline void look_at_text(ttune::ir::lowered const& program, std::string_view text, reached& all) {
  auto const has = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
  bool const chooses_known_lanes = has("x i1> <i1 true") || has("x i1> <i1 false");
  all["text: masked gather"] += has("@llvm.masked.gather.");
  all["text: masked load"] += has("@llvm.masked.load.");
  all["text: masked store"] += has("@llvm.masked.store.");
  all["text: loads of gathered places, lane by lane"] += loads_gathered_places(text);
  all["text: rows of places that were gathered"] += loads_rows_of_lanes(text);
  all["text: reads whose lanes turn"] += chooses_known_lanes && has_turning_lanes(program.body);
  all["text: dot product of bytes"] += has("@llvm.x86.avx512.vpdpbusd.");
  all["text: distances of bytes"] += has("@llvm.x86.avx512.dbpsadbw.");
  all["text: dot product of bfloats"] += has("@llvm.x86.avx512bf16.dpbf16ps.");
  all["text: dot product of words"] += has(".pmadd.wd(") || has(".pmaddw.d.");
  all["text: products of pairs of bytes"] += has(".pmadd.ub.sw") || has(".pmaddubs.w.");
  all["text: vectors of floats converted to words"] += has(" = fptoui <");
  all["text: rows permuted by AVX2"] += has("@llvm.x86.avx2.permps(");
  all["text: rows permuted by AVX-512"] += has("@llvm.x86.avx512.permvar.sf.512(");
  all["text: powers with a branch for unusual numbers"] += has("@pow_");
  all["text: roots estimated in 12 bits"] += has(".rsqrt.ps");
  all["text: roots estimated in 14 bits"] += has(".rsqrt14.ps.");
  all["text: vectors of floats rounded to f16"] += has(" half>") && has(" = fptrunc <");
}

}  // namespace ttune_test
