// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>
#include <vector>

#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/capture/capture.hpp"
#include "ttune/ir/count_flops.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/runtime/kernel_call.hpp"
#include "ttune/runtime/measure/trial_check.hpp"
#include "ttune/runtime/signature.hpp"
#include "ttune/runtime/strided_operand.hpp"
#include "ttune/schedule/to_cpp.hpp"
#include "ttune/testing/check.hpp"
#include "ttune/testing/fenced_memory.hpp"
#include "ttune/tune/workload.hpp"

namespace ttune { inline namespace v0 { namespace testing {

namespace detail {

std::vector<std::vector<std::int64_t>> operand_shapes(handle<ir::program> const& program) {
  std::vector<std::vector<std::int64_t>> made;
  for (auto const& o : signature_of(program).operands)
    if (!is_given_by_kernels(o)) made.push_back(o.shape);
  return made;
}

/// Parses and prints lines such as "inputs=7 choices=0,3,1".
struct replay_line {
  std::uint64_t inputs = 0;
  configuration chosen;

  [[nodiscard]] std::string text() const {
    std::string made = "inputs=" + std::to_string(inputs) + " choices=";
    for (std::size_t i = 0; i < chosen.choices.size(); ++i)
      made += (i != 0 ? "," : "") + std::to_string(chosen.choices[i]);
    return made;
  }
  [[nodiscard]] static replay_line parse(std::string const& line) {
    replay_line made;
    auto const* at = line.data();
    auto const* const end = at + line.size();
    auto const refuse = [&] {
      throw argument_error("check: '" + line + "' is no replay line, as 'inputs=1 choices=0,3,1'");
    };
    auto const word = [&](std::string_view w) {
      if (!std::string_view(at, static_cast<std::size_t>(end - at)).starts_with(w)) refuse();
      at += w.size();
    };
    auto const number = [&](auto& n) {
      auto const read = std::from_chars(at, end, n);
      if (read.ec != std::errc{}) refuse();
      at = read.ptr;
    };
    word("inputs=");
    number(made.inputs);
    word(" choices=");
    while (at != end) {
      if (!made.chosen.choices.empty()) word(",");
      number(made.chosen.choices.emplace_back());
    }
    return made;
  }
};

inline bool is_written(operand_info const& o) noexcept {
  return o.direction == operand_direction::out || o.direction == operand_direction::inout;
}

/// One content of all operands, with the expected outputs.
struct contents {
  std::uint64_t seed = 0;
  std::vector<std::vector<std::uint8_t>> bytes;  ///< [operand]; zeros for outputs
  std::vector<expected_output> expected;         ///< [operand]; empty for operands that are not written
};

/// Result of one configuration: correct, faulty, or refused by lowering.
struct outcome {
  bool refused = false;
  std::string fault;
};

/// Runs configurations of one operator.
class checker {
 public:
  checker(handle<ir::program> program, reference_function const& reference, check_options const& options)
      : program_(std::move(program)),
        reference_(reference),
        options_(options),
        machine_(options.backend ? options.backend->target() : target{}),
        work_(options.space ? *options.space : derive_space(program_, machine_), machine_) {
    if (!options_.backend) return;
    if (auto const there = options_.backend->availability(); !there)
      throw backend_error("check: " + options_.backend->name() + ": " + there.reason);
  }

  report run() {
    if (!options_.replay.empty()) return replay(replay_line::parse(options_.replay));
    std::vector<contents> all;
    for (int i = 0; i < std::max(1, options_.inputs); ++i)
      all.push_back(make_contents(options_.seed + static_cast<std::uint64_t>(i)));
    rng random(options_.seed);
    std::set<std::vector<std::int32_t>> seen;
    report made;
    auto next = work_.seed();
    for (int tries = 0;
         made.configurations + made.refused < options_.configurations && tries < 4 * options_.configurations; ++tries) {
      if (seen.insert(next.choices).second)
        for (auto const& c : all)
          if (!add(made, next, c)) return failed(std::move(made), next, c);
      next = work_.sampler().draw(random);
      if (work_.sampler().size() == seen.size()) break;
    }
    return passed(std::move(made), std::to_string(all.size()));
  }

