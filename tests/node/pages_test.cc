// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <regex>
#include <set>
#include <sstream>

#include "tests/node/agent_world.h"
#include "tests/support/docs/markdown.h"

// Every block of commands of the README and the guides is run as a reader would who pastes it, in a
// folder that has the programs and files of the examples. What comes out is compared with what the
// page shows, by pattern: numbers, times and ids are others each time.
namespace dunlin::node {
namespace {

namespace fs = std::filesystem;

/// One command of a page, and the lines that the page shows below it.
struct Step {
  std::string command;
  std::vector<std::string> shown;
};

struct Block {
  std::string page;
  int line = 0;  ///< Of its first line.
  std::vector<Step> steps;

  std::string name() const { return page + ":" + std::to_string(line); }
};

/// A block that is not run, by the beginning of its first command, and why.
struct Left {
  const char* page;
  const char* begins;
  const char* why;
};

constexpr Left kLeft[] = {
    {"README.md", "dunlin agent --key-file", "it begins an agent for good"},
    {"README.md", "dunlin share set", "cells take half a minute: SharingTest has them"},
    {"README.md", "build/release/bin/dunlin-sim", "minutes of simulation: tools/check has hello"},
    {"docs/guide/operators.md", "dunlin keygen", "it writes the system's key: twice"},
    {"docs/guide/operators.md", "dunlin launch", "it needs machines: LaunchTest has some"},
    {"docs/guide/operators.md", "dunlin node take-over", "a home and its standbys must be lost"},
    {"docs/guide/operators.md", "dunlin share set", "cells of nine nodes: SharingTest has them"},
    {"docs/guide/operators.md", "dunlin cells", "cells of nine nodes"},
    {"docs/guide/operators.md", "dunlin shares", "cells of nine nodes"},
    {"docs/guide/operators.md", "dunlin audit", "cells of nine nodes"},
    {"docs/guide/operators.md", "dunlin cells write-off", "a cell must be lost"},
    {"docs/guide/tuning.md", "dunlin-sim sweep", "hours of simulation"},
    {"docs/guide/users.md", "dunlin jobs", "jobs of two people at two nodes"},
    {"docs/guide/users.md", "dunlin usage", "sums of two people over a month: UsageLive has some"},
    {"docs/guide/users.md", "dunlin submit --replicas 1", "it needs three machines"},
    {"docs/guide/users.md", "dunlin run --pty", "it needs a terminal: PtyTest has one"},
    {"docs/guide/users.md", "dunlin submit --disk-read", "it names nodes"},
    {"docs/guide/users.md", "dunlin submit --after 12", "it names jobs"},
    {"docs/guide/users.md", "dunlin events -f", "it has no end"},
    {"docs/guide/users.md", "dunlin explain last", "it needs nodes that are full"},
    {"docs/guide/users.md", "dunlin share list", "cells take half a minute"},
};

/// Commands that may come too late or too early for the job that they name, or for cells. They are
/// understood all the same.
constexpr const char* kOfTheMoment[] = {"dunlin logs -f last ; dunlin cancel last",
    "dunlin explain last", "dunlin hold last", "dunlin retry last --failed", "dunlin share set",
    "dunlin cells ;"};

const std::regex kPrompt(R"((?:[a-z0-9]+)?\$ (.*))");
const std::regex kBare(R"((?:build/release/bin/)?dunlin(?:-sim)? .*)");

/// The commands of one fenced block. With prompts the other lines are what is shown; without, each
/// line is a command or none of ours.
std::vector<Step> steps_of(const std::vector<std::string>& lines) {
  std::vector<Step> steps;
  const bool prompts = std::ranges::any_of(
      lines, [](const std::string& line) { return std::regex_match(line, kPrompt); });
  for (const std::string& line : lines) {
    std::smatch match;
    if (prompts && std::regex_match(line, match, kPrompt)) {
      steps.push_back({.command = match[1], .shown = {}});
    } else if (prompts && !steps.empty() && !line.empty()) {
      steps.back().shown.push_back(line);
    } else if (!prompts && std::regex_match(line, kBare)) {
      steps.push_back({.command = line, .shown = {}});
    }
  }
  // The cluster is there, and so is its address.
  std::erase_if(steps, [](const Step& step) {
    return step.command.find("dunlin dev ") != std::string::npos ||
        step.command.starts_with("export ");
  });
  return steps;
}

std::vector<Block> blocks_of(const std::string& page) {
  std::vector<Block> blocks;
  std::istringstream text(test::page_text(DUNLIN_SOURCE_DIR "/" + page));
  std::vector<std::string> lines;
  std::string language;
  bool fenced = false;
  int number = 0;
  int first = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    if (!line.starts_with("```")) {
      if (fenced) lines.push_back(line);
      continue;
    }
    fenced = !fenced;
    if (fenced) {
      language = line.substr(3);
      first = number + 1;
      lines.clear();
      continue;
    }
    auto steps = language.empty() ? steps_of(lines) : std::vector<Step>();
    if (!steps.empty()) blocks.push_back({page, first, std::move(steps)});
  }
  return blocks;
}

/// A line of a page as a pattern.
std::regex pattern_of(const std::string& line) {
  static const std::regex special(R"([.^$|()\[\]{}*+?\\])");
  static const std::regex time(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)");
  static const std::regex id(R"(\b[0-9a-f]{16}\b)");
  static const std::regex number(R"(\d+)");
  static const std::regex blanks(R"( +)");
  // Marks first, that none of the later steps changes.
  std::string text = std::regex_replace(line, time, "@T");
  text = std::regex_replace(text, id, "@I");
  text = std::regex_replace(text, number, "@N");
  text = std::regex_replace(text, special, R"(\$&)");
  text = std::regex_replace(text, blanks, " +");
  text = std::regex_replace(text, std::regex("@T"), R"(\S+Z)");
  text = std::regex_replace(text, std::regex("@I"), "[0-9a-f]+");
  return std::regex(std::regex_replace(text, std::regex("@N"), "[0-9]+") + " *");
}

class Pages : public AgentWorld {
 protected:
  Pages() {
    folder_ = home + "/reader";
    const std::string bin = home + "/bin";
    fs::create_directories(bin);
    // Tasks find these by the path of their agents.
    const std::string path =
        bin + ":" + fs::path(DUNLIN_PROGRAM).parent_path().string() + ":" + std::getenv("PATH");
    ::setenv("PATH", path.c_str(), 1);
    program(bin + "/curl", "echo page");
    program(bin + "/mail", "cat > /dev/null");
    add("node1");
    add("node2");
    add("node3");
    wait_for_nodes(*agents[0], 3);
  }

