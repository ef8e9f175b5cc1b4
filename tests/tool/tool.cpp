// SPDX-License-Identifier: Apache-2.0
// Runs the program `ttune` on databases that the library makes. All subcommands are in one file, since their tests
// share the database that `fill` writes.
#include <doctest/doctest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "run_tool.hpp"
#include "support/temporary_folder.hpp"
#include "ttune/records/json.hpp"
#include "ttune/records/json_lines.hpp"
#include "ttune/records/sqlite.hpp"
#include "ttune/records/work_json.hpp"
#include "ttune/runtime/image_io.hpp"
#include "ttune/runtime/machine.hpp"
#include "ttune/runtime/tools/sampled_kernel.hpp"
#include "well_formed.hpp"

using namespace ttune;
using ttune_test::outcome;
using ttune_test::run;

namespace {

record_key key_for(std::string const& name, std::int64_t m) {
  record_key key;
  key.compute = 1000 + static_cast<std::uint64_t>(m) + 77 * name.size();
  key.compute_text = name + "(A f# (#, #), B f# (#, #)) -> C f# (#, #)\nC(i, j) = sum(k < #) A(i, k) * B(k, j)";
  key.extents = {m, 512};
  key.target = "x86_64 Test-<1> x2";
  key.space = 5;
  return key;
}

record trial(record_key const& key, int number, double seconds, trial_status status = trial_status::ok) {
  record r;
  r.key = key;
  r.lowering_version = 2;
  r.choices = {{"tile", number, {number + 1, 8}}};
  r.result = {status, seconds, 0.01, 11, 0.020, 0.030, status == trial_status::ok ? "" : "signal 11 & <more>"};
  r.timestamp = 1'700'000'000'000 + number * 60 + key.extents[0] * 1000;  // one after the other
  if (number > 1) r.predicted = 0.8;
  r.library_version = "0.1.0";
  r.device = "Test processor";
  return r;
}

/// Writes two kernels with an explanation, one without, one without success. Times fall from 2 ms to `best`.
void fill(record_store& store) {
  auto const tune = [&](record_key const& key, double best) {
    for (int i = 0; i < 9; ++i) store.append(trial(key, i, best * (2 - i / 8.0)));
    store.append(trial(key, 9, 0, trial_status::crashed));
  };
  tune(key_for("matmul", 64), 1e-3);
  tune(key_for("conv2d", 128), 4e-3);
  tune(key_for("softmax", 256), 8e-3);
  store.append(trial(key_for("broken", 1), 0, 0, trial_status::compile_failed));
  for (auto const& [key, flops] : {std::pair{key_for("matmul", 64), 2.5e8}, std::pair{key_for("conv2d", 128), 3.6e9}}) {
    store.put_image(*store.best(key), std::vector<std::uint8_t>(100, 1));
    store.put_explanation(key, {"ttune::schedule(op, \"C\")\n    .split(i, 8, i_0, i_1);", "for i < 8",
                                "define void @ttune_main", flops, 1e12});
  }
}

std::string id(record_key const& key) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash_of(key)));
  return text;
}

std::string read(std::string const& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

struct database {
  ttune_test::temporary_folder folder;
  std::string path = folder / "it's records.db";
  database() = default;
};

/// Quotes a path for the shell.
std::string quoted(std::string path) {
  for (std::size_t at = 0; (at = path.find('\'', at)) != std::string::npos; at += 4) path.replace(at, 1, "'\\''");
  return path;
}

}  // namespace

TEST_CASE("ttune: help for all, exit status 2 for a wrong command line") {
  for (auto const& of : std::vector<std::vector<std::string>>{
           {}, {"records"}, {"records", "prune"}, {"report"}, {"explain"}, {"devices"}, {"worker"}}) {
    auto words = of;
    words.push_back("--help");
    auto const help = run(words);
    CHECK(help.status == 0);
    CHECK(help.says("Usage: "));
  }
  CHECK(run({"--version"}).out == "0.1.0\n");
  for (auto const& wrong : std::vector<std::vector<std::string>>{{},
                                                                 {"record"},
                                                                 {"records"},
                                                                 {"records", "list"},
                                                                 {"explain", "x"},
                                                                 {"report", "x"},
                                                                 {"records", "prune", "x", "--keep", "-1"},
                                                                 {"explain", "x", "y", "--peak", "0"}})
    CHECK(run(wrong).status == 2);
}

