// SPDX-License-Identifier: Apache-2.0
// A user's file, in a program that gets the bodies elsewhere. TTUNE_PART_HEADER is the header of the tested part.
#include <ttune/ttune.hpp>
#ifdef TTUNE_PART_HEADER
#include TTUNE_PART_HEADER
#endif

int main() { return 0; }
