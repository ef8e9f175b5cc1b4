// SPDX-License-Identifier: Apache-2.0
// The parts of an exported library's C source that are the same for all kernels. $WORDS are replaced.
#pragma once

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 { namespace detail {

inline constexpr char const* library_source_text =
    R"(/* Written by `ttune export`: which kernel of lib$NAME.a runs, and with what. The machine code is in $NAME_code.S. C11 with
 * gcc or clang. */
#include "$NAME.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#else
#error "this library has kernels for x86-64 and for 64-bit ARM only"
#endif

_Static_assert(sizeof(void *) == 8, "kernels have pointers of 64 bits");

/* UBSan of clang would read type information in front of a kernel, which has none. */
#if defined(__clang__)
#define CALLS_KERNEL __attribute__((no_sanitize("function")))
#else
#define CALLS_KERNEL
#endif
#define HIDDEN extern __attribute__((visibility("hidden")))

/* ---- the functions that kernels call; they find them by their offsets */

struct table {
  uint32_t version;
  int32_t threads;
  void (*parallel)(struct table const *self, $NAME_body body, void *closure, int64_t tasks);
  void *executor;
$MEMBERS};
_Static_assert(offsetof(struct table, parallel) == 8, "the layout of ttune's ABI");
$CHECKS
CALLS_KERNEL static void run_serially(struct table const *self, $NAME_body body, void *closure, int64_t tasks) {
  (void)self;
  for (int64_t t = 0; t < tasks; ++t) body(closure, t, 0);
}

static void run_parallel(struct table const *self, $NAME_body body, void *closure, int64_t tasks) {
  $NAME_context const *const context = ($NAME_context const *)self->executor;
  context->parallel(context, body, closure, tasks);
}

static struct table const serial = {$ABI, 1, run_serially, 0$VALUES};

/* ---- the kernels */

typedef void entry(void *const *pointers, struct table const *functions, void *workspace);

/* Machine code of a kernel for one instruction set. Kernels for many shapes are rows of which the first one chooses. */
struct variant {
  entry *main;
  entry *prepare;          /* null: no constants are laid out */
  uint64_t needs;          /* bits of `features` */
  int64_t shared_bytes;    /* workspace of a call */
  int64_t local_bytes;     /* and of each thread */
  int64_t const *buffers;  /* bytes of the buffers that `prepare` fills */
  int32_t buffer_count;
  uint64_t reads;          /* pointers that `main` may read after `prepare`: operands, then buffers */
  uint64_t identity;       /* of the code */
  char const *target;
  int32_t rows;            /* this one, and those after it that belong to it */
  int32_t (*which)(int64_t const *extents); /* of these rows; null: there is one */
};

struct feature {
  char const *name;
  uint32_t leaf, subleaf; /* of cpuid; on ARM the word of getauxval */
  int32_t word, bit;
  uint64_t saved;         /* bits of XCR0: registers that the system must save */
};

struct kernel {
  struct variant const *variants; /* best first */
  uint8_t const *alignments;      /* of the operands */
  int32_t operand_count;
  uint64_t constants;             /* bits of the operands that are constants */
};

$SHAPES$TABLES
/* ---- the choice of a variant */

#if defined(__x86_64__)
static uint64_t saved_registers(void) {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & (1U << 27))) return 0;
  __asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
  return (uint64_t)d << 32 | a;
}

/* Asks Linux for registers for tiles of matrices: arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA). */
static int may_use_tiles(void) {
  long answer = 158;
  __asm__ volatile("syscall" : "+a"(answer) : "D"(0x1023L), "S"(18L) : "rcx", "r11", "memory");
  return answer == 0;
}

static int has(struct feature const *f) {
  unsigned words[4];
  if (!__get_cpuid_count(f->leaf, f->subleaf, &words[0], &words[1], &words[2], &words[3])) return 0;
  if (strcmp(f->name, "amx-tile") == 0 && !may_use_tiles()) return 0;
  return (words[f->word] >> f->bit & 1) && (f->saved == 0 || (saved_registers() & f->saved) == f->saved);
}
#else
static int has(struct feature const *f) { return getauxval(f->leaf == 0 ? AT_HWCAP : AT_HWCAP2) >> f->bit & 1; }
#endif

static uint64_t forbidden; /* bits of features */

/* Returns the bits of the features that this processor has. It is asked once: cpuid is slow on virtual machines. */
static uint64_t usable_features(void) {
  static uint64_t known; /* 0: not asked yet; the highest bit is set otherwise */
  uint64_t bits = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (bits == 0) {
    bits = UINT64_C(1) << 63;
    for (int i = 0; features[i].name; ++i)
      if (has(&features[i])) bits |= UINT64_C(1) << i;
    __atomic_store_n(&known, bits, __ATOMIC_RELAXED);
  }
  return bits & ~__atomic_load_n(&forbidden, __ATOMIC_RELAXED);
}

