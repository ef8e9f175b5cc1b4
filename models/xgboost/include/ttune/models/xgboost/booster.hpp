// SPDX-License-Identifier: Apache-2.0
// Objects of xgboost's C API, with their owners: data, and a booster that is fitted to them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ttune/model/cost_model.hpp"
#include "ttune/models/xgboost/api.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace detail {

inline void check_xgboost(int status, char const* what) {
  if (status != 0) throw backend_error(std::string("xgboost: ") + what + ": " + xgboost_api::XGBGetLastError());
}

/// Rows, labels and weights as an object of the library.
class boosting_data {
 public:
  boosting_data(feature_view features, std::span<std::size_t const> rows, std::vector<float> const& labels,
                std::vector<float> const& weights) {
    std::vector<float> gathered(rows.size() * features.columns);
    for (std::size_t i = 0; i < rows.size(); ++i)
      std::copy_n(features.row(rows[i]), features.columns, gathered.data() + i * features.columns);
    check_xgboost(xgboost_api::XGDMatrixCreateFromMat(gathered.data(), rows.size(), features.columns,
                                                      std::numeric_limits<float>::quiet_NaN(), &handle_),
                  "making a matrix");
    set("label", labels);
    if (!weights.empty()) set("weight", weights);
  }
  boosting_data(boosting_data const&) = delete;
  boosting_data& operator=(boosting_data const&) = delete;
  ~boosting_data() {
    if (handle_) xgboost_api::XGDMatrixFree(handle_);
  }
  /// Sets the sizes of consecutive groups of rows; ranking compares rows within a group.
  void set_groups(std::vector<unsigned> const& sizes) {
    check_xgboost(xgboost_api::XGDMatrixSetUIntInfo(handle_, "group", sizes.data(), sizes.size()), "setting groups");
  }
  [[nodiscard]] DMatrixHandle get() const noexcept { return handle_; }

 private:
  void set(char const* field, std::vector<float> const& values) {
    auto const status = xgboost_api::XGDMatrixSetFloatInfo(handle_, field, values.data(), values.size());
    if (status != 0) xgboost_api::XGDMatrixFree(std::exchange(handle_, nullptr));
    check_xgboost(status, field);
  }
  DMatrixHandle handle_ = nullptr;
};

/// Owns a booster of the library.
class booster {
 public:
  explicit booster(std::vector<DMatrixHandle> const& data) {
    check_xgboost(xgboost_api::XGBoosterCreate(data.data(), data.size(), &handle_), "making a booster");
    set("verbosity", "0");
  }
  booster(booster const&) = delete;
  booster& operator=(booster const&) = delete;
  ~booster() { xgboost_api::XGBoosterFree(handle_); }

  void set(char const* parameter, std::string const& value) {
    check_xgboost(xgboost_api::XGBoosterSetParam(handle_, parameter, value.c_str()), parameter);
  }
  void update(int round, boosting_data const& data) {
    check_xgboost(xgboost_api::XGBoosterUpdateOneIter(handle_, round, data.get()), "boosting");
  }
  /// Returns sums of leaves and base score, before any link function. Valid until the next call.
  [[nodiscard]] std::span<float const> margins(boosting_data const& data) {
    bst_ulong const* shape = nullptr;
    bst_ulong dimensions = 0;
    float const* values = nullptr;
    check_xgboost(xgboost_api::XGBoosterPredictFromDMatrix(
                      handle_, data.get(),
                      R"({"type":1,"training":false,"iteration_begin":0,"iteration_end":0,"strict_shape":false})",
                      &shape, &dimensions, &values),
                  "predicting");
    return {values, static_cast<std::size_t>(dimensions > 0 ? shape[0] : 0)};
  }
  [[nodiscard]] std::span<char const> model() {
    bst_ulong size = 0;
    char const* bytes = nullptr;
    check_xgboost(xgboost_api::XGBoosterSaveModelToBuffer(handle_, R"({"format":"ubj"})", &size, &bytes),
                  "saving a model");
    return {bytes, static_cast<std::size_t>(size)};
  }

 private:
  BoosterHandle handle_ = nullptr;
};

}}}  // namespace ttune::v0::detail
