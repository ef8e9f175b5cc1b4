// SPDX-License-Identifier: Apache-2.0
// The emitter of text LLVM IR: one walk over the statement tree. The class is declared here; its parts are in
// emitter_index (index arithmetic), emitter_memory (buffers and registers), emitter_value (expressions),
// emitter_dot (dot products) and emitter_statement (loops, conditions, functions).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "ttune/codegen/lane_decisions.hpp"
#include "ttune/codegen/lane_linear.hpp"
#include "ttune/codegen/llvm/frames.hpp"
#include "ttune/codegen/llvm/functions/trigonometric.hpp"
#include "ttune/codegen/llvm/instruction_set.hpp"
#include "ttune/codegen/llvm/lane_code.hpp"
#include "ttune/codegen/llvm/values.hpp"
#include "ttune/codegen/llvm/workspace.hpp"
#include "ttune/codegen/transposition.hpp"
#include "ttune/core/dot_product.hpp"
#include "ttune/core/target.hpp"
#include "ttune/ir/operands.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

class llvm_emitter : private lane_sink {
 public:
  llvm_emitter(ir::lowered const& program, target const& machine)
      : program_(program), machine_(machine), instructions_(machine), workspace_(program) {}

  [[nodiscard]] std::string run();

 private:
  /// Thrown where lanes would have to take different branches. The module is then emitted again with the current
  /// vectorised loop unrolled instead. This is rare, and nothing has to be undone.
  struct needs_scalar {};

  using mask = lane_mask;  ///< one flag per lane; empty if all lanes run

  /// An element of a register buffer: lane `lane` of an SSA vector (or literal). Elements that were stored together
  /// form one group and stay one vector through loops and conditions.
  struct element {
    std::string vector;  ///< empty if the value is undefined
    int lane = 0;
    int lanes = 1;
    int group = 0;
    dtype type = dtype::f32;
    friend bool operator==(element const&, element const&) = default;
  };
  using register_file = std::map<ir::buffer const*, std::vector<element>>;  ///< elements by offset

  /// Place of a read that may lie outside of its buffer: another place is read then.
  struct guard {
    std::string condition;  ///< true if the read lies inside; empty if it always does
    std::string instead;
  };

  // ---------------------------------------------------------------------------------- text (emitter_statement)
  [[nodiscard]] std::string fresh() { return "%v" + std::to_string(next_++); }
  [[nodiscard]] std::string fresh_label() { return "b" + std::to_string(next_++); }
  [[nodiscard]] std::string define(std::string const& instruction) override;
  [[nodiscard]] std::string define_at(int depth, std::string const& key, std::string const& instruction);
  void start_block(std::string const& label);

  // ---------------------------------------------------------------------------------- indices (emitter_index)
  [[nodiscard]] lane_linear index(ir::expr const& e);
  [[nodiscard]] lane_linear index_binary(ir::binary const& b);
  [[nodiscard]] lane_linear divide(lane_linear const& a, std::int64_t by, bool remainder);
  [[nodiscard]] std::string materialise(lane_linear const& l);
  [[nodiscard]] lane_linear as_linear(std::string const& ssa, int depth) const;
  [[nodiscard]] int depth_of(lane_linear const& l) const;
  [[nodiscard]] lane_linear flat_index(ir::buffer const& b, std::vector<ir::expr> const& indices);
  /// Returns the lanes that fulfil a condition, if they are known during emission.
  [[nodiscard]] std::optional<mask> decide(ir::expr const& condition);
  /// The two forms of an index, before and after a place where it is redirected.
  struct turn {
    std::int64_t at;
    ir::expr before;
    ir::expr behind;
  };
  [[nodiscard]] ir::expr turning_part(ir::expr const& part);
  [[nodiscard]] std::optional<turn> find_turn(ir::binary const& b);
  [[nodiscard]] ir::expr turned_read(ir::expr const& e, ir::access const& a);
  [[nodiscard]] static ir::expr replaced(ir::expr const& e, ir::expr const& part, ir::expr const& by);
  [[nodiscard]] bool varies(ir::expr const& e) const;

