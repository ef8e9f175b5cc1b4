// SPDX-License-Identifier: Apache-2.0
// Implements doctest, and prints the last line, which tests/tools/summarize.py counts.
#include "support/sanitized.hpp"
#if TTUNE_TEST_SANITIZED
#define DOCTEST_CONFIG_NO_POSIX_SIGNALS
#endif
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "support/main.hpp"
#include "support/require.hpp"

#if TTUNE_TEST_SANITIZED
/// AddressSanitizer asks for its defaults. The callers of each allocation take a third of the time and gigabytes, since
/// programs are trees and their calls are deep; frames that have returned take another quarter (the fuzzers look for
/// those).
extern "C" char const* __asan_default_options() { return "malloc_context_size=2:detect_stack_use_after_return=0"; }
#endif

namespace {

struct skip {
  std::string test_case;
  std::string reason;
};
std::vector<skip> skips;
std::string current_test_case;

/// Knows the running test case, and prints the counts after all have run.
struct counting_listener : doctest::IReporter {
  explicit counting_listener(doctest::ContextOptions const& options) : options_(options) {}

  void test_case_start(doctest::TestCaseData const& data) override { current_test_case = data.m_name; }
  void test_run_end(doctest::TestRunStats const& stats) override {
    if (options_.list_test_cases || options_.list_test_suites || options_.list_reporters) return;
    for (auto const& [test_case, reason] : skips) std::printf("skipped: %s: %s\n", test_case.c_str(), reason.c_str());
    auto const skipped = static_cast<unsigned>(skips.size());
    std::printf("test cases: %u passed, %u failed, %u skipped\n",
                stats.numTestCasesPassingFilters - stats.numTestCasesFailed - skipped, stats.numTestCasesFailed,
                skipped);
    std::fflush(stdout);
    ran_ = stats.numTestCasesPassingFilters;
    all_skipped = ran_ > 0 && skipped == ran_;
  }

  void report_query(doctest::QueryData const&) override {}
  void test_run_start() override {}
  void test_case_reenter(doctest::TestCaseData const&) override {}
  void test_case_end(doctest::CurrentTestCaseStats const&) override {}
  void test_case_exception(doctest::TestCaseException const&) override {}
  void subcase_start(doctest::SubcaseSignature const&) override {}
  void subcase_end() override {}
  void log_assert(doctest::AssertData const&) override {}
  void log_message(doctest::MessageData const&) override {}
  void test_case_skipped(doctest::TestCaseData const&) override {}

  static inline bool all_skipped = false;

 private:
  doctest::ContextOptions const& options_;
  unsigned ran_ = 0;
};
REGISTER_LISTENER("counting", 1, counting_listener);

}  // namespace

namespace ttune_test {

bool required(std::string_view part) {
  char const* const list = std::getenv("TTUNE_REQUIRE");
  for (std::string_view rest = list ? list : ""; !rest.empty();) {
    std::size_t const comma = rest.find(',');
    if (rest.substr(0, comma) == part) return true;
    rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
  }
  return false;
}

bool long_run() {
  char const* const value = std::getenv("TTUNE_LONG");
  return value && std::string_view(value) == "1";
}

void note_skip(std::string_view reason) {
  if (skips.empty() || skips.back().test_case != current_test_case)
    skips.push_back({current_test_case, std::string(reason)});
}

}  // namespace ttune_test

int main(int argc, char** argv) {
  for (auto const before : ttune_test::before_main())
    if (auto const status = before(argc, argv); status >= 0) return status;
  doctest::Context context(argc, argv);
  int const status = context.run();
  if (context.shouldExit()) return status;
  return status == 0 && counting_listener::all_skipped ? 77 : status;
}
