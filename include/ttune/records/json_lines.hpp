// SPDX-License-Identifier: Apache-2.0
// Records as text, one JSON object per line: for reading, for exchange, and as a store where SQLite is not available.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>

#include "ttune/records/store.hpp"

namespace ttune { inline namespace v0 {

/// Returns a record as one line, without the line end. Hashes are hexadecimal texts, times are in seconds.
[[nodiscard]] std::string to_json_line(record const& r);

/// The result of parsing a line: a record, or a fault. Unknown members are ignored, so that newer files can be read.
struct json_line_result {
  std::optional<record> value;
  std::string fault;
};
[[nodiscard]] json_line_result from_json_line(std::string_view line);

/// The result of reading lines; a line that is not a record is skipped.
struct import_summary {
  std::int64_t records = 0;
  std::int64_t skipped = 0;  ///< number of lines without a record; empty lines are not counted
  std::string first_fault;   ///< "line 3: ..."; empty if nothing was skipped
};

namespace detail {
import_summary import_lines(std::istream& in, record_store& into, json_line_result (*read)(std::string_view));
}

/// Appends the records of all lines to a store.
import_summary read_json_lines(std::istream& in, record_store& into);
/// Writes all records as lines. Throws record_error if the stream fails.
void write_json_lines(record_store const& from, std::ostream& out);

/// A record store in a JSON-lines file. The file is read completely when it is opened; each record is appended by one
/// write. Several processes may append to one file at the same time; a process sees the others' records when it opens
/// the file again. Images, explanations and transfer samples are kept in memory only.
///
/// Throws record_error if the file cannot be read, created or written. Lines that are not records are skipped, such as
/// a last line that a killed writer left unfinished; `reason()` reports the first one.
class json_lines final : public record_store {
 public:
  explicit json_lines(std::string path);
  json_lines(json_lines&&) noexcept;
  json_lines& operator=(json_lines&&) noexcept;
  ~json_lines() override;

  void append(record const& r) override;
  [[nodiscard]] std::optional<record> best(record_key const& key) const override;
  [[nodiscard]] std::vector<record> all(record_key const& key) const override;
  [[nodiscard]] std::vector<record> near(record_key const& key, std::size_t limit = 16) const override;
  void put_image(record const& of, std::span<std::uint8_t const> bytes) override;
  [[nodiscard]] image_lookup get_image(record_key const& key) const override;
  void put_explanation(record_key const& of, kernel_explanation const& text) override;
  [[nodiscard]] std::optional<kernel_explanation> explanation(record_key const& of) const override;
  void put_transfer_sample(transfer_sample const& taught) override;
  [[nodiscard]] std::vector<transfer_sample> transfer_samples(std::size_t limit = 1000) const override;
  void for_each(std::function<bool(record const&)> const& visit) const override;
  [[nodiscard]] std::vector<key_summary> keys() const override;
  [[nodiscard]] std::int64_t count() const override;
  [[nodiscard]] std::string reason() const override;

 private:
  struct file;
  std::unique_ptr<file> file_;
};

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/records/json_lines.inl.hpp"
#endif
