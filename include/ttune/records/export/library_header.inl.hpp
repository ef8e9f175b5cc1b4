// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ttune/records/export/library_header.hpp"
#include "ttune/records/export/library_words.hpp"
#include "ttune/support/fill_template.hpp"

namespace ttune { inline namespace v0 { namespace detail {

inline constexpr char const* header_text =
    R"(/* Written by `ttune export`: kernels for tensors. Link with lib$NAME.a and libm.
 *
 * Operands are contiguous, the last axis is that whose elements lie side by side. Outputs must not overlap other
 * operands. All functions may be called by several threads at once. */
#ifndef $BIG_H
#define $BIG_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What functions return. Outputs are complete for OK, and unchanged or undefined otherwise. */
typedef enum $NAME_status {
  $BIG_OK = 0,
  $BIG_NO_INSTRUCTIONS = 1, /* no kernel of this library runs on this processor */
  $BIG_OUT_OF_MEMORY = 2,   /* for workspace or laid-out constants */
  $BIG_BAD_OPERAND = 3,     /* a null pointer, one that is not aligned for its elements, or a span of another size */
  $BIG_BAD_BUFFER = 4,      /* a workspace that is too small, constants of another kernel, or not aligned to 64 bytes */
  $BIG_BAD_EXTENT = 5       /* an extent outside of its range */
} $NAME_status;

/** One task of a parallel loop. `worker` is in [0, threads); tasks of one worker must not overlap. */
typedef void (*$NAME_body)(void *closure, int64_t task, int32_t worker);

/** What a call may use. A null pointer in its place: the calling thread, and memory of malloc's kind. */
typedef struct $NAME_context {
  int32_t threads; /* workers that `parallel` uses at most */
  /* Runs body(closure, t, worker) for all t in [0, tasks), in any order, and returns when all are done; null: the calling
   * thread does. No exception may leave it. */
  void (*parallel)(struct $NAME_context const *self, $NAME_body body, void *closure, int64_t tasks);
  void *pool;              /* for `parallel` */
  void *workspace;         /* of this call alone, aligned to 64 bytes; null: each call allocates and frees its own */
  size_t workspace_bytes;  /* at least what FUNCTION_workspace_bytes returns */
} $NAME_context;

/** Frees constants that a `prepare` function allocated; null is allowed. */
void $NAME_free(void *prepared);

/** For tests: from now on, kernels that use a feature, by LLVM's name ("avx512f"), are not chosen in this process. What
 * was prepared before may belong to such a kernel. Returns 1 if any kernel uses the feature, otherwise 0. */
int $NAME_forbid(char const *feature);
$FUNCTIONS
#ifdef __cplusplus
}
#endif

#if defined(__cplusplus) && __cplusplus >= 202002L
#include <span>

/** The same functions with checked sizes. */
namespace $NAME {
$OVERLOADS
}
#endif

#endif
)";

/// Returns the description of an operand, a line of a comment.
inline std::string operand_line(exported_kernel const& k, operand_info const& o, std::string const& name) {
  constexpr char const* directions[] = {
      "input", "output", "input and output", "constant",
      ("distances of neighbours in elements: for each strided operand, inputs first,\n"
       " *     one number for each dimension; they are not checked")};
  std::string text = " *   " + name + "  " + name_of(o.type) + " (";
  auto const extents = extents_in_c(k, o);
  for (std::size_t d = 0; d < extents.size(); ++d) text += (d ? ", " : "") + extents[d];
  text += std::string("), ") + directions[static_cast<int>(o.direction)];
  if (o.strides != operand_strides::dense && k.extents.empty())
    text += o.strides == operand_strides::outer ? ", strided but for the last dimension" : ", strided";
  if (o.has_range) text += ", values in [" + std::to_string(o.low) + ", " + std::to_string(o.high) + "), unchecked";
  return text + "\n";
}

/// Returns the lines of a comment about the extents that calls give.
inline std::string extent_lines(exported_kernel const& k) {
  std::string text;
  for (std::size_t d = 0; d < k.extents.size(); ++d)
    text += " *   " + k.extents[d] + "  within [" + std::to_string(k.range().smallest[d]) + ", " +
            std::to_string(k.range().largest[d]) + "]\n";
  return text;
}

inline constexpr char const* constants_text = R"(
/** Lays out the constants of $NAME_$KERNEL for this processor. `*prepared` is the memory, or null: then it is allocated,
 * to be freed with $NAME_free. */
$NAME_status $NAME_$KERNEL_prepare($CONSTANTSvoid **prepared, $NAME_context const *context);
/** Bytes of that memory, which is aligned to 64 bytes; 0 if no kernel runs on this processor. */
size_t $NAME_$KERNEL_prepared_bytes(void);
)";

