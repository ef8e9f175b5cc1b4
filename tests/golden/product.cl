#pragma OPENCL FP_CONTRACT ON

static inline int ttune_floor_divide_index32(int a, int b) { int const r = a % b; return a / b - (r < 0 ? 1 : 0); }
static inline int ttune_least_index32(int a, int b) { return b < a ? b : a; }

__kernel __attribute__((reqd_work_group_size(4, 3, 1)))
void C_kernel_0(__global const float* restrict A, __global const float* restrict B, __global float* restrict C, __global uchar* restrict workspace) {
  __local float Bs[20];
  __local float As[30];
  const int C_ib = (int)get_group_id(1);
  const int C_jb = (int)get_group_id(0);
  const int C_it = (int)get_local_id(1);
  const int C_jt = (int)get_local_id(0);
  {
    float acc_0;
    float acc_1;
    if (C_ib * 6 + C_it < 13 && C_jb * 4 + C_jt < 7) {
      acc_0 = 0.0f;
    }
    if (C_ib * 6 + C_it + 3 < 13 && C_jb * 4 + C_jt < 7) {
      acc_1 = 0.0f;
    }
    for (int acc_ko = 0; acc_ko < 3; ++acc_ko) {
      for (int As_i_turn = 0; As_i_turn < 2; ++As_i_turn) {
        const int As_i = As_i_turn * 3 + C_it;
        for (int As_k_turn = 0; As_k_turn < ttune_floor_divide_index32(-C_jt, 4) + 2; ++As_k_turn) {
          const int As_k = As_k_turn * 4 + C_jt;
          if (C_ib * 6 + As_i < 13 && acc_ko * 5 + As_k < 11) {
            As[As_i * 5 + As_k] = A[C_ib * 66 + As_i * 11 + acc_ko * 5 + As_k];
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
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
      for (int acc_ki = 0; acc_ki < 5; ++acc_ki) {
        if (C_ib * 6 + C_it < 13 && C_jb * 4 + C_jt < 7 && acc_ko * 5 + acc_ki < 11) {
          acc_0 = acc_0 + As[C_it * 5 + acc_ki] * Bs[acc_ki * 4 + C_jt];
        }
        if (C_ib * 6 + C_it + 3 < 13 && C_jb * 4 + C_jt < 7 && acc_ko * 5 + acc_ki < 11) {
          acc_1 = acc_1 + As[C_it * 5 + acc_ki + 15] * Bs[acc_ki * 4 + C_jt];
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
    if (C_ib * 6 + C_it < 13 && C_jb * 4 + C_jt < 7) {
      C[C_ib * 42 + C_it * 7 + C_jb * 4 + C_jt] = acc_0;
    }
    if (C_ib * 6 + C_it + 3 < 13 && C_jb * 4 + C_jt < 7) {
      C[C_ib * 42 + C_it * 7 + C_jb * 4 + C_jt + 21] = acc_1;
    }
  }
}

