// SPDX-License-Identifier: Apache-2.0
// Little-endian serialisation for images, protocols and models. Reading checks every length.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 {

static_assert(std::endian::native == std::endian::little, "ttune: big-endian machines are not supported");

/// Appends values to a vector of bytes.
class byte_sink {
 public:
  template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
  void put(T value) {
    auto const* const from = reinterpret_cast<std::uint8_t const*>(&value);
    bytes_.insert(bytes_.end(), from, from + sizeof value);
  }
  void put(std::string const& text) {
    put(static_cast<std::uint64_t>(text.size()));
    bytes_.insert(bytes_.end(), text.begin(), text.end());
  }
  void put(std::span<std::uint8_t const> values) {
    put(static_cast<std::uint64_t>(values.size()));
    bytes_.insert(bytes_.end(), values.begin(), values.end());
  }
  template <class T>
  void put(std::vector<T> const& values) {
    put(static_cast<std::uint64_t>(values.size()));
    for (auto const& v : values) put(v);
  }
  void put(std::vector<std::uint8_t> const& values) {
    put(static_cast<std::uint64_t>(values.size()));
    bytes_.insert(bytes_.end(), values.begin(), values.end());
  }
  [[nodiscard]] std::vector<std::uint8_t> take() { return std::move(bytes_); }

 private:
  std::vector<std::uint8_t> bytes_;
};

/// Reads values that byte_sink wrote. Throws record_error if the bytes end too early or a length is impossible.
class byte_source {
 public:
  explicit byte_source(std::span<std::uint8_t const> bytes) : bytes_(bytes) {}

  template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
  void get(T& value) {
    if constexpr (std::is_same_v<T, bool>) value = *next(1) != 0;
    else std::memcpy(&value, next(sizeof value), sizeof value);
  }
  template <class T>
  [[nodiscard]] T get() {
    T value{};
    get(value);
    return value;
  }
  void get(std::string& text) {
    auto const size = length(1);
    text.assign(reinterpret_cast<char const*>(next(size)), size);
  }
  template <class T>
  void get(std::vector<T>& values) {
    auto const size = length(std::is_arithmetic_v<T> ? sizeof(T) : 1);
    values.clear();
    // Grows with the bytes found, not with the claimed length.
    for (std::size_t i = 0; i < size; ++i) get(values.emplace_back());
  }
  void get(std::vector<std::uint8_t>& values) {
    auto const size = length(1);
    auto const* const from = next(size);
    values.assign(from, from + size);
  }
  /// Reads a vector of bytes without a copy.
  [[nodiscard]] std::span<std::uint8_t const> get_bytes() {
    auto const size = length(1);
    return {next(size), size};
  }
  [[nodiscard]] std::size_t left() const noexcept { return bytes_.size(); }
  /// Throws record_error if bytes are left.
  void finish() const {
    if (!bytes_.empty()) throw record_error("malformed bytes: something follows their end");
  }

 private:
  [[nodiscard]] std::size_t length(std::size_t each) {
    auto const size = get<std::uint64_t>();
    if (size > bytes_.size() / each) throw record_error("malformed bytes: a length runs past the end");
    return static_cast<std::size_t>(size);
  }
  [[nodiscard]] std::uint8_t const* next(std::size_t size) {
    if (size > bytes_.size()) throw record_error("malformed bytes: they end too early");
    auto const* const at = bytes_.data();
    bytes_ = bytes_.subspan(size);
    return at;
  }
  std::span<std::uint8_t const> bytes_;
};

}}  // namespace ttune::v0
