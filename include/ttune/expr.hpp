// SPDX-License-Identifier: Apache-2.0
// Entry header: declares operators. It does not compile, tune or run them.
#pragma once

#include "ttune/capture/capture.hpp"
#include "ttune/expr/boundary.hpp"
#include "ttune/expr/compute.hpp"
#include "ttune/expr/functions.hpp"
#include "ttune/expr/largest.hpp"
#include "ttune/expr/op.hpp"
#include "ttune/expr/reduce.hpp"
#include "ttune/expr/refused.hpp"
