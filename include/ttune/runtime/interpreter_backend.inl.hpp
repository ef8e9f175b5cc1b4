// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "ttune/ir/interpret.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/runtime/abi.hpp"
#include "ttune/runtime/device_code.hpp"
#include "ttune/runtime/interpreter_backend.hpp"
#include "ttune/runtime/measure/operation_count.hpp"
#include "ttune/runtime/strided_operand.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

/// Builds the program that the interpreter needs besides the lowered one: it declares the operands. An updated operand
/// is an input, and also the output of a stage.
inline ir::program program_around(kernel_signature const& signature) {
  ir::program made;
  made.name = signature.name;
  auto const add_output = [&](operand_info const& o, handle<ir::tensor> updated) {
    ir::stage s;
    s.name = o.name;
    for (std::size_t d = 0; d < o.shape.size(); ++d) s.axes.push_back({"i" + std::to_string(d), 0, o.shape[d]});
    s.components.push_back({"", o.type, {}});
    s.updates = std::move(updated);
    made.outputs.push_back(share(std::move(s)));
  };
  for (auto const& o : signature.operands) {
    if (o.direction == operand_direction::out) continue;
    bool const updated = o.direction == operand_direction::inout;
    ir::tensor t;
    t.name = o.name;
    t.type = o.type;
    t.shape.assign(o.shape.begin(), o.shape.end());
    t.role = updated ? ir::tensor_role::inout : ir::tensor_role::input;
    auto const input = share(std::move(t));
    made.inputs.push_back(input);
    if (updated) add_output(o, input);
  }
  for (auto const& o : signature.operands)
    if (o.direction == operand_direction::out) add_output(o, {});
  return made;
}

class interpreted_code final : public device_code {
 public:
  interpreted_code(ir::lowered body, kernel_signature const& signature)
      : body_(std::move(body)), operands_(signature.operands), around_(program_around(signature)) {}

  /// Interprets the main entry; there is nothing to prepare. Returns 0, because the interpreter's time says nothing
  /// about the kernel.
  double run(entry, void* const* operands, std::int64_t calls, bool) override {
    for (; calls > 0; --calls) interpret(operands);
    return 0;
  }

 private:
  void interpret(void* const* operands) const {
    std::vector<ir::ndarray> inputs;
    std::vector<std::size_t> written;
    for (auto const direction : {operand_direction::inout, operand_direction::out})
      for (std::size_t i = 0; i < operands_.size(); ++i)
        if (operands_[i].direction == direction) written.push_back(i);
    auto const places = places_of(operands);
    for (std::size_t i = 0; i < operands_.size(); ++i)
      if (auto const& o = operands_[i]; o.direction != operand_direction::out)
        inputs.push_back(
            ir::load_ndarray(o.type, o.shape,
                             o.strides == operand_strides::dense
                                 ? operands[i]
                                 : places[i].gather(static_cast<std::uint8_t const*>(operands[i])).data()));
    auto const results = ir::run(body_, around_, inputs);
    for (std::size_t i = 0; i < results.size(); ++i) store(results[i], written[i], places[written[i]], operands);
  }
  void store(ir::ndarray const& result, std::size_t operand, strided_operand const& place,
             void* const* operands) const {
    auto const& o = operands_[operand];
    if (o.strides == operand_strides::dense) return ir::store_ndarray(result, operands[operand]);
    std::vector<std::uint8_t> elements(static_cast<std::size_t>(o.bytes()));
    ir::store_ndarray(result, elements.data());
    place.scatter(elements, static_cast<std::uint8_t*>(operands[operand]));
  }
  /// Returns where the elements of strided operands are in this call; others have an empty place.
  [[nodiscard]] std::vector<strided_operand> places_of(void* const* operands) const {
    std::vector<strided_operand> made(operands_.size());
    std::int64_t const* strides = nullptr;
    for (std::size_t i = 0; i < operands_.size(); ++i)
      if (operands_[i].direction == operand_direction::strides) strides = static_cast<std::int64_t const*>(operands[i]);
    for (std::size_t i = 0; i < operands_.size(); ++i)
      if (auto const& o = operands_[i]; o.strides != operand_strides::dense) {
        made[i] = {o, {strides, strides + o.shape.size()}};
        strides += o.shape.size();
      }
    return made;
  }

  ir::lowered body_;
  std::vector<operand_info> operands_;
  ir::program around_;
};

}  // namespace detail

interpreter_backend::interpreter_backend()
    : interpreter_backend([] {
        ttune::target nominal;
        nominal.cores = 4;
        return nominal;
      }()) {}

interpreter_backend::interpreter_backend(ttune::target machine) : target_(std::move(machine)) {
  target_.name = "interpreter";
}

compile_result interpreter_backend::compile(ir::lowered const& program, kernel_signature signature) {
  signature.prepared_bytes.clear();  // the interpreter allocates its buffers itself
  signature.shared_bytes = signature.local_bytes = 0;
  kernel_image image;
  image.in_process_code = std::make_shared<detail::interpreted_code>(program, signature);
  image.signature = std::move(signature);
  image.target = target_.name;
  image.abi = abi_version;
  return {std::move(image), {}, 0};
}

std::string interpreter_backend::source(ir::lowered const& program, kernel_signature const&) const {
  return ir::print(program);
}

double interpreter_backend::seconds(ir::lowered const& program) const {
  return 1e-9 * operation_count(program, target_);
}

}}  // namespace ttune::v0
