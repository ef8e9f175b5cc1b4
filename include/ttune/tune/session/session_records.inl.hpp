// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "ttune/lowering/lower.hpp"
#include "ttune/runtime/image_io.hpp"
#include "ttune/support/clock.hpp"
#include "ttune/tune/configuration_prior.hpp"
#include "ttune/tune/session/session_effort.hpp"
#include "ttune/tune/session/session_records.hpp"

namespace ttune { inline namespace v0 { namespace detail {

session_records::found_kernel session_records::find(
    std::function<std::optional<kernel_image>(configuration const&)> const& compile,
    std::function<bool(record const&)> const& answers) const {
  if (!options_.records) return {};
  auto const is_enough = [&](record& of) { return options_.recorded || takes(*options_.records, of, answers); };
  record with_effort;
  std::optional<record> unfinished;
  auto found = find_stored(*options_.records, key_, [&](record const& r) -> std::optional<kernel_image> {
    auto const chosen = find_configuration(work_.space().knobs, r.choices);
    if (!chosen || !work_.sampler().valid(*chosen)) return std::nullopt;
    with_effort = r;
    if (is_enough(with_effort)) return compile(*chosen);
    unfinished = r;
    return std::nullopt;
  });
  if (found.image && found.of.key == key_ && !found.compiled && !is_enough(found.of)) unfinished = found.of;
  if (unfinished)
    if (auto earlier = find_earlier(*options_.records, *unfinished, work_)) return {{}, std::move(earlier)};
  if (found.compiled && writable() && !found.image->in_process_code)
    options_.records->put_image(found.of, to_bytes(*found.image));
  if (found.compiled) found.of.effort = with_effort.effort;
  return {std::move(found)};
}

std::vector<configuration> session_records::neighbours(configuration const& seed) const {
  if (!options_.records) return {};
  constexpr std::size_t most = 4;
  auto records = options_.records->near(key_, most);
  if (auto own = options_.records->best(key_)) records.insert(records.begin(), std::move(*own));
  std::vector<configuration> made;
  for (auto const& r : records) {
    auto near = nearest_configuration(work_.space().knobs, r.choices, seed);
    if (work_.sampler().valid(near) && near != seed && std::find(made.begin(), made.end(), near) == made.end())
      made.push_back(std::move(near));
  }
  return made;
}

std::vector<configuration> session_records::transferred(std::size_t count,
                                                        std::vector<configuration> const& known) const {
  if (!options_.records) return {};
  configuration_prior model({.seed = options_.seed});
  for (auto const& l : options_.records->transfer_samples())
    if (l.of.objective == key_.objective) (void)model.learn(l);
  return model.propose(work_, count, known);
}

record session_records::make_record(trial const& t, std::optional<double> predicted,
                                    recorded_effort const& effort) const {
  record r;
  r.key = key_;
  r.lowering_version = lowering_version;
  r.choices = choices_of(work_.space().knobs, t.chosen);
  r.result = t.result;
  r.timestamp = detail::timestamp_now();
  r.predicted = predicted;
  r.library_version = std::to_string(TTUNE_VERSION_MAJOR) + "." + std::to_string(TTUNE_VERSION_MINOR) + "." +
                      std::to_string(TTUNE_VERSION_PATCH);
  r.effort = effort;
  r.device = r.result.device.empty() ? options_.device : std::exchange(r.result.device, {});
  return r;
}

void session_records::append(trial const& t, std::optional<double> predicted, recorded_effort const& effort) const {
  if (writable()) options_.records->append(make_record(t, predicted, effort));
}

void session_records::keep(trial const& winner, double seconds, kernel_image const& image,
                           kernel_explanation const& explanation, transfer_sample const& sample,
                           recorded_effort const& effort) const {
  trial timed{winner.chosen, winner.result};
  timed.result.seconds = seconds;
  auto const last = make_record(timed, std::nullopt, effort);
  if (image.in_process_code) options_.records->append(last);
  else options_.records->put_image(last, to_bytes(image));
  options_.records->put_explanation(key_, explanation);
  options_.records->put_transfer_sample(sample);
}

transfer_sample session_records::sample_of(trial const& winner, double seconds, leaderboard const& best) const {
  constexpr std::size_t most_good = 4;
  transfer_sample taught{key_, seconds, feature_schema, work_.feature_count()};
  std::vector<configuration> good = {winner.chosen};
  taught.speeds = {1};
  for (auto const& t : best.trials()) {
    auto const speed = static_cast<float>(std::min(1.0, winner.result.seconds / t.result.seconds));
    if (good.size() == most_good || t.chosen == winner.chosen || speed < transfer_sample::nearly) continue;
    good.push_back(t.chosen);
    taught.speeds.push_back(speed);
  }
  work_.featurise(good, taught.rows);
  return taught;
}

}}}  // namespace ttune::v0::detail
