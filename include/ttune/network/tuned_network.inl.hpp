// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "ttune/network/tuned_network.hpp"
#include "ttune/runtime/aligned_memory.hpp"
#include "ttune/runtime/load.hpp"
#include "ttune/support/clock.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

/// Memory on its own cache lines, in huge pages where it is large. Its content is undefined: the system fills new pages
/// with zeros when they are used first, and zeros written ahead would cost a first call as much again.
class line_memory {
 public:
  explicit line_memory(std::int64_t bytes) : lines_(allocate_lines(static_cast<std::size_t>(bytes))) {}
  [[nodiscard]] char* data() noexcept { return static_cast<char*>(lines_.get()); }

 private:
  aligned_memory lines_;
};

/// Throws argument_error if an output overlaps another argument: kernels write it while they still read inputs.
inline void check_apart(std::string const& network, std::span<network_argument const> arguments, std::size_t inputs) {
  auto const begin = [&](std::size_t i) { return static_cast<char const*>(arguments[i].data); };
  auto const end = [&](std::size_t i) {
    return begin(i) + arguments[i].elements * static_cast<std::int64_t>(size_in_bytes(arguments[i].type));
  };
  for (std::size_t output = inputs; output < arguments.size(); ++output)
    for (std::size_t other = 0; other < output; ++other)
      if (begin(output) < end(other) && begin(other) < end(output))
        throw argument_error("network " + network + ": output " + std::to_string(output - inputs) +
                             " overlaps another argument");
}

}  // namespace detail

/// The activations of one call, and the operands of each step.
class tuned_network::context {
 public:
  explicit context(shared_parts const& parts);
  void bind(std::span<detail::network_argument const> arguments);
  void run_step(std::size_t step) const;

 private:
  struct argument_slot {
    std::size_t argument, step, operand;
  };
  shared_parts const& parts_;
  detail::line_memory arena_;
  std::vector<std::vector<void*>> operands_;  ///< of each step
  std::vector<argument_slot> slots_;
};

struct tuned_network::shared_parts {
  network_graph net;
  network_steps steps;
  std::vector<std::shared_ptr<void const>> weights;  ///< by tensor; null if no call reads them as they were given
  std::vector<kernel_call> calls;                    ///< by step
  std::vector<std::int64_t> laid_out_bytes;          ///< by step: weights that no earlier step has laid out
  std::int64_t weights_bytes = 0;
  search_cost search;
  double layout_seconds = 0;
  std::mutex contexts_mutex;
  std::vector<std::unique_ptr<context>> idle;

  void prepare_calls(network_graph from, std::shared_ptr<executor> const& on);
  void keep_weights(network_graph const& from);
  [[nodiscard]] std::vector<std::vector<std::size_t>> last_weights() const;
  [[nodiscard]] std::unique_ptr<context> take() {
    {
      std::scoped_lock const lock(contexts_mutex);
      if (!idle.empty()) {
        auto made = std::move(idle.back());
        idle.pop_back();
        return made;
      }
    }
    return std::make_unique<context>(*this);
  }
  void give_back(std::unique_ptr<context> used) {
    std::scoped_lock const lock(contexts_mutex);
    idle.push_back(std::move(used));
  }
};

tuned_network::context::context(shared_parts const& parts) : parts_(parts), arena_(parts.steps.arena_bytes) {
  using memory = operand_place::memory;
  auto const inputs = parts.net.inputs().size();
  for (std::size_t step = 0; step < parts.steps.all.size(); ++step) {
    auto& pointers = operands_.emplace_back();
    for (auto const& place : parts.steps.all[step].operands) {
      if (place.in == memory::input || place.in == memory::output)
        slots_.push_back({place.in == memory::input ? place.index : inputs + place.index, step, pointers.size()});
      pointers.push_back(place.in == memory::arena     ? arena_.data() + place.offset
                         : place.in == memory::weights ? const_cast<void*>(parts.weights[place.index].get())
                                                       : nullptr);
    }
  }
}

void tuned_network::context::bind(std::span<detail::network_argument const> arguments) {
  for (auto const& slot : slots_) operands_[slot.step][slot.operand] = arguments[slot.argument].data;
}

void tuned_network::context::run_step(std::size_t step) const { parts_.calls[step](operands_[step]); }