  // -------------------------------------------------------------------------- indices of lanes (emitter_gather)
  [[nodiscard]] bool is_data_of_lanes(ir::expr const& e) const;
  [[nodiscard]] bool gathers(ir::buffer const& b) const;
  [[nodiscard]] bool reads_by_lanes(ir::access const& a) const;
  [[nodiscard]] value index_of_lanes(ir::expr const& e);
  [[nodiscard]] value index_of_lanes(ir::binary const& b);
  [[nodiscard]] value limited(ir::binary_op op, value const& x, value const& y);
  [[nodiscard]] value read_by_lanes(ir::access const& a);
  [[nodiscard]] value gather(ir::buffer const& b, lane_linear const& shared, value places);
  [[nodiscard]] value load_places(ir::buffer const& b, lane_linear const& shared, value const& places);

  // --------------------------------------------------------------------------------- memory (emitter_memory)
  [[nodiscard]] std::string base(ir::buffer const& b);
  [[nodiscard]] std::string pointer(ir::buffer const& b, lane_linear const& flat);
  [[nodiscard]] value load(ir::buffer const& b, lane_linear const& flat, guard const& where = {});
  [[nodiscard]] value load_memory(ir::buffer const& b, lane_linear const& flat, guard const& where = {});
  [[nodiscard]] bool streams(ir::buffer const& b) const;
  void fetch_ahead(ir::buffer const& b, lane_linear const& flat);
  void ask_for(std::string const& address, int cache_level);
  [[nodiscard]] int first_running_lanes() const;
  [[nodiscard]] bool loads_whole_vectors(ir::buffer const& b, lane_linear const& flat) const;
  [[nodiscard]] bool reads_whole_groups(ir::buffer const& b, lane_linear const& flat) const;
  [[nodiscard]] std::string load_raw(ir::buffer const& b, lane_linear const& flat);
  [[nodiscard]] std::string load_pieces(ir::buffer const& b, lane_linear const& flat, std::string const& scalar,
                                        int elements);
  [[nodiscard]] bool spreads_halves(ir::buffer const& b) const;
  value load_strided(ir::buffer const& b, lane_linear const& flat);
  [[nodiscard]] value load_lanes(ir::buffer const& b, lane_linear const& flat);
  [[nodiscard]] static lane_linear in_lane(lane_linear flat, int lane);
  template <class Address>
  [[nodiscard]] value load_each_lane(ir::buffer const& b, Address const& address);
  [[nodiscard]] value load_table(ir::buffer const& b, lane_linear const& flat);
  [[nodiscard]] value load_register(ir::buffer const& b, lane_linear const& flat);
  void store(ir::buffer const& b, lane_linear const& flat, value v);
  void store_memory(ir::buffer const& b, lane_linear const& flat, value v);
  void store_pieces(ir::buffer const& b, lane_linear const& flat, std::string const& raw);
  void store_register(ir::buffer const& b, lane_linear const& flat, value const& v);
  [[nodiscard]] value from_memory(std::string const& raw, dtype type, int lanes);
  [[nodiscard]] std::string to_memory(value const& v, dtype type);
  [[nodiscard]] std::string mask_text(int lanes) const;
  [[nodiscard]] std::vector<std::pair<int, int>> running_pieces() const;
  [[nodiscard]] std::string opaque_mask(int lanes);
  [[nodiscard]] bool runs(int lane) const { return mask_.empty() || mask_[static_cast<std::size_t>(lane)]; }
  [[nodiscard]] bool any_runs_in(mask const& lanes) const;
  [[nodiscard]] value assemble(std::vector<element> const& elements, dtype type,
                               std::vector<element> const* all_lanes = nullptr);
  [[nodiscard]] static std::vector<std::string> vectors_of(std::vector<element> const& elements, std::size_t most);
  [[nodiscard]] std::optional<value> interleaved(std::vector<element> const& elements, dtype type);
  std::optional<value> column(std::vector<element> const& elements, dtype type);
  [[nodiscard]] bool lie_before_arm(std::vector<std::string> const& vectors) const;
  [[nodiscard]] std::string fenced(std::string const& v, dtype type, int lanes);
  void transpose(transposition const& plan, std::vector<std::string> vectors, int lanes, dtype type,
                 std::string const& key);
  [[nodiscard]] std::string extract(value const& v, int lane);
  void declare(std::string const& declaration) override;
  [[nodiscard]] std::string splat(std::string const& scalar, std::string const& literal, int lanes) override;
  [[nodiscard]] bool has_fma() const override { return machine_.has_fma; }
  [[nodiscard]] bool has_scaling() const override { return instructions_.scales; }
  [[nodiscard]] std::string constants(std::vector<double> const& values) override;
  [[nodiscard]] lane_value lanes_of(value const& v);
  [[nodiscard]] static value value_of(lane_value const& v, dtype type);

