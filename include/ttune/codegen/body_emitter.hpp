// SPDX-License-Identifier: Apache-2.0
// Emission of statements, for the emitters of loops, conditions and patterns whose bodies are statements again.
#pragma once

#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

/// Emits any statement. The `statement_emitter` of each language implements it and owns the emitters that call it.
class body_emitter {
 public:
  body_emitter() = default;
  body_emitter(body_emitter const&) = delete;
  body_emitter& operator=(body_emitter const&) = delete;
  /// Writes a statement at the current place.
  virtual void emit(ir::stmt const& s) = 0;

 protected:
  ~body_emitter() = default;
};

}}}  // namespace ttune::v0::codegen
