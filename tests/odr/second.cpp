// SPDX-License-Identifier: Apache-2.0
// The other of two translation units that include every core header.
#include "all_headers.hpp"

int second();
int second() { return 0; }
