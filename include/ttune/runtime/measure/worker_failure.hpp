// SPDX-License-Identifier: Apache-2.0
// Tells from the end of a worker what is wrong with the candidate that it worked on.
#pragma once

#include <string>

#include "ttune/runtime/image.hpp"
#include "ttune/runtime/measure/measurement.hpp"
#include "ttune/runtime/measure/worker_request.hpp"
#include "ttune/runtime/worker/process.hpp"
#include "ttune/runtime/worker/protocol.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Describes a fault in a sentence for people.
[[nodiscard]] std::string describe(protocol::fault const& f, kernel_signature const& s);

/// Returns true if a request got no answer for a reason that need not be the candidate: the worker exited without a
/// message, sent malformed data, or fell silent.
[[nodiscard]] bool is_loss(protocol::outcome got, worker_request const& request) noexcept;

/// Sets status and message of `failure` for a request without an answer; the worker ended as `how` says.
void explain_failure(protocol::outcome got, worker_request const& request, worker::ending const& how,
                     worker_pace const& pace, kernel_signature const& signature, measurement& failure);

/// Returns a text such as "0.2 s".
[[nodiscard]] std::string seconds_text(double seconds);

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/measure/worker_failure.inl.hpp"
#endif
