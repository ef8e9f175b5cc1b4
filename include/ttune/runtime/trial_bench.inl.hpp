// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>

#include "ttune/core/float16.hpp"
#include "ttune/runtime/kernel_call.hpp"
#include "ttune/runtime/trial_bench.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/rng.hpp"

namespace ttune::inline v0 {

/// [no access][slack][operand] or [operand][slack][no access]: a read or write past an end faults at once; the slack
/// at the other end is a red zone.
class guarded_operand {
 public:
  explicit guarded_operand(std::int64_t bytes) : bytes_(static_cast<std::size_t>(bytes)) {
    auto const page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    body_ = std::max<std::size_t>(1, (bytes_ + page - 1) / page) * page;
    total_ = body_ + 2 * page;
    auto* const all = mmap(nullptr, total_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED) throw std::bad_alloc();
    begin_ = static_cast<std::uint8_t*>(all) + page;
    if (mprotect(begin_, body_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  }
  guarded_operand(guarded_operand const&) = delete;
  guarded_operand& operator=(guarded_operand const&) = delete;
  ~guarded_operand() { munmap(begin_ - (total_ - body_) / 2, total_); }

  [[nodiscard]] std::uint8_t* data(bool at_end) const noexcept { return at_end ? begin_ + body_ - bytes_ : begin_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  void paint(bool at_end) const noexcept { std::memset(at_end ? begin_ : begin_ + bytes_, red, body_ - bytes_); }
  [[nodiscard]] bool red_zone_intact(bool at_end) const noexcept {
    auto const* const zone = at_end ? begin_ : begin_ + bytes_;
    return std::all_of(zone, zone + (body_ - bytes_), [](std::uint8_t b) { return b == red; });
  }

 private:
  static constexpr std::uint8_t red = 0xA5;
  std::size_t bytes_ = 0;
  std::size_t body_ = 0;
  std::size_t total_ = 0;
  std::uint8_t* begin_ = nullptr;
};

namespace detail {

/// An element as a number, whatever its type.
inline double element_at(std::uint8_t const* bytes, dtype type, std::size_t i) {
  auto const as = [&]<class T>(T) {
    T value;
    std::memcpy(&value, bytes + i * sizeof(T), sizeof(T));
    return value;
  };
  switch (type) {
    case dtype::boolean:
    case dtype::u8: return as(std::uint8_t{});
    case dtype::i8: return as(std::int8_t{});
    case dtype::i16: return as(std::int16_t{});
    case dtype::u16: return as(std::uint16_t{});
    case dtype::i32: return as(std::int32_t{});
    case dtype::u32: return as(std::uint32_t{});
    case dtype::i64:
    case dtype::index: return static_cast<double>(as(std::int64_t{}));
    case dtype::u64: return static_cast<double>(as(std::uint64_t{}));
    case dtype::f16: return to_float(f16{as(std::uint16_t{})});
    case dtype::bf16: return to_float(bf16{as(std::uint16_t{})});
    case dtype::f32: return as(float{});
    case dtype::f64: return as(double{});
  }
  return 0;
}

inline void set_element(std::uint8_t* bytes, dtype type, std::size_t i, double value) {
  auto const put = [&](auto v) { std::memcpy(bytes + i * sizeof v, &v, sizeof v); };
  switch (type) {
    case dtype::boolean: return put(static_cast<std::uint8_t>(value != 0));
    case dtype::i8: return put(static_cast<std::int8_t>(value));
    case dtype::u8: return put(static_cast<std::uint8_t>(value));
    case dtype::i16: return put(static_cast<std::int16_t>(value));
    case dtype::u16: return put(static_cast<std::uint16_t>(value));
    case dtype::i32: return put(static_cast<std::int32_t>(value));
    case dtype::u32: return put(static_cast<std::uint32_t>(value));
    case dtype::i64:
    case dtype::index: return put(static_cast<std::int64_t>(value));
    case dtype::u64: return put(static_cast<std::uint64_t>(value));
    case dtype::f16: return put(to_f16(static_cast<float>(value)).bits);
    case dtype::bf16: return put(to_bf16(static_cast<float>(value)).bits);
    case dtype::f32: return put(static_cast<float>(value));
    case dtype::f64: return put(value);
  }
}

/// Half a unit in the last place of an element type, relative.
inline double rounding_of(dtype t) {
  switch (t) {
    case dtype::f16: return 0x1p-11;
    case dtype::bf16: return 0x1p-8;
    case dtype::f32: return 0x1p-24;
    default: return 0x1p-53;
  }
}

inline double seconds_of(kernel_call const& call, std::span<void* const> operands, void* workspace, std::int64_t times) {
  auto const start = std::chrono::steady_clock::now();
  for (std::int64_t i = 0; i < times; ++i) call(operands, workspace);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  auto const at = q * static_cast<double>(values.size() - 1);
  auto const i = static_cast<std::size_t>(at);
  auto const next = std::min(i + 1, values.size() - 1);
  return values[i] + (at - static_cast<double>(i)) * (values[next] - values[i]);
}

}  // namespace detail

/// A loaded candidate with its workspace.
struct trial_bench::running {
  kernel_call call;
  kernel_call prepared;
  std::vector<std::uint8_t> memory;
  void* workspace = nullptr;

  running(kernel_image const& image, std::shared_ptr<executor> on) : call(load(image), std::move(on)) {
    memory.resize(call.workspace_bytes() + 64);
    workspace = reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(memory.data()) + 63) / 64 * 64);
  }
};

TTUNE_INLINE trial_bench::trial_bench(kernel_signature const& signature, bench_options options) : signature_(signature), options_(options) {
  executor_ = std::make_shared<thread_pool>(options_.threads);
  for (auto const& o : signature_.operands) operands_.push_back(std::make_unique<guarded_operand>(o.bytes()));
  inputs_.resize(signature_.operands.size());
  reference_.resize(signature_.operands.size());
  fill_inputs();
}

TTUNE_INLINE trial_bench::~trial_bench() = default;

/// Uniform in [-1, 1) for floats; integers small enough that long reductions of them stay exact.
TTUNE_INLINE void trial_bench::fill_inputs() {
  rng random(options_.seed);
  for (std::size_t i = 0; i < signature_.operands.size(); ++i) {
    auto const& o = signature_.operands[i];
    if (o.way == operand_info::direction::out) continue;
    inputs_[i].resize(static_cast<std::size_t>(o.bytes()));
    for (std::size_t e = 0; e < static_cast<std::size_t>(o.elements()); ++e) {
      double value = 0;
      if (o.has_range) value = static_cast<double>(o.low + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(std::max<std::int64_t>(1, o.high - o.low)))));
      else if (is_float(o.type)) value = random.uniform() * 2 - 1;
      else value = static_cast<double>(random.below(o.type == dtype::boolean ? 2 : 8)) - (is_unsigned(o.type) || o.type == dtype::boolean ? 0 : 4);
      detail::set_element(inputs_[i].data(), o.type, e, value);
    }
  }
}

