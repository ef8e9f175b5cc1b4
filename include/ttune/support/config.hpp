// SPDX-License-Identifier: Apache-2.0
// Library version, minimum compiler versions, and where the bodies are.
#pragma once

#define TTUNE_VERSION_MAJOR 0
#define TTUNE_VERSION_MINOR 1
#define TTUNE_VERSION_PATCH 0

#if __cplusplus < 202002L
#error "ttune needs C++20: compile with -std=c++20 or newer"
#endif

/// The headers declare. In one file of the program TTUNE_IMPLEMENTATION is defined before the first header of ttune:
/// there the bodies (`*.inl.hpp`) follow their declarations. That file includes all headers of ttune that the program
/// uses, or <ttune/implementation.hpp> for the whole engine. Programs that link ttune-compiled have no such file.
///
/// The bodies of parts that need a foreign library (backends/orc.hpp, models/xgboost.hpp, records/sqlite.hpp) may be
/// compiled beside those of the engine, in a file that defines TTUNE_IMPLEMENT_PARTS instead and includes the parts'
/// headers.
#if defined(TTUNE_IMPLEMENTATION) || defined(TTUNE_IMPLEMENT_PARTS)
#define TTUNE_PART_BODIES 1
#else
#define TTUNE_PART_BODIES 0
#endif
