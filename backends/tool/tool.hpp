// SPDX-License-Identifier: Apache-2.0
// Shared parts of the subcommands of `ttune`: record files, short key ids, and formatted numbers.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ttune/records/export/options.hpp"
#include "ttune/records/json.hpp"
#include "ttune/records/store.hpp"
#include "ttune/roof/judge.hpp"
#include "ttune/roof/machine_roof.hpp"

namespace ttune_tool {

/// A fault that the user can correct: the message is printed unchanged, and the exit status is 1.
struct failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Opens a database or a JSON-lines file, recognised by its first character. Throws ttune::record_error or `failure`.
[[nodiscard]] std::unique_ptr<ttune::record_store> open_for_reading(std::string const& path);

/// Returns the key whose id begins with `id`. Throws `failure` if there is none, or more than one.
[[nodiscard]] ttune::key_summary find_key(ttune::record_store const& in, std::string const& path, std::string_view id);

[[nodiscard]] std::string in_units(double seconds);  ///< as "1.25 ms"; "-" for an invalid time
[[nodiscard]] std::string percent(double share);     ///< as "61.5 %"
/// Returns the effort in a few words, as "256 trials in 12.3 s, patient"; "-" if it is not known.
[[nodiscard]] std::string effort_text(ttune::recorded_effort const& spent);
[[nodiscard]] std::string number(double value, int digits = 4);
[[nodiscard]] std::string time_of_day(std::int64_t milliseconds);  ///< as "2026-01-31 23:59:59 UTC"
[[nodiscard]] std::string choices_text(ttune::record const& r);    ///< as "tile_y = 8 x 64, order = 0 x 2 x 1"

[[nodiscard]] ttune::json_value json_of(ttune::record_key const& key);
void print_json(ttune::json_value const& value);

/// Number of trials by trial_status.
using status_counts = std::array<std::int64_t, static_cast<std::size_t>(ttune::trial_status::cut_off) + 1>;

/// The history of one key, prepared for `explain` and `report`.
struct key_history {
  ttune::record_key key;
  std::vector<ttune::record> records;  ///< oldest first
  std::optional<ttune::kernel_explanation> text;
  std::optional<ttune::record> winner;  ///< the record that the image belongs to; without an image the fastest
  ttune::recorded_effort effort;        ///< of the last record that has one
  status_counts by_status{};
  double compile_seconds = 0;
  double measure_seconds = 0;
  double other_seconds = 0;  ///< time between trials, see find_pauses
  double flops = 0;          ///< operations of one call; 0: unknown
  double peak = 0;           ///< operations per second; 0: unknown

  [[nodiscard]] double tuning_seconds() const noexcept { return compile_seconds + measure_seconds + other_seconds; }
  /// Returns the share of the arithmetic peak; nothing if operations, peak or time are unknown.
  [[nodiscard]] std::optional<double> share_of_peak() const noexcept;
};

/// Collects the history of a key. If `peak`, in operations per second, is not 0, it replaces the stored one.
[[nodiscard]] key_history history_of(ttune::record_store const& in, ttune::record_key const& key, double peak);

/// Assigns the time between two consecutive trials of a file, of any keys, to the later one: proposing, learning,
/// writing records. Pauses of more than 30 s are ignored.
void find_pauses(std::span<key_history* const> all);

/// The model's prediction for the winner before it was measured.
struct prediction {
  double score = 0;    ///< share of the best at that time, for models that predict shares
  double seconds = 0;  ///< the score converted to a time; 0 if nothing was measured before
};
[[nodiscard]] std::optional<prediction> prediction_of(key_history const& of);

/// The roofs of machines, to judge kernels by.
class known_roofs {
 public:
  /// Reads files that `ttune devices --measure --json` wrote. Throws `failure`.
  explicit known_roofs(std::vector<std::string> const& files);
  /// Judges the winner by the roof of the machine that it was tuned for. The roof of this machine is measured if no
  /// file has it. The result is not known() for other machines, and for kernels that were not counted.
  [[nodiscard]] ttune::judgement judge(key_history const& of);

 private:
  [[nodiscard]] ttune::machine_roof const* roof_of(ttune::record_key const& key);
  std::vector<ttune::machine_roof> all_;
  bool measured_ = false;
};
/// Measures this machine with as many threads as may be used.
[[nodiscard]] ttune::machine_roof roof_here();
/// Says what a roof is, in two lines, each after `indent`.
[[nodiscard]] std::string text_of(ttune::machine_roof const& roof, std::string const& indent);

// ---- the subcommands; each returns the exit status

int list_records(std::string const& path, bool json);
int show_records(std::string const& path, std::string const& key, std::int64_t limit, bool json);
int export_records(std::string const& path, std::string const& to, bool best);
int import_records(std::string const& path, std::vector<std::string> const& from, bool autotvm);
int merge_records(std::string const& into, std::vector<std::string> const& from);
int prune_records(std::string const& path, std::int64_t keep, std::string const& key);
int show_devices(bool measure, bool json);
/// The arguments of `explain`.
struct explain_request {
  std::string path;
  std::string key;
  double peak = 0;                 ///< in operations per second; 0: as stored
  std::vector<std::string> roofs;  ///< files
  std::string samples;             ///< a file that TTUNE_TOOLS=samples wrote; empty: none
  bool json = false;
};
int explain(explain_request const& request);

/// An ONNX model on the command line.
struct model_file {
  std::string path;
  std::vector<std::string> dimensions;  ///< each "SYMBOL=EXTENT"
  std::vector<std::string> shapes;      ///< each "INPUT=1x3x224x224"
};
/// The arguments of `run`.
struct run_request {
  model_file model;
  double seconds = 60;  ///< of tuning; 0: untuned kernels
  std::string store;    ///< a database for the records; empty: none
};
int run_model(run_request const& request);
/// The arguments of `emit-cpp`.
struct emit_request {
  model_file model;
  std::string folder;
  std::string name;   ///< of the function and of the files; empty: that of the model's file
  std::string store;  ///< a database with tuned kernels; empty: none
};
int emit_cpp(emit_request const& request);
/// `path` replaces `options.from`.
int export_library(std::string const& path, ttune::export_options options);
/// Each of `calls` is "KEY=COUNT".
int write_report(std::string const& path, std::string const& html, double peak, std::vector<std::string> const& calls,
                 std::vector<std::string> const& roofs);

}  // namespace ttune_tool