/// Inputs as they were, outputs poisoned, red zones painted.
TTUNE_INLINE void trial_bench::restore(bool at_end) {
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    auto const& o = *operands_[i];
    if (inputs_[i].empty()) std::memset(o.data(at_end), 0xFF, o.bytes());  // NaN in every float type
    else std::memcpy(o.data(at_end), inputs_[i].data(), o.bytes());
    o.paint(at_end);
  }
}

/// What a candidate did to memory that is not its own; empty if nothing.
TTUNE_INLINE std::string trial_bench::damage(bool at_end) const {
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    auto const& o = signature_.operands[i];
    if (!operands_[i]->red_zone_intact(at_end)) return std::string("wrote ") + (at_end ? "before the start" : "past the end") + " of " + o.name;
    bool const written = o.way == operand_info::direction::out || o.way == operand_info::direction::inout;
    if (!written && std::memcmp(operands_[i]->data(at_end), inputs_[i].data(), operands_[i]->bytes()) != 0) return "changed its input " + o.name;
  }
  return {};
}

/// The first element of an output that is not the reference's; empty if there is none.
TTUNE_INLINE std::string trial_bench::difference(bool at_end) const {
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    auto const& o = signature_.operands[i];
    if (reference_[i].empty()) continue;
    auto const* const now = operands_[i]->data(at_end);
    if (!is_float(o.type)) {
      if (std::memcmp(now, reference_[i].data(), operands_[i]->bytes()) == 0) continue;
    }
    auto const n = static_cast<std::size_t>(o.elements());
    double squares = 0;
    for (std::size_t e = 0; e < n; ++e) {
      auto const v = detail::element_at(reference_[i].data(), o.type, e);
      if (std::isfinite(v)) squares += v * v;
    }
    auto const rms = std::sqrt(squares / static_cast<double>(std::max<std::size_t>(1, n)));
    auto const unit = is_float(o.type) ? detail::rounding_of(o.type) * 8 * (1 + std::sqrt(signature_.terms)) : 0.0;
    for (std::size_t e = 0; e < n; ++e) {
      auto const wanted = detail::element_at(reference_[i].data(), o.type, e);
      auto const got = detail::element_at(now, o.type, e);
      bool const same = got == wanted || (std::isnan(got) && std::isnan(wanted)) || std::abs(got - wanted) <= unit * std::max(rms, std::abs(wanted));
      if (!same) return o.name + "[" + std::to_string(e) + "] is " + std::to_string(got) + ", should be " + std::to_string(wanted);
    }
  }
  return {};
}

/// Two runs with the operands at either end of their memory.
TTUNE_INLINE bool trial_bench::check(running& r, measurement& m, trial_limits const& limits, bool with_reference) {
  for (bool const at_end : {true, false}) {
    restore(at_end);
    std::vector<void*> pointers;
    for (auto const& o : operands_) pointers.push_back(o->data(at_end));
    r.prepared = r.call.prepare(pointers);
    m.seconds = detail::seconds_of(r.prepared, pointers, r.workspace, 1);
    m.message = damage(at_end);
    if (!m.message.empty()) {
      m.status = trial_status::wrote_outside;
      return false;
    }
    m.message = with_reference ? difference(at_end) : std::string();
    if (!m.message.empty()) {
      m.status = trial_status::wrong_result;
      return false;
    }
    // The first run touches cold memory: twice the limit there, once in the second.
    if (limits.cutoff_seconds > 0 && m.seconds > limits.cutoff_seconds * (at_end ? 2 : 1)) {
      m.status = trial_status::cut_off;
      return false;
    }
  }
  return true;
}

