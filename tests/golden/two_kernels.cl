#pragma OPENCL FP_CONTRACT ON

__kernel __attribute__((reqd_work_group_size(8, 1, 1)))
void S_kernel_0(__global const float* restrict A, __global float* restrict S, __global uchar* restrict workspace) {
  const int B_i = (int)get_group_id(0);
  const int B_jo = (int)get_local_id(0);
  __global float* const B = (__global float*)(workspace);
  vstore4(vload4(0, A + B_i * 32 + B_jo * 4) * 2.0f, 0, B + B_i * 32 + B_jo * 4);
}

__kernel __attribute__((reqd_work_group_size(6, 1, 1)))
void S_kernel_1(__global const float* restrict A, __global float* restrict S, __global uchar* restrict workspace) {
  const int S_i = (int)get_local_id(0);
  __global float* const B = (__global float*)(workspace);
  S[S_i] = 0.0f;
  for (int S_j = 0; S_j < 32; ++S_j) {
    S[S_i] = S[S_i] + B[S_i * 32 + S_j];
  }
}

