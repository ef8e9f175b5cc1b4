// SPDX-License-Identifier: Apache-2.0
// Emission of the statement inside of another one.
#pragma once

#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// Emits any statement. The emitters of loops and of patterns hand the bodies over to it; statement_emitter.hpp
/// implements it.
class body_emitter {
 public:
  body_emitter() = default;
  body_emitter(body_emitter const&) = delete;
  body_emitter& operator=(body_emitter const&) = delete;
  virtual void emit(ir::stmt const& s) = 0;

 protected:
  ~body_emitter() = default;
};

}}}}  // namespace ttune::v0::codegen::c_family
