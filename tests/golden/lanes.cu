extern "C" __global__ void __launch_bounds__(1)
C_kernel_0(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, unsigned char* __restrict__ workspace) {
  const int C_io = (int)blockIdx.x;
  {
    float acc[36];
    #pragma unroll
    for (int acc_i = 0; acc_i < 2; ++acc_i) {
      #pragma unroll
      for (int acc_j = 0; acc_j < 18; ++acc_j) {
        acc[acc_i * 18 + acc_j] = 0.0f;
      }
    }
    #pragma unroll 4
    for (int acc_k = 0; acc_k < 16; ++acc_k) {
      #pragma unroll
      for (int acc_i_1 = 0; acc_i_1 < 2; ++acc_i_1) {
        #pragma unroll
        for (int acc_j_1 = 0; acc_j_1 < 18; ++acc_j_1) {
          acc[acc_i_1 * 18 + acc_j_1] = acc[acc_i_1 * 18 + acc_j_1] + A[C_io * 32 + acc_i_1 * 16 + acc_k] * B[acc_k * 18 + acc_j_1];
        }
      }
    }
    #pragma unroll
    for (int C_ii = 0; C_ii < 2; ++C_ii) {
      #pragma unroll
      for (int C_j = 0; C_j < 18; ++C_j) {
        C[C_io * 36 + C_ii * 18 + C_j] = acc[C_ii * 18 + C_j];
      }
    }
  }
}

