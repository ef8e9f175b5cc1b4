// SPDX-License-Identifier: Apache-2.0
// Runs lowered programs on the first NVIDIA GPU as well, where there is one.
#pragma once

#include <string>
#include <vector>

#include "support/device_run.hpp"
#include "support/random_operands.hpp"
#include "ttune/backends/cuda.hpp"
#include "ttune/core/warpgroup_product.hpp"

namespace ttune_test {

/// Compiles for an architecture, runs on the first device, and returns the first difference from `wanted`. Returns an
/// empty text if there is no device, or none that runs such code. Devices of later architectures run PTX.
[[nodiscard]] inline std::string difference_on_device(int architecture, ir::lowered const& lowered,
                                                      ttune::handle<ir::program> const& program,
                                                      std::vector<ir::ndarray> const& operands,
                                                      std::vector<ir::ndarray> const& wanted, double tolerance) {
  using namespace ttune;
  static auto const devices = cuda::devices();
  if (devices.empty()) return {};
  bool const same = devices[0].architecture == architecture;
  if (!same && (devices[0].architecture < architecture || architecture == warpgroup_product::architecture)) return {};
  cuda_backend backend(same ? cuda::target_of(devices[0]) : cuda::target_of_architecture(architecture),
                       {.portable = !same});
  auto const got = run_on(backend, lowered, program, operands);
  if (!got.how.ok()) return std::string("on the device: ") + name_of(got.how.status) + ": " + got.how.message;
  auto const found = difference(wanted, got.results, tolerance);
  return found.empty() ? found : "on the device: " + found;
}

}  // namespace ttune_test
