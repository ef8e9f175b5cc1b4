static __device__ inline float ttune_round_to_tf32_f32(float x) { if (x != x) return x; unsigned int const b = __float_as_uint(x); return __uint_as_float((b + 0x1000u) & 0xffffe000u); }

extern "C" __global__ void __launch_bounds__(1)
Y_kernel_0(const float* __restrict__ X, float* __restrict__ Y, unsigned char* __restrict__ workspace) {
  const int Y_io = (int)blockIdx.x;
  if (Y_io < 1) {
    const float4 X_wide = *(const float4*)(X + Y_io * 4);
    *(float4*)(Y + Y_io * 4) = make_float4(ttune_round_to_tf32_f32(X_wide.x), ttune_round_to_tf32_f32(X_wide.y), ttune_round_to_tf32_f32(X_wide.z), ttune_round_to_tf32_f32(X_wide.w));
  } else {
    #pragma unroll
    for (int Y_ii = 0; Y_ii < 4; ++Y_ii) {
      if (Y_ii < 2) {
        Y[Y_ii + 4] = ttune_round_to_tf32_f32(X[Y_ii + 4]);
      }
    }
  }
}

