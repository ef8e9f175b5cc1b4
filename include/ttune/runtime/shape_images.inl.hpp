// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ttune/runtime/call_extents.hpp"
#include "ttune/runtime/image_io.hpp"
#include "ttune/runtime/shape_images.hpp"
#include "ttune/support/bytes.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/hash.hpp"

namespace ttune { inline namespace v0 { namespace detail {

inline constexpr std::uint64_t shape_images_magic = 0x6570616873757474U;  // "ttushape" as text
inline constexpr std::uint32_t shape_images_version = 1;

[[noreturn]] inline void malformed_shapes(std::string const& what) {
  throw record_error("malformed kernels for many shapes: " + what);
}

kernel_signature shape_images::signature() const { return at_extents(kernels.front().image.signature, range.largest); }

inline void put(byte_sink& out, shape_tree::node const& n) {
  for (auto const place : n.what.of) out.put(place);
  out.put(n.most);
  out.put(n.below);
  out.put(n.above);
}

inline void get(byte_source& in, shape_tree::node& n) {
  for (auto& place : n.what.of) in.get(place);
  in.get(n.most);
  in.get(n.below);
  in.get(n.above);
}

inline void put(byte_sink& out, shape_image const& one) {
  out.put(to_bytes(one.image));
  out.put(one.workload);
  out.put(one.schedule);
  out.put(one.seconds);
}

inline void get(byte_source& in, shape_image& one) {
  one.image = image_from_bytes(in.get_bytes());
  in.get(one.workload);
  in.get(one.schedule);
  in.get(one.seconds);
}

/// Reads a number of values and the values, each by `get`.
template <class T>
std::vector<T> get_list(byte_source& in, std::size_t most, char const* what) {
  auto const count = in.get<std::uint64_t>();
  if (count == 0 || count > most) malformed_shapes(std::to_string(count) + " " + what);
  std::vector<T> made;
  for (std::uint64_t i = 0; i < count; ++i) get(in, made.emplace_back());
  return made;
}

inline void check_range(open_range const& of) {
  auto const count = of.extents.size();
  if (count == 0 || count > extent_product::none || of.smallest.size() != count || of.largest.size() != count)
    malformed_shapes("their extents have no ranges");
  for (std::size_t d = 0; d < count; ++d)
    if (of.smallest[d] < 1 || of.largest[d] < of.smallest[d])
      malformed_shapes("extent " + of.extents[d] + " has no range");
}

/// Checks that each path through the tree ends at one of `kernels` kernels: children come after their parents.
inline void check_tree(std::vector<shape_tree::node> const& nodes, std::size_t extents, std::size_t kernels) {
  auto const count = static_cast<std::int32_t>(nodes.size());
  for (std::int32_t i = 0; i < count; ++i) {
    auto const& n = nodes[static_cast<std::size_t>(i)];
    for (auto const place : n.what.of)
      if (place != extent_product::none && place >= extents)
        malformed_shapes("a choice by an extent that is not there");
    bool const is_right = n.is_leaf() ? n.below >= 0 && static_cast<std::size_t>(n.below) < kernels
                                      : std::min(n.below, n.above) > i && std::max(n.below, n.above) < count;
    if (!is_right) malformed_shapes("a choice of a kernel that is not there");
  }
}

/// Checks that an operand is that of the first kernel, but for the largest extents.
inline void check_same(operand_info const& a, operand_info const& b) {
  bool same = a.name == b.name && a.type == b.type && a.direction == b.direction && a.strides == b.strides &&
              a.open == b.open && a.shape.size() == b.shape.size();
  for (std::size_t d = 0; same && d < a.shape.size(); ++d)
    same = a.shape[d] == b.shape[d] || (!a.open.empty() && a.open[d] >= 0);
  if (!same) malformed_shapes("operand " + a.name + " differs");
}

inline void check_kernel(kernel_image const& image, kernel_image const& first, std::size_t extents) {
  auto const& operands = image.signature.operands;
  if (operands.size() != first.signature.operands.size() || image.target != first.target || image.abi != first.abi ||
      image.features != first.features || image.device != first.device)
    malformed_shapes("they do not belong together");
  for (std::size_t i = 0; i < operands.size(); ++i) check_same(operands[i], first.signature.operands[i]);
  for (auto const& o : operands)
    if (std::any_of(o.open.begin(), o.open.end(),
                    [&](std::int32_t place) { return place < -1 || place >= static_cast<std::int64_t>(extents); }))
      malformed_shapes("operand " + o.name + " has an extent that is not there");
  auto const gives = [](operand_info const& o) { return o.direction == operand_direction::extents; };
  if (std::count_if(operands.begin(), operands.end(), gives) != 1)
    malformed_shapes("a kernel without extents of the call");
}

bool are_shape_images(std::span<std::uint8_t const> bytes) noexcept {
  byte_source in(bytes);
  return bytes.size() >= sizeof shape_images_magic && in.get<std::uint64_t>() == shape_images_magic;
}

std::vector<std::uint8_t> to_bytes(shape_images const& all) {
  byte_sink body;
  body.put(all.range.name);
  body.put(all.range.extents);
  body.put(all.range.smallest);
  body.put(all.range.largest);
  body.put(static_cast<std::uint64_t>(all.tree.nodes().size()));
  for (auto const& n : all.tree.nodes()) put(body, n);
  body.put(static_cast<std::uint64_t>(all.kernels.size()));
  for (auto const& one : all.kernels) put(body, one);
  auto const bytes = body.take();
  byte_sink out;
  out.put(shape_images_magic);
  out.put(shape_images_version);
  out.put(hasher{}.add(std::span<std::uint8_t const>(bytes)).value());
  out.put(bytes);
  return out.take();
}

shape_images shape_images_from_bytes(std::span<std::uint8_t const> bytes) {
  constexpr std::size_t most_nodes = 1 << 16;
  constexpr std::size_t most_kernels = 1024;
  if (!are_shape_images(bytes)) throw record_error("these bytes are no kernels for many shapes");
  byte_source in(bytes.subspan(sizeof shape_images_magic));
  if (auto const v = in.get<std::uint32_t>(); v != shape_images_version)
    throw record_error("kernels for many shapes of version " + std::to_string(v) + "; this library reads version " +
                       std::to_string(shape_images_version));
  auto const sum = in.get<std::uint64_t>();
  auto const body = in.get_bytes();
  in.finish();
  if (hasher{}.add(body).value() != sum)
    throw record_error("kernels for many shapes are damaged: the checksum differs");
  byte_source inner(body);
  shape_images made;
  inner.get(made.range.name);
  inner.get(made.range.extents);
  inner.get(made.range.smallest);
  inner.get(made.range.largest);
  check_range(made.range);
  auto nodes = get_list<shape_tree::node>(inner, most_nodes, "choices among kernels");
  made.kernels = get_list<shape_image>(inner, most_kernels, "kernels");
  inner.finish();
  check_tree(nodes, made.range.extents.size(), made.kernels.size());
  for (auto const& k : made.kernels) check_kernel(k.image, made.kernels.front().image, made.range.extents.size());
  made.tree = shape_tree(std::move(nodes));
  return made;
}

}}}  // namespace ttune::v0::detail
