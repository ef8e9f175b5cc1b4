// SPDX-License-Identifier: Apache-2.0
// Reads the trees of a booster from its UBJSON model (doc/tutorials/saving_model of xgboost).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "ttune/models/xgboost/forest.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Finds typed arrays in a UBJSON document: `<length><key> [ $ <type> # L <count> <big-endian data>`.
class ubjson_arrays {
 public:
  explicit ubjson_arrays(std::span<char const> document) : rest_(document.data(), document.size()) {}

  /// Returns the next array with that key after the last array found; false at the end.
  template <class T>
  bool next(std::string_view key, std::vector<T>& out) {
    std::string needle(1, 'L');  // the length of the key precedes it
    for (int shift = 56; shift >= 0; shift -= 8) needle.push_back(static_cast<char>(key.size() >> shift & 0xff));
    needle += key;
    needle += "[$";
    auto const found = rest_.find(needle);
    if (found == std::string_view::npos) return false;
    rest_.remove_prefix(found + needle.size());
    if (rest_.size() < 11 || rest_[0] != (std::is_same_v<T, float> ? 'd' : 'l') || rest_[1] != '#' || rest_[2] != 'L')
      return false;
    auto const count = big_endian<std::uint64_t>(rest_.substr(3));
    rest_.remove_prefix(11);
    if (count > rest_.size() / 4) return false;
    out.resize(static_cast<std::size_t>(count));
    for (auto& value : out) {
      value = std::bit_cast<T>(big_endian<std::uint32_t>(rest_));
      rest_.remove_prefix(4);
    }
    return true;
  }

 private:
  template <class U>
  static U big_endian(std::string_view bytes) {
    U value = 0;
    for (std::size_t i = 0; i < sizeof(U); ++i)
      value = static_cast<U>(value << 8 | static_cast<unsigned char>(bytes[i]));
    return value;
  }
  std::string_view rest_;
};

/// Reads the trees of a saved booster. The library writes the keys of a tree in alphabetical order.
inline forest forest_of(std::span<char const> model) {
  forest all;
  ubjson_arrays arrays(model);
  forest::tree t;
  while (arrays.next("left_children", t.left)) {
    if (!arrays.next("right_children", t.right) || !arrays.next("split_conditions", t.threshold) ||
        !arrays.next("split_indices", t.feature))
      throw backend_error("xgboost: this version writes its models in a way that is not understood");
    all.add(t);
  }
  return all;
}

}}}  // namespace ttune::v0::detail