  // ---------------------------------------------------------------------------------- values (emitter_value)
  [[nodiscard]] value evaluate(ir::expr const& e);
  [[nodiscard]] value evaluate_index(ir::expr const& e);
  [[nodiscard]] value kept_wide(ir::expr const& e, value v);
  [[nodiscard]] value evaluate_binary(ir::expr const& e, ir::binary const& b);
  [[nodiscard]] value evaluate_unary(ir::expr const& e, ir::unary const& u);
  [[nodiscard]] value evaluate_select(ir::expr const& e, ir::select const& s);
  [[nodiscard]] ir::expr lanes_apart(ir::select const& s);
  [[nodiscard]] bool may_evaluate_both(ir::select const& s) const;
  struct parts_of_condition {
    std::vector<ir::expr> shared;    ///< the same in all lanes
    std::vector<ir::expr> of_lanes;  ///< known for each lane while code is written
    std::vector<ir::expr> varying;   ///< known at run time, lane by lane
  };
  [[nodiscard]] parts_of_condition parts_of(ir::expr const& condition);
  [[nodiscard]] static ir::expr all_of(std::vector<ir::expr> const& parts);
  [[nodiscard]] std::optional<value> evaluate_guarded_read(ir::select const& s);
  [[nodiscard]] std::optional<std::string> shared_condition(std::vector<ir::expr> const& parts);
  [[nodiscard]] std::string read_instead(ir::expr const& constant);
  [[nodiscard]] value evaluate_cast(ir::expr const& e, ir::cast const& c);
  [[nodiscard]] value resized(value const& x, dtype from, dtype to);
  [[nodiscard]] value divide_integers(value const& x, value y, ir::binary_op op, bool no_sign,
                                      std::optional<std::int64_t> constant_divisor);
  [[nodiscard]] value multiply_add(ir::expr const& product, ir::expr const& addend, bool negate_product);
  [[nodiscard]] value compare(ir::binary_op op, value a, value b, bool unsigned_operands);
  [[nodiscard]] value of_angle(value const& x, angle_function which);
  [[nodiscard]] std::string any_lane(lane_value condition);
  [[nodiscard]] std::string function_of_large_angles(angle_function which, dtype type, int lanes);
  [[nodiscard]] value call_runtime(char const* name, std::size_t offset, std::vector<value> const& arguments);
  [[nodiscard]] value widened(value v, int lanes);
  [[nodiscard]] value choose(std::string const& condition, int condition_lanes, value a, value b);
  template <class Evaluate>
  [[nodiscard]] value with_mask(mask const& m, Evaluate const& evaluated);
  template <class Yes, class No>
  [[nodiscard]] value choose_lanes(mask const& known, Yes const& yes, No const& no);

  // ------------------------------------------------------------------------------ dot products (emitter_dot)
  /// Place of an operand of a dot product whose elements of one lane are neighbours in memory.
  struct dot_operand {
    ir::buffer const* from = nullptr;
    lane_linear flat;
    dtype type = dtype::i8;
    int terms = 1;
    [[nodiscard]] int bits() const { return terms * 8 * static_cast<int>(size_in_bytes(type)); }
    [[nodiscard]] std::string lane_type() const { return "i" + std::to_string(bits()); }
  };
  [[nodiscard]] bool emit_dot(ir::loop const& l, std::int64_t begin, std::int64_t end);
  [[nodiscard]] std::optional<dot_operand> dot_source(ir::expr const& e, std::string const& variable,
                                                      dot_product const& dot);
  [[nodiscard]] bool multiplies_lanes(dot_product const& dot) const;
  [[nodiscard]] std::string load_dot(dot_operand const& o);
  [[nodiscard]] std::string dot_bytes(dot_operand a, dot_operand b, std::string const& sum);
  [[nodiscard]] std::string dot_words(dot_operand const& a, dot_operand const& b, std::string const& sum);
  [[nodiscard]] std::string dot_bfloats(dot_operand const& a, dot_operand const& b, std::string const& sum);
  [[nodiscard]] std::string dot_split_bfloats(dot_operand const& a, dot_operand const& b, std::string const& sum);
  [[nodiscard]] std::string load_sliding(dot_operand const& o);
  [[nodiscard]] std::string dot_distances(dot_operand const& same, dot_operand const& sliding, value const& sum);
  [[nodiscard]] std::string computed_once(dot_operand const& o, std::string const& what, std::string const& text);

