// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <utility>

#include "ttune/runtime/tools/asked_tools.hpp"
#include "ttune/tune/session/stored_image.hpp"

namespace ttune { inline namespace v0 { namespace detail {

stored_kernel next_stored_image(record_store const& in, record_key const& wanted) {
  constexpr std::size_t nearest = 1000;  // these include other shapes of the operator
  stored_kernel fastest;
  double seconds = std::numeric_limits<double>::infinity();
  for (auto const& r : in.near(wanted, nearest)) {
    bool const same = r.key.compute == wanted.compute && r.key.objective == wanted.objective;
    if (!same || r.result.seconds >= seconds) continue;
    auto const stored = in.get_image(r.key);
    auto image = usable_image(stored);
    if (!image || !is_host_architecture(image->target) || !missing_for(*image).empty()) continue;
    fastest = {stored.of, std::move(image)};
    seconds = r.result.seconds;
  }
  return fastest;
}

/// Returns true if a profiler or a debugger wants to know the functions and lines of an image: only kernels that are
/// compiled in this process have all of them.
inline bool wants_map(kernel_image const& image) { return image.device.empty() && tools::tools_of_environment().any(); }

stored_kernel find_stored(record_store const& in, record_key const& wanted,
                          std::function<std::optional<kernel_image>(record const&)> const& compile) {
  auto const stored = in.get_image(wanted);
  auto const best = stored ? std::optional(stored.of) : in.best(wanted);
  if (!best || !best->result.ok()) return {};
  auto image = usable_image(stored);
  auto const lacks = image ? missing_for(*image) : std::string();
  if (image && lacks.empty()) {
    if (wants_map(*image))
      if (auto lined = compile(*best)) image = std::move(lined);
    return {*best, std::move(image)};
  }
  auto found = lacks.empty() ? stored_kernel() : next_stored_image(in, wanted);
  auto instead = "that for " + found.of.key.target + " runs in its place";
  if (!found.image) {
    found = {*best, compile(*best)};
    found.compiled = found.image.has_value();
    instead = found.compiled ? "its schedule was compiled again" : "its schedule cannot be compiled here, tuned anew";
  }
  if (!lacks.empty()) found.fallback = "it needs " + lacks + ", which this processor lacks: " + instead;
  return found;
}

std::string describe_choices(std::vector<knob_choice> const& choices) {
  std::string text;
  for (auto const& c : choices) describe_choice(text, c.knob, c.values);
  return text;
}

}}}  // namespace ttune::v0::detail
