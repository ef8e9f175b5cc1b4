// SPDX-License-Identifier: Apache-2.0
// The file of a program that compiles the bodies of the engine.
#define TTUNE_IMPLEMENTATION
#include <ttune/ttune.hpp>
