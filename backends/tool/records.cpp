// SPDX-License-Identifier: Apache-2.0
// `ttune records ...`: list, show, export, import, merge, prune.
#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <tuple>

#include "tool.hpp"
#include "ttune/records/autotvm_log.hpp"
#include "ttune/records/json_lines.hpp"
#include "ttune/records/memory_store.hpp"
#include "ttune/records/sqlite.hpp"
#include "ttune/support/error.hpp"

namespace ttune_tool {

int list_records(std::string const& path, bool json) {
  auto const store = open_for_reading(path);
  auto const keys = store->keys();
  if (json) {
    ttune::json_value::array items;
    for (auto const& s : keys) {
      auto item = json_of(s.key);
      auto& members = std::get<ttune::json_value::object>(item.what);
      members.push_back({"records", {s.records}});
      members.push_back({"successes", {s.successes}});
      members.push_back({"best_seconds", s.successes > 0 ? ttune::json_value{s.best_seconds} : ttune::json_value{}});
      members.push_back({"image", {s.has_image}});
      members.push_back({"effort", s.effort ? ttune::json_value{text_of(s.effort)} : ttune::json_value{}});
      items.push_back(std::move(item));
    }
    print_json({std::move(items)});
    return 0;
  }
  std::printf("%-16s  %8s  %7s  %10s  %-5s  %-30s  %s\n", "KEY", "RECORDS", "FAILED", "BEST", "IMAGE", "EFFORT",
              "OPERATOR, TARGET");
  for (auto const& s : keys)
    std::printf("%s  %8" PRId64 "  %7" PRId64 "  %10s  %-5s  %-30s  %s, %s%s\n", id_of(s.key).c_str(), s.records,
                s.records - s.successes, in_units(s.best_seconds).c_str(), s.has_image ? "yes" : "no",
                effort_text(s.effort).c_str(), title_of(s.key).c_str(), s.key.target.c_str(),
                s.key.objective == "cold" ? ", cold" : "");
  std::printf("%zu keys, %" PRId64 " records\n", keys.size(), store->count());
  return 0;
}

int show_records(std::string const& path, std::string const& key, std::int64_t limit, bool json) {
  auto const store = open_for_reading(path);
  auto const summary = find_key(*store, path, key);
  auto const& of = summary.key;
  auto records = store->all(of);
  std::ranges::sort(records, {}, [](ttune::record const& r) {
    auto const timed = r.result.ok() && std::isfinite(r.result.seconds);
    return std::tuple(!timed, timed ? r.result.seconds : 0, r.timestamp);
  });
  if (limit > 0 && records.size() > static_cast<std::size_t>(limit)) records.resize(static_cast<std::size_t>(limit));
  if (json) {
    for (auto const& r : records) std::puts(to_json_line(r).c_str());
    return 0;
  }
  std::printf("%s  %s\n%s\ntarget %s, %s operands\neffort: %s\n\n", id_of(of).c_str(), title_of(of).c_str(),
              of.compute_text.c_str(), of.target.c_str(), of.objective.c_str(), effort_text(summary.effort).c_str());
  for (auto const& r : records) {
    if (r.result.ok())
      std::printf("%10s +- %-6s", in_units(r.result.seconds).c_str(), percent(r.result.spread).c_str());
    else std::printf("%-20s", name_of(r.result.status));
    std::printf("  %s  %s%s%s\n", time_of_day(r.timestamp).c_str(), choices_text(r).c_str(),
                r.result.ok() || r.result.message.empty() ? "" : "\n    ",
                r.result.ok() ? "" : r.result.message.c_str());
  }
  return 0;
}

int export_records(std::string const& path, std::string const& to, bool best) {
  if (best) {
    if (to == "-") throw failure("--best writes a database: name a file with --to");
    auto const summary = ttune::sqlite(path, ttune::record_mode::read_only).export_best(to);
    std::printf("%s: %" PRId64 " keys, %" PRId64 " images\n", to.c_str(), summary.keys, summary.images);
    if (summary.reason.empty()) return 0;
    std::fprintf(stderr, "ttune: images are missing: %s\n", summary.reason.c_str());
    return 1;
  }
  auto const store = open_for_reading(path);
  if (to == "-") {
    write_json_lines(*store, std::cout);
    return 0;
  }
  std::ofstream out(to, std::ios::binary | std::ios::trunc);
  if (!out) throw failure(to + ": cannot be opened for writing");
  try {
    write_json_lines(*store, out);
  } catch (ttune::record_error const& e) {
    throw failure(to + ": " + e.what());
  }
  std::printf("%s: %" PRId64 " records\n", to.c_str(), store->count());
  return 0;
}

int import_records(std::string const& path, std::vector<std::string> const& from, bool autotvm) {
  ttune::memory_store read;
  int status = 0;
  for (auto const& name : from) {
    std::ifstream file;
    if (name != "-") {
      file.open(name, std::ios::binary);
      if (!file) throw failure(name + ": cannot be read");
    }
    auto& in = name == "-" ? std::cin : static_cast<std::istream&>(file);
    auto const summary = autotvm ? read_autotvm_log(in, read) : read_json_lines(in, read);
    std::printf("%s: %" PRId64 " records\n", name.c_str(), summary.records);
    if (summary.skipped == 0) continue;
    std::fprintf(stderr, "ttune: %s: %" PRId64 " lines skipped; %s\n", name.c_str(), summary.skipped,
                 summary.first_fault.c_str());
    status = 1;
  }
  if (read.count() == 0) throw failure("nothing to import: " + path + " stays as it is");
  ttune::sqlite store(path);
  auto const before = store.count();
  store.append_all(read);
  std::printf("%s: %" PRId64 " new records, %" PRId64 " in all\n", path.c_str(), store.count() - before, store.count());
  return status;
}

namespace {

/// Reports the images of a file that may not be used and are left behind. Returns true if there are any.
bool report_refused_images(ttune::record_store const& in) {
  for (auto const& s : in.keys()) {
    if (!s.has_image) continue;
    if (auto const image = in.get_image(s.key); !image) {
      std::fprintf(stderr, "ttune: images stay behind: %s\n", image.reason.c_str());
      return true;
    }
  }
  return false;
}

}  // namespace

int merge_records(std::string const& into, std::vector<std::string> const& from) {
  std::vector<std::unique_ptr<ttune::record_store>> sources;  // all files are opened before anything is written
  for (auto const& name : from) sources.push_back(open_for_reading(name));
  ttune::sqlite store(into);
  bool refused = false;
  for (std::size_t i = 0; i < from.size(); ++i) {
    refused = report_refused_images(*sources[i]) || refused;
    auto const before = store.count();
    store.append_all(*sources[i]);
    std::printf("%s: %" PRId64 " new records of %s\n", into.c_str(), store.count() - before, from[i].c_str());
  }
  return refused ? 1 : 0;
}

int prune_records(std::string const& path, std::int64_t keep, std::string const& key) {
  (void)ttune::sqlite(path, ttune::record_mode::read_only);  // a missing file must not be created
  ttune::sqlite store(path);
  std::optional<ttune::record_key> only;
  if (!key.empty()) only = find_key(store, path, key).key;
  auto const removed = store.prune(keep, only);
  std::printf("%s: %" PRId64 " records removed, %" PRId64 " left\n", path.c_str(), removed, store.count());
  return 0;
}

}  // namespace ttune_tool