  /// The folder of a reader who has done nothing yet.
  void prepare() const {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    for (const char* const name : {"step", "render", "train", "train.py", "merge", "simulate",
             "fetch", "scan", "evacuate", "map", "reduce", "report"}) {
      program(folder_ + "/" + name, "exit 0");
    }
    for (const char* const name : {"load", "count-errors"}) {
      program(folder_ + "/" + name, "cat > /dev/null");
    }
    for (const char* const name :
        {"a.log", "b.log", "words", "parts.txt", "urls.txt", "table.csv"}) {
      std::ofstream(folder_ + "/" + name) << "one\ntwo\n";
    }
    EXPECT_EQ(std::system(("gzip -c " + folder_ + "/words > " + folder_ + "/log.gz").c_str()), 0);
    std::ofstream(folder_ + "/words.toml") << job_file_of_readme();
  }

  static void program(const std::string& path, const std::string& script) {
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(path, fs::perms::owner_all);
  }

  static std::string job_file_of_readme() {
    const std::string page = test::page_text(DUNLIN_SOURCE_DIR "/README.md");
    const std::size_t begin = page.find("```toml\n") + 8;
    return page.substr(begin, page.find("```", begin) - begin);
  }

  /// What each command of a block printed; all in one shell, because they share its variables.
  std::vector<std::string> run(const Block& block) {
    prepare();
    const std::string script = home + "/block.sh";
    {
      std::ofstream out(script);
      out << "cd " << folder_ << "\nexport DUNLIN_ADDRESS=" << agents[0]->socket() << "\n";
      for (const Step& step : block.steps) {
        std::string command = step.command;
        if (command.starts_with("build/release/bin/")) command.erase(0, 18);
        out << command << "\necho \"@@ $?\"\n";
      }
      out << "dunlin cancel all > /dev/null 2>&1\n";
    }
    std::string text;
    std::FILE* const pipe =
        ::popen(("timeout 120 sh " + script + " 2>&1 < /dev/null").c_str(), "r");
    std::array<char, 4096> piece{};
    while (const std::size_t size = std::fread(piece.data(), 1, piece.size(), pipe)) {
      text.append(piece.data(), size);
    }
    ::pclose(pipe);
    std::vector<std::string> said;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t mark = text.find("@@ ", at);
      if (mark == std::string::npos) break;
      const std::size_t end = text.find('\n', mark);
      said.push_back(text.substr(at, mark - at));
      const std::string& command = block.steps.at(said.size() - 1).command;
      const int status = std::stoi(text.substr(mark + 3, end - mark - 3));
      const bool may_fail = std::ranges::any_of(
          kOfTheMoment, [&](const char* begins) { return command.starts_with(begins); });
      EXPECT_TRUE(status == 0 || (may_fail && status == 1))
          << block.name() << ": " << command << "\nends with " << status << ":\n"
          << said.back();
      at = end + 1;
    }
    return said;
  }

