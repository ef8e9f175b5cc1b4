// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdio>
#include <span>

#include "ttune/runtime/tools/sampled_kernel.hpp"
#include "ttune/support/hash.hpp"

namespace ttune { inline namespace v0 { namespace tools {

namespace detail {

/// Splits a text at the ends of its lines.
inline std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> made;
  while (!text.empty()) {
    auto const end = std::min(text.find('\n'), text.size());
    made.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return made;
}

/// Returns what a kernel's text begins with. Files are searched for it.
inline std::string samples_title(std::uint64_t code) {
  char text[32];
  std::snprintf(text, sizeof text, "kernel %016llx ", static_cast<unsigned long long>(code));
  return text;
}

}  // namespace detail

std::uint64_t hash_of_code(kernel_image const& image) {
  return hasher{}.add(std::span<std::uint8_t const>(image.code)).value();
}

sampled_kernel::sampled_kernel(kernel_image const& image) : code_(hash_of_code(image)), name_(image.signature.name) {
  if (image.map && !image.map->lines.empty()) {
    rows_ = image.map->lines;
    texts_ = detail::lines_of(image.map->loops);
  } else {
    for (auto const& f : functions_of(image)) {
      texts_.push_back(f.name);
      rows_.push_back({f.offset, static_cast<int>(texts_.size())});
    }
  }
  counts_ = std::make_unique<std::atomic<std::uint64_t>[]>(texts_.size() + 1);
}

void sampled_kernel::count(std::int64_t offset) noexcept {
  auto const after = std::upper_bound(rows_.begin(), rows_.end(), offset,
                                      [](std::int64_t at, code_line const& row) { return at < row.offset; });
  auto const line = after == rows_.begin() ? std::size_t{0} : static_cast<std::size_t>(std::prev(after)->line);
  counts_[line <= texts_.size() ? line : 0].fetch_add(1, std::memory_order_relaxed);
}

std::uint64_t sampled_kernel::samples() const noexcept {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i <= texts_.size(); ++i) sum += counts_[i].load(std::memory_order_relaxed);
  return sum;
}

std::string sampled_kernel::text() const {
  auto const all = samples();
  auto made = detail::samples_title(code_) + name_ + ": " + std::to_string(all) + " samples\n";
  auto const add = [&](std::size_t line, std::string const& text) {
    auto const n = counts_[line].load(std::memory_order_relaxed);
    char share[32] = "         ";
    if (n > 0)
      std::snprintf(share, sizeof share, "%5.1f %%  ", 100.0 * static_cast<double>(n) / static_cast<double>(all));
    made += share + text + "\n";
  };
  for (std::size_t i = 0; i < texts_.size(); ++i) add(i + 1, texts_[i]);
  if (counts_[0].load(std::memory_order_relaxed) > 0) add(0, "(code of no line)");
  return made;
}

std::string find_samples(std::string_view file, std::uint64_t code, std::string_view name) {
  constexpr std::string_view begin = "kernel ";
  constexpr std::size_t digits = 17;  // with the space behind them
  auto const title = detail::samples_title(code);
  std::string named;
  bool several = false;
  for (std::size_t at = 0; at < file.size();) {
    auto const end = std::min(file.find("\n\n", at), file.size());  // an empty line stands behind each kernel
    auto const text = file.substr(at, std::min(end + 1, file.size()) - at);
    at = end + 2;
    if (text.starts_with(title)) return std::string(text);
    auto const rest = text.substr(std::min(text.size(), begin.size() + digits));
    if (!text.starts_with(begin) || !rest.starts_with(name) || !rest.substr(name.size()).starts_with(": ")) continue;
    several = !named.empty();
    if (several) break;
    named = text;
  }
  return several ? std::string() : named;
}

}}}  // namespace ttune::v0::tools
