// SPDX-License-Identifier: Apache-2.0
// The emitter of C-like source: one walk over the statement tree. This header declares the class; its parts are in
// emitter_index (index arithmetic), emitter_value (expressions), emitter_memory (buffers), emitter_statement (loops,
// conditions), emitter_vector (vectorised loops, copies), emitter_warp (warp reductions), emitter_matrix,
// emitter_fragment and emitter_warpgroup (matrix products by one warp and by four), and emitter_kernel (division into
// kernels, and their grids).
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "ttune/arith/interval.hpp"
#include "ttune/arith/substitute.hpp"
#include "ttune/codegen/c_family/dialect.hpp"
#include "ttune/codegen/c_family/names.hpp"
#include "ttune/codegen/c_family/register_shapes.hpp"
#include "ttune/codegen/c_family/virtual_threads.hpp"
#include "ttune/codegen/device_program.hpp"
#include "ttune/codegen/lane_decisions.hpp"
#include "ttune/codegen/lane_linear.hpp"
#include "ttune/codegen/transposition.hpp"
#include "ttune/core/matrix_product.hpp"
#include "ttune/core/target.hpp"
#include "ttune/core/warpgroup_product.hpp"
#include "ttune/ir/equal.hpp"
#include "ttune/ir/operands.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

/// Emits one program in one dialect; `run` is called once.
class c_emitter {
 public:
  c_emitter(ir::lowered const& program, target const& machine, c_dialect const& dialect)
      : program_(program), machine_(machine), dialect_(dialect) {}

  /// Emits the program. Throws backend_error for constructs that the language cannot express.
  [[nodiscard]] device_program run();

 private:
  /// Thrown if the lanes of the current vectorised loop would have to branch differently: the loop is then emitted
  /// element by element.
  struct needs_scalar {};

  /// Precedence levels of C's operators.
  enum level : int { ternary = 1, either, both, equality, relation, sum, product, prefix, primary };

  struct value {
    std::string text;
    dtype type = dtype::f32;  ///< never f16 or bf16
    int lanes = 1;
    int binds = primary;
  };
  using mask = lane_mask;  ///< one element per lane

  /// Directions of blocks (x, y, z), then of threads.
  static constexpr int directions = 6;
  struct span {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    bool used = false;
    [[nodiscard]] std::int64_t size() const noexcept { return used ? end - begin : 1; }
  };

  // --------------------------------------------------------------------------------- kernels (emitter_kernel)
  void survey();
  void survey(ir::stmt const& s);
  void host(ir::stmt const& s, std::vector<device_launch>& launches);
  void host_loop(ir::loop const& l, std::vector<device_launch>& launches);
  void flush(std::vector<device_launch>& launches);
  void kernel(ir::stmt body, std::vector<device_launch>& launches);
  [[nodiscard]] std::vector<std::string> begin_kernel(std::string const& name, ir::stmt const& body);
  void measure(ir::stmt const& s, arith::ranges& known, bool inside);
  [[nodiscard]] std::vector<std::string> parameters();
  [[nodiscard]] bool is_for_tasks(ir::stmt const& body) const;
  [[nodiscard]] int spacing_of(ir::stmt const& body) const;
  [[nodiscard]] std::string block_id(int direction) const;
  [[nodiscard]] static bool has_kernel(ir::stmt const& s);
  [[nodiscard]] bool is_kernel_loop(ir::loop const& l) const;
  [[nodiscard]] static int direction_of(ir::loop_kind k);

