// SPDX-License-Identifier: Apache-2.0
// Common parts of the systems of oneDNN: the engine, plain layouts, primitives of its versions 2 and 3.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>
#if defined(_OPENMP)
#include <omp.h>
#endif

#include "../system.hpp"

namespace ttune_bench {

struct dnnl_session {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
};

/// Returns the one engine for all cases.
inline dnnl_session& the_dnnl_session() {
  static dnnl_session s;
  return s;
}
/// Returns it after setting the number of OpenMP's threads.
inline dnnl_session& the_dnnl_session(options const& chosen) {
#if defined(_OPENMP)
  omp_set_num_threads(chosen.threads);
#else
  (void)chosen;
#endif
  return the_dnnl_session();
}

inline dnnl::memory::dims extents_of(dnnl::memory::desc const& d) {
#if DNNL_VERSION_MAJOR >= 3
  return d.get_dims();
#else
  return d.dims();
#endif
}

inline dnnl::memory::desc plain(dnnl::memory::dims const& extents, dnnl::memory::format_tag order) {
  return {extents, dnnl::memory::data_type::f32, order};
}

/// Describes a primitive by the arguments of its operation.
template <class Primitive, class... Arguments>
typename Primitive::primitive_desc describe(dnnl_session const& s, Arguments const&... arguments) {
#if DNNL_VERSION_MAJOR >= 3
  return {s.engine, arguments...};
#else
  return {typename Primitive::desc(arguments...), s.engine};
#endif
}

/// Describes a primitive with post-operations.
template <class Primitive, class... Arguments>
typename Primitive::primitive_desc describe_with(dnnl::primitive_attr const& attributes, dnnl_session const& s,
                                                 Arguments const&... arguments) {
#if DNNL_VERSION_MAJOR >= 3
  return {s.engine, arguments..., attributes};
#else
  return {typename Primitive::desc(arguments...), attributes, s.engine};
#endif
}

/// Appends a function that is applied to each element of a primitive's result.
inline void append_function(dnnl::post_ops& after, dnnl::algorithm function, float alpha = 0) {
#if DNNL_VERSION_MAJOR >= 3
  after.append_eltwise(function, alpha, 0);
#else
  after.append_eltwise(1, function, alpha, 0);
#endif
}

inline dnnl::memory reordered(dnnl_session& s, dnnl::memory const& from, dnnl::memory::desc const& to) {
  dnnl::memory result(to, s.engine);
  dnnl::reorder(from, result).execute(s.stream, const_cast<dnnl::memory&>(from), result);
  s.stream.wait();
  return result;
}

}  // namespace ttune_bench
