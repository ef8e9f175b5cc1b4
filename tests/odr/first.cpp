// SPDX-License-Identifier: Apache-2.0
// One of two translation units that include every core header.
#include "all_headers.hpp"

int second();

int main() { return second(); }
