// SPDX-License-Identifier: MIT
#include <filesystem>
#include <gmock/gmock.h>
#include <map>
#include <regex>
#include <set>
#include <variant>

#include "node/agent/agent.h"
#include "node/agent_options.h"
#include "node/metrics.h"
#include "node/task/placeholders.h"
#include "node/task/task_command.h"
#include "overlay/param_entries.h"
#include "tests/support/docs/markdown.h"

// The guides, held against the code: what they list is what there is.
namespace dunlin::node {
namespace {

using test::MarkdownTable;
using Names = std::set<std::string>;

std::string guide(const std::string& name) {
  return test::page_text(DUNLIN_SOURCE_DIR "/docs/guide/" + name);
}

/// What stands in backticks in the first column of the tables with that heading of it.
Names first_column(const std::string& page, std::string_view head) {
  Names names;
  for (const MarkdownTable& table : test::tables_of(page)) {
    if (table.head.front() != head) continue;
    for (const auto& row : table.rows) {
      for (const std::string& word : test::quoted_words(row.front())) names.insert(word);
    }
  }
  return names;
}

/// The names of all events with their levels.
template <typename... Events>
std::map<std::string, std::string> levels_of(const std::variant<Events...>*) {
  const auto word = [](overlay::Level level) {
    return std::string(overlay::kWords<overlay::Level>[static_cast<std::size_t>(level)]);
  };
  return {{"event_" + std::string(Events::kName), word(Events::kLevel)}...};
}

TEST(OperatorsGuide, ListsEveryCounter) {
  // Counted by the cells and by the store themselves.
  Names counters = {"cell_strangers", "grants_refused", "rows_damaged"};
  for (const auto& [name, count] : Metrics().snapshot({})) counters.insert(name);
  EXPECT_EQ(first_column(guide("operators.md"), "counter"), counters);
}

TEST(OperatorsGuide, SaysTheLevelOfEveryEvent) {
  auto levels = levels_of(static_cast<const overlay::Event*>(nullptr));
  levels.merge(levels_of(static_cast<const sched::Event*>(nullptr)));
  for (const MarkdownTable& table : test::tables_of(guide("operators.md"))) {
    if (table.head.size() < 3 || table.head[0] != "counter") continue;
    for (const auto& row : table.rows) {
      for (const std::string& name : test::quoted_words(row[0])) {
        EXPECT_EQ(row[1], levels.contains(name) ? levels[name] : "") << name;
      }
    }
  }
}

TEST(OperatorsGuide, ListsTheExitStatusesOfAnAgent) {
  Names listed;
  for (const MarkdownTable& table : test::tables_of(guide("operators.md"))) {
    if (table.head.front() != "status of the agent") continue;
    for (const auto& row : table.rows) listed.insert(row.front());
  }
  EXPECT_EQ(listed, (Names{"0", "1", "2", std::to_string(kExitCopy), std::to_string(kExitMoved)}));
}

TEST(UsersGuide, ListsATasksEnvironment) {
  Names variables = {"PATH", "HOME", "LANG", "USER", "LOGNAME"};
  const auto start = make_start({}, {.command = {{"true"}}}, {.has_gpus = true}, {});
  ASSERT_TRUE(start);
  for (const std::string& each : start->environment) {
    variables.insert(each.substr(0, each.find('=')));
  }
  EXPECT_EQ(first_column(guide("users.md"), "variable"), variables);
}

TEST(UsersGuide, ListsEveryPlaceholder) {
  const Names listed = first_column(guide("users.md"), "placeholder");
  const auto unknown = check_placeholders("%{NOTHING}");
  ASSERT_FALSE(unknown);
  // The message ends with all there are.
  static const std::regex placeholder(R"(%\{\w+\})");
  const std::string& text = unknown.error().text;
  Names known(std::sregex_token_iterator(text.begin(), text.end(), placeholder), {});
  known.erase("%{NOTHING}");
  EXPECT_EQ(listed, known);
}

// `dunlin release 4`, pasted at another node, releases that node's own job 4: texts of an agent are
// read anywhere, and name a job by its home.
TEST(Texts, OfAgentsNameJobsByTheirHome) {
  static const std::regex number(R"(dunlin (job|release|hold|wait|logs|explain|cancel|retry|set)"
                                 R"(|requeue) "\s*\+\s*std::to_string)");
  const std::filesystem::path root = DUNLIN_SOURCE_DIR;
  std::size_t read = 0;
  for (const char* const room : {"sched", "node"}) {
    for (const auto& file : std::filesystem::recursive_directory_iterator(root / room)) {
      if (file.path().extension() != ".cc") continue;
      ++read;
      EXPECT_FALSE(std::regex_search(test::page_text(file.path().string()), number)) << file.path();
    }
  }
  EXPECT_GT(read, 200u);
}

// A constraint that a reader copies from a page must not write a file.
TEST(Docs, QuoteConstraintsThatAShellWouldRead) {
  static const std::regex bare(R"(--constraint [^'"`\s]*[<>])");
  const std::filesystem::path root = DUNLIN_SOURCE_DIR;
  const auto check = [&](const std::filesystem::path& path) {
    EXPECT_FALSE(std::regex_search(test::page_text(path.string()), bare)) << path;
  };
  check(root / "README.md");
  for (const auto& file : std::filesystem::recursive_directory_iterator(root / "docs")) {
    if (file.path().extension() == ".md") check(file.path());
  }
}

// A parameter that was renamed or taken away stays in no page.
TEST(Docs, NameParametersThatThereAre) {
  Configuration configuration;
  Names keys;
  Names sections;
  for (const auto& entry : all_entries(configuration)) {
    keys.insert(entry.key());
    sections.insert(entry.section);
  }
  const Names endings = {"h", "cc", "sock", "toml"};  // Names of files.
  static const std::regex key(R"((\w+)\.(\w+)( = .*)?)");
  std::size_t named = 0;
  const auto check = [&](const std::filesystem::path& path) {
    for (const std::string& word : test::quoted_words(test::page_text(path.string()))) {
      std::smatch match;
      const bool is_key = std::regex_match(word, match, key) && sections.contains(match[1]);
      if (!is_key || endings.contains(match[2])) continue;
      ++named;
      EXPECT_TRUE(keys.contains(match[1].str() + "." + match[2].str())) << path << ": " << word;
    }
  };
  const std::filesystem::path root = DUNLIN_SOURCE_DIR;
  check(root / "README.md");
  for (const auto& file : std::filesystem::recursive_directory_iterator(root / "docs")) {
    const bool history = file.path().filename() == "renames.md";
    if (file.path().extension() == ".md" && !history) check(file.path());
  }
  EXPECT_GT(named, 50u);
}

}  // namespace
}  // namespace dunlin::node