TEST_CASE("ttune: unreadable files are named, and nothing is created") {
  ttune_test::temporary_folder const folder;
  auto const absent = folder / "absent.db", text = folder / "text.db";
  std::ofstream(text) << "hello, this is no database at all, but long enough to be one of them";
  for (auto const& words : std::vector<std::vector<std::string>>{
           {"records", "list"}, {"records", "export"}, {"records", "prune"}, {"explain"}, {"records", "show"}}) {
    for (auto const& path : {absent, text}) {
      auto line = words;
      line.push_back(path);
      if (words.back() == "explain" || words.back() == "show") line.push_back("abc");
      auto const made = run(line);
      CHECK(made.status == 1);
      CHECK(made.says("ttune: " + path));
      CHECK(!std::filesystem::exists(absent));
    }
  }
}

TEST_CASE("ttune records: list and show, as text and as JSON") {
  database const db;
  {
    sqlite store(db.path);
    fill(store);
  }
  auto const path = quoted(db.path);
  auto const key = key_for("matmul", 64);
  auto const list = run({"records", "list", path});
  CHECK(list.status == 0);
  CHECK(list.says(id(key)));
  CHECK(list.says("matmul 64 x 512"));
  CHECK(list.says("4 keys, 31 records"));

  auto const json = parse_json(run({"records", "list", path, "--json"}).out);
  REQUIRE(json.value);
  auto const& items = std::get<json_value::array>(json.value->what);
  REQUIRE(items.size() == 4);
  CHECK(items[0].find("id")->text() == id(key));
  CHECK(items[0].find("records")->integer(0) == 10);
  CHECK(items[0].find("successes")->integer(0) == 9);
  CHECK(items[0].find("best_seconds")->number(0) == 1e-3);
  CHECK(items[3].find("best_seconds")->as<std::nullptr_t>());

  auto const show = run({"records", "show", path, id(key).substr(0, 10), "--limit", "2"});
  CHECK(show.status == 0);
  CHECK(show.says("1 ms +- 1.0 %"));
  CHECK(show.says("tile = 9 x 8"));
  CHECK(!show.says("tile = 1 x 8"));
  CHECK(run({"records", "show", path, id(key), "--limit", "0"}).says("crashed"));
  auto const unknown = run({"records", "show", path, "zzz"});
  CHECK(unknown.status == 1);
  CHECK(unknown.says("has no key zzz"));
}

TEST_CASE("ttune: a beginning of several keys is refused with the keys") {
  ttune_test::temporary_folder const folder;
  std::vector<std::string> starts;
  {
    sqlite store(folder / "r.db");
    for (int i = 0; i < 17; ++i) {  // at least two of 17 ids begin with the same digit
      store.append(trial(key_for("op", i), 0, 1));
      starts.push_back(id(key_for("op", i)).substr(0, 1));
    }
  }
  std::ranges::sort(starts);
  auto const twice = *std::ranges::adjacent_find(starts);
  auto const made = run({"explain", folder / "r.db", twice});
  CHECK(made.status == 1);
  CHECK(made.says("begins several keys"));
}

