// SPDX-License-Identifier: Apache-2.0
// Work that yields to the application: a priority for the calling thread.
#pragma once

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Gives the calling thread, and the threads and processes that it starts from now on, a nice value: 0 to 19, the
/// lowest priority. When it wakes, it does not preempt others (SCHED_BATCH). What the system refuses remains as it was;
/// the priority cannot be raised again without privileges.
inline void lower_priority(int nice) noexcept {
  sched_param const none{};
  (void)::pthread_setschedparam(::pthread_self(), SCHED_BATCH, &none);
  (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)), nice);
}

}}}  // namespace ttune::v0::detail
