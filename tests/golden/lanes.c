#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void C_kernel_0(const float* restrict A, const float* restrict B, float* restrict C, uint8_t* restrict workspace) {
  for (ptrdiff_t C_io = 0; C_io < 4; ++C_io) {
    {
      float acc[36];
      for (ptrdiff_t acc_i = 0; acc_i < 2; ++acc_i) {
        for (ptrdiff_t acc_j = 0; acc_j < 18; ++acc_j) {
          acc[acc_i * 18 + acc_j] = 0.0f;
        }
      }
      for (ptrdiff_t acc_k = 0; acc_k < 16; ++acc_k) {
        for (ptrdiff_t acc_i_1 = 0; acc_i_1 < 2; ++acc_i_1) {
          for (ptrdiff_t acc_j_1 = 0; acc_j_1 < 18; ++acc_j_1) {
            acc[acc_i_1 * 18 + acc_j_1] = acc[acc_i_1 * 18 + acc_j_1] + A[C_io * 32 + acc_i_1 * 16 + acc_k] * B[acc_k * 18 + acc_j_1];
          }
        }
      }
      for (ptrdiff_t C_ii = 0; C_ii < 2; ++C_ii) {
        for (ptrdiff_t C_j = 0; C_j < 18; ++C_j) {
          C[C_io * 36 + C_ii * 18 + C_j] = acc[C_ii * 18 + C_j];
        }
      }
    }
  }
}