TEST_CASE("ttune records: out as JSON lines and in again, a database of the winners, merge, prune") {
  ttune_test::temporary_folder const folder;
  auto const a = folder / "a.db", b = folder / "b.db", lines = folder / "a.jsonl", best = folder / "best.db";
  {
    sqlite store(a);
    fill(store);
  }
  CHECK(run({"records", "export", a, "--to", lines}).status == 0);
  CHECK(run({"records", "export", a}).out == read(lines));
  CHECK(run({"records", "list", lines}).says("4 keys, 31 records"));
  auto const in = run({"records", "import", b, lines});
  CHECK(in.status == 0);
  CHECK(in.says("31 new records, 31 in all"));
  CHECK(run({"records", "import", b, "-", "<" + lines}).says("0 new records, 31 in all"));
  CHECK(run({"records", "export", b}).out == read(lines));

  std::ofstream(lines, std::ios::app) << "no record\n";
  auto const partly = run({"records", "import", b, lines});
  CHECK(partly.status == 1);
  CHECK(partly.says("1 lines skipped; line 32"));
  CHECK(run({"records", "import", folder / "c.db", folder / "absent"}).status == 1);
  CHECK(!std::filesystem::exists(folder / "c.db"));

  auto const shipped = run({"records", "export", a, "--best", "--to", best});
  CHECK(shipped.status == 0);
  CHECK(shipped.says("3 keys, 2 images"));
  CHECK(sqlite(best, record_mode::must_hit).explanation(key_for("matmul", 64)));
  CHECK(run({"records", "export", a, "--best"}).status == 1);

  auto const merged = run({"records", "merge", folder / "all.db", best, lines});
  CHECK(merged.status == 0);
  {
    sqlite const all(folder / "all.db", record_mode::read_only);
    CHECK(all.count() == 31);
    CHECK(all.get_image(key_for("conv2d", 128)));
    CHECK(all.explanation(key_for("conv2d", 128)));
  }
  std::filesystem::permissions(best, std::filesystem::perms(0646));
  auto const refused = run({"records", "merge", folder / "half.db", best});
  std::filesystem::permissions(best, std::filesystem::perms(0444));
  CHECK(refused.status == 1);
  CHECK(refused.says("images stay behind: " + best));
  CHECK(sqlite(folder / "half.db", record_mode::read_only).count() == 3);
  CHECK(run({"records", "merge", folder / "none.db", folder / "absent"}).status == 1);
  CHECK(!std::filesystem::exists(folder / "none.db"));

  CHECK(run({"records", "prune", a, "--keep", "3", "--key", id(key_for("softmax", 256))})
            .says("7 records removed, 24 left"));
  CHECK(run({"records", "prune", a, "--keep", "1"}).says("20 records removed, 4 left"));
  CHECK(sqlite(a).best(key_for("softmax", 256))->result.seconds == 8e-3);
}

TEST_CASE("ttune explain: schedule, loops, source, share of peak") {
  ttune_test::temporary_folder const folder;
  auto const path = folder / "r.db";
  {
    sqlite store(path);
    fill(store);
  }
  auto const text = run({"explain", path, id(key_for("matmul", 64))});
  CHECK(text.status == 0);
  CHECK(text.says(".split(i, 8, i_0, i_1);"));
  CHECK(text.says("for i < 8"));
  CHECK(text.says("define void @ttune_main"));
  CHECK(text.says("9 ok 1 crashed"));
  CHECK(text.says("25.0 % of peak (250 of 1000 GFLOP/s)"));
  CHECK(run({"explain", path, id(key_for("matmul", 64)), "--peak", "500"}).says("50.0 % of peak"));

  auto const json = parse_json(run({"explain", path, id(key_for("matmul", 64)), "--json"}).out);
  REQUIRE(json.value);
  CHECK(json.value->find("measured_share_of_peak")->number(0) == doctest::Approx(0.25));
  // the best before the ninth trial took 1.125 ms; 0.8 of its speed is 1.40625 ms
  CHECK(json.value->find("predicted_share_of_peak")->number(0) == doctest::Approx(2.5e8 / 1.40625e-3 / 1e12));
  CHECK(json.value->find("loops")->text() == "for i < 8");

  auto const bare = run({"explain", path, id(key_for("softmax", 256)), "--peak", "500"});
  CHECK(bare.status == 0);
  CHECK(bare.says("not in this file"));
  CHECK(bare.says("share of peak not known"));
  CHECK(run({"explain", path, id(key_for("broken", 1))}).says("no trial succeeded"));
}

