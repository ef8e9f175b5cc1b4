// SPDX-License-Identifier: Apache-2.0
// The networks of suite networks by name, with weights and inputs that peers have written to files
// (../peers/networks/README.md), or with random ones.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../../examples/networks/bert_layer.hpp"
#include "../../examples/networks/compare.hpp"
#include "../../examples/networks/dcgan.hpp"
#include "../../examples/networks/dqn.hpp"
#include "../../examples/networks/lstm.hpp"
#include "../../examples/networks/lstm_sequence.hpp"
#include "../../examples/networks/mobilenet.hpp"
#include "../../examples/networks/quantized_resnet.hpp"
#include "../../examples/networks/resnet.hpp"

namespace ttune_bench {

/// Differences of outputs from the expected ones; -1 without expected ones. Of several outputs, those of the worst.
struct output_errors {
  double largest = -1;      ///< the largest difference over the largest expected number
  double mean_square = -1;  ///< the root of the mean square of the differences over that of the expected numbers
};

namespace detail {

using maker = ttune::network (*)(networks::weight_source);

template <auto Function>
ttune::network made(networks::weight_source source) {
  return Function(std::move(source), {});
}

inline std::map<std::string, maker> const& makers() {
  static std::map<std::string, maker> const all{{"resnet18", made<networks::resnet18>},
                                                {"resnet50", made<networks::resnet50>},
                                                {"mobilenet_v1", made<networks::mobilenet_v1>},
                                                {"mobilenet_v2", made<networks::mobilenet_v2>},
                                                {"dqn", made<networks::dqn>},
                                                {"dcgan", made<networks::dcgan>},
                                                {"lstm", made<networks::lstm>},
                                                {"lstm_sequence", made<networks::lstm_sequence>},
                                                {"bert_layer", made<networks::bert_layer>},
                                                {"resnet18_i8", made<networks::resnet18_i8>}};
  return all;
}

/// A file of numbers, read in their order or from a place.
class number_file {
 public:
  explicit number_file(std::string path) : path_(std::move(path)), in_(path_, std::ios::binary) {
    if (!in_) throw std::runtime_error(path_ + " cannot be opened");
  }
  void seek(std::int64_t offset) { in_.seekg(offset); }
  void read(void* into, std::size_t bytes) {
    if (!in_.read(static_cast<char*>(into), static_cast<std::streamsize>(bytes)))
      throw std::runtime_error(path_ + " ends too soon");
  }

 private:
  std::string path_;
  std::ifstream in_;
};

/// The offset of each weight by its name.
inline std::map<std::string, std::int64_t> places_of(std::string const& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error(path + " cannot be opened");
  std::map<std::string, std::int64_t> made;
  std::string name;
  for (std::int64_t offset = 0; in >> name >> offset;) made[name] = offset;
  return made;
}

inline networks::weight_source weights_in_order(std::string const& stem) {
  auto const file = std::make_shared<number_file>(stem + ".weights");
  return [file](networks::weights_request const& wanted, void* into) {
    file->read(into, wanted.elements * static_cast<std::size_t>(ttune::size_in_bytes(wanted.type)));
  };
}

inline networks::weight_source weights_by_name(std::string const& stem) {
  auto const file = std::make_shared<number_file>(stem + ".weights");
  return [file, places = places_of(stem + ".places")](networks::weights_request const& wanted, void* into) {
    auto const at = places.find(wanted.name);
    if (at == places.end()) throw std::runtime_error("there are no weights " + wanted.name);
    file->seek(at->second);
    file->read(into, wanted.elements * static_cast<std::size_t>(ttune::size_in_bytes(wanted.type)));
  };
}

/// Returns both errors of outputs, of expected numbers of type T.
template <class T>
output_errors errors_against(std::vector<std::vector<float>> const& outputs, std::string const& path) {
  number_file file(path);
  output_errors worst{0, 0};
  for (auto const& found : outputs) {
    std::vector<T> expected(found.size());
    file.read(expected.data(), expected.size() * sizeof(T));
    double largest = 0, difference = 0, squares = 0, squares_of_differences = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      auto const value = static_cast<double>(expected[i]);
      auto const off = std::abs(static_cast<double>(found[i]) - value);
      largest = std::max(largest, std::abs(value));
      difference = off > difference || std::isnan(off) ? off : difference;
      squares += value * value;
      squares_of_differences += off * off;
    }
    worst.largest = std::max(worst.largest, difference / largest);
    worst.mean_square = std::max(worst.mean_square, std::sqrt(squares_of_differences / squares));
  }
  return worst;
}

}  // namespace detail

/// Makes a network by name. Throws std::invalid_argument for an unknown one.
[[nodiscard]] inline ttune::network make_network(std::string const& name, networks::weight_source const& source) {
  auto const found = detail::makers().find(name);
  if (found == detail::makers().end()) throw std::invalid_argument("there is no network " + name);
  return found->second(source);
}

/// Returns the weights of a network from the files of a folder; of no folder, random ones. Throws std::runtime_error
/// for a file that cannot be read or ends too soon.
[[nodiscard]] inline networks::weight_source weights_of(std::string const& folder, std::string const& name) {
  if (folder.empty()) return networks::random_weights();
  return name == "resnet18_i8" ? detail::weights_by_name(folder + "/" + name)
                               : detail::weights_in_order(folder + "/" + name);
}

/// Returns the inputs of a network from the files of a folder; of no folder, random ones.
[[nodiscard]] inline std::vector<std::vector<float>> inputs_of(ttune::network_graph const& net,
                                                               std::string const& folder, std::string const& name) {
  auto all = networks::random_inputs(net);
  if (folder.empty()) return all;
  detail::number_file file(folder + "/" + name + ".in");
  for (auto& values : all) file.read(values.data(), values.size() * sizeof(float));
  return all;
}

/// Returns the differences from the expected outputs. The expected ones are those in f64, or of ONNX Runtime where
/// there are none.
[[nodiscard]] inline output_errors errors_of(std::vector<std::vector<float>> const& outputs, std::string const& folder,
                                             std::string const& name) {
  if (folder.empty()) return {};
  auto const stem = folder + "/" + name;
  return std::ifstream(stem + ".out64") ? detail::errors_against<double>(outputs, stem + ".out64")
                                        : detail::errors_against<float>(outputs, stem + ".out");
}

}  // namespace ttune_bench
