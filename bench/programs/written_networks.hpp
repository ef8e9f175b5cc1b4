// SPDX-License-Identifier: Apache-2.0
// The networks of suite networks by name, with weights and inputs that peers have written to files
// (../peers/networks/README.md), or with random ones.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
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

/// A file of numbers, read in their order.
class number_file {
 public:
  explicit number_file(std::string path) : path_(std::move(path)), in_(path_, std::ios::binary) {
    if (!in_) throw std::runtime_error(path_ + " cannot be opened");
  }
  void read(void* into, std::size_t bytes) {
    if (!in_.read(static_cast<char*>(into), static_cast<std::streamsize>(bytes)))
      throw std::runtime_error(path_ + " ends too soon");
  }

 private:
  std::string path_;
  std::ifstream in_;
};

/// A file in memory, of which the system reads what is used.
class mapped_file {
 public:
  explicit mapped_file(std::string path) : path_(std::move(path)), bytes_(std::filesystem::file_size(path_)) {
    auto const file = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    if (file >= 0) begin_ = ::mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file, 0);
    if (file >= 0) ::close(file);
    if (begin_ == MAP_FAILED) throw std::runtime_error(path_ + " cannot be mapped");
  }
  ~mapped_file() { ::munmap(begin_, bytes_); }
  mapped_file(mapped_file const&) = delete;
  mapped_file& operator=(mapped_file const&) = delete;

  /// Returns a part of a file. The pages of a part that nobody has any more are given back.
  [[nodiscard]] static std::shared_ptr<void const> part(std::shared_ptr<mapped_file const> const& of,
                                                        std::size_t offset, std::size_t bytes) {
    if (offset > of->bytes_ || bytes > of->bytes_ - offset) throw std::runtime_error(of->path_ + " ends too soon");
    return {static_cast<char const*>(of->begin_) + offset,
            [of, bytes](char const* begin) { of->give_back(begin, bytes); }};
  }

 private:
  void give_back(char const* begin, std::size_t bytes) const {
    auto const page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    auto const before = static_cast<std::size_t>(begin - static_cast<char const*>(begin_));
    auto const first = (before + page - 1) / page * page, last = (before + bytes) / page * page;
    if (first < last) ::madvise(static_cast<char*>(begin_) + first, last - first, MADV_DONTNEED);
  }

  std::string path_;
  std::size_t bytes_;
  void* begin_ = MAP_FAILED;
};

/// The offset of each weight by its name.
inline std::map<std::string, std::size_t> places_of(std::string const& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error(path + " cannot be opened");
  std::map<std::string, std::size_t> made;
  std::string name;
  for (std::size_t offset = 0; in >> name >> offset;) made[name] = offset;
  return made;
}

[[nodiscard]] inline std::size_t bytes_of(networks::weights_request const& wanted) {
  return wanted.elements * static_cast<std::size_t>(ttune::size_in_bytes(wanted.type));
}

inline networks::weight_source weights_in_order(std::string const& stem) {
  return [file = std::make_shared<mapped_file const>(stem + ".weights"),
          next = std::make_shared<std::size_t>(0)](networks::weights_request const& wanted) {  // copies share it
    auto const offset = std::exchange(*next, *next + bytes_of(wanted));
    return mapped_file::part(file, offset, bytes_of(wanted));
  };
}

inline networks::weight_source weights_by_name(std::string const& stem) {
  return [file = std::make_shared<mapped_file const>(stem + ".weights"),
          places = places_of(stem + ".places")](networks::weights_request const& wanted) {
    auto const at = places.find(wanted.name);
    if (at == places.end()) throw std::runtime_error("there are no weights " + wanted.name);
    return mapped_file::part(file, at->second, bytes_of(wanted));
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
