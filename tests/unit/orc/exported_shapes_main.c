/* SPDX-License-Identifier: Apache-2.0
 * A C program on a library that `ttune export` wrote, for exported_shapes.cpp: a product of any shape, and a layer of
 * any number of rows with constant weights.
 *
 *   exported FOLDER M K N FEATURE...     without the features; ends with 10 if no kernel runs on this processor */
#include "exported_files.h"
#include "shapes.h"

enum { inputs = 48, outputs = 40 };

static float *read_floats(char const *name, size_t count) {
  float *const made = malloc(count * sizeof(float));
  FILE *const in = file(name, "rb");
  CHECK(made && fread(made, sizeof(float), count, in) == count);
  fclose(in);
  return made;
}

/* Memory of exactly this size: sanitizers and valgrind see writes behind it. */
static float *ones(size_t count) {
  float *const made = malloc(count * sizeof(float));
  CHECK(made);
  for (size_t i = 0; i < count; ++i) made[i] = 1;
  return made;
}

/* Two workers that take turns, from the last task to the first. */
static void in_turns(shapes_context const *self, shapes_body body, void *closure, int64_t tasks) {
  (void)self;
  for (int64_t t = tasks; t-- > 0;) body(closure, t, (int32_t)(t % 2));
}

static void check_product(int64_t m, int64_t k, int64_t n) {
  size_t const count = (size_t)(m * n);
  float *const a = read_floats("a", (size_t)(m * k)), *const b = read_floats("b", (size_t)(k * n));
  float *const out = ones(count), *const again = ones(count);
  shapes_context context = {2, in_turns, NULL, NULL, 0};
  CHECK(shapes_product(a, b, out, m, k, n, NULL) == SHAPES_OK);
  write_floats("c", out, count);
  context.workspace_bytes = shapes_product_workspace_bytes(&context);
  context.workspace = aligned_alloc(64, (context.workspace_bytes + 127) / 64 * 64);
  CHECK(shapes_product(a, b, again, m, k, n, &context) == SHAPES_OK);
  CHECK(same(out, again, count));

  CHECK(shapes_product(a, b, out, 0, k, n, NULL) == SHAPES_BAD_EXTENT);
  CHECK(shapes_product(a, b, out, m, 91, n, NULL) == SHAPES_BAD_EXTENT);
  CHECK(shapes_product(a, b, out, m, k, INT64_MIN, NULL) == SHAPES_BAD_EXTENT);
  CHECK(shapes_product(a, NULL, out, m, k, n, NULL) == SHAPES_BAD_OPERAND);
}

static void check_layer(int64_t m) {
  size_t const count = (size_t)m * outputs;
  float *const x = read_floats("x", (size_t)m * inputs), *const w = read_floats("w", (size_t)inputs * outputs);
  float *const out = ones(count), *const again = ones(count);
  void *prepared = NULL;
  CHECK(shapes_layer(x, w, out, m, NULL, NULL) == SHAPES_OK);
  write_floats("y", out, count);
  CHECK(shapes_layer_prepare(w, &prepared, NULL) == SHAPES_OK);
  for (int turn = 0; turn < 2; ++turn) {
    memset(again, 0, count * sizeof(float));
    CHECK(shapes_layer(x, w, again, m, prepared, NULL) == SHAPES_OK);
    CHECK(same(out, again, count));
  }
  CHECK(shapes_layer(x, w, again, 1, prepared, NULL) == SHAPES_OK); /* another kernel, the same constants */
  CHECK(same(out, again, outputs));
  CHECK(shapes_layer(x, w, again, 1001, prepared, NULL) == SHAPES_BAD_EXTENT);
  shapes_free(prepared);

  void *own = aligned_alloc(64, (shapes_layer_prepared_bytes() + 63) / 64 * 64);
  memset(own, 0, shapes_layer_prepared_bytes());
  CHECK(shapes_layer(x, w, again, m, own, NULL) == SHAPES_BAD_BUFFER); /* it holds no constants yet */
  CHECK(shapes_layer_prepare(w, &own, NULL) == SHAPES_OK);
  memset(again, 0, count * sizeof(float));
  CHECK(shapes_layer(x, w, again, m, own, NULL) == SHAPES_OK);
  CHECK(same(out, again, count));
}

int main(int count, char **arguments) {
  CHECK(count > 4);
  folder = arguments[1];
  for (int i = 5; i < count; ++i) CHECK(shapes_forbid(arguments[i]));
  int64_t const m = atoll(arguments[2]), k = atoll(arguments[3]), n = atoll(arguments[4]);
  if (!shapes_product_target()) {
    float none[1] = {0};
    void *prepared = NULL;
    CHECK(shapes_product(none, none, none, 1, 1, 1, NULL) == SHAPES_NO_INSTRUCTIONS);
    CHECK(shapes_layer_prepare(none, &prepared, NULL) == SHAPES_NO_INSTRUCTIONS);
    CHECK(shapes_product_workspace_bytes(NULL) == 0 && shapes_layer_prepared_bytes() == 0);
    return 10;
  }
  printf("target: %s\n", shapes_product_target());
  check_product(m, k, n);
  check_layer(m);
  return 0;
}
