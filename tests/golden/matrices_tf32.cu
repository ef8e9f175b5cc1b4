static __device__ inline void ttune_mma_8_f32_f32(float& c0, float& c1, float& c2, float& c3, unsigned int a0, unsigned int a1, unsigned int a2, unsigned int a3, unsigned int b0, unsigned int b1) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3)
               : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
static __device__ inline unsigned int ttune_to_tf32(float x) { unsigned int r; asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(x)); return r; }

extern "C" __global__ void __launch_bounds__(64)
C_kernel_0(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, unsigned char* __restrict__ workspace) {
  __shared__ __align__(16) float Bs[128];
  const int C_ib = (int)blockIdx.y;
  const int C_jb = (int)blockIdx.x;
  const int C_threads = (int)threadIdx.x;
  const int warp = (int)threadIdx.x / 32;
  const int lane_row = (int)threadIdx.x % 32 / 4;
  const int lane_column = (int)threadIdx.x % 4;
  const int column_owner = lane_row / 2;
  const int column_part = lane_row % 2;
  const int piece_row = (int)threadIdx.x % 8;
  const int piece = (int)threadIdx.x % 32 / 8;
  const int C_iw = (C_threads / 32);
  const int C_ig = ((C_threads / 4) % 8);
  const int C_jt = (C_threads % 4);
  {
    float acc[8];
    #pragma unroll
    for (int acc_jn = 0; acc_jn < 2; ++acc_jn) {
      #pragma unroll
      for (int acc_i = 0; acc_i < 2; ++acc_i) {
        #pragma unroll
        for (int acc_jc = 0; acc_jc < 2; ++acc_jc) {
          acc[acc_i * 4 + acc_jc * 2 + acc_jn] = 0.0f;
        }
      }
    }
    for (int acc_ko = 0; acc_ko < 8; ++acc_ko) {
      if (C_threads < 8) {
        #pragma unroll 8
        for (int Bs_j = 0; Bs_j < 16; ++Bs_j) {
          Bs[C_threads * 16 + Bs_j] = B[acc_ko * 384 + C_threads * 48 + C_jb * 16 + Bs_j];
        }
      }
      __syncthreads();
      {
        const float2 A_terms = *(const float2*)(A + C_ib * 2048 + C_iw * 1024 + lane_row * 128 + acc_ko * 8 + lane_column * 2);
        const unsigned int A_rounded = ttune_to_tf32(A_terms.x);
        const unsigned int A_rounded_1 = ttune_to_tf32(A_terms.y);
        const float2 A_terms_1 = *(const float2*)(A + C_ib * 2048 + C_iw * 1024 + lane_row * 128 + acc_ko * 8 + lane_column * 2 + 64);
        const unsigned int A_rounded_2 = ttune_to_tf32(A_terms_1.x);
        const unsigned int A_rounded_3 = ttune_to_tf32(A_terms_1.y);
        const unsigned int Bs_rounded = ttune_to_tf32(Bs[lane_column * 32 + column_owner * 4 + column_part * 2]);
        const unsigned int Bs_rounded_1 = ttune_to_tf32(Bs[lane_column * 32 + column_owner * 4 + column_part * 2 + 16]);
        ttune_mma_8_f32_f32(acc[0], acc[2], acc[4], acc[6], A_rounded, A_rounded_2, A_rounded_1, A_rounded_3, Bs_rounded, Bs_rounded_1);
        const unsigned int Bs_rounded_2 = ttune_to_tf32(Bs[lane_column * 32 + column_owner * 4 + column_part * 2 + 1]);
        const unsigned int Bs_rounded_3 = ttune_to_tf32(Bs[lane_column * 32 + column_owner * 4 + column_part * 2 + 17]);
        ttune_mma_8_f32_f32(acc[1], acc[3], acc[5], acc[7], A_rounded, A_rounded_2, A_rounded_1, A_rounded_3, Bs_rounded_2, Bs_rounded_3);
      }
      __syncthreads();
    }
    #pragma unroll
    for (int C_ii = 0; C_ii < 2; ++C_ii) {
      #pragma unroll
      for (int C_ji = 0; C_ji < 4; ++C_ji) {
        C[C_ib * 1536 + C_iw * 768 + C_ig * 96 + C_ii * 48 + C_jb * 16 + C_jt * 4 + C_ji] = acc[C_ii * 4 + C_ji];
      }
    }
  }
}

