static __device__ inline void ttune_mma_16_f16_f16(float& c0, float& c1, float& c2, float& c3, unsigned int a0, unsigned int a1, unsigned int a2, unsigned int a3, unsigned int b0, unsigned int b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3)
               : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

extern "C" __global__ void __launch_bounds__(64)
C_kernel_0(const unsigned short* __restrict__ A, const unsigned short* __restrict__ B, float* __restrict__ C, unsigned char* __restrict__ workspace) {
  __shared__ __align__(16) unsigned short Bs[256];
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
    for (int acc_ko = 0; acc_ko < 4; ++acc_ko) {
      if (C_threads < 16) {
        #pragma unroll 8
        for (int Bs_j = 0; Bs_j < 16; ++Bs_j) {
          Bs[C_threads * 16 + Bs_j] = B[acc_ko * 768 + C_threads * 48 + C_jb * 16 + Bs_j];
        }
      }
      __syncthreads();
      {
        const uint2 A_terms = *(const uint2*)(A + C_ib * 2048 + C_iw * 1024 + lane_row * 128 + acc_ko * 16 + lane_column * 4);
        const uint2 A_terms_1 = *(const uint2*)(A + C_ib * 2048 + C_iw * 1024 + lane_row * 128 + acc_ko * 16 + lane_column * 4 + 64);
        const unsigned int Bs_terms = (unsigned int)Bs[lane_column * 64 + column_owner * 4 + column_part * 2] | (unsigned int)Bs[lane_column * 64 + column_owner * 4 + column_part * 2 + 16] << 16;
        const unsigned int Bs_terms_1 = (unsigned int)Bs[lane_column * 64 + column_owner * 4 + column_part * 2 + 32] | (unsigned int)Bs[lane_column * 64 + column_owner * 4 + column_part * 2 + 48] << 16;
        ttune_mma_16_f16_f16(acc[0], acc[2], acc[4], acc[6], A_terms.x, A_terms_1.x, A_terms.y, A_terms_1.y, Bs_terms, Bs_terms_1);
        const unsigned int Bs_terms_2 = (unsigned int)Bs[lane_column * 64 + column_owner * 4 + column_part * 2 + 1] | (unsigned int)Bs[lane_column * 64 + column_owner * 4 + column_part * 2 + 17] << 16;
        const unsigned int Bs_terms_3 = (unsigned int)Bs[lane_column * 64 + column_owner * 4 + column_part * 2 + 33] | (unsigned int)Bs[lane_column * 64 + column_owner * 4 + column_part * 2 + 49] << 16;
        ttune_mma_16_f16_f16(acc[1], acc[3], acc[5], acc[7], A_terms.x, A_terms_1.x, A_terms.y, A_terms_1.y, Bs_terms_2, Bs_terms_3);
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

