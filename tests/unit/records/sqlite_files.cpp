// SPDX-License-Identifier: Apache-2.0
// Files that are foreign, of another version, damaged, or writable for others.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "samples.hpp"
#include "sqlite_file.hpp"
#include "support/seed.hpp"
#include "support/temporary_folder.hpp"
#include "ttune/records/sqlite.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/hash.hpp"

namespace sqlite_files_tests {

using namespace ttune;
using ttune_test::check_equal;
using ttune_test::execute;
using ttune_test::integrity;
using ttune_test::numbered_record;
using ttune_test::sample_key;
using ttune_test::sample_record;

namespace {

/// Returns the message with which a file is refused in all modes that throw; best_effort continues with this reason.
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

TEST_CASE("sqlite: a foreign file is refused and not changed") {
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
  CHECK(refusal(path).find("newer ttune (schema 99, this one knows up to 6)") != std::string::npos);
}

TEST_CASE("sqlite: a file of the first schema is read as it is, and brought up to date when it may be written") {
  ttune_test::temporary_folder const folder;
  auto const path = folder / "records.db";
  // The text is that of the first version: today's library must not decide how old files look.
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
    CHECK(old.transfer_samples().empty());
    sqlite copy(folder / "copy.db");
    copy.append_all(old);
    check_contents(copy);
  }
  sqlite store(path);
  check_contents(store);
  CHECK(!store.explanation(key));
  store.put_explanation(key, ttune_test::sample_explanation());
  store.put_transfer_sample(ttune_test::some_transfer_sample());
  store.append(sample_record());
  sqlite const reopened(path, record_mode::read_only);
  CHECK(reopened.explanation(key) == ttune_test::sample_explanation());
  CHECK(reopened.transfer_samples() == std::vector{ttune_test::some_transfer_sample()});
  CHECK(reopened.count() == 2);
  CHECK(integrity(path) == "ok");
  execute(path,
          "alter table lessons drop column speeds; alter table records drop column effort;"
          " alter table explanations drop column work; pragma user_version = 3;");
  auto without_work = ttune_test::sample_explanation();
  without_work.work = {};
  CHECK(sqlite(path, record_mode::read_only).explanation(key) == without_work);
  auto without = ttune_test::some_transfer_sample();
  without.speeds.clear();
  CHECK(sqlite(path, record_mode::read_only).transfer_samples() == std::vector{without});
  CHECK(sqlite(path).transfer_samples() == std::vector{without});
  CHECK(sqlite(path).explanation(key) == without_work);
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
    for (int i = 0; i < 500; ++i) store.append(numbered_record(0, i));
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
    for (int i = 0; i < 200; ++i) store.append(numbered_record(0, i));
    store.put_image(numbered_record(0, 0), std::vector<std::uint8_t>(30'000, 7));
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

TEST_CASE("sqlite: an image that changed on the disk is not returned") {
  ttune_test::temporary_folder const folder;
  auto const path = folder / "records.db";
  sqlite store(path);
  store.put_image(sample_record(), std::vector<std::uint8_t>(5000, 7));
  CHECK(store.get_image(sample_key()));
  execute(path, "update images set bytes = cast(zeroblob(5000) as blob)");
  auto const image = store.get_image(sample_key());
  CHECK(!image);
  CHECK(image.reason.find("checksum") != std::string::npos);
  CHECK(store.best(sample_key()));  // the record is still valid
}

TEST_CASE("sqlite: images are refused while others may write to the file or its folder") {
  ttune_test::temporary_folder const folder;
  auto const path = folder / "records.db";
  auto const before = ::umask(002);  // even then the file belongs to its owner alone
  sqlite store(path);
  ::umask(before);
  store.put_image(sample_record(), std::vector<std::uint8_t>(5000, 7));
  CHECK(store.get_image(sample_key()));
  ::chmod(path.c_str(), 0664);
  CHECK(!store.get_image(sample_key()));
  CHECK(store.get_image(sample_key()).reason.find("chmod go-w " + path) != std::string::npos);
  check_equal(store.get_image(sample_key()).of, sample_record());  // its key is no secret
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

}  // namespace sqlite_files_tests