namespace detail {

/// Returns the content of weights; a copy if nobody owns it.
inline std::shared_ptr<void const> owned_content(network_tensor const& weights) {
  if (weights.content.use_count() != 0) return weights.content;
  auto copy = std::make_shared<line_memory>(weights.bytes());
  std::memcpy(copy->data(), weights.content.get(), static_cast<std::size_t>(weights.bytes()));
  return {copy, copy->data()};
}

}  // namespace detail

tuned_network::tuned_network(network_graph net, network_steps steps, std::shared_ptr<executor> on, search_cost search)
    : parts_(new shared_parts{net.without_content(), std::move(steps), {}, {}, {}, 0, search, 0, {}, {}}) {
  auto const start = detail::steady::now();
  parts_->keep_weights(net);
  parts_->prepare_calls(std::move(net), on);
  parts_->layout_seconds = detail::seconds_since(start);
}

/// Returns, for each step, the weights that no later step has among its operands.
std::vector<std::vector<std::size_t>> tuned_network::shared_parts::last_weights() const {
  std::vector<std::vector<std::size_t>> made(steps.all.size());
  std::vector<bool> seen(net.tensors().size());
  for (auto step = steps.all.size(); step-- > 0;)
    for (auto const& place : steps.all[step].operands) {
      if (place.in != operand_place::memory::weights || seen[place.index]) continue;
      seen[place.index] = true;
      made[step].push_back(place.index);
    }
  return made;
}

/// Loads each kernel once, and lays out weights once for all steps that have the same kernel and lay out the same
/// weights. Lets go of weights after the last step that has them.
void tuned_network::shared_parts::prepare_calls(network_graph from, std::shared_ptr<executor> const& on) {
  auto const last = last_weights();
  layout_memory meanwhile;
  std::map<kernel_image const*, kernel_call> loaded;
  std::map<std::pair<kernel_image const*, std::vector<void*>>, kernel_call> prepared;  // by what `prepare` reads
  for (std::size_t i = 0; i < steps.all.size(); ++i) {
    auto const& step = steps.all[i];
    auto const* const image = step.kernel.image.get();
    std::vector<void*> operands;
    for (auto const& place : step.operands)
      operands.push_back(place.in == operand_place::memory::weights
                             ? const_cast<void*>(from.tensors()[place.index].content.get())
                             : nullptr);
    auto const [code, is_new_code] = loaded.try_emplace(image);
    if (is_new_code) code->second = kernel_call(load(*image), on);
    auto laid_out = operands;
    for (std::size_t operand = 0; operand < operands.size(); ++operand)
      if (!image->prepare_reads(operand)) laid_out[operand] = nullptr;
    auto const [call, is_new] = prepared.try_emplace({image, std::move(laid_out)});
    if (is_new) call->second = code->second.prepare(operands, meanwhile);
    calls.push_back(call->second);
    laid_out_bytes.push_back(is_new ? static_cast<std::int64_t>(call->second.prepared_bytes()) : 0);
    weights_bytes += laid_out_bytes.back();
    for (auto const tensor : last[i]) from.drop_content(tensor);
  }
}

/// Keeps the weights that calls read as they were given.
void tuned_network::shared_parts::keep_weights(network_graph const& from) {
  weights.resize(from.tensors().size());
  for (auto const& step : steps.all)
    for (std::size_t i = 0; i < step.operands.size(); ++i) {
      auto const& place = step.operands[i];
      if (place.in != operand_place::memory::weights || weights[place.index]) continue;
      if (!step.kernel.image->reads(i)) continue;
      weights[place.index] = detail::owned_content(from.tensors()[place.index]);
      weights_bytes += from.tensors()[place.index].bytes();
    }
}