TEST_CASE("ttune explain: the loop nest with samples that an application wrote") {
  ttune_test::temporary_folder const folder;
  auto const path = folder / "r.db", samples = folder / "ttune-1.samples", other = folder / "other";
  auto const key = key_for("matmul", 64);
  kernel_image image;
  image.signature.name = "matmul";
  image.code.resize(64, 0x90);
  image.main_offset = 0;
  {
    sqlite store(path);
    fill(store);
    store.put_image(*store.best(key), to_bytes(image));
  }
  tools::sampled_kernel sampled(image);
  sampled.count(7);
  std::ofstream(samples) << "9 samples\n\n" << sampled.text();
  std::ofstream(other) << "9 samples\n";
  auto const text = run({"explain", path, id(key), "--samples", samples});
  CHECK(text.status == 0);
  CHECK(text.says("with the share of the samples on each line"));
  CHECK(text.says(" matmul: 1 samples\n100.0 %  matmul.main\n"));
  auto const json = parse_json(run({"explain", path, id(key), "--samples", samples, "--json"}).out);
  REQUIRE(json.value);
  CHECK(json.value->find("samples")->text() == sampled.text());
  auto const absent = run({"explain", path, id(key), "--samples", other});
  CHECK(absent.status == 1);
  CHECK(absent.says("has no samples of this kernel"));
  CHECK(run({"explain", path, id(key_for("softmax", 256)), "--samples", samples}).says("has no image"));
  CHECK(run({"explain", path, id(key), "--samples", folder / "absent"}).says("cannot be read"));
}

namespace {

/// Writes the roof of a machine as `ttune devices` does.
void write_roof(std::string const& path, std::string const& target) {
  machine_roof const roof{target, 2, 1e-9, 1e-8, 1e-9, 2e-9, 4e-9, {1e10, 1e10, 1e10}, {2e10, 2e10, 1e10}, 1e-6};
  std::string text;
  write_json(text, json_value{json_value::object{{"roof", json_of(roof)}}});
  std::ofstream(path) << text;
}

/// Adds what the kernels demand: matmul spends half of its time with stores, conv2d reads 16 MB of memory.
void add_work(record_store& store) {
  auto const add = [&](record_key const& key, kernel_work const& work) {
    auto text = store.explanation(key).value();
    text.work = work;
    store.put_explanation(key, text);
  };
  work_phase stores{"C.i", 2, 1, {}};
  stores.demands.push_back({resource::arithmetic, demand_cause::work, "C", "", "", 1e5, 0, 0});
  stores.demands.push_back({resource::store, demand_cause::strided, "C", "C", "C.<j>", 2.5e5, 64, 0});
  add(key_for("matmul", 64), {2, 0, 0, 0, resource::load, {stores}});
  work_phase stream{"Y.i", 2, 1, {}};
  stream.demands.push_back({resource::memory, demand_cause::work, "Y", "X", "", 8e6, 0, 0});
  add(key_for("conv2d", 128), {2, 0, 16e6, 0, resource::memory, {stream}});
}

}  // namespace

TEST_CASE("ttune explain: a kernel under its roof") {
  ttune_test::temporary_folder const folder;
  auto const path = folder / "r.db", roof = folder / "roof.json";
  {
    sqlite store(path);
    fill(store);
    add_work(store);
  }
  write_roof(roof, "x86_64 Test-<1>");
  auto const text = run({"explain", path, id(key_for("matmul", 64)), "--roof", roof});
  CHECK(text.status == 0);
  CHECK(text.says("its roof    100 us, by arithmetic: it reaches 10.0 %"));
  CHECK(text.says("store-bound: 50 % of the time is the transposed store of C along C.<j>"));
  auto const json = parse_json(run({"explain", path, id(key_for("matmul", 64)), "--roof", roof, "--json"}).out);
  REQUIRE(json.value);
  auto const* const judged = json.value->find("roof");
  REQUIRE(judged);
  CHECK(judged->find("share_of_roof")->number(0) == doctest::Approx(0.1));
  CHECK(judged->find("floor_of")->text() == "arithmetic");
  CHECK(run({"explain", path, id(key_for("conv2d", 128)), "--roof", roof}).says("by memory: it reaches 40.0 %"));
  CHECK(run({"explain", path, id(key_for("matmul", 64))}).says("its roof    not known: that machine is not this one"));

  write_roof(roof, "x86_64 Test-<1> and more");
  CHECK(run({"explain", path, id(key_for("matmul", 64)), "--roof", roof}).says("its roof    not known"));
  std::ofstream(roof) << "{}";
  auto const refused = run({"explain", path, id(key_for("matmul", 64)), "--roof", roof});
  CHECK(refused.status == 1);
  CHECK(refused.says("roof.json: holds no roof"));
}

