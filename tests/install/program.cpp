// SPDX-License-Identifier: Apache-2.0
// A user's program. TTUNE_PART_HEADER is the header of the tested part, and TTUNE_PART_COMPILED says that
// the part brings ttune's functions as an object file: then no file of the program has to.
#ifndef TTUNE_PART_COMPILED
#define TTUNE_IMPLEMENTATION
#endif
#include <ttune/ttune.hpp>
#ifdef TTUNE_PART_HEADER
#include TTUNE_PART_HEADER
#endif

int main() { return 0; }
