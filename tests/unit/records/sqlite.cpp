// SPDX-License-Identifier: Apache-2.0
// Records in SQLite: storing and finding, modes, merging, shipped files.
#include "ttune/records/sqlite.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <span>
#include <thread>

#include "samples.hpp"
#include "sqlite_file.hpp"
#include "support/require.hpp"
#include "support/temporary_folder.hpp"
#include "ttune/records/memory_store.hpp"
#include "ttune/support/error.hpp"

namespace sqlite_tests {

using namespace ttune;
using ttune_test::check_equal;
using ttune_test::numbered_record;
using ttune_test::sample_key;
using ttune_test::sample_record;

TEST_CASE("sqlite: keeps the laws of stores, and the records when opened again") {
  ttune_test::temporary_folder const folder;
  auto const path = folder / "records.db";
  {
    sqlite store(path);
    CHECK(store.writable());
    CHECK(store.reason().empty());
    ttune_test::check_store(store);
  }
  for (auto const mode :
       {record_mode::read_write, record_mode::read_only, record_mode::must_hit, record_mode::best_effort}) {
    sqlite const store(path, mode);
    CHECK(store.count() == 9);
    check_equal(store.best(sample_key()).value(), sample_record(0.5e-3));
    CHECK(store.get_image(sample_key()).bytes.size() == 100'000);
    CHECK(store.explanation(sample_key()) == ttune_test::sample_explanation());
    CHECK(store.transfer_samples() == std::vector{ttune_test::some_transfer_sample()});
    CHECK(store.reason().empty());
  }
}

TEST_CASE("sqlite: two objects in one process share a file") {
  ttune_test::temporary_folder const folder;
  sqlite a(folder / "records.db"), b(folder / "records.db");
  a.append(sample_record(2));
  b.append(sample_record(1));
  CHECK(a.best(sample_key())->result.seconds == 1);
  CHECK(a.count() == 2);
  auto moved = std::move(a);
  CHECK(moved.count() == 2);
}

TEST_CASE("sqlite: times that are no numbers never are the best") {
  ttune_test::temporary_folder const folder;
  sqlite store(folder / "records.db");
  store.append(sample_record(std::numeric_limits<double>::quiet_NaN()));
  CHECK(!store.best(sample_key()));
  store.append(sample_record(1));
  CHECK(store.best(sample_key())->result.seconds == 1);
  CHECK(std::isnan(store.all(sample_key())[0].result.seconds));
}

TEST_CASE("sqlite: modes that only read neither write nor create") {
  ttune_test::temporary_folder const folder;
  auto const path = folder / "records.db";
  for (auto const mode : {record_mode::read_only, record_mode::must_hit}) {
    CHECK_THROWS_AS(sqlite(path, mode), record_error);
    CHECK(!std::filesystem::exists(path));
  }
  sqlite(path).append(sample_record());
  for (auto const mode : {record_mode::read_only, record_mode::must_hit}) {
    sqlite store(path, mode);
    CHECK(!store.writable());
    CHECK_THROWS_AS(store.append(sample_record(2)), record_error);
    CHECK_THROWS_AS(store.put_image(sample_record(), std::vector<std::uint8_t>(8)), record_error);
    CHECK(store.best(sample_key()));
  }
  CHECK(!sqlite(path, record_mode::read_only).best(sample_key(1)));
  auto unknown = sample_key(1);
  unknown.compute_text = "matmul(A f32 (#, #), B f32 (#, #)) -> C f32 (#, #)\nC(i, j) = sum(k < #) A(i, k) * B(k, j)\n";
  unknown.extents = {9, 4, 4, 7, 9, 7, 4};
  unknown.target = "x86_64 test";
  auto const message = path +
                       ": has no record of matmul(A 9x4, B 4x7) for x86_64 test, and record_mode::must_hit forbids to "
                       "tune: tune it where that is allowed, and ship the file";
  CHECK_THROWS_WITH_AS((void)sqlite(path, record_mode::must_hit).best(unknown), message.c_str(), record_error);
}

TEST_CASE("sqlite: prune keeps the fastest of each key and records with an image") {
  ttune_test::temporary_folder const folder;
  sqlite store(folder / "records.db");
  for (int i = 0; i < 70; ++i) store.append(numbered_record(0, i));
  store.append(ttune_test::failed_record(trial_status::crashed, sample_key(0)));
  store.put_image(numbered_record(0, 69), std::vector<std::uint8_t>(5000, 7));  // the slowest of key 6
  CHECK(store.prune(100) == 0);
  CHECK(store.prune(3, sample_key(0)) == 8);
  CHECK(store.count() == 63);
  CHECK(store.prune(2) == 48);
  CHECK(store.count() == 15);
  for (int k = 0; k < 7; ++k) {
    auto const left = store.all(sample_key(k));
    REQUIRE(left.size() >= 2);
    check_equal(left[0], numbered_record(0, k));
    check_equal(left[1], numbered_record(0, k + 7));
  }
  CHECK(store.get_image(sample_key(6)));
  CHECK(store.prune(0, sample_key(99)) == 0);  // there is no such key
  CHECK(store.count() == 15);
  CHECK_THROWS_AS((void)sqlite(store.path(), record_mode::read_only).prune(1), record_error);
}

TEST_CASE("sqlite: merging keeps the image of the newer lowering, then the faster one, with its explanation") {
  ttune_test::temporary_folder const folder;
  auto newer = sample_record(2);
  newer.lowering_version = 8;
  auto const put = [](record_store& store, record const& r, double flops) {
    store.put_image(r, std::vector<std::uint8_t>(10, 1));
    store.put_explanation(r.key, ttune_test::sample_explanation(flops));
    store.put_transfer_sample(ttune_test::some_transfer_sample(r.result.seconds));
  };
  sqlite slow(folder / "slow.db"), fast(folder / "fast.db"), late(folder / "late.db");
  put(slow, sample_record(2), 1);
  put(fast, sample_record(1), 2);
  put(late, newer, 3);
  for (auto const in_one_go : {true, false}) {
    sqlite all(folder / (in_one_go ? "a.db" : "b.db"));
    auto const merge = [&](sqlite const& from) { in_one_go ? all.append_all(from) : merge_records(from, all); };
    merge(slow);
    merge(fast);
    check_equal(all.get_image(sample_key()).of, sample_record(1));
    CHECK(all.explanation(sample_key())->flops == 2);
    merge(late);
    merge(slow);
    check_equal(all.get_image(sample_key()).of, newer);
    CHECK(all.explanation(sample_key())->flops == 3);
    CHECK(all.transfer_samples() == std::vector{ttune_test::some_transfer_sample(1)});  // the sample of the fastest one
    CHECK(all.count() == 3);
  }
}

TEST_CASE("sqlite: of many records the fastest of a key is found, and its neighbours") {
  ttune_test::temporary_folder const folder;
  auto const path = folder / "records.db";
  std::int64_t const count = ttune_test::long_run() ? 1'000'000 : 20'000;
  std::int64_t const keys = 500;
  {
    memory_store many;
    for (std::int64_t i = 0; i < count; ++i)
      many.append(sample_record(1e-3 + static_cast<double>((i * 7919) % count) * 1e-9, sample_key(i % keys)));
    sqlite(path).append_all(many);
  }
  using clock = std::chrono::steady_clock;
  std::array<double, 5> seconds{};  // the first one waits for the disk, which still writes the file
  for (auto& s : seconds) {
    auto const start = clock::now();
    sqlite const store(path, record_mode::read_only);
    CHECK(store.best(sample_key(17)));
    s = std::chrono::duration<double>(clock::now() - start).count();
  }
  std::ranges::sort(seconds);
  sqlite const store(path, record_mode::read_only);
  auto const best = store.best(sample_key(17)).value();
  auto least = best.result.seconds;
  for (auto const& r : store.all(sample_key(17))) least = std::min(least, r.result.seconds);
  CHECK(best.result.seconds == least);
  CHECK(store.count() == count);
  CHECK(store.near(sample_key(17)).size() == 16);
  MESSAGE(count, " records: opened, and the best of a key read, in ", seconds[2] * 1e3, " ms");
}

TEST_CASE("sqlite: export_best writes the winners and nothing else") {
  ttune_test::temporary_folder const folder;
  auto const path = folder / "records.db", shipped = folder / "shipped.db";
  sqlite store(path);
  for (int i = 0; i < 100; ++i) store.append(numbered_record(0, i));
  store.append(ttune_test::failed_record(trial_status::crashed, sample_key(99)));
  store.put_image(numbered_record(0, 7), std::vector<std::uint8_t>(5000, 7));  // not the fastest record of its key
  auto const summary = store.export_best(shipped);
  CHECK(summary.keys == 7);
  CHECK(summary.images == 1);
  CHECK(summary.reason.empty());
  CHECK(store.export_best(shipped).keys == 7);  // replaces the older file
  CHECK(!std::filesystem::exists(shipped + "-wal"));
  CHECK(!std::filesystem::exists(shipped + ".part"));
  CHECK((std::filesystem::status(shipped).permissions() & std::filesystem::perms::all) ==
        static_cast<std::filesystem::perms>(0444));

  sqlite const out(shipped, record_mode::must_hit);
  CHECK(out.count() == 8);
  for (int k = 0; k < 7; ++k) check_equal(out.best(sample_key(k)).value(), numbered_record(0, k));
  check_equal(out.get_image(sample_key(0)).of, numbered_record(0, 7));
  CHECK_THROWS_AS((void)store.export_best(folder / "absent/x.db"), record_error);
}

TEST_CASE("sqlite: the bytes of an exported file are a store, and new records stay in memory") {
  ttune_test::temporary_folder const folder;
  auto const shipped = folder / "shipped.db";
  {
    sqlite store(folder / "records.db");
    store.put_image(numbered_record(0, 7), std::vector<std::uint8_t>(5000, 7));
    store.export_best(shipped);
  }
  std::ifstream file(shipped, std::ios::binary);
  std::vector<std::uint8_t> const bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  auto const whole = bytes;
  auto store = sqlite::of_bytes(bytes);
  check_equal(store.best(sample_key(0)).value(), numbered_record(0, 7));
  CHECK(store.get_image(sample_key(0)).bytes == std::vector<std::uint8_t>(5000, 7));
  CHECK(store.writable());
  store.append(numbered_record(0, 1));
  check_equal(store.best(sample_key(1)).value(), numbered_record(0, 1));
  CHECK(bytes == whole);
  CHECK_THROWS_AS((void)sqlite::of_bytes({}), record_error);
  CHECK_THROWS_AS((void)sqlite::of_bytes(std::span(bytes).subspan(0, bytes.size() / 2)).count(), record_error);
}

TEST_CASE("sqlite: a shipped file can be read where nothing may be written") {
  TTUNE_SKIP_UNLESS("root", ::geteuid() == 0, "needs root to be somebody else");
  ttune_test::temporary_folder const folder;
  for (auto const* name : {"shipped.db", "log.db"}) {
    auto const path = folder / name;
    if (name == std::string("log.db")) sqlite(path).append(sample_record());  // its journal was removed on closing
    else {
      sqlite store(folder / "source.db");
      store.append(sample_record());
      store.export_best(path);
    }
    ::chmod(folder.path().c_str(), 0555);
    REQUIRE(::seteuid(65534) == 0);
    CHECK_THROWS_AS(sqlite{path}, record_error);
    CHECK(sqlite(path, record_mode::read_only).best(sample_key()));
    {
      sqlite spare(path, record_mode::best_effort);
      CHECK(spare.reason().find("opened for reading") != std::string::npos);
      spare.append(sample_record(1e-9));
      CHECK(spare.best(sample_key())->result.seconds == 1e-9);
      CHECK(spare.count() == 2);
      CHECK(spare.keys().at(0).records == 2);
    }
    REQUIRE(::seteuid(0) == 0);
    ::chmod(folder.path().c_str(), 0700);
  }
}

TEST_CASE("sqlite: append_all takes over another file once") {
  ttune_test::temporary_folder const folder;
  sqlite a(folder / "a.db"), b(folder / "b.db");
  for (int i = 0; i < 50; ++i) (i % 2 ? a : b).append(numbered_record(0, i));
  a.put_image(numbered_record(0, 1), std::vector<std::uint8_t>(10, 1));
  b.append_all(a);
  b.append_all(a);
  CHECK(b.count() == 50);
  CHECK(b.get_image(sample_key(1)));
  a.append_all(a);
  merge_records(b, a);
  CHECK(a.count() == 50);
}

TEST_SUITE("threads") {
  TEST_CASE("sqlite: threads use one object at once") {
    ttune_test::temporary_folder const folder;
    sqlite store(folder / "records.db");
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&store, t] {
        for (int i = 0; i < 40; ++i) {
          store.append(numbered_record(t, i));
          (void)store.best(sample_key(i % 7));
          (void)store.near(sample_key(i % 7));
        }
      });
    for (auto& t : threads) t.join();
    CHECK(store.count() == 160);
  }
}

}  // namespace sqlite_tests
