// SPDX-License-Identifier: Apache-2.0
// Records as text, one JSON object a line: to look at, to exchange, and as a store where there is no SQLite.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>

#include "ttune/records/store.hpp"

namespace ttune::inline v0 {

/// A record on one line, without the line's end. Hashes are hexadecimal texts, times are seconds.
[[nodiscard]] std::string to_json_line(record const& r);

/// The record of a line, or a fault. Members that are not known are ignored, so that newer files can be read.
struct json_line_result {
  std::optional<record> value;
  std::string fault;
};
[[nodiscard]] json_line_result from_json_line(std::string_view line);

/// What came of reading lines: a line that is no record does not stop the others.
struct import_summary {
  std::int64_t records = 0;
  std::int64_t skipped = 0;  ///< lines that hold no record; empty lines are not counted
  std::string first_fault;   ///< "line 3: ..."; empty if nothing was skipped
};

namespace detail {
import_summary import_lines(std::istream& in, record_store& into, json_line_result (*read)(std::string_view));
}

/// Appends the records of all lines to a store.
import_summary read_json_lines(std::istream& in, record_store& into);
/// Throws record_error if the stream fails.
void write_json_lines(record_store const& from, std::ostream& out);

/// A store in a JSON-lines file: read whole when it is opened, each record appended by one write. Processes may append
/// to one file at a time; what the others append is seen when it is opened again. Images, explanations and
/// lessons are kept in memory only.
/// Throws record_error if the file cannot be read, created or written. A last line that a killed writer left unfinished
/// is skipped; other lines that are no records are too, and `reason()` tells the first.
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
  void put_lesson(lesson const& taught) override;
  [[nodiscard]] std::vector<lesson> lessons(std::size_t limit = 1000) const override;
  void for_each(std::function<bool(record const&)> const& visit) const override;
  [[nodiscard]] std::vector<key_summary> keys() const override;
  [[nodiscard]] std::int64_t count() const override;
  [[nodiscard]] std::string reason() const override;

 private:
  struct file;
  std::unique_ptr<file> file_;
};

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/records/json_lines.inl.hpp"
#endif