 private:
  report replay(replay_line const& line) {
    if (line.chosen.choices.size() != work_.space().knobs.size() || !work_.sampler().valid(line.chosen))
      throw argument_error("check: the replay line's choices are none of the space's configurations");
    auto const c = make_contents(line.inputs);
    report made;
    return add(made, line.chosen, c) ? passed(std::move(made), "1") : failed(std::move(made), line.chosen, c);
  }

  /// Runs a configuration, and counts it with its first contents; returns false on a fault.
  bool add(report& into, configuration const& chosen, contents const& with) {
    if (options_.before) options_.before(replay_line{with.seed, chosen}.text());
    auto const found = try_out(chosen, with);
    if (last_counted_ != chosen || into.configurations + into.refused == 0)
      (found.refused ? into.refused : into.configurations) += 1;
    last_counted_ = chosen;
    into.difference = found.fault;
    return found.fault.empty();
  }

  [[nodiscard]] contents make_contents(std::uint64_t seed) const {
    auto const& operands = work_.signature().operands;
    contents made;
    made.seed = seed;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      made.bytes.emplace_back(static_cast<std::size_t>(operands[i].bytes()), std::uint8_t{0});
      if (operands[i].direction == operand_direction::strides)
        made.bytes.back() = content_of_strides(work_.signature());
      else if (operands[i].direction == operand_direction::extents)
        made.bytes.back() = content_of_extents(work_.signature());
      else if (operands[i].direction != operand_direction::out)
        made.bytes.back() = make_input(operands[i], seed * 64 + i);
    }
    auto const right = reference_ ? by_reference(made) : by_interpreter(made);
    made.expected.resize(operands.size());
    for (std::size_t i = 0; i < operands.size(); ++i)
      if (is_written(operands[i]))
        made.expected[i] = {operands[i], right[i], work_.signature().terms, options_.tolerance};
    return made;
  }

  [[nodiscard]] std::vector<std::vector<std::uint8_t>> by_reference(contents const& with) const {
    auto bytes = with.bytes;
    std::vector<void*> pointers;
    for (std::size_t i = 0; i < bytes.size(); ++i)
      if (!is_given_by_kernels(work_.signature().operands[i])) pointers.push_back(bytes[i].data());
    reference_(pointers);
    return bytes;
  }
  [[nodiscard]] std::vector<std::vector<std::uint8_t>> by_interpreter(contents const& with) const {
    return results(with, ir::evaluate(*program_, arrays(with)));
  }

  [[nodiscard]] std::vector<ir::ndarray> arrays(contents const& with) const {
    auto const& operands = work_.signature().operands;
    std::vector<ir::ndarray> made;
    for (std::size_t i = 0; i < operands.size(); ++i)
      if (operands[i].direction != operand_direction::out)
        made.push_back(ir::load_ndarray(operands[i].type, operands[i].shape, with.bytes[i].data()));
    return made;
  }
  /// Converts the interpreter's results to the operands' bytes.
  [[nodiscard]] std::vector<std::vector<std::uint8_t>> results(contents const& with,
                                                               std::vector<ir::ndarray> const& found) const {
    auto const& operands = work_.signature().operands;
    auto bytes = with.bytes;
    std::size_t next = 0;
    std::size_t own = 0;  // counts the outputs that are separate operands
    while (own < operands.size() && operands[own].direction != operand_direction::out) ++own;
    for (auto const& out : program_->outputs)
      for (std::size_t c = 0; c < out->components.size(); ++c) {
        auto at = own;
        if (out->updates)
          at = static_cast<std::size_t>(std::find_if(operands.begin(), operands.end(),
                                                     [&](auto const& o) { return o.name == out->updates->name; }) -
                                        operands.begin());
        else ++own;
        ir::store_ndarray(found[next++], bytes[at].data());
      }
    return bytes;
  }

