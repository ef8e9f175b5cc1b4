// SPDX-License-Identifier: Apache-2.0
// The interface of record stores: in memory, JSON lines, SQLite.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ttune/records/explanation.hpp"
#include "ttune/records/record.hpp"
#include "ttune/records/transfer_sample.hpp"

namespace ttune { inline namespace v0 {

/// A stored kernel image with the record that it implements. `bytes` is empty if no image may be used, and `reason`
/// says why; an image always comes with its record.
struct image_lookup {
  std::vector<std::uint8_t> bytes;
  record of;
  std::string reason;  ///< as "no image is stored", "checksum differs", "FILE is writable by others"

  explicit operator bool() const noexcept { return !bytes.empty(); }
};

/// Summary of the records of one key.
struct key_summary {
  record_key key;
  std::int64_t records = 0;
  std::int64_t successes = 0;
  double best_seconds = 0;  ///< 0 if no trial succeeded
  bool has_image = false;
  recorded_effort effort = {};  ///< of the last record that has one
};

/// Interface of record stores. All functions are thread-safe. Functions that read or write a file throw record_error.
class record_store {
 public:
  record_store() = default;
  record_store(record_store const&) = default;
  record_store& operator=(record_store const&) = default;
  record_store(record_store&&) = default;
  record_store& operator=(record_store&&) = default;
  virtual ~record_store() = default;

  /// Stores a record; after the return, the record survives a kill -9 of the process. A record that exists already is
  /// not stored twice. Throws record_error if the store is not `writable`.
  virtual void append(record const& r) = 0;
  /// Returns the fastest successful record of a key, or nothing (a store in mode must_hit throws record_error instead).
  [[nodiscard]] virtual std::optional<record> best(record_key const& key) const = 0;
  /// Returns all records of a key, oldest first.
  [[nodiscard]] virtual std::vector<record> all(record_key const& key) const = 0;
  /// Returns the best record of each of the `limit` nearest other keys with the same compute_text (`distance`), nearest
  /// first: other shapes, other targets, other spaces.
  [[nodiscard]] virtual std::vector<record> near(record_key const& key, std::size_t limit = 16) const = 0;

  /// Stores the image of a record and replaces the image of the key. Appends the record if it is new.
  virtual void put_image(record const& of, std::span<std::uint8_t const> bytes) = 0;
  [[nodiscard]] virtual image_lookup get_image(record_key const& key) const = 0;

  /// Stores the explanation of a key's winner and replaces an existing one. Stores without explanations ignore the
  /// call; a store that is not `writable` throws record_error.
  virtual void put_explanation(record_key const& /*of*/, kernel_explanation const& /*text*/) {}
  [[nodiscard]] virtual std::optional<kernel_explanation> explanation(record_key const& /*of*/) const {
    return std::nullopt;
  }

  /// Stores the transfer sample of a workload and replaces that of its key. Stores without transfer samples ignore the
  /// call; a store that is not `writable` throws record_error.
  virtual void put_transfer_sample(transfer_sample const& /*taught*/) {}
  /// Returns the transfer samples of all keys, at most `limit`.
  [[nodiscard]] virtual std::vector<transfer_sample> transfer_samples(std::size_t limit = 1000) const {
    (void)limit;
    return {};
  }

  /// Calls `visit` with each record, oldest first, until it returns false. `visit` must not use the store.
  virtual void for_each(std::function<bool(record const&)> const& visit) const = 0;
  [[nodiscard]] virtual std::vector<key_summary> keys() const = 0;
  [[nodiscard]] virtual std::int64_t count() const = 0;

  /// Returns true if `append`, `put_image`, `put_explanation` and `put_transfer_sample` may be called.
  [[nodiscard]] virtual bool writable() const { return true; }
  /// Returns true if the next start finds what is written now.
  [[nodiscard]] virtual bool lasting() const { return writable(); }
  /// Returns why the store works in a reduced mode; empty if it does not.
  [[nodiscard]] virtual std::string reason() const { return {}; }
};

/// Shared ownership of a store. Any store converts to it: `{.records = ttune::sqlite{"ttune.db"}}`.
class shared_store {
 public:
  shared_store() = default;
  template <std::derived_from<record_store> Store>
  shared_store(Store store) : store_(std::make_shared<Store>(std::move(store))) {}
  template <std::derived_from<record_store> Store>
  shared_store(std::shared_ptr<Store> store) : store_(std::move(store)) {}

  record_store* operator->() const noexcept { return store_.get(); }
  record_store& operator*() const noexcept { return *store_; }
  explicit operator bool() const noexcept { return store_ != nullptr; }

 private:
  std::shared_ptr<record_store> store_;
};

namespace detail {

/// Returns true if a merge replaces image `b` by image `a`.
inline bool is_better_image(image_lookup const& a, image_lookup const& b) noexcept {
  if (!a || !b) return static_cast<bool>(a);
  if (a.of.lowering_version != b.of.lowering_version) return a.of.lowering_version > b.of.lowering_version;
  return is_faster(a.of, b.of);
}

/// Returns the transfer samples of `from` that `there` lacks, or has for a slower kernel.
[[nodiscard]] std::vector<transfer_sample> better_samples(record_store const& from,
                                                          std::vector<transfer_sample> const& there);

}  // namespace detail

/// Appends all records, images, explanations and transfer samples of one store to another; existing entries are not
/// duplicated. If both stores have an image of a key, the image of the newer lowering stays, then the faster one. If
/// both have a transfer sample, the transfer sample of the faster kernel stays.
void merge_records(record_store const& from, record_store& into);

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/records/store.inl.hpp"
#endif
