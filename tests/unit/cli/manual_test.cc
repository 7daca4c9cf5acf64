// SPDX-License-Identifier: MIT
#include "tools/dunlin/manual/manual.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "config/manual/mdoc.h"
#include "config/manual/page_files.h"
#include "node/agent_options.h"
#include "overlay/param_entries.h"
#include "tests/support/docs/markdown.h"
#include "tests/support/scratch.h"
#include "tests/unit/cli/typed_words.h"
#include "tools/dunlin/command_line.h"
#include "tools/dunlin/grammar.h"
#include "tools/dunlin/jobs/job_file.h"
#include "tools/dunlin/program.h"

// The manual, held against the command line, the tables, the schemas and the guide.
namespace dunlin::cli {
namespace {

using ::testing::HasSubstr;
using Names = std::set<std::string>;

config::CommandTree tree_of_program() {
  CLI::App app;
  Invocation invocation;
  describe_program(app, invocation);
  add_commands(app, invocation, all_commands());
  return config::command_tree(app);
}

void collect(const config::CommandTree& tree, std::vector<const config::CommandTree*>& all) {
  all.push_back(&tree);
  for (const auto& below : tree.commands) collect(below, all);
}

/// The words that stand behind `.It Ic` in a part of a page.
Names term_keys(const std::string& text) {
  Names keys;
  static const std::regex item(R"(\n\.It Ic (\S+))");
  for (std::sregex_iterator at(text.begin(), text.end(), item), end; at != end; ++at) {
    keys.insert((*at)[1].str());
  }
  return keys;
}

/// The part of a page below a heading.
std::string section_of(const std::string& page, const std::string& heading) {
  const std::size_t begin = page.find(".Sh " + heading + "\n");
  EXPECT_NE(begin, page.npos) << heading;
  return begin == page.npos ? "" : page.substr(begin, page.find("\n.Sh ", begin + 1) - begin);
}

/// What a job file may hold, as the error about another key lists it.
Names keys_known(const std::string& file) {
  const auto refused = parse_job_file(file, "job.toml", "/here");
  if (refused) return {};
  const std::string list =
      refused.error().text.substr(refused.error().text.find("known are: ") + 11);
  Names keys;
  static const std::regex word(R"(\w+)");
  for (std::sregex_iterator at(list.begin(), list.end(), word), end; at != end; ++at) {
    keys.insert(at->str());
  }
  return keys;
}

TEST(Manual, EveryCommandHasAPageWithEachOfItsFlags) {
  const auto tree = tree_of_program();
  const auto pages = manual_pages(tree);
  std::vector<const config::CommandTree*> commands;
  collect(tree, commands);
  EXPECT_GT(commands.size(), 45u);
  for (const auto* const command : commands) {
    std::string name = command->path;
    std::ranges::replace(name, ' ', '-');
    const auto page = std::ranges::find_if(
        pages, [&](const auto& each) { return each.name == config::PageName{name, 1}; });
    ASSERT_NE(page, pages.end()) << command->path;
    for (const auto& flag : command->flags) {
      for (const std::string& each : flag.names) {
        const std::string head = "Fl " + config::mdoc_word(each.substr(1));
        EXPECT_THAT(page->text, ::testing::AnyOf(HasSubstr(head + "\n"), HasSubstr(head + " ")))
            << command->path;
      }
    }
    for (const char* const section :
        {"NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS", "SEE ALSO"}) {
      section_of(page->text, section);
    }
  }
}

// A reference to a page of ours that is not there sends a reader into the void.
TEST(Manual, NamesPagesThatThereAre) {
  const auto pages = manual_pages(tree_of_program());
  std::set<config::PageName> there = {{"libdunlin", 3}, {"dunlin-sim", 1}};
  for (const auto& page : pages) EXPECT_TRUE(there.insert(page.name).second) << page.name.name;
  static const std::regex reference(R"(\.(?:It )?Xr (\S+) (\d))");
  for (const auto& page : pages) {
    for (std::sregex_iterator at(page.text.begin(), page.text.end(), reference), end; at != end;
        ++at) {
      EXPECT_TRUE(there.contains({(*at)[1].str(), std::stoi((*at)[2].str())}))
          << page.name.name << ": " << at->str();
    }
  }
}

TEST(Manual, ListsEveryParameterOfAnAgent) {
  const std::string page = settings_page().text;
  node::Configuration configuration;
  std::size_t at = 0;
  std::string section;
  for (const auto& entry : node::all_entries(configuration)) {
    if (entry.section != section) at = page.find("\n.Ss Section " + entry.section + "\n", at);
    section = entry.section;
    ASSERT_NE(at, page.npos) << section;
    at = page.find("\n.It Ic " + entry.name + "\n", at);
    ASSERT_NE(at, page.npos) << entry.key();
    const std::string item = page.substr(at, page.find("\n.It ", at + 1) - at);
    const bool text = entry.fallback.empty();
    EXPECT_THAT(item, HasSubstr(text ? "Not set by default." : "Default: ")) << entry.key();
  }
}

TEST(Manual, ListsEveryKeyOfAJobFile) {
  const std::string page = job_page().text;
  EXPECT_EQ(term_keys(section_of(page, "KEYS OF THE JOB")), keys_known("nothing = 1\n"));
  EXPECT_EQ(term_keys(section_of(page, "KEYS OF A GROUP")), keys_known("[[group]]\nnothing = 1\n"));
}

// Bounds and defaults are those of the schemas.
TEST(Manual, SaysTheBoundsOfTerms) {
  const std::string page = job_page().text;
  EXPECT_THAT(page,
      HasSubstr(".It Ic retries\nFailed attempts that are forgiven, for each task.\n"
                "From 0 to 1000.\n"));
  EXPECT_THAT(page, HasSubstr("From 0 to 100.\nDefault: 50.\n"));
  EXPECT_THAT(page, HasSubstr("At most 49d.\n"));
}

TEST(Manual, ItsJobFileIsRead) {
  const std::string page = section_of(job_page().text, "EXAMPLES");
  const std::size_t begin = page.find("indent\n") + 7;
  const auto job = parse_job_file(page.substr(begin, page.find("\n.Ed") - begin), "", "/here");
  ASSERT_TRUE(job) << job.error().text;
  EXPECT_EQ(job->groups.size(), 2u);
}

TEST(Manual, PlaceholdersAreThoseOfTheGuide) {
  const std::string page = section_of(job_page().text, "PLACEHOLDERS");
  std::size_t known = 0;
  for (const auto& table :
      test::tables_of(test::page_text(DUNLIN_SOURCE_DIR "/docs/guide/users.md"))) {
    if (table.head.front() != "placeholder") continue;
    for (const auto& row : table.rows) {
      ++known;
      EXPECT_THAT(page, HasSubstr(".It Li " + test::quoted_words(row.front()).at(0) + "\n"));
    }
  }
  EXPECT_GT(known, 5u);
}

// What the guide says of the statuses of single commands, their pages say, too.
TEST(Manual, StatusesAreThoseOfTheGuide) {
  std::size_t rows = 0;
  for (const auto& table :
      test::tables_of(test::page_text(DUNLIN_SOURCE_DIR "/docs/guide/users.md"))) {
    if (table.section != "Exit statuses" || table.head.front() != "command") continue;
    for (const auto& row : table.rows) {
      for (const std::string& word : test::quoted_words(row.front())) {
        const std::string path = "dunlin " + word.substr(0, word.find(" --"));
        const auto notes = page_notes(path);
        const auto of_any = page_notes("dunlin version");
        for (std::size_t i = 1; i < row.size(); ++i) {
          if (row[i].empty()) continue;
          ++rows;
          const auto noted = std::ranges::find(
              notes.statuses, table.head[i], &std::pair<std::string, std::string>::first);
          ASSERT_NE(noted, notes.statuses.end()) << path << " " << table.head[i];
          EXPECT_FALSE(std::ranges::count(of_any.statuses, *noted)) << path << " " << noted->second;
        }
      }
    }
  }
  EXPECT_GT(rows, 8u);
}

/// Each word of the glossary, with its meaning in one line.
std::vector<std::pair<std::string, std::string>> glossary() {
  std::vector<std::pair<std::string, std::string>> words;
  std::istringstream lines(test::page_text(DUNLIN_SOURCE_DIR "/docs/guide/glossary.md"));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t end = line.find("**: ");
    if (line.starts_with("- **") && end != line.npos) {
      words.emplace_back(line.substr(4, end - 4), line.substr(end + 4));
    } else if (line.starts_with("  ") && !words.empty()) {
      words.back().second += line.substr(1);
    }
  }
  return words;
}

// What the page says of a word the glossary says, too, and it has each word once.
TEST(Manual, WordsAreThoseOfTheGlossary) {
  const auto words = glossary();
  EXPECT_GE(words.size(), 30u);
  Names known;
  for (const auto& [word, meaning] : words) {
    EXPECT_TRUE(known.insert(word).second) << word;
    EXPECT_TRUE(meaning.ends_with('.')) << word;
  }
  const std::string page = overview_page().text;
  const std::size_t begin = page.find(".Ss Words\n");
  ASSERT_NE(begin, page.npos);
  const std::string list = page.substr(begin, page.find("\n.El\n", begin) - begin + 1);
  static const std::regex item(R"(\n\.It Em (\S+)\n)");
  std::size_t shown = 0;
  for (std::sregex_iterator at(list.begin(), list.end(), item), end; at != end; ++at) {
    ++shown;
    const auto found =
        std::ranges::find(words, (*at)[1].str(), &std::pair<std::string, std::string>::first);
    ASSERT_NE(found, words.end()) << (*at)[1];
    EXPECT_THAT(list, HasSubstr(at->str() + config::mdoc_text(found->second))) << found->first;
  }
  EXPECT_GE(shown, 10u);
}

// Each line that a help or a page tells to type is understood.
TEST(Manual, ExamplesAreUnderstood) {
  std::vector<const config::CommandTree*> commands;
  const auto tree = tree_of_program();
  collect(tree, commands);
  std::size_t examples = 0;
  for (const auto* const command : commands) {
    std::istringstream lines(command->footer);
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("  dunlin ")) continue;
      line = line.substr(2, line.find(" > ") - 2);
      auto words = typed_words(line);
      words.erase(words.begin());
      ++examples;
      CLI::App app;
      Invocation invocation;
      const auto read = read_line(app, invocation, words, all_commands());
      EXPECT_TRUE(read) << line << ": " << (read ? "" : read.error().text);
      EXPECT_THAT(line, ::testing::StartsWith(command->path)) << command->path;
    }
  }
  EXPECT_GT(examples, 30u);
}