TEST_CASE("ttune report: operators that move memory are judged by bandwidth") {
  ttune_test::temporary_folder const folder;
  auto const path = folder / "r.db", html = folder / "report.html", roof = folder / "roof.json";
  {
    sqlite store(path);
    fill(store);
    add_work(store);
  }
  write_roof(roof, "x86_64 Test-<1>");
  REQUIRE(run({"report", path, "--html", html, "--roof", roof}).status == 0);
  auto const page = read(html);
  CHECK(ttune_test::fault_of_page(page) == "");
  CHECK(page.find("along C.&lt;j&gt;</td>") != std::string::npos);
  CHECK(page.find("memory-bound: ") != std::string::npos);
  // By arithmetic conv2d could gain 0.4 ms and matmul 0.75 ms; by their roofs 2.4 ms and 0.9 ms.
  CHECK(page.find("<td class=\"n\">2.4 ms</td>") != std::string::npos);
  CHECK(page.find("<td class=\"n\">900 us</td>") != std::string::npos);
}

TEST_CASE("ttune devices: the roof that it measures can be given") {
  ttune_test::temporary_folder const folder;
  auto const roof = folder / "roof.json", path = folder / "r.db";
  CHECK(run({"devices", "--measure", "--json", ">" + roof}).status == 0);
  if (!probe_host().has_fma) return;
  {
    sqlite store(path);
    fill(store);
    add_work(store);
  }
  CHECK(run({"explain", path, id(key_for("matmul", 64)), "--roof", roof}).status == 0);
  auto const parsed = parse_json(read(roof));
  REQUIRE(parsed.value);
  CHECK(read_roof(parsed.value->find("roof")).target == probe_host().name);
  CHECK(run({"devices", "--measure"}).says("start of threads"));
}

TEST_CASE("ttune explain: the winner is the configuration of the image, also if it may not be run") {
  ttune_test::temporary_folder const folder;
  auto const path = folder / "r.db";
  auto const key = key_for("matmul", 64);
  {
    sqlite store(path);
    fill(store);
    store.put_image(trial(key, 3, 1.625e-3), std::vector<std::uint8_t>(100, 1));
  }
  CHECK(run({"explain", path, id(key)}).says("winner      1.625 ms"));
  std::filesystem::permissions(path, std::filesystem::perms(0646));
  CHECK(run({"explain", path, id(key)}).says("winner      1.625 ms"));
}

