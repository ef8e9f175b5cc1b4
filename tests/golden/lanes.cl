#pragma OPENCL FP_CONTRACT ON

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void C_kernel_0(__global const float* restrict A, __global const float* restrict B, __global float* restrict C, __global uchar* restrict workspace) {
  if (get_num_groups(0) != 4) return;
  const int C_io = (int)get_group_id(0);
  {
    float4 acc_0;
    float4 acc_4;
    float4 acc_8;
    float4 acc_12;
    float2 acc_16;
    float4 acc_18;
    float4 acc_22;
    float4 acc_26;
    float4 acc_30;
    float2 acc_34;
    acc_0 = (float4)(0.0f);
    acc_4 = (float4)(0.0f);
    acc_8 = (float4)(0.0f);
    acc_12 = (float4)(0.0f);
    acc_16 = (float2)(0.0f);
    acc_18 = (float4)(0.0f);
    acc_22 = (float4)(0.0f);
    acc_26 = (float4)(0.0f);
    acc_30 = (float4)(0.0f);
    acc_34 = (float2)(0.0f);
    for (int acc_k = 0; acc_k < 16; ++acc_k) {
      acc_0 = acc_0 + A[C_io * 32 + acc_k] * vload4(0, B + acc_k * 18);
      acc_4 = acc_4 + A[C_io * 32 + acc_k] * vload4(0, B + acc_k * 18 + 4);
      acc_8 = acc_8 + A[C_io * 32 + acc_k] * vload4(0, B + acc_k * 18 + 8);
      acc_12 = acc_12 + A[C_io * 32 + acc_k] * vload4(0, B + acc_k * 18 + 12);
      acc_16 = acc_16 + A[C_io * 32 + acc_k] * vload2(0, B + acc_k * 18 + 16);
      acc_18 = acc_18 + A[C_io * 32 + acc_k + 16] * vload4(0, B + acc_k * 18);
      acc_22 = acc_22 + A[C_io * 32 + acc_k + 16] * vload4(0, B + acc_k * 18 + 4);
      acc_26 = acc_26 + A[C_io * 32 + acc_k + 16] * vload4(0, B + acc_k * 18 + 8);
      acc_30 = acc_30 + A[C_io * 32 + acc_k + 16] * vload4(0, B + acc_k * 18 + 12);
      acc_34 = acc_34 + A[C_io * 32 + acc_k + 16] * vload2(0, B + acc_k * 18 + 16);
    }
    vstore4(acc_0, 0, C + C_io * 36);
    vstore4(acc_4, 0, C + C_io * 36 + 4);
    vstore4(acc_8, 0, C + C_io * 36 + 8);
    vstore4(acc_12, 0, C + C_io * 36 + 12);
    vstore2(acc_16, 0, C + C_io * 36 + 16);
    vstore4(acc_18, 0, C + C_io * 36 + 18);
    vstore4(acc_22, 0, C + C_io * 36 + 22);
    vstore4(acc_26, 0, C + C_io * 36 + 26);
    vstore4(acc_30, 0, C + C_io * 36 + 30);
    vstore2(acc_34, 0, C + C_io * 36 + 34);
  }
}

