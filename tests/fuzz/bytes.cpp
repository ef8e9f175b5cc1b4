// SPDX-License-Identifier: Apache-2.0
// Feeds bytes from outside to a reader chosen by their first byte: a line of records, a line of an AutoTVM log, an
// image, the content of an image for a device, messages of the worker's protocol. TTUNE_FUZZ_ONLY chooses one reader
// for all inputs. Built by hand, see README.md.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "ttune/codegen/device_image.hpp"
#include "ttune/records/autotvm_log.hpp"
#include "ttune/records/json_lines.hpp"
#include "ttune/runtime/image_io.hpp"
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

template <class T>
void read_part(std::span<std::uint8_t const> body) {
  ttune::byte_source in(body);
  T part;
  ttune::protocol::get(in, part);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
#if defined(TTUNE_FUZZ_ONLY)
  unsigned const reader = TTUNE_FUZZ_ONLY;
#else
  unsigned const reader = data[0] % 8;
#endif
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
