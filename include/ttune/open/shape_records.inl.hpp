// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <string>

#include "ttune/ir/node.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/open/shape_records.hpp"
#include "ttune/records/shape_keys.hpp"
#include "ttune/runtime/abi.hpp"
#include "ttune/runtime/load.hpp"
#include "ttune/runtime/tools/asked_tools.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/hash.hpp"
#include "ttune/tune/composite_record.hpp"
#include "ttune/tune/record_keys.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Returns a hash of what decides which kernels are chosen, apart from their times.
inline std::uint64_t hash_of_options(shape_options const& how) {
  hasher h;
  h.add(std::uint64_t{how.most_kernels});
  for (auto const& [values, weight] : how.likely) {
    for (auto const& v : values) h.add(v.what.name).add(static_cast<std::uint64_t>(v.value));
    h.add(std::bit_cast<std::uint64_t>(weight));
  }
  return h.value();
}

record_key key_of_shapes(handle<ir::program> const& open, shape_options const& how, tuner const& by) {
  space whole;
  whole.program = open;
  auto made = key_of(whole, by.compiler().target(), by.options().objective);
  made.compute_text += text_of_shapes;
  made.space = hash_of_options(how);
  return made;
}

/// Returns which kernel computes which shapes, and the schedules of all, for people.
inline std::string description_of(shape_images const& all) {
  auto text = "// kernel " + all.tree.text(all.range.extents) + "\n";
  for (std::size_t k = 0; k < all.kernels.size(); ++k) {
    auto const& one = all.kernels[k];
    text += "\n// " + std::to_string(k) + ": tuned as " + one.workload + "\n// " + one.schedule + "\n";
  }
  return text;
}

void keep_shapes(record_key const& as, recorded_shapes const& found, tuner const& by) {
  auto const& kernels = found.images.kernels;
  auto const is_code = [](shape_image const& one) { return !one.image.in_process_code; };
  if (!can_keep(by) || !std::all_of(kernels.begin(), kernels.end(), is_code)) return;
  auto made = composite_record(as, found.seconds, by);
  made.effort = found.effort;
  by.options().records->put_image(made, to_bytes(found.images));
  kernel_explanation text;
  text.schedule = description_of(found.images);
  by.options().records->put_explanation(as, text);
}

/// Returns true if the kernels are of this version of the library, and run here.
inline bool run_here(shape_images const& all) {
  return std::all_of(all.kernels.begin(), all.kernels.end(), [](shape_image const& one) {
    return one.image.abi == abi_version && static_cast<bool>(can_load(one.image));
  });
}

std::optional<recorded_shapes> find_shapes(record_key const& as, asked_effort const& asked, tuner const& by) {
  auto const& from = by.options().records;
  if (!from || by.options().recorded || tools::tools_of_environment().any()) return std::nullopt;
  auto const stored = from->get_image(as);
  if (!stored || stored.of.lowering_version != lowering_version || !suffices(stored.of.effort, asked))
    return std::nullopt;
  try {
    recorded_shapes made{shape_images_from_bytes(stored.bytes), stored.of.effort, stored.of.result.seconds};
    if (run_here(made.images)) return made;
  } catch (record_error const&) {  // damaged: they are made again
  }
  return std::nullopt;
}

}}}  // namespace ttune::v0::detail