  // --------------------------------------------------------------------------- statements (emitter_statement)
  void line(std::string const& text);
  void open(std::string const& head);
  void close();
  void turn_to_else();
  void emit(ir::stmt const& s);
  void emit_plain(ir::stmt const& s);
  void emit_loop(ir::loop const& l);
  void emit_bound(ir::loop const& l);
  void emit_rolled(ir::loop const& l);
  [[nodiscard]] bool asks_to_unroll() const;
  [[nodiscard]] static bool is_own(ir::buffer const& b);
  [[nodiscard]] static std::int64_t steps_of(ir::stmt const& s);
  [[nodiscard]] static bool chooses_own(ir::loop const& l);
  [[nodiscard]] std::string how_unrolled(ir::loop const& l, std::int64_t trips) const;
  void emit_unrolled(ir::loop const& l, std::int64_t begin, std::int64_t end);
  void emit_vectorized(ir::loop const& l, std::int64_t begin, std::int64_t end);
  void emit_moves(ir::loop const& l, std::int64_t begin, std::int64_t end);
  [[nodiscard]] std::optional<lane_linear> wide_place(ir::loop const& l, std::int64_t begin, int lanes,
                                                      ir::buffer const& b, std::vector<ir::expr> const& indices);
  [[nodiscard]] bool emit_wide_copy(ir::loop const& l, std::int64_t begin, int lanes);
  [[nodiscard]] bool emit_wide_move(ir::loop const& l, std::int64_t begin, int lanes);
  void emit_let(ir::let const& l);
  void emit_conditional(ir::conditional const& c);
  [[nodiscard]] bool emit_chosen(ir::conditional const& c, value const& condition);
  [[nodiscard]] bool emit_copy(ir::store const& w);
  [[nodiscard]] bool emit_async_copy(ir::buffer const& b, std::string const& to, ir::buffer const& source,
                                     std::string const& from, int bytes);
  void emit_allocate(ir::allocate const& a);
  [[nodiscard]] std::string declaration(ir::buffer const& b, ir::memory where, std::string const& name) const;
  void declare_shared_arrays(device_launch& launch);
  [[nodiscard]] bool is_for_first_thread(ir::stmt const& s) const;
  [[nodiscard]] std::string is_first(unsigned missing) const;
  [[nodiscard]] static dtype widest_store(ir::stmt const& s);
  [[nodiscard]] std::string declare(std::string const& variable, std::string const& text, bool not_negative);

  // ------------------------------------------------------------------------------- warp reductions (emitter_warp)
  [[nodiscard]] bool emit_by_warp(ir::loop const& l, std::int64_t begin, std::int64_t end);
  void emit_shuffles(ir::loop const& l, std::int64_t warp);
  [[nodiscard]] ir::access const* reduced_by_warp(ir::loop const& l) const;

  // ----------------------------------------------------------------------------- matrix products (emitter_matrix)
  /// Three tensorized loops around a sum of products; `left` depends on the row loop.
  struct matrix_tile {
    ir::loop const* rows = nullptr;
    ir::loop const* columns = nullptr;
    ir::loop const* terms = nullptr;
    ir::store const* sum = nullptr;
    ir::access const* left = nullptr;
    ir::access const* right = nullptr;
    matrix_product how{};
  };
  [[nodiscard]] static bool is_matrix_tile(ir::stmt const& s);
  [[nodiscard]] static bool is_matrix_tiles(ir::stmt const& s);
  void emit_tiles(ir::loop const& l, std::int64_t begin, std::int64_t end);
  void emit_tile(ir::loop const& l);
  [[nodiscard]] matrix_tile tile_of(ir::loop const& l) const;
  void require_whole_warps(matrix_tile const& t);
  [[noreturn]] void refuse_tile(ir::loop const& rows, std::string const& why) const;
  void enter_threads(ir::loop const& l, int direction);
  void leave_threads(ir::loop const& l);
  void enter_let(ir::let const& l);
  void leave_let(ir::let const& l);
  [[nodiscard]] ir::expr by_lanes(ir::expr const& e) const;
  [[nodiscard]] bool differs_in_warp(ir::expr const& e) const;
  [[nodiscard]] std::string declare_lane(char const* variable, std::string const& name, std::string const& text,
                                         std::int64_t most);
  void declare_lanes();
  void declare_fragment_rows();
  [[nodiscard]] std::vector<ir::expr> indices_by_lanes(ir::access const& a) const;

