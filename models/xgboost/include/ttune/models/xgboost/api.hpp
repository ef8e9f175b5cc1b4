// SPDX-License-Identifier: Apache-2.0
// The only file that includes xgboost: its C API. The library is opened when a model is fitted for the first time: a
// program that finds its kernels in a database starts without it (4 ms).
#pragma once

#include <xgboost/c_api.h>

#include <cstdlib>

#include "ttune/support/shared_library.hpp"

namespace ttune { inline namespace v0 { namespace detail { namespace xgboost_api {

/// Opens the library; the environment variable TTUNE_XGBOOST_LIBRARY has priority.
inline shared_library const& library() {
  static shared_library const one = [] {
    auto const* const named = std::getenv("TTUNE_XGBOOST_LIBRARY");
    return shared_library({named ? named : "", "libxgboost.so.0", "libxgboost.so"});
  }();
  return one;
}

// Each of these hides the function of the C header with the same name.
#define TTUNE_XGBOOST_FUNCTION(name) inline constexpr lazy_function<&library, #name, decltype(::name)> name{};
TTUNE_XGBOOST_FUNCTION(XGBGetLastError)
TTUNE_XGBOOST_FUNCTION(XGBoostVersion)
TTUNE_XGBOOST_FUNCTION(XGBoosterCreate)
TTUNE_XGBOOST_FUNCTION(XGBoosterFree)
TTUNE_XGBOOST_FUNCTION(XGBoosterPredictFromDMatrix)
TTUNE_XGBOOST_FUNCTION(XGBoosterSaveModelToBuffer)
TTUNE_XGBOOST_FUNCTION(XGBoosterSetParam)
TTUNE_XGBOOST_FUNCTION(XGBoosterUpdateOneIter)
TTUNE_XGBOOST_FUNCTION(XGDMatrixCreateFromMat)
TTUNE_XGBOOST_FUNCTION(XGDMatrixFree)
TTUNE_XGBOOST_FUNCTION(XGDMatrixSetFloatInfo)
TTUNE_XGBOOST_FUNCTION(XGDMatrixSetUIntInfo)
#undef TTUNE_XGBOOST_FUNCTION

}}}}  // namespace ttune::v0::detail::xgboost_api
