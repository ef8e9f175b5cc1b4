// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <istream>
#include <limits>
#include <mutex>
#include <ostream>

#include "ttune/records/effort_json.hpp"
#include "ttune/records/json_lines.hpp"
#include "ttune/records/json_parts.hpp"
#include "ttune/records/memory_store.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

inline constexpr std::int64_t json_lines_version = 1;

inline json_value hex_text(std::uint64_t value) {
  char digits[17];
  auto const done = std::to_chars(digits, digits + 16, value, 16);
  return {std::string(digits, done.ptr)};
}
inline std::optional<std::uint64_t> from_hex(json_value const* v) {
  auto const* const s = v ? v->as<std::string>() : nullptr;
  std::uint64_t value = 0;
  if (!s || s->empty()) return std::nullopt;
  auto const [end, ok] = std::from_chars(s->data(), s->data() + s->size(), value, 16);
  if (ok != std::errc{} || end != s->data() + s->size()) return std::nullopt;
  return value;
}

inline std::optional<trial_status> status_named(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(trial_status::cut_off); ++i)
    if (name == name_of(static_cast<trial_status>(i))) return static_cast<trial_status>(i);
  return std::nullopt;
}

inline double read_number(json_value const& line, char const* name, double otherwise) {
  auto const* const v = line.find(name);
  return v ? v->number(otherwise) : otherwise;
}
inline std::string read_text(json_value const& line, char const* name, std::string_view otherwise = {}) {
  auto const* const v = line.find(name);
  return v ? v->text(otherwise) : std::string(otherwise);
}

/// Parses the key of a record; returns a description of the fault, or an empty text.
inline std::string read_key(json_value const& line, record_key& key) {
  auto const compute = from_hex(line.find("compute"));
  auto const space = from_hex(line.find("space"));
  if (!compute) return "\"compute\" is no hexadecimal text";
  if (!space) return "\"space\" is no hexadecimal text";
  key.compute = *compute;
  key.space = *space;
  key.compute_text = read_text(line, "text");
  key.target = read_text(line, "target");
  key.objective = read_text(line, "objective", key.objective);
  if (auto const* const extents = line.find("extents"); extents && !read_integers(extents, key.extents))
    return "\"extents\" is no list of integers";
  return {};
}

inline std::string read_measurement(json_value const& line, measurement& m) {
  auto const status = status_named(read_text(line, "status"));
  if (!status) return "\"status\" is unknown: " + read_text(line, "status", "(none)");
  m.status = *status;
  auto const nan = std::numeric_limits<double>::quiet_NaN();
  m.seconds = read_number(line, "seconds", nan);
  if (m.ok() && !(m.seconds >= 0)) return "\"seconds\" is no time";
  m.spread = read_number(line, "spread", 0);
  m.compile_seconds = read_number(line, "compile_seconds", 0);
  m.measure_seconds = read_number(line, "measure_seconds", 0);
  auto const* const samples = line.find("samples");
  m.samples = samples ? static_cast<std::int32_t>(samples->integer(0)) : 0;
  m.message = read_text(line, "message");
  return {};
}

inline record_error file_error(std::string const& path, std::string const& what) {
  return record_error(path + ": " + what);
}

}  // namespace detail

std::string to_json_line(record const& r) {
  auto const& m = r.result;
  json_value::object line{
      {"ttune", {detail::json_lines_version}},
      {"compute", detail::hex_text(r.key.compute)},
      {"text", {r.key.compute_text}},
      {"extents", detail::json_integers(r.key.extents)},
      {"target", {r.key.target}},
      {"space", detail::hex_text(r.key.space)},
      {"objective", {r.key.objective}},
      {"lowering", {std::int64_t{r.lowering_version}}},
      {"choices", detail::json_choices(r.choices)},
      {"status", {std::string(name_of(m.status))}},
      {"seconds", {m.seconds}},
      {"spread", {m.spread}},
      {"samples", {std::int64_t{m.samples}}},
      {"compile_seconds", {m.compile_seconds}},
      {"measure_seconds", {m.measure_seconds}},
      {"message", {m.message}},
      {"timestamp", {r.timestamp}},
  };
  if (r.predicted) line.push_back({"predicted", {*r.predicted}});
  line.push_back({"version", {r.library_version}});
  line.push_back({"device", {r.device}});
  if (r.effort) line.push_back({"effort", detail::json_of(r.effort)});
  std::string out;
  write_json(out, json_value{std::move(line)});
  return out;
}

json_line_result from_json_line(std::string_view text) {
  auto const [line, fault] = parse_json(text);
  if (!line) return {std::nullopt, fault};
  if (!line->as<json_value::object>()) return {std::nullopt, "not an object"};
  auto const* const version = line->find("ttune");
  if (!version) return {std::nullopt, "no ttune record: the member \"ttune\" is missing"};
  if (version->integer(0) < 1 || version->integer(0) > detail::json_lines_version)
    return {std::nullopt, "written by a newer ttune (format " + std::to_string(version->integer(0)) + ")"};
  record r;
  if (auto wrong = detail::read_key(*line, r.key); !wrong.empty()) return {std::nullopt, std::move(wrong)};
  if (auto wrong = detail::read_measurement(*line, r.result); !wrong.empty()) return {std::nullopt, std::move(wrong)};
  if (!detail::read_choices(line->find("choices"), r.choices))
    return {std::nullopt, "\"choices\" is no list of [knob, index, values]"};
  auto const* const lowering = line->find("lowering");
  auto const* const timestamp = line->find("timestamp");
  auto const* const predicted = line->find("predicted");
  r.lowering_version = lowering ? static_cast<std::uint32_t>(lowering->integer(0)) : 0;
  r.timestamp = timestamp ? timestamp->integer(0) : 0;
  if (predicted && !predicted->as<std::nullptr_t>()) r.predicted = predicted->number(0);
  r.library_version = detail::read_text(*line, "version");
  r.device = detail::read_text(*line, "device");
  r.effort = detail::read_effort(line->find("effort"));
  return {std::move(r), {}};
}

