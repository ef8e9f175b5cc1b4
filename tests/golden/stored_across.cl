#pragma OPENCL FP_CONTRACT ON

static inline float4 ttune_lanes_a0_b0_a1_b1_float4(float4 a, float4 b) { return (float4)(a.s0, b.s0, a.s1, b.s1); }
static inline float4 ttune_lanes_a2_b2_a3_b3_float4(float4 a, float4 b) { return (float4)(a.s2, b.s2, a.s3, b.s3); }

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void C_kernel_0(__global const float* restrict A, __global const float* restrict B, __global float* restrict C, __global uchar* restrict workspace) {
  if (get_num_groups(0) != 2) return;
  const int C_jo = (int)get_group_id(0);
  {
    float4 acc_0;
    float4 acc_1;
    float4 acc_2;
    float4 acc_3;
    float4 acc_4;
    float4 acc_5;
    acc_0 = (float4)(0.0f);
    acc_1 = (float4)(0.0f);
    acc_2 = (float4)(0.0f);
    acc_3 = (float4)(0.0f);
    acc_4 = (float4)(0.0f);
    acc_5 = (float4)(0.0f);
    for (int acc_k = 0; acc_k < 16; ++acc_k) {
      acc_0 = acc_0 + A[acc_k] * vload4(0, B + acc_k * 8 + C_jo * 4);
      acc_1 = acc_1 + A[acc_k + 16] * vload4(0, B + acc_k * 8 + C_jo * 4);
      acc_2 = acc_2 + A[acc_k + 32] * vload4(0, B + acc_k * 8 + C_jo * 4);
      acc_3 = acc_3 + A[acc_k + 48] * vload4(0, B + acc_k * 8 + C_jo * 4);
      acc_4 = acc_4 + A[acc_k + 64] * vload4(0, B + acc_k * 8 + C_jo * 4);
      acc_5 = acc_5 + A[acc_k + 80] * vload4(0, B + acc_k * 8 + C_jo * 4);
    }
    const float4 acc_transposed = ttune_lanes_a0_b0_a1_b1_float4(acc_0, acc_2);
    const float4 acc_transposed_1 = ttune_lanes_a2_b2_a3_b3_float4(acc_0, acc_2);
    const float4 acc_transposed_2 = ttune_lanes_a0_b0_a1_b1_float4(acc_1, acc_3);
    const float4 acc_transposed_3 = ttune_lanes_a2_b2_a3_b3_float4(acc_1, acc_3);
    const float4 acc_transposed_4 = ttune_lanes_a0_b0_a1_b1_float4(acc_transposed, acc_transposed_2);
    const float4 acc_transposed_5 = ttune_lanes_a2_b2_a3_b3_float4(acc_transposed, acc_transposed_2);
    const float4 acc_transposed_6 = ttune_lanes_a0_b0_a1_b1_float4(acc_transposed_1, acc_transposed_3);
    const float4 acc_transposed_7 = ttune_lanes_a2_b2_a3_b3_float4(acc_transposed_1, acc_transposed_3);
    vstore4(acc_transposed_4, 0, C + C_jo * 24);
    const float4 acc_transposed_8 = ttune_lanes_a0_b0_a1_b1_float4(acc_4, acc_5);
    const float4 acc_transposed_9 = ttune_lanes_a2_b2_a3_b3_float4(acc_4, acc_5);
    vstore2(acc_transposed_8.s01, 0, C + C_jo * 24 + 4);
    vstore4(acc_transposed_5, 0, C + C_jo * 24 + 6);
    vstore2(acc_transposed_8.s23, 0, C + C_jo * 24 + 10);
    vstore4(acc_transposed_6, 0, C + C_jo * 24 + 12);
    vstore2(acc_transposed_9.s01, 0, C + C_jo * 24 + 16);
    vstore4(acc_transposed_7, 0, C + C_jo * 24 + 18);
    vstore2(acc_transposed_9.s23, 0, C + C_jo * 24 + 22);
  }
}

