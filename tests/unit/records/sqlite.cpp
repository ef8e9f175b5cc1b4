// SPDX-License-Identifier: Apache-2.0
// Records in SQLite: modes, files that are refused, processes that share a file or are killed.
#include "ttune/records/sqlite.hpp"

#include <doctest/doctest.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "samples.hpp"
#include "support/child.hpp"
#include "support/main.hpp"
#include "support/require.hpp"
#include "support/seed.hpp"
#include "support/temporary_folder.hpp"
#include "ttune/records/memory_store.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/hash.hpp"

using namespace ttune;
using ttune_test::check_equal;
using ttune_test::sample_key;
using ttune_test::sample_record;

namespace {

record written(int writer, int number) { return sample_record(1 + writer * 100'000 + number, sample_key(number % 7)); }

/// PROGRAM --sqlite-writer FILE WRITER COUNT: says the number of each record that append has returned for.
ttune_test::at_start const writer{[](int argc, char** argv) {
  if (argc != 5 || std::string(argv[1]) != "--sqlite-writer") return -1;
  try {
    sqlite store(argv[2]);
    for (std::int32_t i = 0; i < std::stoi(argv[4]); ++i) {
      if (i % 10 == 3) store.put_image(written(std::stoi(argv[3]), i), std::vector<std::uint8_t>(5000, 1));
      else store.append(written(std::stoi(argv[3]), i));
      if (::write(STDOUT_FILENO, &i, sizeof i) != sizeof i) return 3;
    }
  } catch (std::exception const& e) {
    std::fprintf(stderr, "writer: %s\n", e.what());
    return 2;
  }
  return 0;
}};

/// PROGRAM --sqlite-limited FILE: as on a disk that becomes full.
ttune_test::at_start const limited{[](int argc, char** argv) {
  if (argc != 3 || std::string(argv[1]) != "--sqlite-limited") return -1;
  sqlite strict(argv[2]), willing(argv[2], record_mode::best_effort);
  strict.append(sample_record(1));
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit const little{4096, 4096};
  ::setrlimit(RLIMIT_FSIZE, &little);
  auto huge = sample_record(2);
  huge.result.message.assign(1'000'000, 'x');
  bool thrown = false;
  try {
    strict.append(huge);
  } catch (record_error const& e) {
    thrown = std::string(e.what()).find(argv[2]) != std::string::npos;
  }
  willing.append(huge);
  return thrown && strict.count() == 1 && !willing.reason().empty() && willing.count() == 2 ? 0 : 1;
}};

/// The last number that a writer has said, or -1.
std::int32_t last_said(std::string const& output) {
  std::int32_t last = -1;
  if (auto const whole = output.size() / sizeof last; whole > 0)
    std::memcpy(&last, output.data() + (whole - 1) * sizeof last, sizeof last);
  return last;
}

void execute(std::string const& path, char const* sql) {
  sqlite3* connection = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &connection) == SQLITE_OK);
  CHECK(sqlite3_exec(connection, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(connection);
}

std::string integrity(std::string const& path) {
  sqlite3* connection = nullptr;
  sqlite3_stmt* statement = nullptr;
  sqlite3_open(path.c_str(), &connection);
  sqlite3_prepare_v2(connection, "pragma integrity_check", -1, &statement, nullptr);
  std::string result = "no answer";
  if (sqlite3_step(statement) == SQLITE_ROW) result = reinterpret_cast<char const*>(sqlite3_column_text(statement, 0));
  sqlite3_finalize(statement);
  sqlite3_close(connection);
  return result;
}

/// The message with which a file is refused, in all modes that throw; best_effort goes on with the same reason.
std::string refusal(std::string const& path) {
  sqlite spare(path, record_mode::best_effort);
  auto const reason = spare.reason();
  CHECK(!reason.empty());
  spare.append(sample_record());
  CHECK(spare.best(sample_key()));
  CHECK(spare.count() == 1);
  CHECK_THROWS_AS(sqlite(path, record_mode::read_only), record_error);
  std::string message;
  try {
    sqlite store(path);
  } catch (record_error const& e) {
    message = e.what();
  }
  CHECK(reason.starts_with(message));
  CHECK(message.starts_with(path));
  return message;
}

}  // namespace

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
    CHECK(store.lessons() == std::vector{ttune_test::sample_lesson()});
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

TEST_CASE("sqlite: a file that is none of ours is refused and left alone") {
  ttune_test::temporary_folder const folder;
  auto const text = folder / "notes.txt";
  std::ofstream(text) << std::string(5000, 'x');
  CHECK(refusal(text).find("no ttune database") != std::string::npos);
  CHECK(std::filesystem::file_size(text) == 5000);

  auto const foreign = folder / "foreign.db";
  execute(foreign, "create table bookmarks(url text)");
  auto const size = std::filesystem::file_size(foreign);
  CHECK(refusal(foreign).find("another program") != std::string::npos);
  CHECK(std::filesystem::file_size(foreign) == size);

  CHECK(refusal(folder.path()).size() > folder.path().size());
  CHECK(refusal(folder / "absent/records.db").find("No such file") != std::string::npos);
}

TEST_CASE("sqlite: a file of a newer ttune is refused with both numbers") {
  ttune_test::temporary_folder const folder;
  auto const path = folder / "records.db";
  sqlite(path).append(sample_record());
  execute(path, "pragma user_version = 99");
  CHECK(refusal(path).find("newer ttune (schema 99, this one knows up to 4)") != std::string::npos);
}

TEST_CASE("sqlite: a file of the first schema is read as it is, and brought up to date when it may be written") {
  ttune_test::temporary_folder const folder;
  auto const path = folder / "records.db";
  execute(path, R"(
    create table keys(id integer primary key, hash integer not null, text_hash integer not null,
      compute integer not null, text text not null, extents text not null, target text not null,
      space integer not null, objective text not null);
    create index keys_by_hash on keys(hash);
    create index keys_by_text on keys(text_hash);
    create table records(id integer primary key, key integer not null references keys, hash integer not null,
      lowering integer not null, choices text not null, status integer not null, seconds real, spread real,
      samples integer not null, compile_seconds real, measure_seconds real, message text not null,
      timestamp integer not null, predicted real, version text not null, device text not null);
    create unique index records_once on records(key, hash);
    create index records_by_speed on records(key, status, seconds);
    create table images(key integer primary key references keys, record integer not null references records,
      checksum integer not null, bytes blob not null);
    insert into records values(1, 1, 4711, 7, '[["tile", 1, [8, 4]]]', 0, 0.25, 0.01, 9, 0.5, 0.75, '', 5, null,
      '0.0.9', 'old machine');
    pragma application_id = 1953789294;
    pragma user_version = 1;)");
  auto const key = sample_key();
  auto const number = [](std::uint64_t hash) { return std::to_string(static_cast<std::int64_t>(hash)); };
  execute(path, ("insert into keys values(1, " + number(hash_of(key)) + ", " +
                 number(hasher{}.add(key.compute_text).value()) + ", " + number(key.compute) + ", '" +
                 key.compute_text + "', '[512,1024,256]', '" + key.target + "', " + number(key.space) + ", 'warm')")
                    .c_str());
  auto const check_contents = [&](sqlite const& store) {
    REQUIRE(store.count() == 1);
    auto const r = store.best(key).value();
    CHECK(r.result.seconds == 0.25);
    CHECK(r.choices == std::vector<knob_choice>{{"tile", 1, {8, 4}}});
    CHECK(r.library_version == "0.0.9");
    CHECK(r.key.extents == key.extents);
  };
  {
    sqlite const old(path, record_mode::read_only);
    check_contents(old);
    CHECK(!old.explanation(key));
    CHECK(old.lessons().empty());
    sqlite copy(folder / "copy.db");
    copy.append_all(old);
    check_contents(copy);
  }
  sqlite store(path);
  check_contents(store);
  CHECK(!store.explanation(key));
  store.put_explanation(key, ttune_test::sample_explanation());
  store.put_lesson(ttune_test::sample_lesson());
  store.append(sample_record());
  sqlite const reopened(path, record_mode::read_only);
  CHECK(reopened.explanation(key) == ttune_test::sample_explanation());
  CHECK(reopened.lessons() == std::vector{ttune_test::sample_lesson()});
  CHECK(reopened.count() == 2);
  CHECK(integrity(path) == "ok");
  execute(path, "alter table lessons drop column speeds; pragma user_version = 3;");
  auto without = ttune_test::sample_lesson();
  without.speeds.clear();
  CHECK(sqlite(path, record_mode::read_only).lessons() == std::vector{without});
  CHECK(sqlite(path).lessons() == std::vector{without});
}

TEST_CASE("sqlite: prune leaves the fastest of each key and what has an image") {
  ttune_test::temporary_folder const folder;
  sqlite store(folder / "records.db");
  for (int i = 0; i < 70; ++i) store.append(written(0, i));
  store.append(ttune_test::failed_record(trial_status::crashed, sample_key(0)));
  store.put_image(written(0, 69), std::vector<std::uint8_t>(5000, 7));  // the slowest of key 6
  CHECK(store.prune(100) == 0);
  CHECK(store.prune(3, sample_key(0)) == 8);
  CHECK(store.count() == 63);
  CHECK(store.prune(2) == 48);
  CHECK(store.count() == 15);
  for (int k = 0; k < 7; ++k) {
    auto const left = store.all(sample_key(k));
    REQUIRE(left.size() >= 2);
    check_equal(left[0], written(0, k));
    check_equal(left[1], written(0, k + 7));
  }
  CHECK(store.get_image(sample_key(6)));
  CHECK(store.prune(0, sample_key(99)) == 0);  // a key that is not there
  CHECK(store.count() == 15);
  CHECK_THROWS_AS((void)sqlite(store.path(), record_mode::read_only).prune(1), record_error);
}

TEST_CASE("sqlite: merging keeps the newer lowering's image, then the faster one, with what explains it") {
  ttune_test::temporary_folder const folder;
  auto newer = sample_record(2);
  newer.lowering_version = 8;
  auto const put = [](record_store& store, record const& r, double flops) {
    store.put_image(r, std::vector<std::uint8_t>(10, 1));
    store.put_explanation(r.key, ttune_test::sample_explanation(flops));
    store.put_lesson(ttune_test::sample_lesson(r.result.seconds));
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
    CHECK(all.lessons() == std::vector{ttune_test::sample_lesson(1)});  // of the fastest
    CHECK(all.count() == 3);
  }
}

TEST_CASE("sqlite: a million records cost opening a file no time") {
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
  std::array<double, 5> seconds{};  // the first waits for the disk, which still writes the file
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

TEST_CASE("sqlite: an empty file is taken for a new one") {
  ttune_test::temporary_folder const folder;
  auto const path = folder / "records.db";
  std::ofstream{path};
  CHECK_THROWS_AS(sqlite(path, record_mode::read_only), record_error);
  sqlite store(path);
  store.append(sample_record());
  CHECK(store.count() == 1);
}

TEST_CASE("sqlite: a truncated file is an error that says so, wherever it was cut") {
  ttune_test::temporary_folder const folder;
  auto const whole = folder / "whole.db";
  {
    sqlite store(whole);
    for (int i = 0; i < 500; ++i) store.append(written(0, i));
  }
  auto const size = std::filesystem::file_size(whole);
  for (auto const left : {size - 4096, size - 4100, size / 2, std::uintmax_t{5000}, std::uintmax_t{50}}) {
    INFO(left);
    auto const path = folder / ("cut" + std::to_string(left) + ".db");
    std::filesystem::copy_file(whole, path);
    std::filesystem::resize_file(path, left);
    CHECK_THROWS_AS(([&] {
                      sqlite store(path);
                      store.for_each([](record const&) { return true; });
                    }()),
                    record_error);
    sqlite spare(path, record_mode::best_effort);
    spare.for_each([](record const&) { return true; });
    CHECK(!spare.reason().empty());
  }
}

TEST_CASE("sqlite: damaged pages are an error, never a crash") {
  ttune_test::temporary_folder const folder;
  auto const whole = folder / "whole.db";
  {
    sqlite store(whole);
    for (int i = 0; i < 200; ++i) store.append(written(0, i));
    store.put_image(written(0, 0), std::vector<std::uint8_t>(30'000, 7));
  }
  std::mt19937 random(static_cast<unsigned>(ttune_test::seed()));
  auto const path = folder / "damaged.db";
  auto const size = std::filesystem::file_size(whole);
  for (int round = 0; round < 40; ++round) {
    std::filesystem::copy_file(whole, path, std::filesystem::copy_options::overwrite_existing);
    {
      std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
      for (int i = 0; i < 30; ++i) {
        file.seekp(static_cast<std::streamoff>(random() % size));
        file.put(static_cast<char>(random()));
      }
    }
    try {
      sqlite store(path, record_mode::read_only);
      (void)store.best(sample_key(1));
      (void)store.near(sample_key(1));
      (void)store.get_image(sample_key(0));
      (void)store.keys();
      store.for_each([](record const&) { return true; });
    } catch (record_error const& e) {
      CHECK(std::string(e.what()).starts_with(path));
    }
    sqlite spare(path, record_mode::best_effort);
    spare.append(sample_record(1));
    (void)spare.best(sample_key());
  }
}

TEST_CASE("sqlite: an image that changed on the disk is not given out") {
  ttune_test::temporary_folder const folder;
  auto const path = folder / "records.db";
  sqlite store(path);
  store.put_image(sample_record(), std::vector<std::uint8_t>(5000, 7));
  CHECK(store.get_image(sample_key()));
  execute(path, "update images set bytes = cast(zeroblob(5000) as blob)");
  auto const image = store.get_image(sample_key());
  CHECK(!image);
  CHECK(image.reason.find("checksum") != std::string::npos);
  CHECK(store.best(sample_key()));  // the record still holds
}

TEST_CASE("sqlite: images are refused while others may write to the file or its folder") {
  ttune_test::temporary_folder const folder;
  auto const path = folder / "records.db";
  auto const before = ::umask(002);  // even then the file is its owner's
  sqlite store(path);
  ::umask(before);
  store.put_image(sample_record(), std::vector<std::uint8_t>(5000, 7));
  CHECK(store.get_image(sample_key()));
  ::chmod(path.c_str(), 0664);
  CHECK(!store.get_image(sample_key()));
  CHECK(store.get_image(sample_key()).reason.find("chmod go-w " + path) != std::string::npos);
  check_equal(store.get_image(sample_key()).of, sample_record());  // what it was made for is no secret
  ::chmod(path.c_str(), 0644);
  ::chmod((path + "-wal").c_str(), 0666);
  CHECK(store.get_image(sample_key()).reason.find("-wal") != std::string::npos);
  ::chmod((path + "-wal").c_str(), 0644);
  ::chmod(folder.path().c_str(), 0777);
  CHECK(!store.get_image(sample_key()));
  CHECK(store.best(sample_key()));
  ::chmod(folder.path().c_str(), 0700);
  CHECK(store.get_image(sample_key()));
}

TEST_CASE("sqlite: export_best ships the winners and nothing else") {
  ttune_test::temporary_folder const folder;
  auto const path = folder / "records.db", shipped = folder / "shipped.db";
  sqlite store(path);
  for (int i = 0; i < 100; ++i) store.append(written(0, i));
  store.append(ttune_test::failed_record(trial_status::crashed, sample_key(99)));
  store.put_image(written(0, 7), std::vector<std::uint8_t>(5000, 7));  // not the fastest of its key
  auto const summary = store.export_best(shipped);
  CHECK(summary.keys == 7);
  CHECK(summary.images == 1);
  CHECK(summary.reason.empty());
  CHECK(store.export_best(shipped).keys == 7);  // over the old one
  CHECK(!std::filesystem::exists(shipped + "-wal"));
  CHECK(!std::filesystem::exists(shipped + ".part"));
  CHECK((std::filesystem::status(shipped).permissions() & std::filesystem::perms::all) ==
        static_cast<std::filesystem::perms>(0444));

  sqlite const out(shipped, record_mode::must_hit);
  CHECK(out.count() == 8);
  for (int k = 0; k < 7; ++k) check_equal(out.best(sample_key(k)).value(), written(0, k));
  check_equal(out.get_image(sample_key(0)).of, written(0, 7));
  CHECK_THROWS_AS((void)store.export_best(folder / "absent/x.db"), record_error);
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
  for (int i = 0; i < 50; ++i) (i % 2 ? a : b).append(written(0, i));
  a.put_image(written(0, 1), std::vector<std::uint8_t>(10, 1));
  b.append_all(a);
  b.append_all(a);
  CHECK(b.count() == 50);
  CHECK(b.get_image(sample_key(1)));
  a.append_all(a);
  merge_records(b, a);
  CHECK(a.count() == 50);
}

TEST_CASE("sqlite: a full disk throws, or best_effort goes on in memory") {
  ttune_test::temporary_folder const folder;
  ttune_test::child child({"--sqlite-limited", folder / "records.db"});
  CHECK(child.wait() == 0);
}

TEST_CASE("sqlite: processes create one file and append to it at once") {
  ttune_test::temporary_folder const folder;
  for (int round = 0; round < (ttune_test::long_run() ? 50 : 5); ++round) {
    auto const path = folder / ("records" + std::to_string(round) + ".db");
    {
      std::vector<std::unique_ptr<ttune_test::child>> writers;
      for (int w = 0; w < 4; ++w)
        writers.push_back(std::make_unique<ttune_test::child>(
            std::vector<std::string>{"--sqlite-writer", path, std::to_string(w), "100"}));
      for (auto& w : writers) CHECK(w->wait() == 0);
    }
    sqlite const store(path);
    CHECK(store.count() == 400);
    CHECK(store.keys().size() == 7);
  }
}

TEST_CASE("sqlite: kill -9 loses nothing that append has returned for") {
  ttune_test::temporary_folder const folder;
  auto const path = folder / "records.db";
  std::mt19937 random(static_cast<unsigned>(ttune_test::seed()));
  INFO("TTUNE_SEED=", ttune_test::seed());
  int const rounds = ttune_test::long_run() ? 200 : 12;
  std::int64_t least = 0;
  for (int round = 0; round < rounds; ++round) {
    std::array<std::int32_t, 2> said{};
    {
      ttune_test::child a({"--sqlite-writer", path, std::to_string(2 * round), "30000"}),
          b({"--sqlite-writer", path, std::to_string(2 * round + 1), "30000"});
      std::this_thread::sleep_for(std::chrono::microseconds(5000 + random() % 60'000));
      a.kill_now();
      said[0] = last_said(a.read_all());
      b.kill_now();
      said[1] = last_said(b.read_all());
    }
    sqlite const store(path);
    std::array<std::int32_t, 2> found{};
    store.for_each([&](record const& r) {
      auto const number = static_cast<std::int32_t>(r.result.seconds) - 1;
      for (int w = 0; w < 2; ++w) {
        if (number / 100'000 != 2 * round + w) continue;
        CHECK(number % 100'000 == found[static_cast<std::size_t>(w)]++);  // none is missing, none is there twice
      }
      return true;
    });
    for (std::size_t w = 0; w < 2; ++w) CHECK(found[w] > said[w]);
    least += said[0] + said[1] + 2;
  }
  CHECK(integrity(path) == "ok");
  CHECK(least > 100);
  CHECK(sqlite(path).count() >= least);
  MESSAGE(least, " records acknowledged before ", rounds, " kills of two writers");
}

TEST_SUITE("threads") {
  TEST_CASE("sqlite: threads use one object at once") {
    ttune_test::temporary_folder const folder;
    sqlite store(folder / "records.db");
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&store, t] {
        for (int i = 0; i < 40; ++i) {
          store.append(written(t, i));
          (void)store.best(sample_key(i % 7));
          (void)store.near(sample_key(i % 7));
        }
      });
    for (auto& t : threads) t.join();
    CHECK(store.count() == 160);
  }
}
