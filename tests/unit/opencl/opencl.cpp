// SPDX-License-Identifier: Apache-2.0
// The OpenCL backend on any device (PoCL in tests): images, calls, refusals, faults, tuning.
#include "ttune/backends/opencl.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <vector>

#include "support/device_run.hpp"
#include "support/patient.hpp"
#include "support/require.hpp"
#include "support/seed.hpp"
#include "support/tf32_values.hpp"
#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/codegen/device_image.hpp"
#include "ttune/codegen/opencl.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/loop_nest/instantiate.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/ops/attention.hpp"
#include "ttune/ops/fused.hpp"
#include "ttune/ops/layer_norm.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/ops/softmax.hpp"
#include "ttune/runtime/image_io.hpp"
#include "ttune/runtime/kernel_call.hpp"
#include "ttune/runtime/measure/make_runner.hpp"
#include "ttune/schedule.hpp"
#include "ttune/ttune.hpp"
#include "ttune/tune/tuner.hpp"
#include "ttune/tune/workload.hpp"

using namespace ttune;
using ttune_test::patient;

namespace {

/// PoCL gets two devices, of which the first is its usual one. Set before its library is opened.
[[maybe_unused]] int const two_devices = ::setenv("POCL_DEVICES", "pthread basic", 0);

opencl_backend& device() {
  static opencl_backend one;
  return one;
}

#define TTUNE_SKIP_UNLESS_OPENCL() \
  TTUNE_SKIP_UNLESS("opencl", device().availability().available, device().availability().reason)

kernel_signature signature_of_two(std::int64_t n) {
  kernel_signature made;
  made.name = "plus_one";
  for (auto const direction : {operand_direction::in, operand_direction::out}) {
    operand_info o;
    o.name = direction == operand_direction::in ? "A" : "C";
    o.shape = {n};
    o.direction = direction;
    made.operands.push_back(o);
  }
  return made;
}

/// C (n) = A (n) + added; with `shift`, elements further, past the end.
ir::lowered plus(std::int64_t n, double added, std::int64_t shift = 0) {
  ir::lowered made;
  made.name = "plus_one";
  auto const a = share(ir::buffer{{}, "A", dtype::f32, {n}, ir::memory::operand, 0, {}});
  auto const c = share(ir::buffer{{}, "C", dtype::f32, {n}, ir::memory::operand, 1, {}});
  made.operands = {a, c};
  auto const at = ir::make_variable("b") * 16 + ir::make_variable("t");
  auto const body = ir::make_store(c, {at + shift}, ir::make_access(a, {at}) + ir::make_real(dtype::f32, added));
  made.body = ir::make_loop("b", ir::make_index(0), ir::make_index(n / 16), ir::loop_kind::block_x,
                            ir::make_loop("t", ir::make_index(0), ir::make_index(16), ir::loop_kind::thread_x, body));
  return made;
}

std::vector<ir::ndarray> random_operands(kernel_signature const& s, rng& random) {
  std::vector<ir::ndarray> made;
  for (auto const& o : s.operands) {
    if (o.direction == operand_direction::out) continue;
    auto& a = made.emplace_back(o.type, o.shape);
    for (auto& v : a.reals) v = random.uniform() * 2 - 1;
    for (auto& v : a.integers) v = static_cast<std::int64_t>(random.below(8));
  }
  return made;
}

/// Runs the seed and random configurations of a machine's derived space on the device.
template <class Op>
void check(Op const& op, target const& machine, int configurations) {
  auto const& program = op.program();
  workload const work(derive_space(program, machine), machine);
  rng random(ttune_test::seed());
  auto const operands = random_operands(work.signature(), random);
  auto const expected = ir::evaluate(*program, operands);
  for (int i = 0; i < configurations; ++i) {
    auto const chosen = i == 0 ? work.seed() : work.sampler().draw(random);
    INFO(detail::describe_choices(work.space().knobs, chosen));
    auto const got = ttune_test::run_on(device(), work.lower(chosen), program, operands);
    REQUIRE_MESSAGE(got.how.ok(), name_of(got.how.status), ": ", got.how.message);
    for (std::size_t o = 0; o < expected.size(); ++o)
      for (std::size_t e = 0; e < static_cast<std::size_t>(expected[o].elements()); ++e) {
        auto const want = expected[o].number(e);
        CHECK(got.results[o].number(e) == doctest::Approx(want).epsilon(1e-4).scale(1));
      }
  }
}

target blocks_and_threads() {
  target t = device().target();
  t.block_threads = 64;
  t.block_bytes = 16 << 10;
  t.warp_threads = 32;
  return t;
}

}  // namespace

