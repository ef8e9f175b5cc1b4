// SPDX-License-Identifier: Apache-2.0
// Draws curves with their spread to an SVG file, which any browser shows, without a library.
#pragma once

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <vector>

namespace ttune_bench {

/// Values after trials 1, 2, …: mean and standard deviation over the seeds.
struct svg_curve {
  std::string name;
  std::vector<double> mean;
  std::vector<double> spread;
};

/// Writes the file. Does not throw: a file that cannot be written is left out.
inline void write_svg(std::string const& file, std::string const& title, std::string const& y_name,
                      std::vector<svg_curve> const& curves) {
  constexpr double width = 640, height = 400, left = 60, top = 40, right = 150, bottom = 40;
  static constexpr std::array<char const*, 8> colours = {"#1f77b4", "#ff7f0e", "#2ca02c", "#d62728",
                                                         "#9467bd", "#8c564b", "#17becf", "#7f7f7f"};
  double most = 0;
  std::size_t trials = 1;
  for (auto const& c : curves) {
    trials = std::max(trials, c.mean.size());
    for (std::size_t i = 0; i < c.mean.size(); ++i) most = std::max(most, c.mean[i] + c.spread[i]);
  }
  auto const x_of = [&](std::size_t i) {
    return left + (width - left - right) * static_cast<double>(i) / static_cast<double>(trials);
  };
  auto const y_of = [&](double v) { return height - bottom - (height - top - bottom) * v / std::max(most, 1e-9); };
  std::ofstream out(file);
  out << R"(<svg xmlns="http://www.w3.org/2000/svg" width=")" << width << R"(" height=")" << height
      << R"(" font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="white"/>)"
      << "<text x='" << left << "' y='20' font-size='14'>" << title << "</text>";
  for (int i = 0; i <= 4; ++i) {
    auto const v = most * i / 4;
    out << "<line x1='" << left << "' x2='" << width - right << "' y1='" << y_of(v) << "' y2='" << y_of(v)
        << "' stroke='#ddd'/><text x='" << left - 5 << "' y='" << y_of(v) + 4 << "' text-anchor='end'>"
        << static_cast<int>(v) << "</text>";
    auto const t = trials * static_cast<std::size_t>(i) / 4;
    out << "<text x='" << x_of(t) << "' y='" << height - bottom + 15 << "' text-anchor='middle'>" << t << "</text>";
  }
  out << "<text x='" << left << "' y='" << top - 6 << "'>" << y_name << "</text><text x='" << (width - right + left) / 2
      << "' y='" << height - 8 << "' text-anchor='middle'>trials</text>";
  for (std::size_t k = 0; k < curves.size(); ++k) {
    auto const& c = curves[k];
    auto const* const colour = colours[k % colours.size()];
    auto const step = std::max<std::size_t>(1, trials / 128);  // more points cannot be seen
    std::string band, line;
    for (std::size_t i = 0; i < c.mean.size(); i += step) {
      auto const x = std::to_string(x_of(i + 1));
      line += x + "," + std::to_string(y_of(c.mean[i])) + " ";
      band += x + "," + std::to_string(y_of(c.mean[i] + c.spread[i])) + " ";
    }
    for (auto i = c.mean.size(); i-- > 0;) {
      if (i % step != 0) continue;
      band += std::to_string(x_of(i + 1)) + "," + std::to_string(y_of(std::max(0.0, c.mean[i] - c.spread[i]))) + " ";
    }
    auto const y = top + 10 + 16 * static_cast<double>(k);
    out << "<polygon points='" << band << "' fill='" << colour << "' opacity='0.12'/><polyline points='" << line
        << "' fill='none' stroke='" << colour << "' stroke-width='1.5'/><text x='" << width - right + 12 << "' y='" << y
        << "' fill='" << colour << "'>" << c.name << "</text>";
  }
  out << "</svg>\n";
}

}  // namespace ttune_bench
