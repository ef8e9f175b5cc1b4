// SPDX-License-Identifier: Apache-2.0
// The bodies of all primitives, for the library that compiles the bodies of each folder in a file of its own.
#pragma once

#define TTUNE_PRIMITIVE_BODIES
#include "ttune/schedule/primitive/all.hpp"
