// SPDX-License-Identifier: MIT
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <filesystem>
#include <gmock/gmock.h>
#include <regex>
#include <set>

#include "sched/task.h"
#include "tests/support/docs/markdown.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/grammar.h"
#include "tools/dunlin/jobs/job_file.h"
#include "web/metrics/alert_rules.h"

// The guides, held against the command line: keys of job files, exit statuses, commands.
namespace dunlin::cli {
namespace {

using sched::Outcome;
using Names = std::set<std::string>;

std::string users_guide() {
  return test::page_text(DUNLIN_SOURCE_DIR "/docs/guide/users.md");
}

/// The keys of the `which`th table of keys.
Names listed_keys(std::size_t which) {
  Names keys;
  for (const auto& table : test::tables_of(users_guide())) {
    if (table.head.front() != "key" || which-- != 0) continue;
    for (const auto& row : table.rows) keys.insert(test::quoted_words(row.front()).at(0));
  }
  return keys;
}

/// What a job file may hold, as the error about another key lists it.
Names known_keys(const std::string& file) {
  const auto refused = parse_job_file(file, "job.toml", "/here");
  EXPECT_FALSE(refused) << file;
  if (refused) return {};
  std::string list = refused.error().text;
  list.erase(0, list.find("known are: ") + 11);
  Names keys;
  static const std::regex word(R"(\w+)");
  for (std::sregex_iterator at(list.begin(), list.end(), word), end; at != end; ++at) {
    keys.insert(at->str());
  }
  return keys;
}

// What the programs say of themselves, and packages after them, is the newest release of the
// changelog.
TEST(Changelog, BeginsWithTheVersionOfThisBuild) {
  const std::string page = test::page_text(DUNLIN_SOURCE_DIR "/CHANGELOG.md");
  const std::size_t first = page.find("\n## [");
  ASSERT_NE(first, std::string::npos);
  const std::string version = page.substr(first + 5, page.find(']', first) - first - 5);
  EXPECT_EQ(version, DUNLIN_VERSION);
  const std::string manual = test::page_text(DUNLIN_SOURCE_DIR "/node/client/libdunlin.3");
  EXPECT_NE(manual.find("\"Dunlin " DUNLIN_VERSION "\""), std::string::npos);
}

TEST(UsersGuide, ListsEveryKeyOfAJobFile) {
  EXPECT_EQ(listed_keys(0), known_keys("nothing = 1\n"));
  EXPECT_EQ(listed_keys(1), known_keys("[[group]]\nnothing = 1\n"));
}

// The example is a job file.
TEST(UsersGuide, ItsJobFileIsRead) {
  const std::string page = users_guide();
  const std::size_t begin = page.find("```toml\n") + 8;
  const auto job = parse_job_file(page.substr(begin, page.find("```", begin) - begin), "", "/here");
  ASSERT_TRUE(job) << job.error().text;
  EXPECT_EQ(job->groups.size(), 2u);
}

/// The last job file of a page.
Result<JobRequest> last_job_file(const std::string& page) {
  const std::size_t begin = page.rfind("```toml\n") + 8;
  return parse_job_file(page.substr(begin, page.find("```", begin) - begin), "", "/here");
}

TEST(UsersGuide, ItsStagesAreRead) {
  for (const char* const page : {"/docs/guide/users.md", "/README.md"}) {
    const auto job = last_job_file(test::page_text(DUNLIN_SOURCE_DIR + std::string(page)));
    ASSERT_TRUE(job) << page << job.error().text;
    ASSERT_EQ(job->groups.size(), 3u) << page;
    EXPECT_EQ(job->groups[1].after, std::vector<std::string>{"map"}) << page;
  }
}

TEST(UsersGuide, ListsExitStatuses) {
  std::vector<Names> tables;
  for (const auto& table : test::tables_of(users_guide())) {
    if (table.section != "Exit statuses" || table.head.front() != "status") continue;
    tables.emplace_back();
    for (const auto& row : table.rows) tables.back().insert(row.front());
  }
  ASSERT_EQ(tables.size(), 2u);
  const auto text = [](int status) { return std::to_string(status); };
  EXPECT_EQ(tables[0], (Names{text(kSuccess), text(kFailure), text(kUsage), "128 + N", "other"}));
  Names of_tasks = {"0 to 255", "128 + N"};
  for (const auto outcome : {Outcome::time_limit, Outcome::out_of_memory, Outcome::not_found,
           Outcome::not_executable, Outcome::spawn_failed, Outcome::killed}) {
    of_tasks.insert(text(sched::shell_status(outcome, 0)));
  }
  EXPECT_EQ(tables[1], of_tasks);
  EXPECT_EQ(sched::shell_status(Outcome::exited, 255), 255);
  EXPECT_EQ(sched::shell_status(Outcome::signalled, 9), 128 + 9);
}

// The columns of the table of other commands are the statuses that there are.
TEST(UsersGuide, ListsTheStatusesOfOtherCommands) {
  for (const auto& table : test::tables_of(users_guide())) {
    if (table.section != "Exit statuses" || table.head.front() != "command") continue;
    EXPECT_EQ(std::vector(table.head.begin() + 1, table.head.end()),
        (std::vector<std::string>{std::to_string(kSuccess), std::to_string(kFailure),
            std::to_string(kUsage), std::to_string(kTimeout)}));
    return;
  }
  FAIL() << "the table is gone";
}

// Whether `all` and ranges are understood is said of each command, as its own help says it.
TEST(UsersGuide, SaysWhichCommandsTakeSeveralJobs) {
  Names one;
  Names several;
  CLI::App app("", "dunlin");
  Invocation unused;
  add_commands(app, unused, all_commands());
  for (const CLI::App* command : app.get_subcommands({})) {
    for (const CLI::Option* option : command->get_options()) {
      const std::string name = option->get_name(true);
      if (name != "job" && name != "jobs" && name != "tasks") continue;
      const bool all = option->get_description().find("all, 3-7") != std::string::npos;
      (all ? several : one).insert(command->get_name());
    }
  }
  const auto table = test::table_under(users_guide(), "Commands", "take");
  ASSERT_EQ(table.rows.size(), 3u);
  const auto named = [&](std::size_t row) {
    Names names;
    for (const std::string& word : test::quoted_words(table.rows[row].back())) {
      if (word.find_first_of(" -") == std::string::npos) names.insert(word);
    }
    return names;
  };
  EXPECT_EQ(named(0), one);
  EXPECT_EQ(named(1), several);
}

// A figure that was measured anew must not stay behind there: each stands in the page that its
// claim links to.
TEST(TrustPage, ItsFiguresStandWhereItSays) {
  const std::string folder = DUNLIN_SOURCE_DIR "/docs/guide/";
  std::string page = test::page_text(folder + "trust.md");
  page.erase(0, page.find("## What was found to hold"));
  page.erase(page.find("\n## What speaks against it"));
  static const std::regex link(R"(\]\((\.\./[\w/.-]+\.md))");
  static const std::regex figure(R"((?:^|[^\w.,])(\d[\d,.]*\d|\.\d+))");
  std::size_t figures = 0;
  for (std::size_t at = page.find("\n- **"); at != page.npos;) {
    const std::size_t next = page.find("\n- **", at + 1);
    const std::string claim = page.substr(at, next - at);
    at = next;
    std::smatch linked;
    ASSERT_TRUE(std::regex_search(claim, linked, link)) << claim;
    const std::string source = test::page_text(folder + linked[1].str());
    const std::string said = claim.substr(0, static_cast<std::size_t>(linked.position(0)));
    for (std::sregex_iterator each(said.begin(), said.end(), figure), end; each != end; ++each) {
      ++figures;
      EXPECT_NE(source.find((*each)[1].str()), source.npos) << (*each)[1] << claim;
    }
  }
  EXPECT_GT(figures, 20u);
}

// In examples and in backticks, `dunlin WORD` names a command.
TEST(Docs, NameCommandsThatThereAre) {
  CLI::App app("", "dunlin");
  Invocation unused;
  add_commands(app, unused, all_commands());
  Names commands;
  for (const CLI::App* command : app.get_subcommands({})) commands.insert(command->get_name());
  static const std::regex call(R"((?:^|\n|`|\$ |\()dunlin ([a-z][a-z_-]*))");
  std::size_t named = 0;
  const auto check_text = [&](const std::string& text, const std::string& where) {
    for (std::sregex_iterator at(text.begin(), text.end(), call), end; at != end; ++at) {
      ++named;
      EXPECT_TRUE(commands.contains((*at)[1].str())) << where << ": dunlin " << (*at)[1];
    }
  };
  const auto check = [&](const std::filesystem::path& path) {
    check_text(test::page_text(path.string()), path.string());
  };
  const std::filesystem::path root = DUNLIN_SOURCE_DIR;
  check(root / "README.md");
  for (const char* const folder : {"docs", "examples"}) {
    for (const auto& file : std::filesystem::recursive_directory_iterator(root / folder)) {
      if (file.path().extension() == ".md") check(file.path());
    }
  }
  for (const web::AlertRule& rule : web::all_alert_rules()) {
    check_text(std::string(rule.cure), std::string(rule.name));
  }
  EXPECT_GT(named, 50u);
}

}  // namespace
}  // namespace dunlin::cli