TEST_CASE("opencl_backend: says what it is, or why it is not there") {
  CHECK(device().name().starts_with("opencl ("));
  CHECK(device().availability().available == device().availability().reason.empty());
  CHECK(device().availability().available == !opencl_backend::devices().empty());
}

TEST_CASE("opencl_backend: an image is loaded and called, also from bytes, also with the driver's binary") {
  TTUNE_SKIP_UNLESS_OPENCL();
  for (bool const ahead : {false, true}) {
    opencl_backend backend({.ahead = ahead});
    auto const made = backend.compile(plus(64, 1), signature_of_two(64));
    REQUIRE_MESSAGE(made.image, made.diagnostics);
    CHECK(made.image->device == "opencl");
    CHECK(made.image->target == backend.target().name);
    auto const again = image_from_bytes(to_bytes(*made.image));
    CHECK(again.device == "opencl");
    kernel_call const call(load(again));
    std::vector<float> a(64, 2);
    std::vector<float> c(64);
    void* operands[] = {a.data(), c.data()};
    call(operands);
    call(operands);
    CHECK(c == std::vector<float>(64, 3));
  }
}

TEST_CASE("opencl_backend: each of several devices gets images of its own, text or binary, and runs them") {
  TTUNE_SKIP_UNLESS_OPENCL();
  auto const all = opencl_backend::devices();
  if (all[0].platform_name == "Portable Computing Language") CHECK(all.size() >= 2);
  std::vector<kernel_image> images;
  for (auto const& d : all)
    for (bool const ahead : {false, true}) {
      opencl_backend backend(d, {.ahead = ahead});
      CHECK(backend.name() == "opencl (" + d.name + ")");
      auto const added = static_cast<double>(images.size());
      auto const made = backend.compile(plus(64, added), signature_of_two(64));
      REQUIRE_MESSAGE(made.image, made.diagnostics);
      CHECK(made.image->target == "opencl " + d.name);
      auto const p = codegen::payload_from_bytes(made.image->code);
      CHECK(p.device == d.identity());
      CHECK(p.binary.empty() == !ahead);
      images.push_back(*made.image);
    }
  std::vector<kernel_call> calls;  // all are loaded at the same time
  for (auto const& image : images) calls.emplace_back(load(image));
  for (std::size_t i = 0; i < calls.size(); ++i) {
    std::vector<float> a(64, 2);
    std::vector<float> c(64);
    void* operands[] = {a.data(), c.data()};
    calls[i](operands);
    CHECK(c == std::vector<float>(64, 2 + static_cast<float>(i)));
  }
}

TEST_CASE("opencl_backend: a binary of another driver is not used, the text is") {
  TTUNE_SKIP_UNLESS_OPENCL();
  opencl_backend backend({.ahead = true});
  auto const made = backend.compile(plus(64, 1), signature_of_two(64));
  REQUIRE_MESSAGE(made.image, made.diagnostics);
  auto p = codegen::payload_from_bytes(made.image->code);
  REQUIRE(!p.binary.empty());
  p.binary.assign(100, 0);
  for (bool const other : {false, true}) {  // a damaged image, and one for another driver
    if (other) p.device += " of another version";
    auto image = *made.image;
    image.code = codegen::to_bytes(p);
    kernel_call const call(load(image));
    std::vector<float> a(64, 2);
    std::vector<float> c(64);
    void* operands[] = {a.data(), c.data()};
    call(operands);
    CHECK(c == std::vector<float>(64, 3));
  }
}

