// SPDX-License-Identifier: Apache-2.0
// The helper program: runs candidates for a tuner that talks to its standard input and output.
#include <ttune/runtime/worker.hpp>

int main() { return ttune::run_worker(); }