  [[nodiscard]] outcome try_out(configuration const& chosen, contents const& with) {
    try {
      if (lowered_of_ != chosen || !lowered_) lower(chosen);
      return {false, options_.backend ? run_native(with) : difference(with, run_interpreted(with))};
    } catch (schedule_error const&) {
      return {true, {}};
    } catch (std::exception const& e) {
      return {false, e.what()};
    }
  }
  /// Creates the statements and the code of a configuration; they are reused for further contents.
  void lower(configuration const& chosen) {
    lowered_.reset();
    code_ = {};
    fault_of_code_.clear();
    auto const& signature = work_.signature();
    auto made = work_.lower(chosen);
    if (options_.backend) {
      auto compiled = options_.backend->compile(made, signature);
      if (compiled.image) code_ = kernel_call(load(*compiled.image));
      else fault_of_code_ = "does not compile: " + compiled.diagnostics;
    }
    lowered_ = std::move(made);
    lowered_of_ = chosen;
  }
  [[nodiscard]] std::vector<std::vector<std::uint8_t>> run_interpreted(contents const& with) const {
    return results(with, ir::run(*lowered_, *program_, arrays(with)));
  }
  [[nodiscard]] std::string run_native(contents const& with) const {
    if (!fault_of_code_.empty()) return fault_of_code_;
    auto const& operands = work_.signature().operands;
    std::vector<fenced_memory> memory;
    std::vector<void*> pointers;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      auto content = with.bytes[i];
      if (operands[i].direction == operand_direction::out)
        poison(operands[i], content, static_cast<int>(with.seed % 2));
      memory.emplace_back(is_strided(i) ? place(i).with_gaps(content) : content);
    }
    for (auto& m : memory) pointers.push_back(m.data());
    code_(pointers);
    std::vector<std::vector<std::uint8_t>> after;
    for (std::size_t i = 0; i < memory.size(); ++i) {
      if (!memory[i].intact()) return "wrote outside of " + operands[i].name;
      auto const all = memory[i].content();
      std::vector<std::uint8_t> now(all.begin(), all.end());
      if (is_strided(i)) {
        now = place(i).gather(all.data());
        auto const wanted = place(i).with_gaps(now);
        if (!std::equal(all.begin(), all.end(), wanted.begin()))
          return "wrote between the elements of " + operands[i].name;
      }
      if (!is_written(operands[i]) && !std::equal(now.begin(), now.end(), with.bytes[i].begin()))
        return "changed its input " + operands[i].name;
      after.push_back(std::move(now));
    }
    return difference(with, after);
  }
  [[nodiscard]] bool is_strided(std::size_t operand) const {
    return work_.signature().operands[operand].strides != operand_strides::dense;
  }
  [[nodiscard]] strided_operand place(std::size_t operand) const {
    auto const& info = work_.signature().operands[operand];
    return {info, trial_strides(info)};
  }
  [[nodiscard]] std::string difference(contents const& with,
                                       std::vector<std::vector<std::uint8_t>> const& found) const {
    for (std::size_t i = 0; i < found.size(); ++i)
      if (is_written(work_.signature().operands[i]))
        if (auto text = with.expected[i].difference(found[i].data()); !text.empty()) return text;
    return {};
  }

  /// Simplifies a failing configuration knob by knob while it still fails. The goal is the seed, or the first choice of
  /// each knob if the seed itself fails.
  configuration shrink(configuration chosen, contents const& with, int& runs) {
    auto goal = work_.seed();
    ++runs;
    if (!try_out(goal, with).fault.empty()) {
      chosen = goal;
      goal.choices.assign(goal.choices.size(), 0);
    }
    constexpr int most_runs = 300;
    for (bool smaller = true; smaller && runs < most_runs;) {
      smaller = false;
      for (std::size_t k = 0; k < chosen.choices.size() && runs < most_runs; ++k) {
        auto less = chosen;
        less.choices[k] = goal.choices[k];
        if (less == chosen || !work_.sampler().valid(less)) continue;
        ++runs;
        if (try_out(less, with).fault.empty()) continue;
        chosen = less;
        smaller = true;
      }
    }
    return chosen;
  }