void tuned_network::run(std::span<detail::network_argument const> arguments) const {
  auto const& net = parts_->net;
  auto const inputs = net.inputs().size();
  if (arguments.size() != inputs + net.outputs().size())
    throw argument_error("network " + net.name() + " takes " + std::to_string(inputs) + " inputs and " +
                         std::to_string(net.outputs().size()) + " outputs, " + std::to_string(arguments.size()) +
                         " arguments are given");
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    auto const& tensor = net.tensors()[i < inputs ? net.inputs()[i] : net.outputs()[i - inputs]];
    auto const& given = arguments[i];
    auto const what = [&] { return "network " + net.name() + ": " + tensor.text(); };
    if (given.type != tensor.type || given.elements != tensor.elements())
      throw argument_error(what() + " is given " + std::to_string(given.elements) + " elements of " +
                           name_of(given.type));
    if (!given.data) throw argument_error(what() + " is given a null pointer");
    if (reinterpret_cast<std::uintptr_t>(given.data) % size_in_bytes(given.type) != 0)
      throw argument_error(what() + " is given memory that is not aligned for its elements");
    if (i >= inputs && !given.writable) throw argument_error(what() + " is an output, and given read-only memory");
  }
  detail::check_apart(net.name(), arguments, inputs);
  auto used = parts_->take();
  used->bind(arguments);
  for (std::size_t step = 0; step < parts_->calls.size(); ++step) used->run_step(step);
  parts_->give_back(std::move(used));
}

void tuned_network::call(std::span<void* const> memory) const {
  auto const& net = parts_->net;
  std::vector<detail::network_argument> arguments;
  for (std::size_t i = 0; i < memory.size(); ++i) {
    auto const inputs = net.inputs().size();
    if (i >= inputs + net.outputs().size()) break;  // `run` says how many are wanted
    auto const& tensor = net.tensors()[i < inputs ? net.inputs()[i] : net.outputs()[i - inputs]];
    arguments.push_back({memory[i], tensor.type, tensor.elements(), true});
  }
  run(arguments);
}

std::size_t tuned_network::steps() const noexcept { return parts_->steps.all.size(); }
std::string const& tuned_network::step_name(std::size_t step) const { return parts_->steps.all.at(step).name; }
std::int64_t tuned_network::arena_bytes() const noexcept { return parts_->steps.arena_bytes; }
std::int64_t tuned_network::weights_bytes() const noexcept { return parts_->weights_bytes; }

namespace detail {

/// Returns the layouts of the first operands.
inline std::string layouts_text(chosen_kernel const& kernel) {
  auto const text = [](std::vector<operand_layout> const& all) -> std::string {
    return all.empty() || all.front().is_plain() ? "plain" : all.front().text();
  };
  auto const from = text(kernel.inputs), to = text(kernel.results);
  return from == to ? from : from + " -> " + to;
}

}  // namespace detail

network_report tuned_network::report() const {
  auto const& steps = parts_->steps;
  network_report made{parts_->net.name(), {}, steps.arena_bytes, steps.least_arena_bytes, parts_->weights_bytes};
  made.search = parts_->search;
  made.layout_seconds = parts_->layout_seconds;
  for (auto const& tensor : parts_->net.tensors())
    if (tensor.origin == tensor_origin::weights) made.given_bytes += tensor.bytes();
  for (std::size_t i = 0; i < steps.all.size(); ++i) {
    auto const& step = steps.all[i];
    made.steps.push_back({step.name, step.kernel.compute, detail::layouts_text(step.kernel), step.kernel.schedule,
                          step.kernel.seconds, parts_->laid_out_bytes[i], step.kernel.image->signature.flops});
  }
  return made;
}

std::vector<double> tuned_network::step_seconds(int calls) const {
  auto const& net = parts_->net;
  std::vector<detail::line_memory> memory;
  std::vector<detail::network_argument> arguments;
  auto const add = [&](std::size_t tensor) {
    auto const& t = net.tensors()[tensor];
    memory.emplace_back(t.bytes());
    std::memset(memory.back().data(), 0, static_cast<std::size_t>(t.bytes()));
    arguments.push_back({memory.back().data(), t.type, t.elements(), true});
  };
  for (auto const tensor : net.inputs()) add(tensor);
  for (auto const tensor : net.outputs()) add(tensor);
  auto used = parts_->take();
  used->bind(arguments);
  std::vector<std::vector<double>> samples(steps());
  for (int call = 0; call < calls; ++call)
    for (std::size_t step = 0; step < steps(); ++step) {
      auto const start = detail::steady::now();
      used->run_step(step);
      samples[step].push_back(detail::seconds_since(start));
    }
  std::vector<double> medians;
  for (auto& each : samples) {
    std::nth_element(each.begin(), each.begin() + calls / 2, each.end());
    medians.push_back(each[static_cast<std::size_t>(calls / 2)]);
  }
  return medians;
}

}}  // namespace ttune::v0
