// SPDX-License-Identifier: Apache-2.0
// Live tuning that fails: calls go on, and the report says why nothing becomes faster.
#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "support/live_tests.hpp"
#include "support/scripted_tuning.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/support/error.hpp"

namespace live_failure_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

using state = live_kernel_report::state;

/// A store on a disk that becomes full.
class full_disk final : public record_store {
 public:
  explicit full_disk(std::int64_t room) : room_(room) {}
  void append(record const& r) override {
    use_room();
    inner_.append(r);
  }
  void put_image(record const& of, std::span<std::uint8_t const> bytes) override {
    use_room();
    inner_.put_image(of, bytes);
  }
  [[nodiscard]] std::optional<record> best(record_key const& key) const override { return inner_.best(key); }
  [[nodiscard]] std::vector<record> all(record_key const& key) const override { return inner_.all(key); }
  [[nodiscard]] std::vector<record> near(record_key const& key, std::size_t limit) const override {
    return inner_.near(key, limit);
  }
  [[nodiscard]] image_lookup get_image(record_key const& key) const override {
    if (room_ < 0) throw record_error("ttune.db: the disk is gone");
    return inner_.get_image(key);
  }
  void for_each(std::function<bool(record const&)> const& visit) const override { inner_.for_each(visit); }
  [[nodiscard]] std::vector<key_summary> keys() const override { return inner_.keys(); }
  [[nodiscard]] std::int64_t count() const override { return inner_.count(); }

 private:
  void use_room() {
    if (room_-- <= 0) throw record_error("ttune.db: the disk is full");
  }
  std::int64_t room_;
  memory_store inner_;
};

/// A compiler that stops to work after a number of kernels.
class lost_compiler final : public backend {
 public:
  explicit lost_compiler(std::int64_t kernels) : left_(kernels) {}
  [[nodiscard]] std::string name() const override { return "lost"; }
  [[nodiscard]] ttune::availability availability() const override {
    return left_ > 0 ? ttune::availability() : ttune::availability{false, "libLLVM is not installed"};
  }
  [[nodiscard]] ttune::target const& target() const override { return inner_.target(); }
  [[nodiscard]] compile_result compile(ir::lowered const& program, kernel_signature signature) override {
    if (left_-- <= 0) return {std::nullopt, "libLLVM is not installed", 0};
    return inner_.compile(program, std::move(signature));
  }
  [[nodiscard]] std::string source(ir::lowered const& p, kernel_signature const& s) const override {
    return inner_.source(p, s);
  }

 private:
  std::atomic<std::int64_t> left_;
  scripted_backend inner_{std::vector<code>{right()}};
};

int work(live_tuner& live, int most = 200) {
  int slices = 0;
  while (slices < most && live.step()) ++slices;
  return slices;
}

live_options brief(counted_time& time) {
  auto made = time.options(1);
  made.effort = effort_level::measure;
  return made;
}

}  // namespace

TEST_CASE("live tuner: a faster candidate replaces a slow first kernel, calls before and after are right") {
  TTUNE_SKIP_UNLESS_X86();
  counted_time time;
  auto const compiler = std::make_shared<scripted_backend>(std::vector<code>{slow(), slow(), slow(), right()});
  live_tuner live(compiler, options_with(worker::in_process{}), brief(time));
  auto const kernel = live.tune(copy_operator());
  copy_data data;
  CHECK(data.call(kernel));
  work(live);
  CHECK(data.call(kernel));
  auto const one = live.report().kernels.at(0);
  CHECK(one.swaps >= 1);
  CHECK(one.gain > 1);
  CHECK(one.failure.empty());
}

TEST_CASE("live tuner: candidates that crash or are wrong never replace the kernel") {
  TTUNE_SKIP_UNLESS_X86();
  counted_time time;
  auto const wrong = right().then(code::write(1, 3, 0x47));
  auto const compiler =
      std::make_shared<scripted_backend>(std::vector<code>{right(), right(), wrong, code::null_write(), code(), wrong});
  live_tuner live(compiler, options_with(worker::program{}), brief(time));
  auto const kernel = live.tune(copy_operator());
  copy_data data;
  CHECK(data.call(kernel));
  work(live);
  CHECK(data.call(kernel));
  CHECK(live.report().kernels.at(0).swaps == 0);
  CHECK(live.report().kernels.at(0).trials > 1);
}

