// SPDX-License-Identifier: Apache-2.0
// A driver with one device of sm_90 whose memory is that of the process, and which can only compute C = A + 1, whatever
// the kernel, for as many floats as the grid has threads. It demands what a driver demands (a context for every call,
// existing streams and events, captures that end), and counts.
//
// The size of a grid selects a fault of a kernel (`fault`). TTUNE_FAKE_OLD_VERSION in the environment, such
// as 9020, is the version of a driver too old to load any kernel; with TTUNE_FAKE_DEVICES=0 there is no
// device.
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <vector>

namespace {

constexpr int ok = 0;
constexpr int invalid_value = 1;
constexpr int out_of_memory = 2;
constexpr int no_context = 201;
constexpr int device_unavailable = 46;
constexpr int invalid_image = 200;
constexpr int most_shared_bytes = 227 << 10;
constexpr unsigned shared_bytes_unasked = 48 << 10;
constexpr int illegal_address = 700;
constexpr int capture_unfinished = 900;

/// The fault of a kernel on a grid with this number of blocks.
enum class fault : unsigned {
  illegal_access = 7,  // nothing works in this process afterwards
  device_lost = 11,    // the same
  never_ends = 13,
  one_element = 17,  // one element is wrong
  race = 19,         // an element is wrong from the third launch on
  damage = 23        // changes an input after it was read
};

struct launch {
  float const* a;
  float* c;
  std::size_t threads;
  fault wrong;
};
using graph = std::vector<launch>;
struct stream {
  bool capturing = false;
  graph captured;
};
struct counters {
  long launches = 0, graph_launches = 0, flushes = 0, copies_in = 0, copies_out = 0, shared_bytes = 0;
};

/// The state of the process.
struct state {
  std::vector<void*> contexts;
  bool retained = false;
  std::map<void*, std::size_t> memory;
  std::set<void*> alive;  // living streams, events, graphs
  double clock = 0;       // milliseconds
  std::map<void*, double> events;
  int lasting = ok;
  counters count;
};
state& one() {
  static state s;
  return s;
}
int context_handle;
int module_handle;
int function_handle;
unsigned shared_bytes_allowed = shared_bytes_unasked;  // for the function
stream default_stream;

int usable() { return one().lasting != ok ? one().lasting : one().contexts.empty() ? no_context : ok; }

int run(launch const& l) {
  if (l.wrong == fault::illegal_access) return one().lasting = illegal_address;
  if (l.wrong == fault::device_lost) return one().lasting = device_unavailable;
  if (l.wrong == fault::never_ends)
    for (;;) pause();
  for (std::size_t i = 0; i < l.threads; ++i) l.c[i] = l.a[i] + 1;
  if (l.wrong == fault::one_element || (l.wrong == fault::race && one().count.launches > 2)) l.c[100] += 1;
  if (l.wrong == fault::damage) const_cast<float*>(l.a)[100] += 1;
  one().clock += 0.5;
  return ok;
}

int number_in_environment(char const* name, int otherwise) {
  char const* const text = std::getenv(name);
  return text ? std::atoi(text) : otherwise;
}
bool too_old() { return std::getenv("TTUNE_FAKE_OLD_VERSION") != nullptr; }

stream* stream_of(void* handle) {
  if (!handle) return &default_stream;
  return one().alive.count(handle) ? static_cast<stream*>(handle) : nullptr;
}

template <class T>
int make(void** made) {
  if (int const code = usable()) return code;
  *made = new T();
  one().alive.insert(*made);
  return ok;
}
template <class T>
int destroy(void* handle) {
  if (one().alive.erase(handle) == 0) return invalid_value;
  delete static_cast<T*>(handle);
  return ok;
}

}  // namespace

