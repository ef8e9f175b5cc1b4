// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "ttune/runtime/measure/fleet_runner.hpp"
#include "ttune/runtime/measure/process_runner.hpp"
#include "ttune/support/clock.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

inline constexpr int most_failed_starts = 3;
/// Losses of workers per request; at this number the candidate is taken for the cause.
inline constexpr std::size_t most_losses = 2;

/// A request that a member of the fleet works on.
struct fleet_task {
  std::function<measurement(runner&)> work;
  bool repeatable = false;  ///< two members may work on it at the same time
  measurement result = {};
  std::exception_ptr failure = {};
  bool done = false;
  int running = 0;
  std::vector<std::size_t> lost_by = {};  ///< members that were lost while working on it
  steady::time_point begin = {};

  [[nodiscard]] bool was_lost_by(std::size_t member) const {
    return std::find(lost_by.begin(), lost_by.end(), member) != lost_by.end();
  }
};

}  // namespace detail

struct fleet_runner::state {
  using task = detail::fleet_task;
  using task_handle = std::shared_ptr<task>;

  enum class phase : std::uint8_t { starting, ready, given_up };
  struct member {
    worker::command how;
    phase now = phase::starting;
    std::string complaint;  ///< why the member was excluded, or why its last start failed
    std::int32_t respawns = 0;
    std::uint64_t reference_known = 0;
    std::unique_ptr<process_runner> worker;  ///< used by the member's thread only
    std::jthread thread;
  };

  kernel_signature signature;
  runner_options options;

  std::mutex guard;
  std::condition_variable changed;
  std::deque<member> members;
  std::deque<task_handle> queue;  ///< requests that no member has begun, or whose worker was lost
  std::vector<task_handle> in_flight;
  std::vector<task_handle> batch;  ///< requests that were submitted and not collected yet
  std::vector<std::vector<std::uint8_t>> reference;
  std::uint64_t reference_version = 0;
  double finished_seconds = 0;  ///< sum over all finished trials; the average identifies slow members
  std::int64_t finished = 0;
  std::stop_token stop;     ///< stop requests of the user
  std::stop_source ending;  ///< stops all running work: on a request of the user, or when this object is destroyed
  bool closed = false;

  ~state() {
    {
      std::scoped_lock const lock(guard);
      closed = true;
      ending.request_stop();
    }
    changed.notify_all();
    for (auto& m : members)
      if (m.thread.joinable()) m.thread.join();
  }

  [[nodiscard]] std::size_t there() const {
    return static_cast<std::size_t>(
        std::count_if(members.begin(), members.end(), [](member const& m) { return m.now != phase::given_up; }));
  }
  [[nodiscard]] bool any_ready() const {
    return std::any_of(members.begin(), members.end(), [](member const& m) { return m.now == phase::ready; });
  }

  [[nodiscard]] std::string complaints() const {
    std::string text;
    for (std::size_t i = 0; i < members.size(); ++i) {
      auto const& m = members[i];
      if (m.complaint.empty()) continue;
      text += (text.empty() ? "" : "; ") + (m.how.device.empty() ? "worker " + std::to_string(i) : m.how.device) +
              ": " + m.complaint;
    }
    return text;
  }

  // ------------------------------------------------------------------------------------------------ member threads

  void serve(std::size_t self) {
    std::unique_lock lock(guard);
    auto& m = members[self];
    int failed_starts = 0;
    while (!closed) {
      if (!m.worker) {
        if (start(m, lock)) failed_starts = 0;
        else if (++failed_starts < detail::most_failed_starts)
          changed.wait_for(lock, std::chrono::milliseconds(200 << failed_starts), [this] { return closed; });
        else return give_up(m);
        continue;
      }
      auto const next = take(self);
      if (next) work_on(self, next, lock);
      else if (in_flight.empty()) changed.wait(lock);
      else changed.wait_for(lock, std::chrono::milliseconds(20));  // a request may become slow
    }
  }

  void give_up(member& m) {
    m.now = phase::given_up;
    changed.notify_all();
  }

  [[nodiscard]] bool start(member& m, std::unique_lock<std::mutex>& lock) {
    auto const token = ending.get_token();
    std::string complaint;
    std::unique_ptr<process_runner> made;
    lock.unlock();
    try {
      made = std::make_unique<process_runner>(m.how, signature, options, token);
    } catch (std::exception const& failure) {
      complaint = failure.what();
    }
    lock.lock();
    m.complaint = std::move(complaint);
    if (!made) return false;
    m.worker = std::move(made);
    m.reference_known = 0;
    m.now = phase::ready;
    changed.notify_all();
    return true;
  }