TTUNE_INLINE measurement trial_bench::set_reference(kernel_image const& image, trial_limits const& limits) {
  measurement m;
  auto const start = std::chrono::steady_clock::now();
  try {
    running r(image, executor_);
    for (auto& content : reference_) content.clear();
    if (check(r, m, {}, false)) {
      for (std::size_t i = 0; i < operands_.size(); ++i) {
        auto const way = signature_.operands[i].way;
        if (way == operand_info::direction::out || way == operand_info::direction::inout) reference_[i] = operand_bytes(i);
      }
      time(r, m, limits);
    }
  } catch (std::exception const& failure) {
    m.status = trial_status::unsupported;
    m.message = failure.what();
  }
  m.measure_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return m;
}

TTUNE_INLINE measurement trial_bench::measure(kernel_image const& image, trial_limits const& limits) {
  measurement m;
  auto const start = std::chrono::steady_clock::now();
  try {
    running r(image, executor_);
    if (check(r, m, limits, true)) time(r, m, limits);
  } catch (std::bad_alloc const&) {
    m.status = trial_status::out_of_memory;
    m.message = "no memory for its workspace";
  } catch (std::exception const& failure) {
    m.status = trial_status::unsupported;
    m.message = failure.what();
  }
  m.measure_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return m;
}

/// The median of samples, each of enough calls to be timed; more samples while they disagree.
TTUNE_INLINE void trial_bench::time(running& r, measurement& m, trial_limits const& limits) {
  std::vector<void*> pointers;
  for (auto const& o : operands_) pointers.push_back(o->data(false));
  auto const once = detail::seconds_of(r.prepared, pointers, r.workspace, 1);
  auto const calls = static_cast<std::int64_t>(std::clamp(std::ceil(limits.sample_seconds / std::max(once, 1e-9)), 1.0, 1e6));
  std::vector<double> samples;
  double spent = 0;
  while (static_cast<std::int32_t>(samples.size()) < limits.max_samples && (samples.size() < 3 || spent < limits.total_seconds)) {
    auto const s = detail::seconds_of(r.prepared, pointers, r.workspace, calls);
    samples.push_back(s / static_cast<double>(calls));
    spent += s;
    if (samples.size() < 5) continue;
    auto const q1 = detail::quantile(samples, 0.25);
    auto const q3 = detail::quantile(samples, 0.75);
    if (q3 - q1 < 0.02 * q1) break;
  }
  m.seconds = detail::quantile(samples, 0.5);
  m.spread = (detail::quantile(samples, 0.75) - detail::quantile(samples, 0.25)) / m.seconds;
  m.samples = static_cast<std::int32_t>(samples.size());
}

TTUNE_INLINE comparison trial_bench::compare(kernel_image const& first, kernel_image const& second, std::int32_t pairs) {
  comparison made;
  try {
    running a(first, executor_);
    running b(second, executor_);
    restore(false);
    std::vector<void*> pointers;
    for (auto const& o : operands_) pointers.push_back(o->data(false));
    a.prepared = a.call.prepare(pointers);
    b.prepared = b.call.prepare(pointers);
    auto const once = detail::seconds_of(a.prepared, pointers, a.workspace, 1);
    auto const calls = static_cast<std::int64_t>(std::clamp(std::ceil(200e-6 / std::max(once, 1e-9)), 1.0, 1e6));
    std::vector<double> ratios;
    std::int32_t wins = 0;
    for (std::int32_t i = 0; i < pairs; ++i) {
      bool const swap = i % 2 != 0;
      auto& x = swap ? b : a;
      auto& y = swap ? a : b;
      auto const tx = detail::seconds_of(x.prepared, pointers, x.workspace, calls);
      auto const ty = detail::seconds_of(y.prepared, pointers, y.workspace, calls);
      ratios.push_back(swap ? tx / ty : ty / tx);
      wins += ratios.back() < 1 ? 1 : 0;
    }
    made.pairs = pairs;
    made.ratio = detail::quantile(ratios, 0.5);
    // One-sided sign test: wins beyond the mean by 1.645 standard deviations.
    made.faster = static_cast<double>(wins) > 0.5 * pairs + 1.645 * 0.5 * std::sqrt(static_cast<double>(pairs));
  } catch (std::exception const& failure) {
    made.failure = failure.what();
  }
  return made;
}

TTUNE_INLINE std::vector<std::uint8_t> trial_bench::operand_bytes(std::size_t operand) const {
  auto const& o = *operands_[operand];
  return {o.data(false), o.data(false) + o.bytes()};
}

}  // namespace ttune::inline v0
