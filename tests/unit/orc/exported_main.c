/* SPDX-License-Identifier: Apache-2.0
 * A C program on a library that `ttune export` wrote, for exported_library.cpp. It reads operands from files of a
 * folder, calls the kernels in all ways, and writes the results there.
 *
 *   exported FOLDER FEATURE...     without the features; ends with 10 if no kernel runs on this processor */
#include "exported_files.h"
#include "imaging.h"

enum { rows = 256, columns = 300, inputs = 64, outputs = 48, batch = 32 };

static float *floats(size_t count) {
  float *const made = aligned_alloc(64, (count * sizeof(float) + 63) / 64 * 64);
  CHECK(made);
  memset(made, 0xFF, count * sizeof(float));
  return made;
}

static float *read_floats(char const *name, size_t count) {
  float *const made = floats(count);
  FILE *const in = file(name, "rb");
  CHECK(fread(made, sizeof(float), count, in) == count);
  fclose(in);
  return made;
}

/* Two workers that take turns, from the last task to the first. The pool counts the loops. */
static void in_turns(imaging_context const *self, imaging_body body, void *closure, int64_t tasks) {
  ++*(int *)self->pool;
  for (int64_t t = tasks; t-- > 0;) body(closure, t, (int32_t)(t % 2));
}

static void check_blur(int runs) {
  size_t const count = (size_t)rows * columns;
  float *const image = read_floats("image", count), *const out = floats(count), *const again = floats(count);
  int loops = 0;
  imaging_context context = {2, in_turns, &loops, NULL, 0};
  if (!runs) {
    CHECK(imaging_blur(image, out, NULL) == IMAGING_NO_INSTRUCTIONS);
    CHECK(!imaging_blur_target());
    CHECK(imaging_blur_workspace_bytes(NULL) == 0);
    return;
  }
  CHECK(imaging_blur(image, out, NULL) == IMAGING_OK);
  write_floats("blurred", out, count);
  CHECK(imaging_blur(image, again, &context) == IMAGING_OK);
  CHECK(same(out, again, count));
  CHECK(loops > 0);
  CHECK(imaging_blur(NULL, out, NULL) == IMAGING_BAD_OPERAND);
  CHECK(imaging_blur(image, NULL, NULL) == IMAGING_BAD_OPERAND);
  CHECK(imaging_blur((float const *)((char const *)image + 1), out, NULL) == IMAGING_BAD_OPERAND);

  context.workspace_bytes = imaging_blur_workspace_bytes(&context);
  context.workspace = floats(context.workspace_bytes / sizeof(float) + 16);
  memset(again, 0, count * sizeof(float));
  CHECK(imaging_blur(image, again, &context) == IMAGING_OK);
  CHECK(same(out, again, count));
  context.workspace = (char *)context.workspace + 4;
  CHECK(imaging_blur(image, again, &context) == IMAGING_BAD_BUFFER);
}

static void check_layer(int runs) {
  size_t const count = (size_t)batch * outputs;
  float *const x = read_floats("x", (size_t)batch * inputs), *const w = read_floats("w", (size_t)inputs * outputs);
  float *const out = floats(count), *const again = floats(count);
  void *prepared = NULL;
  if (!runs) {
    CHECK(imaging_layer_prepare(w, &prepared, NULL) == IMAGING_NO_INSTRUCTIONS);
    CHECK(imaging_layer(x, w, out, NULL, NULL) == IMAGING_NO_INSTRUCTIONS);
    CHECK(!prepared);
    CHECK(imaging_layer_prepared_bytes() == 0);
    return;
  }
  CHECK(imaging_layer(x, w, out, NULL, NULL) == IMAGING_OK);
  write_floats("features", out, count);

  CHECK(imaging_layer_prepare(w, &prepared, NULL) == IMAGING_OK);
  CHECK(prepared);
  CHECK(imaging_layer(x, w, again, prepared, NULL) == IMAGING_OK);
  CHECK(same(out, again, count));
  imaging_free(prepared);

  void *own = floats(imaging_layer_prepared_bytes() / sizeof(float));
  void *const memory = own;
  CHECK(imaging_layer(x, w, again, own, NULL) == IMAGING_BAD_BUFFER); /* it holds no constants yet */
  CHECK(imaging_layer_prepare(w, &own, NULL) == IMAGING_OK);
  CHECK(own == memory);
  memset(again, 0, count * sizeof(float));
  CHECK(imaging_layer(x, w, again, own, NULL) == IMAGING_OK);
  CHECK(same(out, again, count));
  CHECK(imaging_layer(x, w, again, (char *)own + 4, NULL) == IMAGING_BAD_BUFFER);
  CHECK(imaging_layer_prepare(NULL, &own, NULL) == IMAGING_BAD_OPERAND);
  CHECK(imaging_layer_prepare(w, NULL, NULL) == IMAGING_BAD_BUFFER);
  CHECK(imaging_layer(x, NULL, again, NULL, NULL) == IMAGING_BAD_OPERAND);
}

static void check_memory(int runs) {
  int loops = 0;
  imaging_context const crowd = {INT32_MAX, in_turns, &loops, NULL, 0};
  size_t const bytes = imaging_sums_workspace_bytes(&crowd);
  float *const x = read_floats("x", (size_t)batch * inputs), *const out = floats(batch);
  if (!runs) return;
  CHECK(imaging_sums(x, out, NULL) == IMAGING_OK);
  write_floats("summed", out, batch);
  printf("workspace for all threads of the world: %zu\n", bytes);
  if (bytes > (size_t)1 << 46) CHECK(imaging_sums(x, out, &crowd) == IMAGING_OUT_OF_MEMORY);
}

int main(int count, char **arguments) {
  CHECK(count > 1);
  folder = arguments[1];
  for (int i = 2; i < count; ++i) CHECK(imaging_forbid(arguments[i]));
  CHECK(imaging_forbid("no such feature") == 0);
  char const *const target = imaging_blur_target();
  printf("target: %s\n", target ? target : "none");
  check_blur(target != NULL);
  check_layer(target != NULL);
  check_memory(target != NULL);
  return target ? 0 : 10;
}
