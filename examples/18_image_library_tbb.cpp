// SPDX-License-Identifier: Apache-2.0
// A small image library for programs in C, 3: its kernels on the threads of oneTBB, through the spans of its header.
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <cstdint>
#include <vector>

#include "imaging.h"

namespace {

// [onetbb]
void run_tasks(imaging_context const* self, imaging_body body, void* closure, std::int64_t tasks) {
  auto* const arena = static_cast<oneapi::tbb::task_arena*>(self->pool);
  arena->execute([&] {
    oneapi::tbb::parallel_for(std::int64_t{0}, tasks, [&](std::int64_t t) {
      body(closure, t, oneapi::tbb::this_task_arena::current_thread_index());
    });
  });
}
// [/onetbb]

}  // namespace

int main() {
  oneapi::tbb::task_arena arena;
  imaging_context context{};
  context.threads = arena.max_concurrency();
  context.parallel = run_tasks;
  context.pool = &arena;
  std::vector<float> const light(240 * 320, 128.0F);
  std::vector<float> shown(240 * 320);
  if (imaging::tones(light, shown, &context) != IMAGING_OK) return 1;
  for (auto const v : shown)
    if (v != 127.5F) return 2;
  return 0;
}
