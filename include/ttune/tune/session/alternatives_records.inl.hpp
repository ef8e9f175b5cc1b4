// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "ttune/lowering/lower.hpp"
#include "ttune/runtime/image_io.hpp"
#include "ttune/support/clock.hpp"
#include "ttune/support/hash.hpp"
#include "ttune/tune/record_keys.hpp"
#include "ttune/tune/session/alternatives_records.hpp"
#include "ttune/tune/session/compiled_candidate.hpp"
#include "ttune/tune/session/session_effort.hpp"
#include "ttune/tune/session/stored_image.hpp"

namespace ttune { inline namespace v0 { namespace detail {

inline constexpr char const* alternative_knob = "alternative";  ///< knob in records: index of the winner

/// Returns the key of all alternatives together: results among other alternatives, or under other numerics, do not
/// apply.
record_key alternatives_records::key() const {
  auto made = key_of(all_[0].in, backend_.target(), options_.objective);
  hasher compute;
  hasher in;
  for (auto const& a : all_) {
    auto const each = key_of(a.in, backend_.target(), options_.objective);
    compute.add(each.compute);
    in.add(each.space).add(static_cast<std::uint64_t>(allowed_.allows(a.error)));
  }
  made.compute = compute.value();
  made.compute_text = "alternatives: " + made.compute_text;
  made.space = in.value();
  return made;
}

std::optional<alternatives_records::choice> alternatives_records::chosen_by(record const& r) const {
  auto const* const which = find_choice(r.choices, alternative_knob);
  if (!which || which->index < 0 || which->index >= static_cast<std::int32_t>(all_.size())) return std::nullopt;
  auto knobs = r.choices;
  std::erase_if(knobs, [](knob_choice const& c) { return c.knob == alternative_knob; });
  return choice{static_cast<std::size_t>(which->index), std::move(knobs)};
}

bool alternatives_records::is_enough(record& of, asked_effort const& asked) const {
  return takes(*options_.records, of,
               [&](record const& one) { return answers(one, asked, [this] { return configurations(); }); });
}

/// Returns the number of configurations of all spaces that are allowed.
double alternatives_records::configurations() const {
  double sum = 0;
  for (auto const& a : all_)
    if (allowed_.allows(a.error)) sum += workload(a.in, backend_.target()).sampler().size().approximate();
  return sum;
}

std::optional<alternatives_records::found> alternatives_records::find(asked_effort const& asked) {
  if (!options_.records || options_.recorded) return std::nullopt;
  record with_effort;
  auto stored = find_stored(*options_.records, key(), [&](record const& r) -> std::optional<kernel_image> {
    auto const by = chosen_by(r);
    with_effort = r;
    if (!is_enough(with_effort, asked)) return std::nullopt;
    auto const configured = by ? find_configuration(all_[by->index].in.knobs, by->knobs) : std::nullopt;
    if (!configured) return std::nullopt;
    return compile_configuration(workload(all_[by->index].in, backend_.target()), backend_, *configured);
  });
  fallback_ = stored.fallback;
  auto const chosen = stored.image ? chosen_by(stored.of) : std::nullopt;
  if (!chosen || (!stored.compiled && fallback_.empty() && !is_enough(stored.of, asked))) return std::nullopt;
  if (stored.compiled && options_.records->writable() && !stored.image->in_process_code)
    options_.records->put_image(stored.of, to_bytes(*stored.image));
  auto const& winner = all_[chosen->index];
  tuning_result made{std::move(*stored.image),
                     find_configuration(winner.in.knobs, chosen->knobs).value_or(configuration()),
                     {},
                     winner.layouts};
  made.report.source = tuning_report::origin::record;
  made.report.seconds = stored.of.result.seconds;
  made.report.spread = stored.of.result.spread;
  made.report.effort = stored.compiled ? with_effort.effort : stored.of.effort;
  made.report.flops = made.image.signature.flops;
  made.report.stopped_because = "found in the records";
  made.report.fallback = fallback_;
  made.report.schedule = describe_choices(chosen->knobs);
  return found{chosen->index, std::move(made)};
}

void alternatives_records::keep(tuning_result const& winner, std::size_t index, recorded_effort const& effort) const {
  if (!options_.records || !options_.records->writable() || options_.recorded) return;
  if (winner.chosen.choices.size() != all_[index].in.knobs.size()) return;  // a simpler schedule, not of this space
  if (winner.report.seconds == 0) return;                                   // stopped before it was measured
  record r;
  r.key = key();
  r.lowering_version = lowering_version;
  r.choices = choices_of(all_[index].in.knobs, winner.chosen);
  r.choices.push_back({alternative_knob, static_cast<std::int32_t>(index), {static_cast<std::int32_t>(index)}});
  r.result.seconds = winner.report.seconds;
  r.result.spread = winner.report.spread;
  r.timestamp = detail::timestamp_now();
  r.device = options_.device;
  r.effort = effort;
  if (winner.image.in_process_code) options_.records->append(r);
  else options_.records->put_image(r, to_bytes(winner.image));
}

}}}  // namespace ttune::v0::detail
