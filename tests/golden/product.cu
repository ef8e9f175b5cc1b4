static __device__ inline int ttune_floor_divide_index32(int a, int b) { int const r = a % b; return a / b - (r < 0 ? 1 : 0); }
static __device__ inline int ttune_least_index32(int a, int b) { return b < a ? b : a; }

extern "C" __global__ void __launch_bounds__(12)
C_kernel_0(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, unsigned char* __restrict__ workspace) {
  __shared__ __align__(16) float Bs[20];
  __shared__ __align__(16) float As[30];
  const int C_ib = (int)blockIdx.y;
  const int C_jb = (int)blockIdx.x;
  const int C_it = (int)threadIdx.y;
  const int C_jt = (int)threadIdx.x;
  {
    float acc[2];
    #pragma unroll
    for (int C_iv = 0; C_iv < 2; ++C_iv) {
      if (C_ib * 6 + C_iv * 3 + C_it < 13 && C_jb * 4 + C_jt < 7) {
        acc[C_iv] = 0.0f;
      }
    }
    for (int acc_ko = 0; acc_ko < 3; ++acc_ko) {
      #pragma unroll
      for (int As_i_turn = 0; As_i_turn < 2; ++As_i_turn) {
        for (int As_k_turn = 0; As_k_turn < ttune_floor_divide_index32(-C_jt, 4) + 2; ++As_k_turn) {
          if (C_ib * 6 + As_i_turn * 3 + C_it < 13 && acc_ko * 5 + As_k_turn * 4 + C_jt < 11) {
            As[As_i_turn * 15 + C_it * 5 + As_k_turn * 4 + C_jt] = A[C_ib * 66 + As_i_turn * 33 + C_it * 11 + acc_ko * 5 + As_k_turn * 4 + C_jt];
          }
        }
      }
      if (C_it == 0) {
        for (int Bs_k = 0; Bs_k < ttune_least_index32(11 - acc_ko * 5, 5); ++Bs_k) {
          if (C_jb * 4 + C_jt < 7) {
            Bs[Bs_k * 4 + C_jt] = B[acc_ko * 35 + Bs_k * 7 + C_jb * 4 + C_jt];
          }
        }
      }
      __syncthreads();
      #pragma unroll
      for (int acc_ki = 0; acc_ki < 5; ++acc_ki) {
        #pragma unroll
        for (int C_iv_1 = 0; C_iv_1 < 2; ++C_iv_1) {
          acc[C_iv_1] = C_ib * 6 + C_iv_1 * 3 + C_it < 13 && C_jb * 4 + C_jt < 7 && acc_ko * 5 + acc_ki < 11 ? acc[C_iv_1] + As[C_iv_1 * 15 + C_it * 5 + acc_ki] * Bs[acc_ki * 4 + C_jt] : acc[C_iv_1];
        }
      }
      __syncthreads();
    }
    #pragma unroll
    for (int C_iv_2 = 0; C_iv_2 < 2; ++C_iv_2) {
      if (C_ib * 6 + C_iv_2 * 3 + C_it < 13 && C_jb * 4 + C_jt < 7) {
        C[C_ib * 42 + C_iv_2 * 21 + C_it * 7 + C_jb * 4 + C_jt] = acc[C_iv_2];
      }
    }
  }
}

