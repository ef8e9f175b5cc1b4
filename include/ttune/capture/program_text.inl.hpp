// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/capture/capture.hpp"
#include "ttune/capture/program_text.hpp"
#include "ttune/capture/program_text/program_reader.hpp"
#include "ttune/capture/program_text/writer.hpp"

namespace ttune { inline namespace v0 {

std::string to_text(ir::program const& p) { return capture::detail::program_writer().run(p); }

handle<ir::program> program_from_text(std::string_view text) { return capture::detail::program_reader(text).run(); }

}}  // namespace ttune::v0
