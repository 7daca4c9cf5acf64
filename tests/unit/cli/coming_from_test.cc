// SPDX-License-Identifier: MIT
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/docs/markdown.h"
#include "tests/unit/cli/typed_words.h"
#include "tools/dunlin/command_line.h"
#include "tools/dunlin/grammar.h"
#include "tools/dunlin/program.h"

// Pages for those that come from another system: what they tell to type is understood.
namespace dunlin::cli {
namespace {

/// The commands of Dunlin on a page: those of tables, and those behind prompts, up to the end of
/// the line.
std::vector<std::string> commands_on(const std::string& page) {
  std::vector<std::string> commands;
  for (const auto& table : test::tables_of(page)) {
    for (const auto& row : table.rows) {
      for (const std::string& cell : row) {
        for (const std::string& word : test::quoted_words(cell)) {
          if (word.starts_with("dunlin ")) commands.push_back(word);
        }
      }
    }
  }
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find("dunlin ");
    if (line.starts_with("$ ") && at != line.npos) commands.push_back(line.substr(at));
  }
  return commands;
}

class ComingFrom : public ::testing::TestWithParam<const char*> {
 protected:
  std::string page() const {
    return test::page_text(
        DUNLIN_SOURCE_DIR "/docs/guide/coming-from-" + std::string(GetParam()) + ".md");
  }
};

TEST_P(ComingFrom, NamesCommandsThatAreUnderstood) {
  const auto commands = commands_on(page());
  EXPECT_GT(commands.size(), 20u);
  for (const std::string& command : commands) {
    auto words = typed_words(command);
    words.erase(words.begin());
    CLI::App app;
    Invocation invocation;
    const auto read = read_line(app, invocation, words, all_commands());
    EXPECT_TRUE(read) << command << ": " << (read ? "" : read.error().text);
  }
}

// A row without a command says so, and each row has as many cells as its table.
TEST_P(ComingFrom, SaysOfEachOfTheirsWhatIsOurs) {
  std::size_t rows = 0;
  for (const auto& table : test::tables_of(page())) {
    for (const auto& row : table.rows) {
      ++rows;
      ASSERT_EQ(row.size(), table.head.size()) << row.front();
      EXPECT_FALSE(row[1].empty()) << row.front();
      EXPECT_TRUE(row[1] != "none" || !row[2].empty()) << row.front() << ": what to do instead?";
    }
  }
  EXPECT_GT(rows, 20u);
  EXPECT_THAT(page(), ::testing::HasSubstr("\n## What is not there\n"));
}

INSTANTIATE_TEST_SUITE_P(Systems,
    ComingFrom,
    ::testing::Values("slurm", "nomad", "hyperqueue", "parallel"),
    [](const auto& system) { return std::string(system.param); });

}  // namespace
}  // namespace dunlin::cli