  // ------------------------------------------------------------- operands of matrix products (emitter_fragment)
  /// An operand that is loaded by ldmatrix.
  struct matrix_fragments {
    ir::access const* access = nullptr;
    ir::buffer const* from = nullptr;
    bool left = false;
    bool transposed = false;  ///< columns are contiguous, not terms
  };
  [[nodiscard]] std::vector<std::string> fragments(matrix_tile const& t);
  void forget_fragments();
  [[nodiscard]] static int fragment_count(matrix_tile const& t, bool left) {
    return (left ? matrix_product::thread_rows : 1) * t.how.halves;
  }
  [[nodiscard]] std::optional<matrix_fragments> find_fragments(matrix_tile const& t, bool left);
  [[nodiscard]] lane_linear fragment_index(matrix_tile const& t, matrix_fragments const& of, ir::expr const& number,
                                           ir::expr const& column, arith::substitution const& with);
  [[nodiscard]] std::tuple<std::string, std::int64_t, int> next_tiles(ir::access const& a, int most);
  [[nodiscard]] std::vector<std::string> loaded_fragments(matrix_tile const& t, matrix_fragments const& of);
  template <class Place>
  [[nodiscard]] static bool are_neighbours(ir::buffer const& b, int count, Place const& place);
  [[nodiscard]] std::string as_tf32(ir::buffer const& from, std::string const& element);
  [[nodiscard]] std::vector<std::string> fragment(ir::access const& a, std::vector<ir::expr> const& indices,
                                                  ir::loop const& terms, matrix_product const& how, bool side_by_side);
  [[nodiscard]] bool is_side_by_side(ir::access const& a, std::vector<ir::expr> const& indices, ir::loop const& terms,
                                     matrix_product const& how);
  [[nodiscard]] lane_linear term_index(ir::buffer const& b, std::vector<ir::expr> const& indices, ir::loop const& terms,
                                       matrix_product const& how, bool side_by_side, int half, int q);

  // -------------------------------------------------------------------- warpgroup products (emitter_warpgroup)
  /// Virtual threads around repetitions around two tensorized loops, over columns and terms.
  struct warpgroup_tile {
    ir::loop const* virtuals = nullptr;
    std::vector<ir::let const*> lets;
    std::vector<ir::loop const*> steps;
    ir::loop const* columns = nullptr;
    ir::loop const* terms = nullptr;
    ir::store const* sum = nullptr;
    ir::access const* left = nullptr;
    ir::access const* right = nullptr;
  };
  /// The layout of an operand in core matrices, in elements.
  struct operand_cores {
    lane_linear first;  ///< position for the first virtual thread, without the parts that depend on the thread's number
    /// Rows or columns are contiguous, not terms.
    bool across = false;
    /// Distance between core matrices along the terms.
    std::int64_t term_step = 0;
    std::int64_t step = 0;  ///< distance between core matrices along rows or columns
    /// Distance of each virtual thread from the first one.
    std::vector<std::int64_t> steps;
  };
  struct rows_of_64 {
    std::int64_t left = 0;  ///< start in the operands, relative to the first virtual thread
    std::int64_t right = 0;
    std::vector<std::int64_t> threads;  ///< virtual threads in the instruction's order of sums
    [[nodiscard]] int columns() const {
      return static_cast<int>(threads.size()) / warpgroup_product::thread_rows * warpgroup_product::core;
    }
  };
  [[nodiscard]] static bool is_warpgroup_tile(ir::stmt const& s);
  [[nodiscard]] bool has_warpgroup_tile(ir::stmt const& s) const;
  void emit_warpgroup_tiles(ir::loop const& l);
  [[nodiscard]] std::vector<std::string> emit_products(warpgroup_tile const& t, std::size_t depth);
  [[nodiscard]] warpgroup_tile warpgroup_tile_of(ir::loop const& l) const;
  void require_whole_warpgroups(warpgroup_tile const& t) const;
  [[nodiscard]] std::vector<ir::expr> indices_by_quarters(warpgroup_tile const& t, ir::access const& a) const;
  [[nodiscard]] operand_cores cores_of(warpgroup_tile const& t, ir::access const& a, bool left);
  [[nodiscard]] std::vector<rows_of_64> order_virtual_threads(warpgroup_tile const& t, operand_cores const& left,
                                                              operand_cores& right) const;
  [[nodiscard]] std::string sums_of(warpgroup_tile const& t, rows_of_64 const& of);
  void call_function(std::string const& name, std::string const& text);
  [[nodiscard]] std::string loaded_once(std::string const& type, std::string const& name, std::string const& text);

