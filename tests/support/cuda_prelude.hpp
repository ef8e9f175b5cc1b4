// SPDX-License-Identifier: Apache-2.0
// CUDA as C++ on one processor: threads of a block take turns at barriers, the names of CUDA and OpenCL are functions.
#pragma once

namespace ttune_test {

inline constexpr char const* cuda_on_cpu_prelude = R"(
#include <ucontext.h>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>
#define __device__
#define __global__
#define __launch_bounds__(...)
#define __shared__ static __attribute__((section("declared_arrays")))
#define __align__(n) __attribute__((aligned(n)))
#define __restrict__
struct place { int x, y, z; };
struct copy_ahead { void* to; void const* from; int bytes; };
struct warpgroup_product { unsigned long long a, b; std::vector<float*> sums; void (*run)(warpgroup_product const&); };
struct fiber {
  ucontext_t context;
  place at;
  bool ended = false;
  std::vector<std::vector<copy_ahead>> groups{1};  // copies that have not arrived; the last group is still open
  std::vector<copy_ahead> arrived;                         // arrived, but not published yet
  bool copies = false;
  bool begun = false;
  std::vector<warpgroup_product> products;                 // not computed yet, their batch is still open
  std::vector<std::vector<warpgroup_product>> batches;     // the same, closed
  std::vector<char> stack = std::vector<char>(64 << 10);
};
static std::vector<std::unique_ptr<fiber>> fibers;
static std::size_t current;
static ucontext_t outside;
static place blockIdx;
#define threadIdx (fibers[current]->at)
// Continues with the next thread that has not ended or, if all have, where they were started.
static void leave() {
  auto const from = current;
  for (std::size_t n = 1; n <= fibers.size(); ++n) {
    current = (from + n) % fibers.size();
    if (!fibers[current]->ended) break;
  }
  if (fibers[current]->ended) swapcontext(&fibers[from]->context, &outside);
  else if (current != from) swapcontext(&fibers[from]->context, &fibers[current]->context);
}
struct meeting {
  int wanted = 0, come = 0, generation = 0;
  void wait() {
    auto const mine = generation;
    if (++come == wanted) { come = 0; ++generation; return; }
    while (generation == mine) leave();
  }
};
static meeting of_block;
// Memory of a block that the launch requests, with a margin that must stay untouched.
alignas(1024) unsigned char ttune_group_memory[(227 << 10) + 1024];
static int launched_bytes;
static unsigned char untouched(int i) { return static_cast<unsigned char>(0xa5 + i); }
static void draw_margin() { for (int i = 0; i < 1024; ++i) ttune_group_memory[launched_bytes + i] = untouched(i); }
static void check_margin() {
  for (int i = 0; i < 1024; ++i) if (ttune_group_memory[launched_bytes + i] != untouched(i)) std::abort();
}
static std::vector<meeting> of_warps;
static std::vector<meeting> of_warpgroups;
static void __syncthreads() { of_block.wait(); }
static float __uint_as_float(unsigned b) { float x; std::memcpy(&x, &b, 4); return x; }
static unsigned __float_as_uint(float x) { unsigned b; std::memcpy(&b, &x, 4); return b; }
struct uint2 { unsigned x, y; };
struct float2 { float x, y; };
struct uint4 { unsigned x, y, z, w; };
struct int4 { int x, y, z, w; };
struct float4 { float x, y, z, w; };
static uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
static int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
static float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

static float ttune_from_half_u16_f32(unsigned short h) { _Float16 x; std::memcpy(&x, &h, 2); return x; }
static unsigned short ttune_to_half_f32_u16(float f) { _Float16 const x = f; unsigned short h; std::memcpy(&h, &x, 2); return h; }

// cvt.rna.tf32.f32: rounds to a significand of 11 bits, to the nearest number, ties away from zero
static unsigned ttune_to_tf32(float x) {
  if (std::isnan(x)) return 0x7fffffff;
  if (std::isinf(x) || x == 0) return __float_as_uint(x);
  int exponent;
  std::frexp(x, &exponent);
  double const unit = std::ldexp(1.0, (exponent < -125 ? -125 : exponent) - 11);
  return __float_as_uint(static_cast<float>(std::round(x / unit) * unit));
}

static void arrive_at_once(void* to, void const* from, int bytes);
// A copy may arrive at once, or as late as its batch is awaited: those of every second thread do the one, others the other.
static void copy_later(void* to, void const* from, int bytes) {
  fibers[current]->copies = true;
  if (threadIdx.x % 2 == 0) fibers[current]->groups.back().push_back({to, from, bytes});
  else arrive_at_once(to, from, bytes);
}
static void ttune_copy_ahead_4(void* to, void const* from) { copy_later(to, from, 4); }
static void ttune_copy_ahead_8(void* to, void const* from) { copy_later(to, from, 8); }
static void ttune_copy_ahead_16(void* to, void const* from) { copy_later(to, from, 16); }
static void ttune_close_copies() { fibers[current]->groups.emplace_back(); }
template <int Left> static void wait_for_copies() {
  auto& groups = fibers[current]->groups;
  while (static_cast<int>(groups.size()) - 1 > Left) {
    for (auto const& c : groups.front()) {
      std::memcpy(c.to, c.from, c.bytes);
      fibers[current]->arrived.push_back(c);
    }
    groups.erase(groups.begin());
  }
}
static void ttune_await_copies_0() { wait_for_copies<0>(); }
static void ttune_await_copies_1() { wait_for_copies<1>(); }
static void ttune_await_copies_2() { wait_for_copies<2>(); }
static void ttune_await_copies_3() { wait_for_copies<3>(); }

// mma.m16n8: element i of a lane's registers is in row lane / 4, 8 rows further for every second register, and at term
// lane % 4 * p + i % p of its half, if a register has p elements. B: column lane / 4. C: columns lane % 4 * 2.
struct half { static constexpr int bytes = 2; static float get(void const* at) { _Float16 x; std::memcpy(&x, at, 2); return x; } };
struct bfloat { static constexpr int bytes = 2; static float get(void const* at) { unsigned short h; std::memcpy(&h, at, 2); return __uint_as_float(unsigned(h) << 16); } };
struct s8 { static constexpr int bytes = 1; static int get(void const* at) { return *static_cast<signed char const*>(at); } };
struct u8 { static constexpr int bytes = 1; static int get(void const* at) { return *static_cast<unsigned char const*>(at); } };
struct tf32 { static constexpr int bytes = 4; static float get(void const* at) { unsigned b; std::memcpy(&b, at, 4); return __uint_as_float(b & 0xffffe000u); } };
static std::vector<unsigned> exchanged;  // 6 registers per thread
template <class T> static T __shfl_xor_sync(unsigned, T value, int apart) {
  int const thread = threadIdx.x;
  std::memcpy(exchanged.data() + thread * 6, &value, sizeof value);
  of_warps[thread / 32].wait();
  std::memcpy(&value, exchanged.data() + (thread ^ apart) * 6, sizeof value);
  of_warps[thread / 32].wait();
  return value;
}
static float __int_as_float(int b) { float x; std::memcpy(&x, &b, 4); return x; }
static double __longlong_as_double(long long b) { double x; std::memcpy(&x, &b, 8); return x; }
// ldmatrix: lane 8 j + r says where row r of piece j begins, 16 bytes; register j of a lane is the pair (lane / 4, lane % 4 * 2)
// and the one behind it of piece j, transposed: (lane % 4 * 2, lane / 4) and the one below it.
template <bool Transposed> static void load_fragments(void const* from, std::vector<unsigned*> const& to) {
  int const warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  unsigned* const all = exchanged.data() + warp * 32 * 6;
  std::memcpy(all + lane * 6, &from, sizeof from);
  of_warps[warp].wait();
  for (int j = 0; j < int(to.size()); ++j)
    for (int e = 0; e < 2; ++e) {
      int const row = Transposed ? lane % 4 * 2 + e : lane / 4, column = Transposed ? lane / 4 : lane % 4 * 2 + e;
      char const* begin;
      std::memcpy(&begin, all + (8 * j + row) * 6, sizeof begin);
      if (reinterpret_cast<std::uintptr_t>(begin) % 16 != 0) std::abort();
      std::memcpy(reinterpret_cast<char*>(to[j]) + 2 * e, begin + 2 * column, 2);
    }
  of_warps[warp].wait();
}
static void ttune_load_fragments_1(unsigned& a, void const* from) { load_fragments<false>(from, {&a}); }
static void ttune_load_fragments_2(unsigned& a, unsigned& b, void const* from) { load_fragments<false>(from, {&a, &b}); }
static void ttune_load_fragments_4(unsigned& a, unsigned& b, unsigned& c, unsigned& d, void const* from) { load_fragments<false>(from, {&a, &b, &c, &d}); }
static void ttune_load_fragments_1_transposed(unsigned& a, void const* from) { load_fragments<true>(from, {&a}); }
static void ttune_load_fragments_2_transposed(unsigned& a, unsigned& b, void const* from) { load_fragments<true>(from, {&a, &b}); }
static void ttune_load_fragments_4_transposed(unsigned& a, unsigned& b, unsigned& c, unsigned& d, void const* from) { load_fragments<true>(from, {&a, &b, &c, &d}); }
template <class A, class B, int Terms, class Sum>
static void mma(Sum* const (&c)[4], std::vector<unsigned> const& a, std::vector<unsigned> const& b) {
  int const warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  unsigned* const all = exchanged.data() + warp * 32 * 6;
  for (std::size_t i = 0; i < a.size(); ++i) all[lane * 6 + i] = a[i];
  for (std::size_t i = 0; i < b.size(); ++i) all[lane * 6 + 4 + i] = b[i];
  of_warps[warp].wait();
  constexpr int p = 4 / A::bytes;
  for (int i = 0; i < 4; ++i) {
    int const row = lane / 4 + 8 * (i / 2), column = lane % 4 * 2 + i % 2;
    Sum sum = *c[i];
    for (int k = 0; k < Terms; ++k) {
      int const half = k / (4 * p), owner = k % (4 * p) / p;
      unsigned const* const left = all + (row % 8 * 4 + owner) * 6 + 2 * half + row / 8;
      unsigned const* const right = all + (column * 4 + owner) * 6 + 4 + half;
      sum += A::get(reinterpret_cast<char const*>(left) + k % p * A::bytes) * B::get(reinterpret_cast<char const*>(right) + k % p * B::bytes);
    }
    *c[i] = sum;
  }
  of_warps[warp].wait();
}
#define MMA2(name, A, B, terms, Sum) static void name(Sum& c0, Sum& c1, Sum& c2, Sum& c3, unsigned a0, unsigned a1, unsigned a2, unsigned a3, unsigned b0, unsigned b1) { mma<A, B, terms, Sum>({&c0, &c1, &c2, &c3}, {a0, a1, a2, a3}, {b0, b1}); }
#define MMA1(name, A, B, terms, Sum) static void name(Sum& c0, Sum& c1, Sum& c2, Sum& c3, unsigned a0, unsigned a1, unsigned b0) { mma<A, B, terms, Sum>({&c0, &c1, &c2, &c3}, {a0, a1}, {b0}); }
MMA2(ttune_mma_16_f16_f16, half, half, 16, float)
MMA1(ttune_mma_8_f16_f16, half, half, 8, float)
MMA2(ttune_mma_16_bf16_bf16, bfloat, bfloat, 16, float)
MMA1(ttune_mma_8_bf16_bf16, bfloat, bfloat, 8, float)
MMA2(ttune_mma_8_f32_f32, tf32, tf32, 8, float)
MMA1(ttune_mma_4_f32_f32, tf32, tf32, 4, float)
MMA2(ttune_mma_32_i8_i8, s8, s8, 32, int)
MMA1(ttune_mma_16_i8_i8, s8, s8, 16, int)
MMA2(ttune_mma_32_u8_i8, u8, s8, 32, int)
MMA2(ttune_mma_32_u8_u8, u8, u8, 32, int)

// wgmma, as in PTX's "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions". It reads shared memory
// through another proxy: writes of a thread are visible after its fence.proxy.async. It reads as late as it may.
alignas(1024) static unsigned char declared_first __attribute__((section("declared_arrays"), used)) = 0;
extern "C" unsigned char __start_declared_arrays[], __stop_declared_arrays[];
static unsigned char* shared_begin() { return launched_bytes > 0 ? ttune_group_memory : __start_declared_arrays; }
static std::size_t shared_bytes() { return launched_bytes > 0 ? launched_bytes : __stop_declared_arrays - __start_declared_arrays; }
static std::vector<unsigned char> published;
static std::size_t __cvta_generic_to_shared(void const* at) { return static_cast<unsigned char const*>(at) - shared_begin(); }
static void arrive_at_once(void* to, void const* from, int bytes) {
  std::memcpy(to, from, bytes);
  std::memcpy(published.data() + __cvta_generic_to_shared(to), from, bytes);
}
static void ttune_publish() {
  auto& self = *fibers[current];
  if (!self.copies) std::memcpy(published.data(), shared_begin(), shared_bytes());
  for (auto const& c : self.arrived)
    std::memcpy(published.data() + __cvta_generic_to_shared(c.to), c.to, c.bytes);
  self.arrived.clear();
}
// "Matrix Descriptor Format": bits 0 to 13 are the address, 16 to 29 and 32 to 45 the leading and the stride dimension's
// offset, without their last four bits; bits 62 and 63 are 1 for the 128-byte swizzle, bits 49 to 51 0 if it begins at a
// multiple of 1024 bytes. "Strides", for swizzled layouts: K-major, the stride is from the first 8 rows to the next;
// MN-major, the leading one is from the first 8 units of 16 bytes along M or N to the next, the stride is from the first
// 8 columns (of terms) to the next. Swizzle<3, 4, 3>: bits 7 to 9 of an address change bits 4 to 6.
static unsigned char const* swizzled_element(unsigned long long descriptor, int along_mn, int k, bool mn_major) {
  auto const field = [&](int bit) { return (descriptor >> bit & 0x3fff) << 4; };
  if (descriptor >> 62 != 1 || (descriptor >> 49 & 7) != 0 || std::uintptr_t(shared_begin()) % 1024 != 0) std::abort();
  std::size_t at = field(0);
  if (mn_major) at += along_mn % 64 * 2 + along_mn / 64 * field(16) + k % 8 * 128 + k / 8 * field(32);
  else at += along_mn % 8 * 128 + along_mn / 8 * field(32) + k * 2;
  at ^= (at >> 7 & 7) << 4;
  if (at + 2 > published.size()) std::abort();
  return published.data() + at;
}
template <class T, bool AcrossA, bool AcrossB> static void run_product(warpgroup_product const& p) {
  int const thread = threadIdx.x % 128, lane = thread % 32;
  for (std::size_t i = 0; i < p.sums.size(); ++i) {
    int const row = thread / 32 * 16 + lane / 4 + 8 * (i / 2 % 2), column = i / 4 * 8 + lane % 4 * 2 + i % 2;
    for (int k = 0; k < 16; ++k)
      *p.sums[i] += T::get(swizzled_element(p.a, row, k, AcrossA)) * T::get(swizzled_element(p.b, column, k, AcrossB));
  }
}
template <class T, bool AcrossA, bool AcrossB, class... Sums> static void start_product(unsigned long long a, unsigned long long b, Sums&... sums) {
  if (!fibers[current]->begun || threadIdx.y + threadIdx.z != 0) std::abort();
  fibers[current]->products.push_back({a, b, {&sums...}, run_product<T, AcrossA, AcrossB>});
}
#define WGMMA(name, T, across_a, across_b) template <class... Sums> static void name(unsigned long long a, unsigned long long b, Sums&... sums) { start_product<T, across_a, across_b>(a, b, sums...); }
WGMMA(ttune_wgmma_f16_00, half, false, false)
WGMMA(ttune_wgmma_f16_01, half, false, true)
WGMMA(ttune_wgmma_f16_10, half, true, false)
WGMMA(ttune_wgmma_f16_11, half, true, true)
WGMMA(ttune_wgmma_bf16_00, bfloat, false, false)
WGMMA(ttune_wgmma_bf16_01, bfloat, false, true)
WGMMA(ttune_wgmma_bf16_10, bfloat, true, false)
WGMMA(ttune_wgmma_bf16_11, bfloat, true, true)
static void ttune_begin_products() { of_warpgroups[threadIdx.x / 128].wait(); fibers[current]->begun = true; }
static void ttune_close_products() {
  auto const& first = fibers[threadIdx.x / 128 * 128]->products;
  auto& own = fibers[current]->products;
  of_warpgroups[threadIdx.x / 128].wait();
  if (own.size() != first.size()) std::abort();
  for (std::size_t i = 0; i < own.size(); ++i)  // all threads execute one instruction
    if (own[i].a != first[i].a || own[i].b != first[i].b) std::abort();
  of_warpgroups[threadIdx.x / 128].wait();
  fibers[current]->batches.push_back(std::move(own));
  own.clear();
  fibers[current]->begun = false;
  of_warpgroups[threadIdx.x / 128].wait();
}
template <int InFlight> static void wait_for_products() {
  auto& batches = fibers[current]->batches;
  while (static_cast<int>(batches.size()) > InFlight) {
    for (auto const& p : batches.front()) p.run(p);
    batches.erase(batches.begin());
  }
  of_warpgroups[threadIdx.x / 128].wait();
}
static void ttune_await_products_0() { wait_for_products<0>(); }
static void ttune_await_products_1() { wait_for_products<1>(); }
template <class... Sums> static void ttune_hold(Sums&...) {}

struct any { void* at; template <class T> operator T*() const { return static_cast<T*>(at); } };
template <class Kernel> static void launch(std::vector<int> const& blocks, std::vector<int> const& threads, int bytes, Kernel const& kernel) {
  static Kernel const* running;
  running = &kernel;
  launched_bytes = bytes;
  draw_margin();
  int const count = threads[0] * threads[1] * threads[2];
  exchanged.assign(count * 6, 0);
  for (int b = 0; b < blocks[0] * blocks[1] * blocks[2]; ++b) {
    blockIdx = {b % blocks[0], b / blocks[0] % blocks[1], b / blocks[0] / blocks[1]};
    of_block = {count};
    of_warps.clear();
    of_warpgroups.clear();
    published.assign(shared_bytes(), 0x7f);  // uninitialised: no numbers
    fibers.clear();
    for (int t = 0; t < count; ++t) {
      if (t % 128 == 0) of_warpgroups.push_back({count - t < 128 ? count - t : 128});
      if (t % 32 == 0) of_warps.push_back({count - t < 32 ? count - t : 32});
      auto& f = *fibers.emplace_back(std::make_unique<fiber>());
      f.at = {t % threads[0], t / threads[0] % threads[1], t / threads[0] / threads[1]};
      getcontext(&f.context);
      f.context.uc_stack.ss_sp = f.stack.data();
      f.context.uc_stack.ss_size = f.stack.size();
      makecontext(&f.context, +[] { (*running)(); fibers[current]->ended = true; leave(); }, 0);
    }
    current = 0;
    swapcontext(&outside, &fibers[0]->context);
    check_margin();
  }
}
)";