TEST_CASE("ttune records, ttune report: the effort of each key") {
  ttune_test::temporary_folder const folder;
  auto const path = folder / "records.db", html = folder / "report.html";
  auto of = trial(key_for("matmul", 64), 1, 1e-3);
  of.effort = {300, 20, recorded_effort::ending::at_limit, {effort_level::patient, 340, 86'400, 0}};
  sqlite(path).append(of);
  sqlite(path).append(trial(key_for("conv2d", 128), 1, 1e-3));
  CHECK(run({"records", "list", path}).says("300 trials in 20 s, patient"));
  CHECK(run({"records", "list", path, "--json"}).says(R"("effort":"300 trials in 20 s, patient")"));
  CHECK(run({"records", "list", path, "--json"}).says(R"("effort":null)"));
  CHECK(run({"records", "show", path, id(of.key)}).says("effort: 300 trials in 20 s, patient"));
  REQUIRE(run({"report", path, "--html", html}).status == 0);
  CHECK(read(html).find("300 trials in 20 s, patient") != std::string::npos);
}

TEST_CASE("ttune report: one well-formed page without anything from outside") {
  ttune_test::temporary_folder const folder;
  auto const path = folder / "r<&>.db", html = folder / "report.html";
  {
    sqlite store(path);
    fill(store);
  }
  REQUIRE(run({"report", path, "--html", html}).status == 0);
  auto const page = read(html);
  CHECK(ttune_test::fault_of_page(page) == "");
  for (auto const* const text : {"r&lt;&amp;&gt;.db</code>: ", "Test-&lt;1&gt;", "25.0 %", "90.0 %", "is not known",
                                 "crashed", "compile_failed", "4 keys, 31 trials"})
    CHECK_MESSAGE(page.find(text) != std::string::npos, std::string(text));
  // one call of matmul could gain 0.75 ms, one of conv2d 0.4 ms
  auto const order = [&](std::string const& of) {
    auto const ranks = of.substr(of.find("What to tune next"), of.find("Share of peak") - of.find("What to tune next"));
    return ranks.find("matmul") < ranks.find("conv2d");
  };
  CHECK(order(page));
  REQUIRE(run({"report", path, "--html", html, "--calls", id(key_for("conv2d", 128)) + "=1000", "--calls",
               id(key_for("matmul", 64)) + "=10"})
              .status == 0);
  CHECK(!order(read(html)));
  CHECK(ttune_test::fault_of_page(read(html)) == "");
  // 9 trials of 60 ms after the first: 20 compiling, 30 measuring, 10 between
  CHECK(page.find("<td class=\"n\">200 ms</td><td class=\"n\">300 ms</td><td class=\"n\">90 ms</td>") !=
        std::string::npos);

  {
    sqlite store(folder / "turns.db");  // two kernels tuned in turns: the time between two trials counts once
    for (int i = 0; i < 10; ++i)
      for (int turn = 0; turn < 2; ++turn) {
        auto r = trial(key_for(turn == 0 ? "matmul" : "softmax", 64), i, 1e-3);
        r.timestamp += i * 60 + turn * 60;
        store.append(r);
      }
  }
  REQUIRE(run({"report", folder / "turns.db", "--html", html}).status == 0);
  CHECK(read(html).find("<td class=\"n\">200 ms</td><td class=\"n\">300 ms</td><td class=\"n\">90 ms</td>") !=
        std::string::npos);
  CHECK(read(html).find("<td class=\"n\">200 ms</td><td class=\"n\">300 ms</td><td class=\"n\">100 ms</td>") !=
        std::string::npos);
  CHECK(read(html).find("No kernel can be ranked") != std::string::npos);
  CHECK(read(html).find("<th class=\"n\">rank</th>") == std::string::npos);
  CHECK(ttune_test::fault_of_page(read(html)) == "");

  for (auto const* const wrong : {"abc", "zzz=3", "=3", "0=x"}) {
    auto const made = run({"report", path, "--html", html, "--calls", wrong});
    CHECK(made.status == 1);
    CHECK(made.says("ttune: "));
  }
  auto const nowhere = run({"report", path, "--html", folder / "absent/report.html"});
  CHECK(nowhere.status == 1);
  CHECK(nowhere.says("absent/report.html: cannot be written"));

  sqlite(folder / "empty.db").append(trial(key_for("broken", 1), 0, 0, trial_status::timed_out));
  REQUIRE(run({"report", folder / "empty.db", "--html", html}).status == 0);
  CHECK(ttune_test::fault_of_page(read(html)) == "");
  {
    sqlite const made(folder / "none.db");
  }
  REQUIRE(run({"report", folder / "none.db", "--html", html}).status == 0);
  CHECK(read(html).find("holds no records") != std::string::npos);
}

TEST_CASE("ttune: the checker of pages finds what is wrong") {
  auto const fault = [](std::string const& body) { return ttune_test::fault_of_page("<!DOCTYPE html>" + body); };
  CHECK(fault("<p class=\"a\">x &lt; y<br/></p>").empty());
  for (auto const* const wrong : {"<p>", "<p></b>", "<p>a & b</p>", "<p class=a></p>", "<script>x</script>",
                                  "<p><a href=\"http://x\"></a></p>", "<img src=\"x\"/>", "<p> < </p>"})
    CHECK_MESSAGE(!fault(wrong).empty(), std::string(wrong));
}

TEST_CASE("ttune devices: devices, or the reason why there are none") {
  auto const text = run({"devices"});
  CHECK(text.status == 0);
  for (auto const* const part : {"orc", "cuda", "opencl", "xgboost", "sqlite   found", "worker"})
    CHECK(text.says(part));
  auto const json = parse_json(run({"devices", "--json"}).out);
  REQUIRE(json.value);
  for (auto const& p : std::get<json_value::array>(json.value->find("parts")->what))
    CHECK(!p.find(*p.find("found")->as<bool>() ? "version" : "reason")->text().empty());
  CHECK(json.value->find("machine")->find("usable_cpus")->integer(0) >= 1);
}

TEST_CASE("ttune worker: speaks the protocol of ttune-worker and ends with its input") {
  auto const made = run({"worker", "</dev/null"});
  CHECK(made.status == 0);
}