  // ---------------------------------------------------------------------------------- indices (emitter_index)
  [[nodiscard]] lane_linear index(ir::expr const& e);
  [[nodiscard]] lane_linear index_binary(ir::binary const& b);
  [[nodiscard]] lane_linear divide(ir::expr const& e, lane_linear const& a, std::int64_t by, bool remainder);
  [[nodiscard]] lane_linear atom(std::string const& text, bool not_negative = false);
  [[nodiscard]] bool not_negative(lane_linear const& l) const;
  [[nodiscard]] value written(lane_linear const& l) const;
  [[nodiscard]] lane_linear flat_index(ir::buffer const& b, std::vector<ir::expr> const& indices);
  [[nodiscard]] lane_linear swizzled(ir::buffer const& b, std::vector<ir::expr> const& indices);
  [[nodiscard]] lane_linear exclusive(lane_linear const& a, lane_linear const& b);
  [[nodiscard]] std::optional<mask> decide(ir::expr const& condition);
  [[nodiscard]] bool varies(ir::expr const& e) const;

  // ----------------------------------------------------------------------------------- values (emitter_value)
  [[nodiscard]] value evaluate(ir::expr const& e);
  [[nodiscard]] value evaluate_index(ir::expr const& e);
  [[nodiscard]] value evaluate_constant(ir::expr const& e, ir::constant const& c) const;
  [[nodiscard]] value evaluate_unary(ir::expr const& e, ir::unary const& u);
  [[nodiscard]] value evaluate_binary(ir::expr const& e, ir::binary const& b);
  [[nodiscard]] value compare(ir::binary_op op, value const& a, value const& b);
  [[nodiscard]] value evaluate_select(ir::expr const& e, ir::select const& s);
  [[nodiscard]] value evaluate_cast(ir::expr const& e, ir::cast const& c);
  [[nodiscard]] value wrapped(char const* op, int binds, value const& a, value const& b);
  [[nodiscard]] value quotient(ir::expr const& e, ir::binary const& b, value const& x, value const& y);
  [[nodiscard]] value call(std::string const& function, dtype type, std::vector<value> const& arguments);
  [[nodiscard]] value helper(std::string const& base, dtype type, std::vector<value> const& arguments);
  [[nodiscard]] std::string helper_text(std::string const& base, dtype type, int lanes, std::string const& name) const;
  [[nodiscard]] value widened(value const& v, int lanes) const;
  [[nodiscard]] std::string type_name(dtype t, int lanes = 1) const;
  [[nodiscard]] static std::string in(value const& v, int least);

  // ---------------------------------------------------------------------------------- memory (emitter_memory)
  [[nodiscard]] value load(ir::expr const& e, ir::access const& a);
  [[nodiscard]] value load_lanes(ir::buffer const& b, lane_linear const& flat);
  void store(ir::buffer const& b, lane_linear const& flat, value const& v);
  [[nodiscard]] std::string array(ir::buffer const& b);
  [[nodiscard]] std::string element(ir::buffer const& b, lane_linear const& flat);
  [[nodiscard]] std::string offset(ir::buffer const& b, lane_linear const& flat);
  [[nodiscard]] ir::memory place_of(ir::buffer const& b) const;
  [[nodiscard]] static bool is_scalar(ir::buffer const& b);
  [[nodiscard]] std::string table(ir::buffer const& b);
  [[nodiscard]] value from_storage(std::string const& raw, dtype stored, int lanes);
  [[nodiscard]] std::string to_storage(value const& v, dtype stored);
  [[nodiscard]] std::string variable(ir::buffer const& b, std::int64_t element);
  [[nodiscard]] std::optional<value> neighbours(ir::buffer const& b, lane_linear const& flat);
  [[nodiscard]] std::optional<value> column(ir::buffer const& b, lane_linear const& flat);
  [[nodiscard]] std::string shuffled(std::vector<int> const& places, std::string const& a, std::string const& b,
                                     dtype type);
  void forget_tiles(ir::buffer const& b);
  void forget_tiles_of_scope();
  [[nodiscard]] value load_variables(ir::buffer const& b, lane_linear const& flat);
  void store_variables(ir::buffer const& b, lane_linear const& flat, value const& v);
  void note_use(ir::buffer const& b, lane_linear const& flat, bool stores);
  [[nodiscard]] bool is_aligned(ir::buffer const& b, lane_linear const& flat, int lanes) const;

