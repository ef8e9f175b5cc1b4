// SPDX-License-Identifier: Apache-2.0
// A store in memory: records live as long as the object. It is the default, and tests use it.
#pragma once

#include <memory>

#include "ttune/records/store.hpp"

namespace ttune { inline namespace v0 {

/// Record store in memory. A look-up costs one hash; `near` scans all keys.
class memory_store final : public record_store {
 public:
  memory_store();
  memory_store(memory_store&&) noexcept;
  memory_store& operator=(memory_store&&) noexcept;
  ~memory_store() override;

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
  [[nodiscard]] bool contains(record const& r) const;

 private:
  struct contents;
  std::unique_ptr<contents> contents_;
};

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/records/memory_store.inl.hpp"
#endif