TEST_CASE("opencl_backend: programs that the device cannot run are refused before compilation") {
  TTUNE_SKIP_UNLESS_OPENCL();
  auto info = opencl_backend::devices()[0];
  info.group_threads = 8;
  opencl_backend small(info);
  CHECK(small.compile(plus(64, 1), signature_of_two(64)).diagnostics ==
        "plus_one_kernel_0 has work-groups of 16 items, the device takes 8");
  info = opencl_backend::devices()[0];
  info.buffer_bytes = 100;
  opencl_backend tiny(info);
  CHECK(tiny.compile(plus(64, 1), signature_of_two(64)).diagnostics ==
        "a buffer of 256 bytes is larger than any that the device gives (100)");
}

TEST_CASE("opencl: an image for a device that is not here, or damaged, is refused with a reason") {
  TTUNE_SKIP_UNLESS_OPENCL();
  auto const made = device().compile(plus(64, 1), signature_of_two(64));
  REQUIRE(made.image);
  auto other = *made.image;
  other.target = "opencl something else";
  auto p = codegen::payload_from_bytes(other.code);
  p.device = "nobody";
  other.code = codegen::to_bytes(p);
  CHECK_THROWS_WITH_AS((void)load(other), "kernel plus_one is for \"nobody\", and there is no such device",
                       backend_error);
  p = codegen::payload_from_bytes(made.image->code);
  p.program.source = "this is no OpenCL";
  other = *made.image;
  other.code = codegen::to_bytes(p);
  CHECK_THROWS_AS((void)load(other), backend_error);
  other.code.resize(other.code.size() / 2);
  CHECK_THROWS_AS((void)load(other), record_error);
  other = *made.image;
  other.device = "abacus";
  CHECK_THROWS_WITH_AS(
      (void)load(other),
      "kernel plus_one is for abacus, of which this program has no backend: include <ttune/backends/abacus.hpp>",
      argument_error);
}

TEST_CASE("opencl: candidates are measured, wrong ones are found, those that write over an end harm the worker only") {
  TTUNE_SKIP_UNLESS_OPENCL();
  auto const image = [](ir::lowered const& of) { return *device().compile(of, signature_of_two(4096)).image; };
  auto const by = make_runner({}, signature_of_two(4096), {});
  auto const good = by->set_reference(image(plus(4096, 1)), patient());
  REQUIRE_MESSAGE(good.ok(), good.message);
  CHECK(good.seconds > 0);
  auto const wrong = by->measure(image(plus(4096, 2)), patient());
  CHECK(wrong.status == trial_status::wrong_result);
  auto const outside = by->measure(image(plus(4096, 1, 1)), patient());
  CHECK_MESSAGE(outside.status == trial_status::wrote_outside, name_of(outside.status), ": ", outside.message);
  auto const after = by->measure(image(plus(4096, 1)), patient());
  CHECK_MESSAGE(after.ok(), name_of(after.status), ": ", after.message);
}

TEST_CASE("opencl: what a candidate does wrong on the device is its result, and the next one is measured") {
  TTUNE_SKIP_UNLESS_OPENCL();
  auto const good = *device().compile(plus(4096, 1), signature_of_two(4096)).image;
  auto const payload = codegen::payload_from_bytes(good.code);
  auto const with = [&](codegen::device_payload const& p) {
    auto made = good;
    made.code = codegen::to_bytes(p);
    return made;
  };
  auto const with_body = [&](std::string const& body) {
    auto p = payload;
    p.program.source =
        "__kernel void plus_one_kernel_0(__global float const* A, __global float* C, __global uchar* w) {\n"
        "  size_t const i = get_global_id(0);\n  " +
        body + "\n}\n";
    return with(p);
  };
  auto const by = make_runner({}, signature_of_two(4096), {});
  REQUIRE(by->set_reference(good, patient()).ok());
  auto const expect = [&](kernel_image const& image, trial_limits const& limits, std::string const& text) {
    auto const m = by->measure(image, limits);
    auto const said = std::string(name_of(m.status)) + ": " + m.message;
    CHECK_MESSAGE(said.starts_with(text), said);
  };
  expect(with_body("C[i] = A[i] + 1;"), patient(), "ok: ");
  expect(with_body("C[i] = A[i] + (i == 137 ? 2 : 1);"), patient(), "wrong_result: C[137] is ");
  // right only while no right result is there: like threads that sometimes overtake each other
  expect(with_body("C[i] = C[i] == A[i] + 1 || C[i] == A[i] + 2 ? A[i] + 2 : A[i] + 1;"), patient(),
         "wrong_result: C[0] is ");
  expect(with_body("((__global float*)64)[i] = A[i];"), patient(), "crashed: SIGSEGV");
  trial_limits hasty;
  hasty.hang_seconds = 1;
  expect(with_body("for (volatile int go = 1; go;) C[i] = A[i];"), hasty,
         "timed_out: still running when its time was over");
  auto greedy = payload;
  greedy.program.workspace_bytes = std::int64_t{1} << 40;
  expect(with(greedy), patient(), "out_of_memory: OpenCL: clCreateBuffer failed with ");
  expect(with_body("this is no OpenCL"), patient(), "unsupported: kernel plus_one: ");
  expect(good, patient(), "ok: ");
}