  /// Selects the next request for a member: a queued one, else one that another member is slow with; null if there is
  /// none.
  [[nodiscard]] task_handle take(std::size_t self) {
    for (auto t = queue.begin(); t != queue.end(); ++t) {
      // A member that was lost on a request does not get it again while other members are left.
      if ((*t)->was_lost_by(self) && there() > (*t)->lost_by.size()) continue;
      auto found = std::move(*t);
      queue.erase(t);
      return found;
    }
    auto const patience = std::max(0.25, finished == 0 ? 2.0 : 3 * finished_seconds / static_cast<double>(finished));
    for (auto const& t : in_flight)
      if (t->repeatable && !t->done && t->running == 1 && detail::seconds_since(t->begin) > patience) return t;
    return nullptr;
  }

  void work_on(std::size_t self, task_handle const& t, std::unique_lock<std::mutex>& lock) {
    auto& m = members[self];
    if (t->running++ == 0) t->begin = detail::steady::now(), in_flight.push_back(t);
    auto const wanted = reference_version;
    auto const outputs = m.reference_known == wanted ? std::vector<std::vector<std::uint8_t>>() : reference;
    m.worker->stop_with(ending.get_token());
    measurement result;
    std::string unavailable;
    std::exception_ptr failure;
    lock.unlock();
    auto const begin = detail::steady::now();
    auto const respawns_before = m.worker->respawns();
    try {
      if (!outputs.empty()) m.worker->set_reference(outputs);
      result = t->work(*m.worker);
    } catch (backend_error const& e) {
      unavailable = e.what();
    } catch (...) {
      failure = std::current_exception();
    }
    auto const seconds = detail::seconds_since(begin);
    auto const lost = !unavailable.empty() || m.worker->lost();
    auto const respawns = m.worker->respawns() - respawns_before;
    lock.lock();
    m.respawns += respawns;
    if (unavailable.empty()) m.reference_known = wanted;
    else m.complaint = unavailable, m.worker.reset();
    --t->running;
    if (lost && !closed) t->lost_by.push_back(self);
    auto const most = unavailable.empty() ? detail::most_losses : members.size() + 1;
    bool const again = lost && t->lost_by.size() < most && !ending.stop_requested();
    if (!unavailable.empty()) failure = std::make_exception_ptr(backend_error(unavailable));
    if (!t->done && again && t->running == 0) {
      queue.push_front(t);
    } else if (!t->done && !again) {
      t->result = std::move(result);
      t->failure = failure;
      t->done = true;
      if (t->repeatable) finished_seconds += seconds, ++finished;
    }
    if (t->running == 0) std::erase(in_flight, t);
    changed.notify_all();
  }

  // --------------------------------------------------------------------------------------------------- user's thread

  task_handle enqueue(std::function<measurement(runner&)> work, bool repeatable) {
    auto made = std::make_shared<task>();
    made->work = std::move(work);
    made->repeatable = repeatable;
    {
      std::scoped_lock const lock(guard);
      if (ending.stop_requested() && !stop.stop_requested()) ending = std::stop_source();  // an earlier stop is over
      queue.push_back(made);
    }
    changed.notify_all();
    return made;
  }

  /// Blocks until the request is done. If a stop is requested while it is still queued, it ends with "stopped".
  void wait_for(task_handle const& t) {
    std::unique_lock lock(guard);
    while (!t->done) {
      if (stop.stop_requested()) {
        ending.request_stop();
        if (auto const waiting = std::find(queue.begin(), queue.end(), t); waiting != queue.end()) {
          queue.erase(waiting);
          t->result.status = trial_status::timed_out;
          t->result.message = "stopped";
          t->done = true;
          break;
        }
      }
      if (there() == 0) throw backend_error("no worker of the fleet is left: " + complaints());
      changed.wait_for(lock, std::chrono::milliseconds(20));
    }
    if (t->failure) std::rethrow_exception(t->failure);
  }

  void set_reference(std::vector<std::vector<std::uint8_t>> outputs) {
    std::scoped_lock const lock(guard);
    reference = std::move(outputs);
    ++reference_version;
  }
};

