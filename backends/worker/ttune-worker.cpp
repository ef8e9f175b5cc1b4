// SPDX-License-Identifier: Apache-2.0
// The helper program `ttune-worker`: runs candidates for a tuner that communicates over its standard input and output.
#include <ttune/runtime/worker/entry.hpp>
#if TTUNE_WITH_OPENCL
#include <ttune/backends/opencl.hpp>
#endif
#if TTUNE_WITH_CUDA
#include <ttune/backends/cuda.hpp>
#endif

int main() { return ttune::run_worker(); }