  /// Each line that a page shows is there, in that order.
  static void compare(const Block& block, const Step& step, const std::string& said) {
    std::istringstream lines(said);
    std::string line;
    for (const std::string& shown : step.shown) {
      const std::regex pattern = pattern_of(shown);
      bool found = false;
      while (!found && std::getline(lines, line)) found = std::regex_match(line, pattern);
      EXPECT_TRUE(found) << block.name() << ": " << step.command << "\nshows: " << shown
                         << "\nand it prints:\n"
                         << said;
      if (!found) return;
    }
  }

  std::string folder_;
};

TEST(PagePattern, IsTheLineButForWhatChanges) {
  const auto matches = [](const char* page, const char* said) {
    return std::regex_match(said, pattern_of(page));
  };
  EXPECT_TRUE(matches("job 2: done; 4 of 4 tasks done", "job 17: done; 4 of 4 tasks done"));
  EXPECT_FALSE(matches("job 2: done", "job 2: failed"));
  EXPECT_TRUE(matches("a  12 s  b", "a 3 s     b"));
  EXPECT_TRUE(matches("[0-9]|[a,b]|[]||-x|--|", "[0-9]|[a,b]|[]||-x|--|"));
  EXPECT_TRUE(matches("2026-11-24T06:39:23Z job=5f2b9c1d7e3a4b60.12",
      "2027-01-01T00:00:00.123456789Z job=0000000000000001.3"));
}

TEST_F(Pages, DoWhatTheyShow) {
  std::set<const Left*> met;
  std::size_t ran = 0;
  for (const char* const page : {"README.md", "docs/guide/users.md", "docs/guide/operators.md",
           "docs/guide/commands.md", "docs/guide/programming.md", "docs/guide/tuning.md",
           "docs/guide/coming-from-slurm.md", "docs/guide/coming-from-nomad.md",
           "docs/guide/coming-from-hyperqueue.md", "docs/guide/coming-from-parallel.md"}) {
    for (const Block& block : blocks_of(page)) {
      // The longest beginning: `dunlin cells write-off` is not `dunlin cells`.
      const Left* left = nullptr;
      for (const Left& each : kLeft) {
        const std::string begins = each.begins;
        if (each.page != block.page || !block.steps.front().command.starts_with(begins)) continue;
        if (left == nullptr || begins.size() > std::string(left->begins).size()) left = &each;
      }
      if (left != nullptr) {
        met.insert(left);
        continue;
      }
      ++ran;
      const auto said = run(block);
      EXPECT_EQ(said.size(), block.steps.size()) << block.name() << " was cut off after 2 minutes";
      for (std::size_t i = 0; i < said.size(); ++i) compare(block, block.steps[i], said[i]);
    }
  }
  EXPECT_GE(ran, 8u);
  // A page that changed takes its reason along.
  for (const Left& each : kLeft) EXPECT_TRUE(met.contains(&each)) << each.page << each.begins;
}

}  // namespace
}  // namespace dunlin::node