import_summary detail::import_lines(std::istream& in, record_store& into, json_line_result (*read)(std::string_view)) {
  import_summary summary;
  std::string line;
  for (std::int64_t number = 1; std::getline(in, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    auto const [r, fault] = read(line);
    if (r) {
      into.append(*r);
      ++summary.records;
    } else if (++summary.skipped == 1) {
      summary.first_fault = "line " + std::to_string(number) + ": " + fault;
    }
  }
  return summary;
}

import_summary read_json_lines(std::istream& in, record_store& into) {
  return detail::import_lines(in, into, from_json_line);
}

void write_json_lines(record_store const& from, std::ostream& out) {
  from.for_each([&](record const& r) { return static_cast<bool>(out << to_json_line(r) << '\n'); });
  if (!out.flush()) throw record_error("writing JSON lines failed: is the disk full?");
}

struct json_lines::file {
  explicit file(std::string where) : path(std::move(where)) {}
  file(file const&) = delete;
  file& operator=(file const&) = delete;
  ~file() {
    if (descriptor >= 0) ::close(descriptor);
  }

  void open() {
    descriptor = static_cast<int>(
        uninterrupted([&] { return ::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0644); }));
    if (descriptor < 0) throw detail::file_error(path, std::string("cannot be opened: ") + std::strerror(errno));
    struct stat facts{};
    if (::fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode)) throw detail::file_error(path, "is no file");
    std::ifstream in(path, std::ios::binary);
    auto const summary = read_json_lines(in, memory);
    if (in.bad()) throw detail::file_error(path, "cannot be read");
    if (summary.skipped > 0)
      reason = path + ": " + std::to_string(summary.skipped) + " lines skipped; " + summary.first_fault;
  }

  /// Calls until no signal interrupts the call.
  template <class Call>
  static ssize_t uninterrupted(Call const& call) {
    for (;;)
      if (auto const result = call(); result >= 0 || errno != EINTR) return result;
  }

  /// Appends a line by one write, so that lines of several processes do not mix. Completes an unfinished last line
  /// first.
  void write_line(std::string line) const {
    uninterrupted([&] { return ::flock(descriptor, LOCK_EX); });
    line = (ends_in_line() ? "" : "\n") + line + '\n';
    auto const written = uninterrupted([&] { return ::write(descriptor, line.data(), line.size()); });
    auto const failure = errno;
    ::flock(descriptor, LOCK_UN);
    if (written == static_cast<ssize_t>(line.size())) return;
    throw detail::file_error(
        path, std::string("cannot be written: ") + (written < 0 ? std::strerror(failure) : "the disk is full"));
  }

  /// A last byte that cannot be read counts as that of an unfinished line: readers skip empty lines.
  [[nodiscard]] bool ends_in_line() const {
    struct stat facts{};
    char last = '\n';
    if (::fstat(descriptor, &facts) != 0 || facts.st_size == 0) return true;
    auto const read = uninterrupted([&] { return ::pread(descriptor, &last, 1, facts.st_size - 1); });
    return read == 1 && last == '\n';
  }

  std::string path;
  int descriptor = -1;
  std::string reason;
  std::mutex lock;
  memory_store memory;
};

json_lines::json_lines(std::string path) : file_(std::make_unique<file>(std::move(path))) { file_->open(); }
json_lines::json_lines(json_lines&&) noexcept = default;
json_lines& json_lines::operator=(json_lines&&) noexcept = default;
json_lines::~json_lines() = default;

void json_lines::append(record const& r) {
  std::lock_guard const guard(file_->lock);
  if (file_->memory.contains(r)) return;
  file_->write_line(to_json_line(r));
  file_->memory.append(r);
}
std::optional<record> json_lines::best(record_key const& key) const { return file_->memory.best(key); }
std::vector<record> json_lines::all(record_key const& key) const { return file_->memory.all(key); }
std::vector<record> json_lines::near(record_key const& key, std::size_t limit) const {
  return file_->memory.near(key, limit);
}
void json_lines::put_image(record const& of, std::span<std::uint8_t const> bytes) {
  append(of);
  file_->memory.put_image(of, bytes);
}
image_lookup json_lines::get_image(record_key const& key) const { return file_->memory.get_image(key); }
void json_lines::put_explanation(record_key const& of, kernel_explanation const& text) {
  file_->memory.put_explanation(of, text);
}
std::optional<kernel_explanation> json_lines::explanation(record_key const& of) const {
  return file_->memory.explanation(of);
}
void json_lines::put_transfer_sample(transfer_sample const& taught) { file_->memory.put_transfer_sample(taught); }
std::vector<transfer_sample> json_lines::transfer_samples(std::size_t limit) const {
  return file_->memory.transfer_samples(limit);
}
void json_lines::for_each(std::function<bool(record const&)> const& visit) const { file_->memory.for_each(visit); }
std::vector<key_summary> json_lines::keys() const { return file_->memory.keys(); }
std::int64_t json_lines::count() const { return file_->memory.count(); }
std::string json_lines::reason() const { return file_->reason; }

}}  // namespace ttune::v0
