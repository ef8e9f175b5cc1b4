// SPDX-License-Identifier: Apache-2.0
#include "json_lines.hpp"

#include <stdexcept>

#include "ping_pong.hpp"
#include "ttune/records/json.hpp"

namespace ttune_bench {

std::string to_json_line(result const& r) {
  using ttune::json_value;
  std::string line;
  ttune::write_json(line,
                    json_value{json_value::object{{"suite", {r.suite}},
                                                  {"case", {r.name}},
                                                  {"system", {r.system}},
                                                  {"seconds", {r.seconds}},
                                                  {"gflops", {r.gflops}},
                                                  {"peak_gflops", {r.peak_gflops}},
                                                  {"of_peak", {r.peak_gflops > 0 ? r.gflops / r.peak_gflops : 0.0}},
                                                  {"tuning_seconds", {r.tuning_seconds}},
                                                  {"trials", {r.trials}},
                                                  {"refused", {r.refused}},
                                                  {"status", {r.status}},
                                                  {"numerics", {r.numerics}},
                                                  {"mode", {r.mode}},
                                                  {"operands", {r.operands}},
                                                  {"ping_pong_ns", {ping_pong_nanoseconds()}}}});
  return line;
}

json_lines::json_lines(std::string const& file) {
  if (file.empty()) return;
  out_.open(file, std::ios::app);
  if (!out_) throw std::runtime_error(file + ": cannot be written");
}

void json_lines::write(result const& r) {
  if (out_.is_open()) out_ << to_json_line(r) << std::endl;  // flushed, so that an interrupted run leaves whole lines
}

}  // namespace ttune_bench