int $NAME_forbid(char const *feature) {
  for (int i = 0; features[i].name; ++i)
    if (strcmp(features[i].name, feature) == 0) {
      __atomic_fetch_or(&forbidden, UINT64_C(1) << i, __ATOMIC_RELAXED);
      return 1;
    }
  return 0;
}

static struct variant const *choose(struct kernel const *of) {
  uint64_t const usable = usable_features();
  for (struct variant const *v = of->variants; v->main; v += v->rows)
    if ((v->needs & ~usable) == 0) return v;
  return 0;
}

/* ---- memory */

enum { line = 64 };

static size_t whole_lines(int64_t bytes) { return ((size_t)bytes + line - 1) / line * line; }

static void *allocate(size_t bytes) { return aligned_alloc(line, bytes ? whole_lines((int64_t)bytes) : line); }

static int32_t threads_of($NAME_context const *context) {
  return context && context->parallel && context->threads > 1 ? context->threads : 1;
}

static size_t scratch_bytes(struct variant const *v, $NAME_context const *context) {
  return whole_lines(v->shared_bytes + threads_of(context) * v->local_bytes);
}

/* The workspace of any call: kernels for many shapes need different ones. */
static size_t workspace_bytes(struct kernel const *of, $NAME_context const *context) {
  struct variant const *const first = choose(of);
  size_t most = 0;
  for (int32_t i = 0; first && i < first->rows; ++i)
    if (most < scratch_bytes(first + i, context)) most = scratch_bytes(first + i, context);
  return most;
}

static int is_kept(struct kernel const *of, struct variant const *v, int32_t buffer) {
  return v->reads >> (of->operand_count + buffer) & 1;
}

/* Bytes of the buffers that calls read, or of those that only `prepare` does. */
static size_t buffer_bytes(struct kernel const *of, struct variant const *v, int kept) {
  size_t sum = 0;
  for (int32_t i = 0; i < v->buffer_count; ++i)
    if (is_kept(of, v, i) == kept) sum += whole_lines(v->buffers[i]);
  return sum;
}

/* Constants that are laid out for one kernel begin with a line that says which code they are for. */
static size_t prepared_bytes(struct kernel const *of, struct variant const *v) {
  return line + buffer_bytes(of, v, 1);
}

/* Those of kernels for many shapes follow each other. */
static size_t prepared_before(struct kernel const *of, struct variant const *first, struct variant const *end) {
  size_t sum = 0;
  for (; first < end; ++first) sum += prepared_bytes(of, first);
  return sum;
}

static int is_aligned(void const *pointer, uintptr_t alignment) { return (uintptr_t)pointer % alignment == 0; }

static int is_prepared_for(struct variant const *v, void const *prepared) {
  return is_aligned(prepared, line) && memcmp(prepared, &v->identity, sizeof v->identity) == 0;
}

/* Puts the buffers' addresses behind the operands. */
static void place_buffers(struct kernel const *of, struct variant const *v, void **pointers, void *prepared,
                          char *meanwhile) {
  char *kept = (char *)prepared + line;
  for (int32_t i = 0; i < v->buffer_count; ++i) {
    char **const next = is_kept(of, v, i) ? &kept : &meanwhile;
    pointers[of->operand_count + i] = *next;
    if (*next) *next += whole_lines(v->buffers[i]);
  }
}

/* ---- calls */

/* Checks the operands of which a bit is set. */
static int are_right(struct kernel const *of, void *const *pointers, uint64_t wanted) {
  for (int32_t i = 0; i < of->operand_count; ++i)
    if ((wanted >> i & 1) && (!pointers[i] || !is_aligned(pointers[i], of->alignments[i]))) return 0;
  return 1;
}

CALLS_KERNEL static $NAME_status enter(entry *function, struct variant const *v, void *const *pointers,
                                       $NAME_context const *context) {
  size_t const bytes = scratch_bytes(v, context);
  void *workspace = context ? context->workspace : 0, *own = 0;
  if (workspace && (context->workspace_bytes < bytes || !is_aligned(workspace, line))) return $BIG_BAD_BUFFER;
  if (!workspace && bytes != 0 && !(workspace = own = allocate(bytes))) return $BIG_OUT_OF_MEMORY;
  if (threads_of(context) == 1) {
    function(pointers, &serial, workspace);
  } else {
    struct table parallel = serial;
    parallel.threads = context->threads;
    parallel.parallel = run_parallel;
    parallel.executor = (void *)(uintptr_t)context;
    function(pointers, &parallel, workspace);
  }
  free(own);
  return $BIG_OK;
}