TEST_CASE("opencl: operators with groups as cores and vectors as lanes") {
  TTUNE_SKIP_UNLESS_OPENCL();
  check(ops::matmul<float>(17, 37, 9), device().target(), 2);
  check(ops::conv2d({1, 5, 7, 7, 20, 3, 1, 1}), device().target(), 2);
  check(ops::softmax<float>(6, 35), device().target(), 2);
}

TEST_CASE("opencl: f32 rounded to TF32, every bit, in vectors and one by one") {
  TTUNE_SKIP_UNLESS_OPENCL();
  auto const values = ttune_test::tf32_values();
  auto const n = std::ssize(values);
  auto const i = axis<"i">{};
  auto const [io, ii] = axes<"io", "ii">;
  tensor<"X", float, 1> const X{{n}};
  auto const Y = compute<"Y">(i) = round_to_tf32(X(i));
  ir::ndarray x(dtype::f32, {n});
  for (std::size_t e = 0; e < values.size(); ++e) x.reals[e] = static_cast<double>(values[e].from());
  auto const cut = schedule(Y).split(i, 4, io, ii).parallel(io);
  for (auto const& s : {cut.space(), cut.vectorize(ii).space()}) {
    auto const got =
        ttune_test::run_on(device(), lower(s, {std::vector<std::int32_t>(s.knobs.size())}), s.program, std::vector{x});
    REQUIRE_MESSAGE(got.how.ok(), name_of(got.how.status), ": ", got.how.message);
    for (std::size_t e = 0; e < values.size(); ++e) {
      INFO(values[e].bits);
      CHECK(values[e].is(static_cast<float>(got.results[0].reals[e])));
    }
  }
}

TEST_CASE("opencl: operators on work-groups of work-items, with local memory and barriers") {
  TTUNE_SKIP_UNLESS_OPENCL();
  check(ops::matmul<float>(16, 24, 12), blocks_and_threads(), 2);
  check(ops::conv2d({1, 4, 8, 8, 6, 3, 2, 1}), blocks_and_threads(), 2);
  check(ops::conv2d_bias_residual_relu<float>({1, 4, 8, 8, 6, 3, 2, 1}), blocks_and_threads(), 2);
  check(ops::softmax<float>(5, 300), blocks_and_threads(), 2);
  check(ops::layer_norm<float>(3, 70), blocks_and_threads(), 2);
  check(ops::attention<float>(6, 40, 8), blocks_and_threads(), 2);
}

TEST_CASE("opencl: derived spaces for a device without local memory") {
  TTUNE_SKIP_UNLESS_OPENCL();
  auto info = opencl_backend::devices()[0];
  info.is_cpu = false;
  info.group_threads = 64;
  info.has_local_memory = true;
  CHECK(opencl::target_of(info).block_bytes == info.group_bytes);
  info.has_local_memory = false;
  auto const machine = opencl::target_of(info);
  CHECK(machine.is_gpu());
  CHECK(machine.block_bytes == 0);
  check(ops::matmul<float>(16, 24, 12), machine, 2);
  check(ops::conv2d_bias_relu<float>({1, 4, 8, 8, 6, 3, 2, 1}), machine, 2);
  check(ops::softmax<float>(5, 40), machine, 1);
}

