// SPDX-License-Identifier: Apache-2.0
// Feeds bytes from outside to a reader chosen by their first byte: a line of records, a line of an AutoTVM log, an
// image, kernels for many shapes, the content of an image for a device, messages of the worker's protocol, the text
// of a program or of a network. TTUNE_FUZZ_READER, a number in the environment, chooses one reader for all inputs
// (README.md).
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string_view>

#include "ttune/capture/program_text.hpp"
#include "ttune/codegen/device_image.hpp"
#include "ttune/network/network_text.hpp"
#include "ttune/records/autotvm_log.hpp"
#include "ttune/records/json_lines.hpp"
#include "ttune/runtime/image_io.hpp"
#include "ttune/runtime/shape_images.hpp"
#include "ttune/runtime/worker/protocol.hpp"
#include "ttune/support/error.hpp"

namespace {

/// Checks that a record that was read and written again reads the same.
void read_line(std::string_view line) {
  auto const first = ttune::from_json_line(line);
  if (!first.value) return;
  auto const text = ttune::to_json_line(*first.value);
  auto const again = ttune::from_json_line(text);
  if (!again.value || ttune::to_json_line(*again.value) != text) std::abort();
}

/// Checks that a program that was read and written again reads the same. Texts may cause no other error than
/// program_error.
void read_program(std::string_view text) {
  try {
    auto const again = to_text(*ttune::program_from_text(text));
    if (to_text(*ttune::program_from_text(again)) != again) std::abort();
  } catch (ttune::program_error const&) {
  }
}

/// Reads a network whose weights are the text.
void read_network(std::string_view text) {
  try {
    std::shared_ptr<void const> const weights(text.data(), [](void const*) {});
    (void)ttune::network_from_text(text, weights, static_cast<std::int64_t>(text.size()));
  } catch (ttune::program_error const&) {
  }
}

template <class T>
void read_part(std::span<std::uint8_t const> body) {
  ttune::byte_source in(body);
  T part;
  ttune::protocol::get(in, part);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static char const* const only = std::getenv("TTUNE_FUZZ_READER");
  if (size == 0) return 0;
  unsigned const reader = only ? static_cast<unsigned>(std::atoi(only)) : data[0] % 11;
  std::span const rest(data + 1, size - 1);
  std::string_view const text(reinterpret_cast<char const*>(rest.data()), rest.size());
  try {
    switch (reader) {
      case 0: read_line(text); break;
      case 1: (void)ttune::from_autotvm_line(text); break;
      case 2: (void)ttune::image_from_bytes(rest); break;
      case 3: read_part<ttune::runner_options>(rest); break;
      case 4: read_part<ttune::trial_limits>(rest); break;
      case 5: read_part<ttune::comparison>(rest); break;
      case 6: (void)ttune::codegen::payload_from_bytes(rest); break;
      case 7: read_program(text); break;
      case 8: read_network(text); break;
      case 10: (void)ttune::detail::shape_images_from_bytes(rest); break;
      default: {
        ttune::byte_source in(rest);
        ttune::measurement result;
        get(in, result);
      }
    }
  } catch (ttune::record_error const&) {  // the only error that the bytes may cause
  }
  return 0;
}