  /// Says where the fault is: in the operator (or its reference), in the schedule, or in the generated code.
  [[nodiscard]] std::string verdict(contents const& with) const {
    constexpr double most_flops = 1e8;
    if (count_flops(*program_) > most_flops) return "";
    try {
      if (reference_ && !difference(with, by_interpreter(with)).empty())
        return "the operator as written, interpreted without a schedule, differs as well: the operator or the "
               "reference is wrong\n";
      if (!options_.backend) return "without a schedule the result is right: the schedule is at fault\n";
      if (lowered_ && !difference(with, run_interpreted(with)).empty())
        return "the lowered program is wrong, too, when it is interpreted: the schedule is at fault\n";
      return "interpreted, the same schedule gives the right result: the code of " + options_.backend->name() +
             " is at fault\n";
    } catch (std::exception const& e) {
      return "interpreted, it fails: " + std::string(e.what()) + "\n";
    }
  }

  /// Returns which access of the failing kernel leaves its buffer, if one does and the backend can say so.
  [[nodiscard]] std::string fault_of_access(contents const& with) {
    auto const checked = options_.backend ? options_.backend->checked() : nullptr;
    if (!checked || !lowered_) return "";
    try {
      auto compiled = checked->compile(*lowered_, work_.signature());
      if (!compiled.image) return "";
      code_ = kernel_call(load(*compiled.image));
      (void)run_native(with);
      return "each access of the kernel lies inside of its buffer\n";
    } catch (access_error const& e) {
      return std::string(e.what()) + "\n";
    } catch (std::exception const&) {
      return "";  // the fault that is reported already
    }
  }

  [[nodiscard]] report failed(report made, configuration const& chosen, contents const& with) {
    int runs = 0;
    made.passed = false;
    made.failing = options_.replay.empty() ? shrink(chosen, with, runs) : chosen;
    made.difference = try_out(made.failing, with).fault;
    made.replay = replay_line{with.seed, made.failing}.text();
    made.text = capture::signature_text(program_) + "\n" + made.difference + "\n" + verdict(with);
    made.text += fault_of_access(with);
    auto const& s = work_.space();
    if (!s.knobs.empty())
      made.text +=
          "knobs: " + ttune::detail::describe_choices(s.knobs, made.failing) + "\n" + off_the_seed(made.failing);
    try {
      made.text += "schedule:\n" + to_cpp(s, made.failing) + "\n";
    } catch (error const& e) {
      made.text += "schedule: " + std::string(e.what()) + "\n";
    }
    made.text +=
        "configuration " + std::to_string(made.configurations) + ", shrunk in " + std::to_string(runs) + " runs\n";
    made.text += "to run it again: {.replay = \"" + made.replay + "\"}\n";
    return made;
  }
  [[nodiscard]] std::string off_the_seed(configuration const& chosen) const {
    std::string names;
    auto const seed = work_.seed();
    for (std::size_t k = 0; k < chosen.choices.size(); ++k)
      if (chosen.choices[k] != seed.choices[k]) names += (names.empty() ? "" : ", ") + work_.space().knobs[k].name;
    return names.empty() ? "this is the space's seed\n" : "other than in the space's seed: " + names + "\n";
  }

  [[nodiscard]] report passed(report made, std::string const& inputs) const {
    made.passed = made.configurations > 0;
    made.text = capture::signature_text(program_) + "\n" + std::to_string(made.configurations) + " configurations of " +
                work_.sampler().size().text() + ", inputs " + inputs +
                (made.passed ? ": all right\n" : ": none could be lowered\n");
    if (made.refused > 0) made.text += std::to_string(made.refused) + " more could not be lowered\n";
    return made;
  }

  handle<ir::program> program_;
  reference_function const& reference_;
  check_options const& options_;
  target machine_;
  workload work_;
  configuration last_counted_;
  configuration lowered_of_;
  std::optional<ir::lowered> lowered_;
  kernel_call code_;
  std::string fault_of_code_;
};

}  // namespace detail

report check_program(handle<ir::program> const& program, reference_function const& reference,
                     check_options const& options) {
  return detail::checker(program, reference, options).run();
}

}}}  // namespace ttune::v0::testing
