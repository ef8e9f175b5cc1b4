#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline float ttune_round_to_tf32_f32(float x) { if (x != x) return x; uint32_t b; memcpy(&b, &x, sizeof b); uint32_t const made = (b + 0x1000u) & 0xffffe000u; float f; memcpy(&f, &made, sizeof f); return f; }

void Y_kernel_0(const float* restrict X, float* restrict Y, uint8_t* restrict workspace) {
  for (ptrdiff_t Y_io = 0; Y_io < 2; ++Y_io) {
    if (Y_io < 1) {
      for (ptrdiff_t Y_ii = 0; Y_ii < 4; ++Y_ii) {
        Y[Y_io * 4 + Y_ii] = ttune_round_to_tf32_f32(X[Y_io * 4 + Y_ii]);
      }
    } else {
      for (ptrdiff_t Y_ii_1 = 0; Y_ii_1 < 4; ++Y_ii_1) {
        if (Y_ii_1 < 2) {
          Y[Y_ii_1 + 4] = ttune_round_to_tf32_f32(X[Y_ii_1 + 4]);
        }
      }
    }
  }
}