TEST(Manual, FindsAndWritesPages) {
  const auto pages = manual_pages(tree_of_program());
  const auto name_of = [&](const std::vector<std::string>& words) {
    const auto* const page = config::find_page(pages, "dunlin", words);
    return page == nullptr ? "none" : page->file();
  };
  EXPECT_EQ(name_of({}), "man1/dunlin.1");
  EXPECT_EQ(name_of({"node", "drain"}), "man1/dunlin-node-drain.1");
  EXPECT_EQ(name_of({"dunlin-run"}), "man1/dunlin-run.1");
  EXPECT_EQ(name_of({"dunlin.toml"}), "man5/dunlin.toml.5");
  EXPECT_EQ(name_of({"rnu"}), "none");
  const test::Scratch folder;
  EXPECT_EQ(config::write_pages(pages, folder / "man"), "");
  for (const auto& page : pages) {
    EXPECT_EQ(test::file_text(folder / ("man/" + page.file())), page.text);
  }
  test::write_file(folder / "file", "");
  EXPECT_THAT(config::write_pages(pages, folder / "file"), HasSubstr("Not a directory"));
}

// The same tree makes the same page: packages are made twice and compared.
TEST(Manual, IsTheSameEachTime) {
  const auto first = manual_pages(tree_of_program());
  const auto second = manual_pages(tree_of_program());
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i].text, second[i].text);
}

}  // namespace
}  // namespace dunlin::cli
