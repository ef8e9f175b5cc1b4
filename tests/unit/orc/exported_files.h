/* SPDX-License-Identifier: Apache-2.0
 * Operands in files of a folder, for C programs on exported libraries (exported_main.c, exported_shapes_main.c). */
#ifndef TTUNE_EXPORTED_FILES_H
#define TTUNE_EXPORTED_FILES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                     \
  do {                                                                       \
    if (!(condition)) {                                                      \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                               \
    }                                                                        \
  } while (0)

static char const *folder;

static FILE *file(char const *name, char const *mode) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *const opened = fopen(path, mode);
  CHECK(opened);
  return opened;
}

static void write_floats(char const *name, float const *from, size_t count) {
  FILE *const out = file(name, "wb");
  CHECK(fwrite(from, sizeof(float), count, out) == count);
  CHECK(fclose(out) == 0);
}

static int same(float const *a, float const *b, size_t count) { return memcmp(a, b, count * sizeof(float)) == 0; }

#endif
