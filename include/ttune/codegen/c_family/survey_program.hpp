// SPDX-License-Identifier: Apache-2.0
// Properties of a whole program that its text depends on.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "ttune/codegen/c_family/statement_queries.hpp"
#include "ttune/ir/stmt.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// The results of a survey.
struct program_survey {
  int index_bits = 32;  ///< 64 if a buffer or a loop has more than 2^31 - 1 elements or iterations
  bool has_doubles = false;
  std::set<ir::buffer const*> written;  ///< buffers that a statement stores to
  std::map<ir::buffer const*, std::int64_t> workspace_offsets;
  std::int64_t workspace_bytes = 0;
};

/// Visits the statements of a program once.
class program_surveyor {
 public:
  [[nodiscard]] program_survey survey(ir::lowered const& program) {
    for (auto const* list : {&program.operands, &program.prepared})
      for (auto const& b : *list) note_count(b->elements());
    for (auto const* s : {&program.prepare, &program.body})
      (void)any_statement(*s, [&](ir::stmt const& part) {
        visit(part);
        return false;
      });
    return found_;
  }

 private:
  void visit(ir::stmt const& s) {
    if (auto const* w = ir::as<ir::store>(s)) {
      found_.written.insert(w->to.get());
      found_.has_doubles = found_.has_doubles || w->to->type == dtype::f64;
      look_for_doubles(w->value);
    }
    if (auto const* c = ir::as<ir::conditional>(s)) look_for_doubles(c->condition);
    if (auto const* l = ir::as<ir::loop>(s))
      if (ir::is_constant(l->end)) note_count(ir::constant_integer(l->end));
    if (auto const* a = ir::as<ir::allocate>(s)) place(*a->storage);
  }

  void look_for_doubles(ir::expr const& whole) {
    ir::for_each_node(whole,
                      [&](ir::expr const& e) { found_.has_doubles = found_.has_doubles || e->type == dtype::f64; });
  }

  void note_count(std::int64_t count) {
    if (count > std::int64_t{0x7fffffff}) found_.index_bits = 64;
  }

  void place(ir::buffer const& b) {
    constexpr std::int64_t alignment = 256;
    note_count(b.elements());
    if (b.where != ir::memory::workspace || found_.workspace_offsets.contains(&b)) return;
    found_.workspace_offsets[&b] = found_.workspace_bytes;
    auto const bytes = b.elements() * static_cast<std::int64_t>(size_in_bytes(b.type));
    found_.workspace_bytes += (bytes + alignment - 1) / alignment * alignment;
  }

  program_survey found_;
};

[[nodiscard]] inline program_survey survey_program(ir::lowered const& program) {
  return program_surveyor().survey(program);
}

}}}}  // namespace ttune::v0::codegen::c_family