fleet_runner::fleet_runner(worker::fleet members, kernel_signature const& signature, runner_options options,
                           std::stop_token stop)
    : state_(std::make_unique<state>()) {
  if (members.members.empty()) throw argument_error("worker::fleet has no members");
  state_->signature = signature;
  state_->options = std::move(options);
  state_->stop = std::move(stop);
  for (auto& how : members.members) state_->members.emplace_back().how = std::move(how);
  std::unique_lock lock(state_->guard);
  for (std::size_t i = 0; i < state_->members.size(); ++i)
    state_->members[i].thread = std::jthread([s = state_.get(), i] { s->serve(i); });
  while (!state_->any_ready() && state_->there() > 0) {
    if (state_->stop.stop_requested())
      throw backend_error("no worker of the fleet was there when a stop was requested");
    state_->changed.wait_for(lock, std::chrono::milliseconds(20));
  }
  if (state_->there() == 0) throw backend_error("no worker of the fleet can be started: " + state_->complaints());
}

fleet_runner::~fleet_runner() = default;

measurement fleet_runner::set_reference(kernel_image const& image, trial_limits const& limits) {
  state_->set_reference({});
  auto const outputs = std::make_shared<std::vector<std::vector<std::uint8_t>>>();
  auto const t = state_->enqueue(
      [=, operands = state_->signature.operands](runner& by) {
        auto m = by.set_reference(image, limits);
        if (!m.ok()) return m;
        outputs->assign(operands.size(), {});
        for (std::size_t i = 0; i < operands.size(); ++i)
          if (operands[i].direction == operand_direction::out || operands[i].direction == operand_direction::inout)
            (*outputs)[i] = by.operand_bytes(i);
        return m;
      },
      false);
  state_->wait_for(t);
  if (t->result.ok()) state_->set_reference(std::move(*outputs));
  return t->result;
}

void fleet_runner::set_reference(std::vector<std::vector<std::uint8_t>> outputs) {
  // One member sets it now, so that a wrong size is reported at once.
  auto const t = state_->enqueue([=](runner& by) { return by.set_reference(outputs), measurement(); }, false);
  state_->wait_for(t);
  state_->set_reference(std::move(outputs));
}

measurement fleet_runner::measure(kernel_image const& image, trial_limits const& limits) {
  submit(image, limits);
  return std::move(collect().front());
}

void fleet_runner::submit(kernel_image const& image, trial_limits const& limits) {
  state_->batch.push_back(state_->enqueue([image, limits](runner& by) { return by.measure(image, limits); }, true));
}

std::vector<measurement> fleet_runner::collect() {
  auto const batch = std::exchange(state_->batch, {});
  std::vector<measurement> results;
  for (auto const& t : batch) {
    state_->wait_for(t);
    results.push_back(t->result);
  }
  return results;
}

measurement fleet_runner::run(kernel_image const& image, std::vector<std::vector<std::uint8_t>>& outputs) {
  auto const found = std::make_shared<std::vector<std::vector<std::uint8_t>>>();
  auto const t = state_->enqueue([=](runner& by) { return by.run(image, *found); }, false);
  state_->wait_for(t);
  outputs = std::move(*found);
  return t->result;
}

comparison fleet_runner::compare(kernel_image const& first, kernel_image const& second, std::int32_t pairs) {
  auto const made = std::make_shared<comparison>();
  auto const t =
      state_->enqueue([=](runner& by) { return *made = by.compare(first, second, pairs), measurement(); }, false);
  state_->wait_for(t);
  if (!t->result.ok()) made->failure = std::string(name_of(t->result.status)) + ": " + t->result.message;
  return *made;
}

std::vector<std::uint8_t> fleet_runner::operand_bytes(std::size_t operand) {
  {
    std::scoped_lock const lock(state_->guard);
    if (operand < state_->reference.size() && !state_->reference[operand].empty()) return state_->reference[operand];
  }
  auto const bytes = std::make_shared<std::vector<std::uint8_t>>();
  auto const t = state_->enqueue([=](runner& by) { return *bytes = by.operand_bytes(operand), measurement(); }, false);
  state_->wait_for(t);
  return std::move(*bytes);
}

void fleet_runner::stop_with(std::stop_token token) {
  std::scoped_lock const lock(state_->guard);
  state_->stop = std::move(token);
}

std::size_t fleet_runner::width() const noexcept { return state_->members.size(); }

std::int32_t fleet_runner::respawns() const noexcept {
  std::scoped_lock const lock(state_->guard);
  std::int32_t sum = 0;
  for (auto const& m : state_->members) sum += m.respawns;
  return sum;
}

std::string fleet_runner::description() const {
  std::scoped_lock const lock(state_->guard);
  auto const complaints = state_->complaints();
  return std::to_string(state_->there()) + " of " + std::to_string(state_->members.size()) + " workers" +
         (complaints.empty() ? "" : "; " + complaints);
}

}}  // namespace ttune::v0
