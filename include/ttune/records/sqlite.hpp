// SPDX-License-Identifier: Apache-2.0
// Records and kernel images in one SQLite file, shared by many processes, safe against kill -9. This is the only header
// of records that needs a foreign library (SQLite >= 3.40).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "ttune/records/store.hpp"

namespace ttune { inline namespace v0 {

/// How a record file is opened.
enum class record_mode : std::uint8_t {
  read_write,  ///< creates the file if needed; every fault throws
  read_only,   ///< never writes; the file must exist
  must_hit,    ///< read_only, and `best` throws if it finds nothing: for programs that must not tune
  best_effort  ///< read_write if possible, else read_only, else in memory; `reason()` says why; never throws
};

/// The result of `export_best`.
struct export_summary {
  std::int64_t keys = 0;
  std::int64_t images = 0;
  std::string reason;  ///< why the first missing image is missing; empty if none is
};

/// A record store in an SQLite file. A record survives any end of the process once `append` has returned; a power
/// failure may lose the last seconds, but never damages the file. Opening a file of a million records reads a few
/// pages. The file must be on a local disk, since its processes share memory. Errors are record_error and name the
/// file, the reason and a remedy.
///
/// An image is returned only if its checksum is right and nobody but the owner may write to the file, its journal and
/// its folder (records/file_permissions.hpp).
class sqlite final : public record_store {
 public:
  explicit sqlite(std::string path, record_mode mode = record_mode::read_write);
  /// Opens the bytes of an exported file that are part of the program (`ttune emit-cpp`), and must stay. New records
  /// are kept in memory. Images are as trusted as the program.
  [[nodiscard]] static sqlite of_bytes(std::span<std::uint8_t const> bytes);
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
  void put_transfer_sample(transfer_sample const& taught) override;
  [[nodiscard]] std::vector<transfer_sample> transfer_samples(std::size_t limit = 1000) const override;
  void for_each(std::function<bool(record const&)> const& visit) const override;
  [[nodiscard]] std::vector<key_summary> keys() const override;
  [[nodiscard]] std::int64_t count() const override;
  [[nodiscard]] bool writable() const override;
  [[nodiscard]] bool lasting() const override;
  [[nodiscard]] std::string reason() const override;

  [[nodiscard]] std::string const& path() const noexcept;

  /// Writes the best record of each key with its image, explanation and transfer sample to a new file, which programs
  /// ship and open with `read_only` or `must_hit`. Replaces an existing file atomically. If the image belongs to
  /// another record than the fastest (the tuner compares the finalists once more), that record is exported, too.
  export_summary export_best(std::string const& to) const;
  /// Appends all of another store in one transaction: much faster than merge_records.
  void append_all(record_store const& from);
  /// Removes all but the `keep` fastest records of each key (or of `only` that key) and returns the space to the disk.
  /// Records with an image stay; failed trials count as slowest. Returns the number of removed records.
  std::int64_t prune(std::int64_t keep, std::optional<record_key> const& only = std::nullopt);

 private:
  struct database;
  explicit sqlite(std::unique_ptr<database> opened) noexcept;
  std::unique_ptr<database> database_;
};

}}  // namespace ttune::v0

#if TTUNE_PART_BODIES
#include "ttune/records/sqlite.inl.hpp"
#endif
