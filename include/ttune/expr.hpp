// SPDX-License-Identifier: Apache-2.0
// Entry: declare operators. Nothing here compiles, tunes or runs them.
#pragma once

#include "ttune/capture/capture.hpp"
#include "ttune/expr/boundary.hpp"
#include "ttune/expr/compute.hpp"
#include "ttune/expr/functions.hpp"
#include "ttune/expr/op.hpp"
#include "ttune/expr/reduce.hpp"