/// Returns the declarations of a kernel.
inline std::string declarations_of(std::string const& library, exported_kernel const& k) {
  std::string text = "\n/** " + plain_text(k.title) + "\n *\n";
  for (std::size_t i = 0; i < k.parameters.size(); ++i)
    if (auto const& o = k.signature.operands[i]; k.is_passed(o)) text += operand_line(k, o, k.parameters[i]);
  text += extent_lines(k) + " *\n * For";
  for (std::size_t v = 0; v < k.variants.size(); ++v)
    text += (v ? ", " : " ") + plain_text(k.variants[v].image().target);
  text += ".";
  if (k.has_constants())
    text +=
        " `prepared` is what $NAME_$KERNEL_prepare made of the same constants; null: they are\n"
        " * laid out in each call.";
  text += R"( */
$NAME_status $NAME_$KERNEL($PARAMETERS$PREPARED$NAME_context const *context);
/** Bytes of workspace of one call. */
size_t $NAME_$KERNEL_workspace_bytes($NAME_context const *context);
/** Name of the target whose kernel is used, null if there is none: for messages. */
char const *$NAME_$KERNEL_target(void);
)";
  if (k.has_constants()) text += constants_text;
  return fill_template(text, {{"$KERNEL", k.name},
                              {"$NAME", library},
                              {"$PARAMETERS", c_parameters(k)},
                              {"$PREPARED", k.has_constants() ? "void const *prepared, " : ""},
                              {"$CONSTANTS", c_constants(k)}});
}

/// Returns the number of an operand's elements as an expression of C++.
inline std::string elements_in_c(exported_kernel const& k, operand_info const& o) {
  auto const is_open = [](std::int32_t place) { return place >= 0; };
  if (k.extents.empty() || std::ranges::none_of(o.open, is_open)) return std::to_string(o.elements());
  std::string text;
  for (auto const& extent : extents_in_c(k, o))
    text += (text.empty() ? "" : " * ") + ("static_cast<std::size_t>(" + extent + ")");
  return text;
}

/// Returns an inline function of C++ whose operands are spans; of the constants alone for `prepare`.
inline std::string overload_of(std::string const& library, exported_kernel const& k, bool prepares) {
  std::string parameters, checks, arguments;
  for (std::size_t i = 0; i < k.parameters.size(); ++i) {
    auto const& o = k.signature.operands[i];
    auto const& name = k.parameters[i];
    if (prepares ? o.direction != operand_direction::constant : !k.is_passed(o)) continue;
    parameters += "std::span<" + c_type(o.type) + (is_written(o) ? "> " : " const> ") + name + ", ";
    bool const has_gaps = o.strides != operand_strides::dense && k.extents.empty();
    checks += (checks.empty() ? "" : " || ") + name + (has_gaps ? ".size() < " : ".size() != ") + elements_in_c(k, o);
    arguments += name + ".data(), ";
  }
  for (auto const& extent : k.extents) {
    if (prepares) break;
    parameters += "int64_t " + extent + ", ";
    arguments += extent + ", ";
  }
  return fill_template(R"(inline $NAME_status $FUNCTION($PARAMETERS$PREPARED$NAME_context const *context = nullptr) {
  if ($CHECKS) return $BIG_BAD_OPERAND;
  return $NAME_$FUNCTION($ARGUMENTScontext);
}
)",
                       {{"$NAME", library},
                        {"$BIG", in_capitals(library)},
                        {"$FUNCTION", prepares ? k.name + "_prepare" : k.name},
                        {"$PARAMETERS", parameters},
                        {"$PREPARED", prepares            ? "void **prepared, "
                                      : k.has_constants() ? "void const *prepared, "
                                                          : ""},
                        {"$CHECKS", checks},
                        {"$ARGUMENTS", arguments + (k.has_constants() ? "prepared, " : "")}});
}

std::string library_header(std::string const& library, std::vector<exported_kernel> const& kernels) {
  std::string functions, overloads;
  for (auto const& k : kernels) {
    functions += declarations_of(library, k);
    overloads += overload_of(library, k, false);
    if (k.has_constants()) overloads += overload_of(library, k, true);
  }
  return fill_template(
      header_text,
      {{"$NAME", library}, {"$BIG", in_capitals(library)}, {"$FUNCTIONS", functions}, {"$OVERLOADS", overloads}});
}

}}}  // namespace ttune::v0::detail