  // ------------------------------------------------------------------------- statements (emitter_statement)
  [[nodiscard]] std::string module();
  void find_tables(ir::stmt const& s);
  void function(std::string const& name, ir::stmt const& body);
  void emit(ir::stmt const& s);
  void emit_loop(ir::loop const& l);
  void emit_rolled(ir::loop const& l, lane_linear const& begin, lane_linear const& end);
  void emit_unrolled(ir::loop const& l, std::int64_t begin, std::int64_t end);
  void emit_vectorized(ir::loop const& l, std::int64_t begin, std::int64_t end);
  void emit_chunk(ir::loop const& l, std::int64_t begin, int lanes, int running);
  void emit_parallel(ir::loop const& l, lane_linear const& begin, lane_linear const& end);
  void emit_conditional(ir::conditional const& c);
  void emit_branch(ir::conditional const& c);
  /// State at the end of an arm of a condition: the content of its registers, and its last block.
  struct arm_end {
    register_file registers;
    std::string label;
    std::string text;
  };
  [[nodiscard]] arm_end emit_arm(std::string const& label, ir::stmt const& s, std::optional<int> begins);
  void take_shape(arm_end& arm, arm_end const& other, bool ties);
  void merge_registers(arm_end& a, arm_end& b);
  void emit_let(ir::let const& l);
  void emit_prefetch(ir::prefetch const& hint);
  [[nodiscard]] std::vector<element> live_registers() const;
  [[nodiscard]] static std::set<std::string> stored_buffers(ir::stmt const& s);
  [[nodiscard]] static dtype widest_store(ir::stmt const& s);
  void rename_registers(std::map<int, std::string> const& names);

  ir::lowered const& program_;
  target const& machine_;
  instruction_set instructions_;
  workspace_plan workspace_;
  std::string functions_;
  std::string globals_;
  std::set<std::string> declarations_;
  std::unordered_map<ir::buffer const*, std::string> tables_;
  std::map<std::string, std::string> instead_;  ///< content -> name of the constant that guarded reads use instead
  std::map<std::vector<double>, std::string> constants_;
  std::set<std::string> helpers_;                                      ///< functions that other functions call
  std::set<ir::loop const*> scalar_loops_;                             ///< vectorised loops that must be unrolled
  ir::loop const* vector_loop_ = nullptr;                              ///< the vectorised loop being emitted
  std::map<std::tuple<int, int, int>, transposition> transpositions_;  ///< key: rows, lanes, bytes of an element
  int next_ = 0;
  int parallel_depth_ = 0;

  // State of the current function.
  frames frames_;
  std::string label_;  ///< label of the current block
  std::string allocas_;
  std::unordered_map<std::string, lane_linear> variables_;
  int lanes_ = 1;
  mask mask_;
  mask chunk_mask_;  ///< mask of the vectorised loop, without the conditions inside of it
  register_file registers_;
  std::optional<int> arm_begins_;  ///< number of the first value in the current arm, if its condition has two arms
};

}}}  // namespace ttune::v0::codegen

#include "ttune/codegen/llvm/emitter_dot.hpp"
#include "ttune/codegen/llvm/emitter_gather.hpp"
#include "ttune/codegen/llvm/emitter_index.hpp"
#include "ttune/codegen/llvm/emitter_interleave.hpp"
#include "ttune/codegen/llvm/emitter_memory.hpp"
#include "ttune/codegen/llvm/emitter_statement.hpp"
#include "ttune/codegen/llvm/emitter_value.hpp"
