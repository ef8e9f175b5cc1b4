// SPDX-License-Identifier: Apache-2.0
// A net below derived spaces: whatever goes wrong while a space is derived, the program has one.
#pragma once

#include <exception>
#include <new>
#include <string>

#include "ttune/ir/equal.hpp"
#include "ttune/support/error.hpp"
#include "ttune/tune/simpler_schedules.hpp"
#include "ttune/tune/space_source.hpp"
#include "ttune/tune/workload.hpp"

namespace ttune { inline namespace v0 {

/// Returns the derived space of a program. If deriving fails, or makes a space that cannot be applied, returns plain
/// loops, and `space::replaces` says why. Errors in the program itself are thrown.
[[nodiscard]] inline space usable_space(handle<ir::program> const& program, target const& machine,
                                        space_source const& derive = {}) {
  std::string why;
  try {
    auto made = derive ? derive(program, machine) : derive_space(program, machine);
    if (!made.program || (made.program != program && !ir::equal(*made.program, *program)))
      throw schedule_error("derive", program->name, "a rule returned the space of another program");
    (void)workload(made, machine);
    return made;
  } catch (schedule_error const& fault) {
    why = fault.what();
  } catch (error const&) {
    throw;
  } catch (std::bad_alloc const&) {
    throw;
  } catch (std::exception const& fault) {  // such as std::out_of_range
    why = fault.what();
  }
  auto simple = detail::simpler_schedules(program, machine).front();
  (void)workload(simple.in, machine);  // throws what is wrong with the program
  simple.in.replaces = "no space could be derived for " + program->name + ": " + why + "; " + simple.name +
                       " stand in for it: please report it with the operator";
  return std::move(simple.in);
}

}}  // namespace ttune::v0