TEST_CASE("opencl: threads that each compute a tile of vectors, nothing in local memory") {
  TTUNE_SKIP_UNLESS_OPENCL();
  auto const [i, j, k] = axes<"i", "j", "k">;
  auto const [ib, it, ii, jt, ji] = axes<"ib", "it", "ii", "jt", "ji">;
  tensor<"A", float, 2> const A{{18, 5}};
  tensor<"B", float, 2> const B{{5, 22}};
  auto const C = compute<"C">(i, j) = sum(over(k), A(i, k) * B(k, j));
  auto const s = schedule(C)
                     .cache_write("acc")
                     .split(i, {4, 2}, ib, it, ii)
                     .split(j, 8, jt, ji)
                     .reorder(ib, it, jt, ii, ji)
                     .bind(ib, ir::loop_kind::block_x)
                     .bind(it, ir::loop_kind::thread_y)
                     .bind(jt, ir::loop_kind::thread_x)
                     .unroll(ii)
                     .vectorize(ji)
                     .in("acc")
                     .compute_at(C, jt)
                     .store_in(ir::memory::registers)
                     .reorder(k, i, j)
                     .unroll(i)
                     .vectorize(j)
                     .space();
  auto machine = blocks_and_threads();
  machine.vector_bytes = 16;
  auto const lowered = lower(s, {std::vector<std::int32_t>(s.knobs.size())});
  auto const text = codegen::opencl(lowered, machine);
  REQUIRE(text.main.size() == 1);
  CHECK(text.main[0].groups == std::array<std::int64_t, 3>{3, 1, 1});
  CHECK(text.main[0].threads == std::array<std::int64_t, 3>{3, 4, 1});
  CHECK(text.main[0].group_bytes == 0);
  CHECK(text.source.find("barrier") == std::string::npos);
  CHECK(text.source.find("float4 acc_") != std::string::npos);
  CHECK(text.source.find("vload4(") != std::string::npos);
  rng random(ttune_test::seed());
  auto const operands = random_operands(signature_of(s.program), random);
  auto const expected = ir::evaluate(*s.program, operands);
  auto const got = ttune_test::run_on(device(), lowered, s.program, operands);
  REQUIRE_MESSAGE(got.how.ok(), name_of(got.how.status), ": ", got.how.message);
  for (std::size_t e = 0; e < static_cast<std::size_t>(expected[0].elements()); ++e)
    CHECK(got.results[0].number(e) == doctest::Approx(expected[0].number(e)).epsilon(1e-4).scale(1));
}

TEST_CASE("opencl: calls on the same and on other operands see what the host wrote since") {
  TTUNE_SKIP_UNLESS_OPENCL();
  auto const made = device().compile(plus(64, 1), signature_of_two(64));
  REQUIRE_MESSAGE(made.image, made.diagnostics);
  kernel_call const call(load(*made.image));
  std::vector<float> a(64, 2);
  std::vector<float> b(64, 7);
  std::vector<float> c(64);
  void* first[] = {a.data(), c.data()};
  void* second[] = {b.data(), c.data()};
  call(first);
  CHECK(c == std::vector<float>(64, 3));
  a.assign(64, 4);
  call(first);
  CHECK(c == std::vector<float>(64, 5));
  call(second);
  CHECK(c == std::vector<float>(64, 8));
  c.assign(64, 0);
  call(first);
  CHECK(c == std::vector<float>(64, 5));
}

TEST_CASE("opencl: the tuner tunes on it, and records what it measured under the device's name") {
  TTUNE_SKIP_UNLESS_OPENCL();
  auto const product = ops::matmul<float>(32, 48, 16);
  tuner by(opencl_backend{}, {.seed = ttune_test::seed()});
  auto tuned = by.tune(product, {.trials = 4});
  std::vector<float> a(32 * 16, 1);
  std::vector<float> b(16 * 48, 2);
  std::vector<float> c(32 * 48);
  tuned(a, b, c);
  CHECK(c == std::vector<float>(32 * 48, 32));
  CHECK(tuned.report().trials >= 1);
}