/* Lays out constants into `prepared`, which has prepared_bytes bytes. */
static $NAME_status lay_out(struct kernel const *of, struct variant const *v, void **pointers, void *prepared,
                            $NAME_context const *context) {
  size_t const bytes = buffer_bytes(of, v, 0);
  char *const meanwhile = bytes ? allocate(bytes) : 0;
  if (bytes && !meanwhile) return $BIG_OUT_OF_MEMORY;
  place_buffers(of, v, pointers, prepared, meanwhile);
  memset(prepared, 0, line);
  $NAME_status const status = v->prepare ? enter(v->prepare, v, pointers, context) : $BIG_OK;
  if (status == $BIG_OK) memcpy(prepared, &v->identity, sizeof v->identity);
  free(meanwhile);
  return status;
}

static $NAME_status prepare(struct kernel const *of, void **pointers, void **prepared, $NAME_context const *context) {
  struct variant const *const first = choose(of);
  if (!first) return $BIG_NO_INSTRUCTIONS;
  if (!are_right(of, pointers, of->constants)) return $BIG_BAD_OPERAND;
  if (!prepared || !is_aligned(*prepared, line)) return $BIG_BAD_BUFFER;
  struct variant const *const end = first + first->rows;
  char *const memory = *prepared ? *prepared : allocate(prepared_before(of, first, end));
  if (!memory) return $BIG_OUT_OF_MEMORY;
  $NAME_status status = $BIG_OK;
  for (struct variant const *v = first; v < end && status == $BIG_OK; ++v)
    status = lay_out(of, v, pointers, memory + prepared_before(of, first, v), context);
  if (status == $BIG_OK) *prepared = memory;
  else if (!*prepared) free(memory);
  return status;
}

/* Lays out the constants for this call alone. */
static $NAME_status call_unprepared(struct kernel const *of, struct variant const *v, void **pointers,
                                    $NAME_context const *context) {
  void *const own = allocate(prepared_bytes(of, v));
  if (!own) return $BIG_OUT_OF_MEMORY;
  $NAME_status status = lay_out(of, v, pointers, own, context);
  if (status == $BIG_OK) status = enter(v->main, v, pointers, context);
  free(own);
  return status;
}

/* `extents` are those of the call; null for kernels of one shape. */
static $NAME_status call(struct kernel const *of, void **pointers, int64_t const *extents, void const *prepared,
                         $NAME_context const *context) {
  struct variant const *const first = choose(of);
  if (!first) return $BIG_NO_INSTRUCTIONS;
  struct variant const *const v = first->which ? first + first->which(extents) : first;
  if (!are_right(of, pointers, prepared ? ~of->constants | v->reads : ~UINT64_C(0))) return $BIG_BAD_OPERAND;
  char const *const own = prepared ? (char const *)prepared + prepared_before(of, first, v) : 0;
  if (prepared && !(is_prepared_for(first, prepared) && is_prepared_for(v, own))) return $BIG_BAD_BUFFER;
  if (!v->prepare) return enter(v->main, v, pointers, context);
  if (!prepared) return call_unprepared(of, v, pointers, context);
  place_buffers(of, v, pointers, (void *)(uintptr_t)own, 0);
  return enter(v->main, v, pointers, context);
}

void $NAME_free(void *prepared) { free(prepared); }

/* ---- what the header declares */
$FUNCTIONS)";

inline constexpr char const* kernel_functions_text = R"(
static uint8_t const $KERNEL_alignments[] = {$SIZES};
static struct kernel const kernel_$KERNEL = {$KERNEL_variants, $KERNEL_alignments, $COUNT, $CONSTANTS_MASK};

$NAME_status $NAME_$KERNEL($ALL_PARAMETERS$PREPARED$NAME_context const *context) {
$SETTING  void *pointers[$POINTERS] = {$OPERANDS};
  return call(&kernel_$KERNEL, pointers, $EXTENTS, $GIVEN, context);
}

size_t $NAME_$KERNEL_workspace_bytes($NAME_context const *context) { return workspace_bytes(&kernel_$KERNEL, context); }

char const *$NAME_$KERNEL_target(void) {
  struct variant const *const v = choose(&kernel_$KERNEL);
  return v ? v->target : 0;
}
)";

inline constexpr char const* shapes_text = R"(/* Extents may be as large as memory. */
__attribute__((unused)) static int64_t times(int64_t a, int64_t b) {
  int64_t made;
  return __builtin_mul_overflow(a, b, &made) ? INT64_MAX : made;
}

)";

inline constexpr char const* constants_functions_text = R"(
$NAME_status $NAME_$KERNEL_prepare($CONSTANT_PARAMETERSvoid **prepared, $NAME_context const *context) {
$LARGEST  void *pointers[$POINTERS] = {$FIXED_POINTERS};
  return prepare(&kernel_$KERNEL, pointers, prepared, context);
}

size_t $NAME_$KERNEL_prepared_bytes(void) {
  struct variant const *const v = choose(&kernel_$KERNEL);
  return v ? prepared_before(&kernel_$KERNEL, v, v + v->rows) : 0;
}
)";

}}}  // namespace ttune::v0::detail
