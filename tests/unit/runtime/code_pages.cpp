// SPDX-License-Identifier: Apache-2.0
#include "ttune/runtime/code_pages.hpp"

#include <doctest/doctest.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "support/forked.hpp"
#include "support/machine_code.hpp"
#include "ttune/runtime/kernel_call.hpp"
#include "ttune/runtime/load.hpp"
#include "ttune/support/error.hpp"

namespace code_pages_tests {

using namespace ttune_test;

namespace {

/// From now on, this process gets no executable memory by the system call `number`. Returns false if the system has no
/// such filters.
bool refuse_code_by(int number) {
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(number), 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[2])),  // protection
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog const program{sizeof rules / sizeof *rules, rules};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/// Loads and runs a kernel; returns "right", or the text of the exception.
std::string try_to_load() {
  try {
    float in[4] = {1, 2, 3, 4};
    float out[4] = {};
    ttune::kernel_call(ttune::load(copy_image(4)))(std::vector<void*>{in, out});
    return std::memcmp(in, out, sizeof in) == 0 ? "right" : "wrong";
  } catch (ttune::backend_error const& refused) {
    return refused.what();
  }
}

}  // namespace

TEST_CASE("code_pages: where written pages may not become code, the code is a file in memory") {
  TTUNE_SKIP_UNLESS_X86();
  auto const said = said_by_child([] { return refuse_code_by(SYS_mprotect) ? try_to_load() : "no filters"; });
  TTUNE_SKIP_UNLESS("seccomp", said != "no filters", "this system has no filters of system calls");
  CHECK(said == "right");
}

TEST_CASE("code_pages: where no memory may be code, the error says so") {
  TTUNE_SKIP_UNLESS_X86();
  auto const said = said_by_child(
      [] { return refuse_code_by(SYS_mprotect) && refuse_code_by(SYS_mmap) ? try_to_load() : "no filters"; });
  TTUNE_SKIP_UNLESS("seccomp", said != "no filters", "this system has no filters of system calls");
  CHECK(said == "kernel copy: this system does not let memory become code: Permission denied");
}

}  // namespace code_pages_tests
