// SPDX-License-Identifier: Apache-2.0
// The result of a tuning.
#pragma once

#include "ttune/core/operand_layout.hpp"
#include "ttune/runtime/image.hpp"
#include "ttune/space/knob.hpp"
#include "ttune/tune/tuning_report.hpp"

namespace ttune { inline namespace v0 {

/// The kernel that a tuning found, with its report.
struct tuning_result {
  kernel_image image;    ///< without code if measurements were recorded and no backend was available
  configuration chosen;  ///< empty: the image was made in another space, for another target or with a simpler schedule
  tuning_report report;
  std::vector<named_layout> layouts = {};  ///< layouts of the operands whose layout was free
};

}}  // namespace ttune::v0
