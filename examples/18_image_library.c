/* SPDX-License-Identifier: Apache-2.0
 * A small image library for programs in C, 2: uses what `ttune export` made of the kernels of 18_image_library.cpp. It
 * needs libc and libm; here also POSIX threads, or OpenMP where the compiler has it. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "imaging.h"

enum { height = 240, width = 320, threads = 2 };

/* clang-format off */
// [openmp]
#ifdef _OPENMP
#include <omp.h>

/* Tasks on the threads of OpenMP. */
static void run_tasks(imaging_context const *self, imaging_body body, void *closure, int64_t tasks) {
#pragma omp parallel for schedule(dynamic) num_threads(self->threads)
  for (int64_t t = 0; t < tasks; ++t) body(closure, t, omp_get_thread_num());
}
#endif
// [/openmp]

#ifndef _OPENMP
// [threads]
/* A parallel loop: threads take the next task until none is left. */
struct loop {
  imaging_body body;
  void *closure;
  int64_t tasks;
  atomic_int_fast64_t next;
  atomic_int workers;
};

static void *take_tasks(void *argument) {
  struct loop *const loop = argument;
  int32_t const worker = atomic_fetch_add(&loop->workers, 1);
  for (int64_t t; (t = atomic_fetch_add(&loop->next, 1)) < loop->tasks;) loop->body(loop->closure, t, worker);
  return 0;
}

/* The caller takes part. A pool that keeps its threads serves better: they are started for each loop here. */
static void run_tasks(imaging_context const *self, imaging_body body, void *closure, int64_t tasks) {
  struct loop loop = {.body = body, .closure = closure, .tasks = tasks};
  pthread_t others[threads - 1];
  int started = 0;
  while (started + 1 < self->threads && pthread_create(&others[started], 0, take_tasks, &loop) == 0) ++started;
  take_tasks(&loop);
  while (started > 0) pthread_join(others[--started], 0);
}
// [/threads]
#endif
/* clang-format on */

static uint8_t colours[height * width * 3];
static float light[height * width], smooth[height * width], shown[height * width];

static void make_image(void) {
  for (int i = 0; i < height * width; ++i)
    for (int c = 0; c < 3; ++c) colours[3 * i + c] = (uint8_t)((i % width + i / width * (c + 1)) % 256);
}

/* Returns the largest difference to plain loops, at every seventh pixel. */
static double largest_error(float const weights[25]) {
  double largest = 0;
  for (int i = 0; i < height * width; i += 7) {
    double sum = 0;
    for (int k = 0; k < 25; ++k) {
      int y = i / width + k / 5 - 2, x = i % width + k % 5 - 2;
      y = y < 0 ? 0 : y < height ? y : height - 1;
      x = x < 0 ? 0 : x < width ? x : width - 1;
      uint8_t const *const p = colours + 3 * (y * width + x);
      sum += weights[k] * (p[0] * 0.299 + p[1] * 0.587 + p[2] * 0.114);
    }
    largest = fmax(largest, fabs(255 / (1 + exp((128 - sum) / 32)) - shown[i]));
  }
  return largest;
}

static int report(imaging_status status) {
  if (status == IMAGING_NO_INSTRUCTIONS) fprintf(stderr, "this processor is too old\n");
  else if (status != IMAGING_OK) fprintf(stderr, "imaging: status %d\n", (int)status);
  return status != IMAGING_OK;
}

int main(void) {
  float weights[25];
  for (int i = 0; i < 25; ++i) weights[i] = 1.0F / 25;
  make_image();
  // [use]
  imaging_context const context = {.threads = threads, .parallel = run_tasks};
  void *prepared = NULL; /* the weights, as the kernel for this processor wants them */
  if (report(imaging_filter_prepare(weights, &prepared, NULL))) return 1;
  if (report(imaging_luminance(colours, light, &context))) return 1;
  if (report(imaging_filter(light, weights, smooth, height, width, prepared, &context))) return 1;
  if (report(imaging_tones(smooth, shown, NULL))) return 1; /* on this thread alone */
  imaging_free(prepared);
  // [/use]
  double const error = largest_error(weights);
  printf("kernels for %s; largest error %g of 255\n", imaging_filter_target(), error);
  return error < 0.01 ? 0 : 1;
}
