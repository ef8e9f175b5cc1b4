// SPDX-License-Identifier: Apache-2.0
// `ttune explain`: everything that a record file contains about one kernel.
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "tool.hpp"
#include "ttune/runtime/image_io.hpp"
#include "ttune/runtime/shape_images.hpp"
#include "ttune/runtime/tools/sampled_kernel.hpp"

namespace ttune_tool {
namespace {

ttune::json_value known(std::optional<double> value) {
  return value && std::isfinite(*value) ? ttune::json_value{*value} : ttune::json_value{};
}

std::optional<double> predicted_share(key_history const& h, std::optional<prediction> const& p) {
  if (!p || p->seconds <= 0 || h.flops <= 0 || h.peak <= 0) return std::nullopt;
  return h.flops / p->seconds / h.peak;
}

void print_section(char const* title, std::string const& text) {
  std::printf("\n---- %s\n", title);
  if (text.empty()) std::puts("(not in this file: tune once more with this version of ttune, which keeps it)");
  else std::printf("%s%s", text.c_str(), text.back() == '\n' ? "" : "\n");
}

void print_measurements(key_history const& h) {
  std::printf("\n%zu trials:", h.records.size());
  for (std::size_t s = 0; s < h.by_status.size(); ++s)
    if (h.by_status[s] > 0)
      std::printf(" %" PRId64 " %s", h.by_status[s], name_of(static_cast<ttune::trial_status>(s)));
  std::printf("\n");
  if (!h.winner) {
    std::puts("no trial succeeded: there is no winner");
    return;
  }
  auto const& w = *h.winner;
  std::printf("winner      %s, spread %s of %d samples; %s\n", in_units(w.result.seconds).c_str(),
              percent(w.result.spread).c_str(), w.result.samples, time_of_day(w.timestamp).c_str());
  std::printf("            on %s, ttune %s, lowering %u\n", w.device.empty() ? "an unnamed device" : w.device.c_str(),
              w.library_version.c_str(), w.lowering_version);
  std::printf("choices     %s\n", choices_text(w).c_str());
  if (auto const share = h.share_of_peak())
    std::printf("measured    %s of peak (%s of %s GFLOP/s)\n", percent(*share).c_str(),
                number(h.flops / w.result.seconds * 1e-9).c_str(), number(h.peak * 1e-9).c_str());
  else if (h.flops > 0)
    std::printf("measured    %s GFLOP/s; the peak is not in the file: say it with --peak\n",
                number(h.flops / w.result.seconds * 1e-9).c_str());
  else std::puts("measured    share of peak not known: the file does not hold the number of operations");
  auto const p = prediction_of(h);
  if (!p) std::puts("predicted   nothing: the model did not know enough then");
  else if (auto const share = predicted_share(h, p))
    std::printf("predicted   %s of peak (%s; score %s of the best before it)\n", percent(*share).c_str(),
                in_units(p->seconds).c_str(), number(p->score).c_str());
  else std::printf("predicted   score %s of the best before it\n", number(p->score).c_str());
}

/// Says how far the kernel is from its roof, and what takes the time.
void print_judgement(key_history const& h, ttune::judgement const& j) {
  constexpr std::size_t most = 6;
  constexpr double least = 0.005;  // of the time
  if (!j.known()) {
    if (h.winner && h.text)
      std::printf("its roof    not known: %s\n", h.text->work.known()
                                                     ? "that machine is not this one; say it with --roof"
                                                     : "the file does not say what the kernel demands");
    return;
  }
  std::printf("its roof    %s, by %s: it reaches %s\n", in_units(j.floor).c_str(), j.floor_of.c_str(),
              percent(j.share_of_roof()).c_str());
  std::printf("expected    %s\n            %s\n", in_units(j.expected).c_str(), j.sentence().c_str());
  auto const line = [&](double seconds, std::string const& what) {
    if (seconds >= least * j.time())
      std::printf("            %10s  %6s  %s\n", in_units(seconds).c_str(), percent(seconds / j.time()).c_str(),
                  what.c_str());
  };
  for (std::size_t i = 0; i < j.parts.size() && i < most; ++i)
    line(j.parts[i].seconds, j.parts[i].bound + ": " + j.parts[i].what);
  line(j.time() - j.expected, "not explained by the model");
}

ttune::json_value json_of(ttune::judgement const& j) {
  if (!j.known()) return {};
  ttune::json_value::array parts;
  for (auto const& p : j.parts)
    parts.push_back({ttune::json_value::object{
        {"bound", {p.bound}}, {"what", {p.what}}, {"seconds", {p.seconds}}, {"avoidable", {p.avoidable}}}});
  return {ttune::json_value::object{{"floor_seconds", {j.floor}},
                                    {"floor_of", {j.floor_of}},
                                    {"share_of_roof", {j.share_of_roof()}},
                                    {"expected_seconds", {j.expected}},
                                    {"sentence", {j.sentence()}},
                                    {"parts", {std::move(parts)}}}};
}

/// Returns the kernels of a record: one, or those for many shapes.
std::vector<ttune::kernel_image> images_in(std::vector<std::uint8_t> const& bytes) {
  if (!ttune::detail::are_shape_images(bytes)) return {ttune::image_from_bytes(bytes)};
  auto all = ttune::detail::shape_images_from_bytes(bytes);
  std::vector<ttune::kernel_image> made;
  for (auto& one : all.kernels) made.push_back(std::move(one.image));
  return made;
}

/// Returns the loop nest of a kernel with the shares of samples, from a file that an application wrote. Throws
/// `failure` if the file has none of it.
std::string samples_of(ttune::record_store const& store, ttune::record_key const& key, std::string const& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw failure(path + " cannot be read");
  std::string const text{std::istreambuf_iterator<char>(in), {}};
  auto const stored = store.get_image(key);
  if (!stored) throw failure("the kernel that samples are asked for has no image: " + stored.reason);
  std::string made;
  for (auto const& image : images_in(stored.bytes))
    made += ttune::tools::find_samples(text, ttune::tools::hash_of_code(image), image.signature.name);
  if (made.empty()) throw failure(path + " has no samples of this kernel, " + title_of(key));
  return made;
}

}  // namespace

int explain(explain_request const& request) {
  auto const store = open_for_reading(request.path);
  auto const h = history_of(*store, find_key(*store, request.path, request.key).key, request.peak);
  auto const text = h.text.value_or(ttune::kernel_explanation{});
  auto const samples = request.samples.empty() ? std::string() : samples_of(*store, h.key, request.samples);
  auto const judged = known_roofs(request.roofs).judge(h);
  if (request.json) {
    auto item = json_of(h.key);
    auto& members = std::get<ttune::json_value::object>(item.what);
    auto const p = prediction_of(h);
    members.push_back({"trials", {static_cast<std::int64_t>(h.records.size())}});
    members.push_back({"seconds", known(h.winner ? std::optional(h.winner->result.seconds) : std::nullopt)});
    members.push_back({"spread", known(h.winner ? std::optional(h.winner->result.spread) : std::nullopt)});
    members.push_back({"measured_share_of_peak", known(h.share_of_peak())});
    members.push_back({"predicted_score", known(p ? std::optional(p->score) : std::nullopt)});
    members.push_back({"predicted_share_of_peak", known(predicted_share(h, p))});
    members.push_back({"roof", json_of(judged)});
    members.push_back({"schedule", {text.schedule}});
    members.push_back({"loops", {text.loops}});
    members.push_back({"source", {text.source}});
    members.push_back({"samples", samples.empty() ? ttune::json_value{} : ttune::json_value{samples}});
    print_json(item);
    return 0;
  }
  std::printf("%s  %s\n%s\ntarget %s, %s operands\n", id_of(h.key).c_str(), title_of(h.key).c_str(),
              h.key.compute_text.c_str(), h.key.target.c_str(), h.key.objective.c_str());
  print_measurements(h);
  print_judgement(h, judged);
  print_section("schedule, to paste", text.schedule);
  if (samples.empty()) print_section("loop nest", text.loops);
  else print_section("loop nest, with the share of the samples on each line", samples);
  print_section("emitted source", text.source);
  return 0;
}

}  // namespace ttune_tool