  ir::lowered const& program_;
  target const& machine_;
  c_dialect const& dialect_;

  // State of the program.
  int index_bits_ = 32;
  bool doubles_ = false;
  std::set<ir::buffer const*> written_;
  std::map<ir::buffer const*, std::int64_t> shared_offsets_;
  std::int64_t shared_bytes_ = 0;
  std::map<std::string, std::string> helpers_;  ///< text by name
  std::string tables_;
  std::map<ir::buffer const*, std::string> table_names_;
  std::string kernels_;
  int kernel_count_ = 0;
  bool preparing_ = false;

  // State outside of kernels.
  std::vector<ir::stmt> alone_;   ///< statements outside of kernels: they become a kernel of one thread
  std::vector<ir::stmt> around_;  ///< lets and conditionals around kernels; their bodies are unused
  std::vector<std::string> host_variables_;
  arith::ranges host_ranges_;

  // State of the current kernel.
  std::string text_;
  int depth_ = 0;
  std::vector<std::pair<std::size_t, std::size_t>> scopes_;  ///< start and end of their heads in the text
  c_names names_;
  std::array<span, directions> grid_;
  int spacing_ = 1;                        ///< only every spacing_-th block works
  std::map<int, std::string> identities_;  ///< names of block and thread indices, by direction
  unsigned entered_ = 0;                   ///< directions whose loop surrounds the current statement
  std::string shared_arrays_;
  std::vector<std::pair<ir::buffer const*, std::string>> in_shared_;  ///< buffers in shared memory with their names
  std::map<ir::buffer const*, std::string> arrays_;
  register_shapes shapes_;
  std::unordered_map<std::string, lane_linear> variables_;
  arith::ranges ranges_;
  std::set<std::string> naturals_;  ///< texts of indices that are known to be non-negative
  struct tile {
    ir::buffer const* of = nullptr;
    std::size_t scope = 0;             ///< number of open scopes where its vectors were declared
    std::vector<std::string> vectors;  ///< its rows, then the results of the transposition's steps
  };
  std::map<std::string, tile> transposed_;                             ///< by the names of the rows
  std::map<std::tuple<int, int, int>, transposition> transpositions_;  ///< by rows, lanes, bytes per element
  int lanes_ = 1;
  /// Variables whose iterations are the lanes of warps.
  std::set<std::string> thread_loops_;
  /// Other loops over threads, and lets that differ between lanes.
  arith::substitution of_threads_;
  arith::substitution of_warps_;  ///< lets that differ between warps only
  bool publishes_ = false;        ///< warpgroup products read shared memory
  int apart_ = 0;                 ///< number of surrounding conditions and loops in which the threads of a warp diverge
  bool shuffles_ = false;         ///< the threads of the kernel exchange values by shuffles
  bool follows_ = false;          ///< matrix tiles are being emitted in sequence
  /// Unrolled loops around these tiles.
  std::vector<std::tuple<ir::loop const*, std::int64_t, std::int64_t>> repeated_;
  std::map<std::string, std::string> fragments_;  ///< names of loaded fragments, by text
  /// Registers loaded by ldmatrix, by address.
  std::map<std::string, std::vector<std::string>> loaded_fragments_;
  std::map<ir::expr_node const*, std::string> moved_;  ///< elements loaded by a wide move; `lane_` selects one
  int lane_ = 0;
};

}}}  // namespace ttune::v0::codegen

#include "ttune/codegen/c_family/emitter_fragment.hpp"
#include "ttune/codegen/c_family/emitter_index.hpp"
#include "ttune/codegen/c_family/emitter_kernel.hpp"
#include "ttune/codegen/c_family/emitter_matrix.hpp"
#include "ttune/codegen/c_family/emitter_memory.hpp"
#include "ttune/codegen/c_family/emitter_statement.hpp"
#include "ttune/codegen/c_family/emitter_value.hpp"
#include "ttune/codegen/c_family/emitter_vector.hpp"
#include "ttune/codegen/c_family/emitter_warp.hpp"
#include "ttune/codegen/c_family/emitter_warpgroup.hpp"