/// OpenCL's names for the same functions, for text without vectors. A sub-group has `SUB_GROUP` work-items.
inline constexpr char const* opencl_on_cuda = R"(
#define __kernel
#define __attribute__(...)
#define __global
#define __local static
#define restrict __restrict__
#define CLK_LOCAL_MEM_FENCE 0
#define CLK_GLOBAL_MEM_FENCE 0
#define barrier(fences) __syncthreads()
#define get_group_id(d) ((&blockIdx.x)[d])
#define get_local_id(d) ((&threadIdx.x)[d])
#define get_max_sub_group_size() unsigned(SUB_GROUP)
#define get_sub_group_id() unsigned(threadIdx.x / SUB_GROUP)
#define get_sub_group_local_id() unsigned(threadIdx.x % SUB_GROUP)
#define sub_group_shuffle_xor(value, apart) __shfl_xor_sync(0, value, apart)
#define INFINITY __builtin_inff()
typedef unsigned char uchar;
typedef unsigned int uint;
static int sub_group_all(int condition) {
  for (int apart = 16; apart > 0; apart /= 2) condition &= __shfl_xor_sync(0, condition, apart);
  return condition;
}
using std::exp, std::fmax, std::fmin, std::sqrt, std::isnan;
)";

}  // namespace ttune_test