TEST_CASE("live tuner: without a worker, kernels stay as they are, and the report says why") {
  TTUNE_SKIP_UNLESS_X86();
  counted_time time;
  live_tuner live(std::make_shared<scripted_backend>(std::vector<code>{right()}),
                  options_with(worker::command{{"/nonexistent/worker"}}), brief(time));
  auto const kernel = live.tune(copy_operator());
  copy_data data;
  CHECK(data.call(kernel));
  CHECK(live.step());
  auto const report = live.report();
  CHECK_MESSAGE(has(report.failure, "/nonexistent/worker cannot be started"), report.failure);
  CHECK(report.kernels.at(0).now == state::failing);
  CHECK(has(report.text(), "failed 1 times, last: "));
  CHECK(data.call(kernel));
}

TEST_CASE("live tuner: a tuning that failed is tried again, later each time") {
  TTUNE_SKIP_UNLESS_X86();
  counted_time time;
  live_tuner live(std::make_shared<scripted_backend>(std::vector<code>{right()}),
                  options_with(worker::command{{"/nonexistent/worker"}}), brief(time));
  auto const kernel = live.tune(copy_operator());
  copy_data data;
  for (int failures = 1; failures < 5; ++failures) {
    CHECK(data.call(kernel));
    CHECK(live.step());
    CHECK(live.report().kernels.at(0).failures == failures);
    CHECK_FALSE(live.step());
    time.pass(1.5 * (1 << (failures - 1)));
  }
}

TEST_CASE("live tuner: a compiler that is gone leaves the kernel") {
  TTUNE_SKIP_UNLESS_X86();
  counted_time time;
  live_tuner live(std::make_shared<lost_compiler>(1), options_with(worker::in_process{}), brief(time));
  auto const kernel = live.tune(copy_operator());
  copy_data data;
  CHECK(data.call(kernel));
  CHECK(live.step());
  CHECK_MESSAGE(has(live.report().failure, "lost cannot be used: libLLVM is not installed"), live.report().failure);
  CHECK(data.call(kernel));
  CHECK_THROWS_AS((void)live.tune(ops::matmul(4, 4, 4)), backend_error);
}

TEST_CASE("live tuner: if the disk becomes full, kernels still become faster") {
  TTUNE_SKIP_UNLESS_X86();
  counted_time time;
  auto options = options_with(worker::in_process{});
  options.records = std::make_shared<full_disk>(2);
  auto const compiler = std::make_shared<scripted_backend>(
      std::vector<code>{slow(), slow(), slow(), slow(), slow(), slow(), slow(), slow(), slow(), right()});
  live_tuner live(compiler, options, brief(time));
  auto const kernel = live.tune(copy_operator());
  copy_data data;
  CHECK(data.call(kernel));
  work(live);
  CHECK(data.call(kernel));
  auto const report = live.report();
  CHECK(report.records_failure == "ttune.db: the disk is full");
  CHECK(has(report.text(), "records are kept in memory only: ttune.db: the disk is full"));
  CHECK(report.kernels.at(0).failures == 1);
  CHECK(report.kernels.at(0).swaps >= 1);
  CHECK(report.kernels.at(0).now == state::done);
}

TEST_CASE("live tuner: records that cannot be read do not keep a kernel from working") {
  TTUNE_SKIP_UNLESS_X86();
  counted_time time;
  auto options = options_with(worker::in_process{});
  options.records = std::make_shared<full_disk>(-1);
  live_tuner live(std::make_shared<scripted_backend>(std::vector<code>{right()}), options, brief(time));
  auto const kernel = live.tune(copy_operator());
  CHECK(copy_data().call(kernel));
  CHECK(live.report().records_failure == "ttune.db: the disk is gone");
}

TEST_CASE("live tuner: constants are laid out again for a kernel that replaces another") {
  counted_time time;
  auto how = brief(time);
  live_tuner live(interpreter_backend{}, {}, how);
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", float, 2> const A{{8, 12}};
  constant<"B", float, 2> const B{{12, 16}};
  auto const C = compute<"C">(i, j) = sum(over(k), A(i, k) * B(k, j));
  auto const kernel = live.tune(op(inputs(A, B), outputs(C)));
  small_product data(8);
  auto const prepared = kernel.prepare(data.a, data.b, data.c);
  CHECK(data.call(prepared, 64));
  work(live);
  CHECK(live.report().kernels.at(0).swaps >= 1);
  CHECK(live.report().kernels.at(0).calls == 64);
  CHECK(data.call(prepared));
  CHECK(data.call(kernel));
}

}  // namespace live_failure_tests
