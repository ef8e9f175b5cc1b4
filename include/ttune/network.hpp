// SPDX-License-Identifier: Apache-2.0
// Entry header of networks: build one of operators, tune it as a whole, call it.
#pragma once

#include "ttune/network/network.hpp"
#include "ttune/network/tune_network.hpp"
#include "ttune/network/tuned_network.hpp"
#include "ttune/ttune.hpp"
