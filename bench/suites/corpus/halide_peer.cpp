// SPDX-License-Identifier: Apache-2.0
// Halide on its apps and on filters like them. Few schedules by hand are the apps' own (github.com/halide/Halide,
// apps/, commit abbf7ff): each function says what its schedule is. Vectors have the lanes of AVX-512.
#include "halide_peer.hpp"

namespace ttune_bench::corpus { namespace {

using Halide::cast;
using Halide::Expr;
using Halide::Func;
using Halide::RDom;
using Halide::Var;
using Halide::BoundaryConditions::repeat_edge;

Var const x("x"), y("y"), c("c"), yo("yo"), yi("yi"), xi("xi"), xo("xo");

constexpr int strip = 32;
constexpr auto whole = Halide::TailStrategy::GuardWithIf;  ///< extents may be smaller than a strip or a vector

/// Makes the result in strips of rows, and the stages before it row by row in each strip.
void in_strips(Func last, std::vector<Func> const& before, int lanes) {
  last.split(y, yo, yi, strip, whole).parallel(yo).vectorize(x, lanes, whole);
  for (auto stage : before) stage.store_at(last, yo).compute_at(last, yi).vectorize(x, lanes);
}

/// Schedule of the app, which makes its input grey in a stage of its own besides.
void harris(program_of<float, float>& p, index h, index w) {
  auto const I = p.operand({h + 4, w + 4});
  Func Iy("Iy"), Ix("Ix"), O("O");
  Iy(x, y) = (I(x, y + 2) - I(x, y)) / 12 + (I(x + 1, y + 2) - I(x + 1, y)) / 6 + (I(x + 2, y + 2) - I(x + 2, y)) / 12;
  Ix(x, y) = (I(x + 2, y) - I(x, y)) / 12 + (I(x + 2, y + 1) - I(x, y + 1)) / 6 + (I(x + 2, y + 2) - I(x, y + 2)) / 12;
  auto const window = [](auto const& f) {
    Expr total = f(0, 0);
    for (int r = 0; r < 3; ++r)
      for (int s = 0; s < 3; ++s)
        if (r + s > 0) total = total + f(r, s);
    return total;
  };
  Func Sxx("Sxx"), Syy("Syy"), Sxy("Sxy");
  Sxx(x, y) = window([&](int r, int s) { return Ix(x + s, y + r) * Ix(x + s, y + r); });
  Syy(x, y) = window([&](int r, int s) { return Iy(x + s, y + r) * Iy(x + s, y + r); });
  Sxy(x, y) = window([&](int r, int s) { return Ix(x + s, y + r) * Iy(x + s, y + r); });
  Expr const trace = Sxx(x, y) + Syy(x, y);
  O(x, y) = Sxx(x, y) * Syy(x, y) - Sxy(x, y) * Sxy(x, y) - 0.04F * trace * trace;
  p.result(O, {h, w});
  p.by_hand = [=]() mutable {
    in_strips(O, {Ix, Iy}, 16);
    Ix.compute_with(Iy, x);
  };
}

/// Own schedule: the app with bilateral filters is another one, on a grid.
void bilateral7(program_of<float, float>& p, index h, index w) {
  auto const I = p.operand({h + 6, w + 6});
  Func total("total"), O("O");
  RDom const r(0, 7, 0, 7);
  Expr const apart = I(x + r.x, y + r.y) - I(x + 3, y + 3);
  Expr const far = cast<float>((r.x - 3) * (r.x - 3) + (r.y - 3) * (r.y - 3)) / -8.0F;
  Expr const weight = Halide::fast_exp(far - 12.5F * apart * apart);
  total(x, y) = Halide::Tuple(0.0F, 0.0F);
  total(x, y) = Halide::Tuple(total(x, y)[0] + weight * I(x + r.x, y + r.y), total(x, y)[1] + weight);
  O(x, y) = total(x, y)[0] / total(x, y)[1];
  p.result(O, {h, w});
  p.by_hand = [=]() mutable {
    O.parallel(y, 8, whole).vectorize(x, 16, whole);
    total.compute_at(O, x).vectorize(x, 16).update().vectorize(x, 16).unroll(r.x);
  };
}

/// The app's strips and ring of rows; the app computes a vector of a row at a time, here it is a row.
void blur(program_of<std::uint16_t, std::uint16_t>& p, index h, index w) {
  auto const I = p.operand({h + 2, w + 2});
  Func B("B"), O("O");
  B(x, y) = (I(x, y) + I(x + 1, y) + I(x + 2, y)) / 3;
  O(x, y) = (B(x, y) + B(x, y + 1) + B(x, y + 2)) / 3;
  p.result(O, {h, w});
  p.by_hand = [=] { in_strips(O, {B}, 32); };
}

/// Schedule of the app; here the colours are unrolled, too.
void unsharp(program_of<float, float>& p, index h, index w) {
  auto const I = p.operand({3, h, w});
  float const k[] = {0.2160F, 0.1907F, 0.1311F, 0.0702F};
  Func grey("grey"), V("V"), B("B"), ratio("ratio"), O("O");
  auto const inside = repeat_edge(I, {{0, static_cast<int>(w)}, {0, static_cast<int>(h)}, {Expr(), Expr()}});
  grey(x, y) = 0.299F * inside(x, y, 0) + 0.587F * inside(x, y, 1) + 0.114F * inside(x, y, 2);
  Expr v = k[0] * grey(x, y);
  for (int i = 1; i < 4; ++i) v = v + k[i] * (grey(x, y - i) + grey(x, y + i));
  V(x, y) = v;
  Expr b = k[0] * V(x, y);
  for (int i = 1; i < 4; ++i) b = b + k[i] * (V(x - i, y) + V(x + i, y));
  B(x, y) = b;
  ratio(x, y) = (2 * grey(x, y) - B(x, y)) / grey(x, y);
  O(x, y, c) = ratio(x, y) * I(x, y, c);
  p.result(O, {3, h, w});
  p.by_hand = [=]() mutable {
    O.reorder(x, c, y).bound(c, 0, 3).unroll(c);
    in_strips(O, {grey, V, ratio}, 16);
  };
}

/// Own schedule: in the app (camera_pipe) this is a stage of a long pipeline.
void hot_pixels(program_of<std::uint16_t, std::uint16_t>& p, index h, index w) {
  auto const I = p.operand({h + 4, w + 4});
  Func O("O");
  O(x, y) = min(I(x + 2, y + 2), max(max(I(x + 2, y), I(x + 2, y + 4)), max(I(x, y + 2), I(x + 4, y + 2))));
  p.result(O, {h, w});
  p.by_hand = [=] { in_strips(O, {}, 32); };
}

/// Own schedule: in the app (local_laplacian) this is a stage of a long pipeline.
void downsample(program_of<float, float>& p, index h, index w) {
  auto const I = p.operand({2 * h, 2 * w});
  Func X("X"), O("O");
  auto const i = repeat_edge(I, {{0, static_cast<int>(2 * w)}, {0, static_cast<int>(2 * h)}});
  X(x, y) = (i(2 * x - 1, y) + 3 * (i(2 * x, y) + i(2 * x + 1, y)) + i(2 * x + 2, y)) / 8;
  O(x, y) = (X(x, 2 * y - 1) + 3 * (X(x, 2 * y) + X(x, 2 * y + 1)) + X(x, 2 * y + 2)) / 8;
  p.result(O, {h, w});
  p.by_hand = [=] { in_strips(O, {X}, 16); };
}

/// Own schedule: in the app (local_laplacian) this is a stage of a long pipeline.
void remap(program_of<float, float>& p, index h, index w) {
  auto const I = p.operand({h, w});
  Func O("O");
  Expr const level = cast<float>(c) / 7;
  Expr const detail = I(x, y) - level;
  O(x, y, c) = detail + level + 0.25F * detail * Halide::fast_exp(-24.5F * detail * detail);
  p.result(O, {8, h, w});
  p.by_hand = [=]() mutable { O.parallel(y, 8, whole).vectorize(x, 16, whole); };
}

/// Own schedule: the app's filter is round, and it computes maxima of 1, 2, 4, … rows.
void max_filter(program_of<float, float>& p, index h, index w) {
  auto const I = p.operand({h + 24, w + 24});
  auto const widest = [](auto const& at) {
    Expr largest = at(0);
    for (int r = 1; r < 25; ++r) largest = max(largest, at(r));
    return largest;
  };
  Func V("V"), O("O");
  V(x, y) = widest([&](int r) { return I(x, y + r); });
  O(x, y) = widest([&](int r) { return V(x + r, y); });
  p.result(O, {h, w});
  p.by_hand = [=] { in_strips(O, {V}, 16); };
}

/// Schedule of the app for 32 vector registers, 4 vectors of filters x 5 columns, without the app's copies of operands
/// into registers (`in`). Other extents than multiples of the tile have plain loops.
void conv_layer(program_of<float, float, float, float>& p, index n, index h, index w, index ci, index co) {
  auto I = p.operand({n, h + 2, w + 2, ci}), W = p.operand({3, 3, ci, co}), b = p.operand({co});
  Var const k("k");
  Func conv("conv"), O("O");
  RDom const r(0, static_cast<int>(ci), 0, 3, 0, 3);
  conv(c, x, y, k) = b(c);
  conv(c, x, y, k) += W(c, r.x, r.y, r.z) * I(r.x, x + r.y, y + r.z, k);
  O(c, x, y, k) = max(0.0F, conv(c, x, y, k));
  p.result(O, {n, h, w, co});
  bool const even = co % 64 == 0 && w % 5 == 0;
  p.by_hand = [=]() mutable {
    if (!even) {
      O.parallel(y);
      return;
    }
    Var const outer("outer"), inner("inner");
    O.split(c, outer, inner, 64).split(x, xo, xi, 5).reorder(inner, xi, xo, y, k, outer);
    O.vectorize(inner, 16).unroll(inner).unroll(xi).parallel(y).parallel(k).parallel(outer);
    conv.compute_at(O, xo).vectorize(c, 16).unroll(c).unroll(x).unroll(y);
    conv.update().reorder(c, x, y, r.x, r.y, r.z, k).vectorize(c, 16).unroll(c).unroll(x).unroll(y).unroll(r.x, 2);
  };
}

/// Own schedule: no app has this filter.
void blur15_u8(program_of<std::uint8_t, std::uint8_t>& p, index h, index w) {
  auto const I = p.operand({h + 14, w + 14});
  int const k[] = {1, 3, 7, 13, 20, 27, 35, 44, 35, 27, 20, 13, 7, 3, 1};
  auto const window = [&](auto const& at) {
    Expr total = cast<std::uint16_t>(128);
    for (int r = 0; r < 15; ++r) total = total + cast<std::uint16_t>(at(r)) * cast<std::uint16_t>(k[r]);
    return cast<std::uint8_t>(total / 256);
  };
  Func V("V"), O("O");
  V(x, y) = window([&](int r) { return I(x, y + r); });
  O(x, y) = window([&](int r) { return V(x + r, y); });
  p.result(O, {h, w});
  p.by_hand = [=] { in_strips(O, {V}, 32); };
}

/// The app's tiles of 16 x 8. The app computes D and V for all places of a tile, and B for one row; here all three are
/// computed for one place after the other.
void nl_means(program_of<float, float>& p, index h, index w) {
  auto const I = p.operand({3, h + 12, w + 12});
  Var const dx("dx"), dy("dy"), tx("tx"), ty("ty");
  Func D("D"), V("V"), B("B"), total("total"), O("O");
  RDom const patch(0, 7), place(0, 7, 0, 7);
  Expr apart = 0.0F;
  for (int i = 0; i < 3; ++i) {
    Expr const d = I(x + 3, y + 3, i) - I(x + dx, y + dy, i);
    apart = apart + d * d;
  }
  D(x, y, dx, dy) = apart;
  V(x, y, dx, dy) = sum(D(x, y + patch, dx, dy));
  B(x, y, dx, dy) = sum(V(x + patch, y, dx, dy));
  Expr const weight = Halide::fast_exp(-0.5F * B(x, y, place.x, place.y));
  total(x, y, c) = 0.0F;
  total(x, y, c) += weight * select(c == 3, 1.0F, I(x + place.x + 3, y + place.y + 3, Halide::min(c, 2)));
  O(x, y, c) = total(x, y, c) / total(x, y, 3);
  p.result(O, {3, h, w});
  p.by_hand = [=]() mutable {
    O.bound(c, 0, 3).reorder(c, x, y).tile(x, y, tx, ty, xi, yi, 16, 8, whole).parallel(ty).vectorize(xi, 16).unroll(c);
    total.compute_at(O, tx).bound_extent(c, 4).vectorize(x, 16).unroll(c);
    total.update().reorder(c, x, y, place.x, place.y).vectorize(x, 16).unroll(c);
    B.compute_at(total, place.x).vectorize(x, 16);
    V.compute_at(total, place.x).vectorize(x, 16);
    D.compute_at(total, place.x).vectorize(x, 16);
  };
}

/// The autoscheduler does not get nl_means: its search takes more than 16 GB of memory for it.
template <bool Automatic>
std::vector<plain_function> functions() {
  std::vector<plain_function> made = {halide_function<Automatic, harris>("harris"),
                                      halide_function<Automatic, bilateral7>("bilateral7"),
                                      halide_function<Automatic, blur>("blur"),
                                      halide_function<Automatic, unsharp>("unsharp"),
                                      halide_function<Automatic, hot_pixels>("hot_pixels"),
                                      halide_function<Automatic, downsample>("downsample"),
                                      halide_function<Automatic, remap>("remap"),
                                      halide_function<Automatic, max_filter>("max_filter"),
                                      halide_function<Automatic, conv_layer>("conv_layer"),
                                      halide_function<Automatic, blur15_u8>("blur15_u8")};
  if constexpr (!Automatic) made.push_back(halide_function<Automatic, nl_means>("nl_means"));
  return made;
}

add_functions const by_hand{"halide", functions<false>()};
add_functions const automatic{"halide-auto", functions<true>()};

}}  // namespace ttune_bench::corpus
