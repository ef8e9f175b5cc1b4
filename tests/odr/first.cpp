// SPDX-License-Identifier: Apache-2.0
// One of two translation units that include every core header, and the one that has the bodies.
#define TTUNE_IMPLEMENTATION
#include "all_headers.hpp"

int second();

int main() { return second(); }
