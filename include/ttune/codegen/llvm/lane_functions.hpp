// SPDX-License-Identifier: Apache-2.0
// Functions of all lanes of a vector at once. backends/README.md and tests/unit/orc/functions.cpp have their errors.
#pragma once

#include "ttune/codegen/llvm/functions/error_function.hpp"
#include "ttune/codegen/llvm/functions/exponential.hpp"
#include "ttune/codegen/llvm/functions/logarithm.hpp"
#include "ttune/codegen/llvm/functions/power.hpp"
#include "ttune/codegen/llvm/functions/reciprocal_root.hpp"
#include "ttune/codegen/llvm/functions/trigonometric.hpp"