extern "C" {

int cuInit(unsigned) { return ok; }
int cuDriverGetVersion(int* v) { return *v = number_in_environment("TTUNE_FAKE_OLD_VERSION", 13000), ok; }
int cuGetErrorName(int code, char const** text) {
  return *text = code == illegal_address      ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                 : code == device_unavailable ? "CUDA_ERROR_DEVICE_UNAVAILABLE"
                 : code == out_of_memory      ? "CUDA_ERROR_OUT_OF_MEMORY"
                                              : "CUDA_ERROR_INVALID_VALUE",
         ok;
}
int cuDeviceGetCount(int* count) { return *count = number_in_environment("TTUNE_FAKE_DEVICES", 1), ok; }
int cuDeviceGet(int* device, int ordinal) { return *device = ordinal, ordinal == 0 ? ok : invalid_value; }
int cuDeviceGetName(char* name, int size, int) {
  std::strncpy(name, "fake", static_cast<std::size_t>(size));
  return ok;
}
int cuDeviceGetAttribute(int* value, int which, int) {
  std::map<int, int> const known{{1, 1024},     {8, 48 << 10}, {10, 32}, {13, 1000000},          {16, 4},
                                 {38, 1 << 20}, {75, 9},       {76, 0},  {97, most_shared_bytes}};
  auto const found = known.find(which);
  return found == known.end() ? invalid_value : (*value = found->second, ok);
}
int cuDevicePrimaryCtxRetain(void** made, int) { return one().retained = true, *made = &context_handle, ok; }
int cuCtxPushCurrent_v2(void* c) {
  if (c != &context_handle || !one().retained) return invalid_value;
  return one().contexts.push_back(c), ok;
}
int cuCtxPopCurrent_v2(void** c) {
  if (one().contexts.empty()) return no_context;
  return *c = one().contexts.back(), one().contexts.pop_back(), ok;
}
int cuModuleLoadData(void** made, void const* image) {
  if (int const code = usable()) return code;
  bool const elf = std::memcmp(image,
                               "\x7f"
                               "ELF",
                               4) == 0;
  bool const ptx = !elf && std::strstr(static_cast<char const*>(image), ".version") != nullptr;
  return *made = &module_handle, (elf || ptx) && !too_old() ? ok : invalid_image;
}
int cuModuleUnload(void*) { return usable(); }
int cuModuleGetFunction(void** made, void*, char const*) { return *made = &function_handle, usable(); }
int cuFuncSetAttribute(void* f, int which, int value) {
  constexpr int most_dynamic_shared_bytes = 8;
  if (int const code = usable()) return code;
  if (f != &function_handle || which != most_dynamic_shared_bytes || value < 0 || value > most_shared_bytes)
    return invalid_value;
  return shared_bytes_allowed = static_cast<unsigned>(value), ok;
}
int cuMemAlloc_v2(unsigned long long* at, std::size_t bytes) {
  if (int const code = usable()) return code;
  if (bytes == 0) return invalid_value;
  if (bytes > std::size_t{4} << 20) return out_of_memory;
  auto* const p = std::malloc(bytes);
  std::memset(p, 0x7f, bytes);
  one().memory[p] = bytes;
  *at = reinterpret_cast<unsigned long long>(p);
  return ok;
}
int cuMemFree_v2(unsigned long long at) {
  auto* const p = reinterpret_cast<void*>(at);
  if (one().memory.erase(p) == 0) return invalid_value;
  std::free(p);
  return usable();
}
int cuMemcpyHtoD_v2(unsigned long long to, void const* from, std::size_t bytes) {
  if (int const code = usable()) return code;
  auto const found = one().memory.find(reinterpret_cast<void*>(to));
  if (found == one().memory.end() || bytes > found->second) return invalid_value;
  std::memcpy(found->first, from, bytes);
  return ++one().count.copies_in, ok;
}
int cuMemcpyDtoH_v2(void* to, unsigned long long from, std::size_t bytes) {
  if (int const code = usable()) return code;
  auto const found = one().memory.find(reinterpret_cast<void*>(from));
  if (found == one().memory.end() || bytes > found->second) return invalid_value;
  std::memcpy(to, found->first, bytes);
  return ++one().count.copies_out, ok;
}
int cuMemsetD8Async(unsigned long long at, unsigned char value, std::size_t bytes, void* on) {
  auto const found = one().memory.find(reinterpret_cast<void*>(at));
  if (found == one().memory.end() || bytes > found->second || !stream_of(on)) return invalid_value;
  std::memset(found->first, value, bytes);
  one().clock += 100;  // makes a timed flush visible
  return ++one().count.flushes, usable();
}
int cuLaunchKernel(void* f, unsigned gx, unsigned gy, unsigned gz, unsigned tx, unsigned ty, unsigned tz,
                   unsigned shared_bytes, void* on, void** arguments, void**) {
  if (int const code = usable()) return code;
  auto* const s = stream_of(on);
  if (f != &function_handle || !s || shared_bytes > std::max(shared_bytes_allowed, shared_bytes_unasked))
    return invalid_value;
  one().count.shared_bytes = static_cast<long>(shared_bytes);
  ++one().count.launches;
  launch const l{*static_cast<float const**>(arguments[0]), *static_cast<float**>(arguments[1]),
                 std::size_t{gx} * gy * gz * tx * ty * tz, fault{gx}};
  if (!s->capturing) return run(l);
  return s->captured.push_back(l), ok;
}
int cuStreamCreate(void** made, unsigned) { return make<stream>(made); }
int cuStreamDestroy_v2(void* s) { return destroy<stream>(s); }
int cuStreamSynchronize(void* s) { return stream_of(s) ? usable() : invalid_value; }
int cuStreamBeginCapture_v2(void* on, int) {
  auto* const s = stream_of(on);
  if (!s || s == &default_stream || s->capturing) return invalid_value;
  return s->capturing = true, usable();
}
int cuStreamEndCapture(void* on, void** made) {
  auto* const s = stream_of(on);
  if (!s || !s->capturing) return invalid_value;
  if (int const code = make<graph>(made)) return code;
  *static_cast<graph*>(*made) = s->captured;
  return s->captured.clear(), s->capturing = false, ok;
}
int cuGraphInstantiateWithFlags(void** made, void* of, unsigned long long) {
  if (one().alive.count(of) == 0) return invalid_value;
  if (int const code = make<graph>(made)) return code;
  *static_cast<graph*>(*made) = *static_cast<graph*>(of);
  return ok;
}
int cuGraphLaunch(void* instance, void* on) {
  if (one().alive.count(instance) == 0 || !stream_of(on)) return invalid_value;
  ++one().count.graph_launches;
  for (auto const& l : *static_cast<graph*>(instance))
    if (int const code = run(l)) return code;
  return usable();
}
int cuGraphExecDestroy(void* g) { return destroy<graph>(g); }
int cuGraphDestroy(void* g) { return destroy<graph>(g); }
int cuEventCreate(void** made, unsigned) { return make<int>(made); }
int cuEventDestroy_v2(void* e) { return destroy<int>(e); }
int cuEventRecord(void* e, void* on) {
  auto* const s = stream_of(on);
  if (one().alive.count(e) == 0 || !s) return invalid_value;
  if (s->capturing) return capture_unfinished;
  return one().events[e] = one().clock, usable();
}
int cuEventSynchronize(void* e) { return one().events.count(e) ? usable() : invalid_value; }
int cuEventElapsedTime(float* milliseconds, void* from, void* to) {
  return *milliseconds = static_cast<float>(one().events.at(to) - one().events.at(from)), usable();
}

/// Reports to the tests: launches, launches of graphs, flushes, copies in and out; then the objects still allocated and
/// alive, and the shared memory that the last launch requested.
void ttune_fake_counts(long* eight) {
  auto const& s = one();
  long const all[] = {s.count.launches,
                      s.count.graph_launches,
                      s.count.flushes,
                      s.count.copies_in,
                      s.count.copies_out,
                      static_cast<long>(s.memory.size()),
                      static_cast<long>(s.alive.size()) + static_cast<long>(s.contexts.size()),
                      s.count.shared_bytes};
  std::memcpy(eight, all, sizeof all);
}

}  // extern "C"
