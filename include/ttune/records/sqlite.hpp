// SPDX-License-Identifier: Apache-2.0
// Records and kernel images in one SQLite file: shared by many processes, safe against kill -9.
// The only header of records that needs a foreign library (SQLite >= 3.40).
#pragma once

#include <memory>
#include <string>

#include "ttune/records/store.hpp"

namespace ttune::inline v0 {

enum class record_mode : std::uint8_t {
  read_write,  ///< the file is created if need be; whatever is wrong with it throws
  read_only,   ///< never writes; the file must be there
  must_hit,    ///< read_only, and `best` throws where it has nothing: for programs that must not tune
  best_effort  ///< as read_write if that works, else as read_only, else in memory; `reason()` says why; never throws
};

/// What `export_best` wrote.
struct export_summary {
  std::int64_t keys = 0;
  std::int64_t images = 0;
  std::string reason;  ///< why an image is missing, the first of them; empty if none is
};

/// A record that `append` has returned for survives the end of the process in whatever way; a power failure may cost
/// the last seconds, never the file. Of a million records a start reads a few pages. The file must lie on a
/// local disk: its processes share memory. Errors are record_error and name the file, the reason and the way on.
///
/// Images are given out only if their checksum holds and nobody but the owner may write to the file, its journal and
/// its folder (records/trust.hpp).
class sqlite final : public record_store {
 public:
  explicit sqlite(std::string path, record_mode mode = record_mode::read_write);
  sqlite(sqlite&&) noexcept;
  sqlite& operator=(sqlite&&) noexcept;
  ~sqlite() override;

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
  [[nodiscard]] bool writable() const override;
  [[nodiscard]] std::string reason() const override;

  [[nodiscard]] std::string const& path() const noexcept;

  /// Writes the best record of each key, its image, explanation and lesson to a new file of its own that programs ship
  /// and open with `read_only` or `must_hit`. It replaces the file there in one step. Where the image belongs to
  /// another record than the fastest (the tuner compares the finalists once more), that record goes along.
  export_summary export_best(std::string const& to) const;
  /// The whole of another store, in one transaction: much faster than merge_records.
  void append_all(record_store const& from);
  /// Removes all but the `keep` fastest records of each key, or of `only` that key, and gives the room back to the
  /// disk; records with an image stay. Failures count as slowest. Returns how many went.
  std::int64_t prune(std::int64_t keep, std::optional<record_key> const& only = std::nullopt);

 private:
  struct database;
  std::unique_ptr<database> database_;
};

}  // namespace ttune::inline v0

#if TTUNE_PART_BODIES
#include "ttune/records/sqlite.inl.hpp"
#endif
