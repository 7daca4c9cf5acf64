// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

#include "tests/scenario/interpreter.h"

// Each tests/scenario/*.txt holds commands, a line of dashes, and the output they must give; a
// blank line ends the output, and more commands may follow. REWRITE=1 puts what really comes out
// into the files: commit that only if you understand what caused each change.
namespace dunlin::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> scenarios() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(fs::path(DUNLIN_SOURCE_DIR) / "tests/scenario")) {
    if (entry.path().extension() == ".txt") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

fs::path path_of(const std::string& name) {
  return fs::path(DUNLIN_SOURCE_DIR) / "tests/scenario" / (name + ".txt");
}

std::string read(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The whole file as it should be: its comments and commands, with the output they really give.
std::string rendered(const std::string& text) {
  Interpreter script;
  std::istringstream in(text);
  std::string result;
  std::string output;
  bool expecting = false;
  for (std::string line; std::getline(in, line);) {
    if (expecting) {
      if (!line.empty()) continue;  // The old output.
      expecting = false;
    }
    result += line + "\n";
    if (line == "----") {
      result += output;
      output.clear();
      expecting = true;
    } else if (!line.empty() && !line.starts_with('#')) {
      output += script.run(line);
    }
  }
  return result + output;
}

class Scenario : public ::testing::TestWithParam<std::string> {};

TEST_P(Scenario, GoesAsWritten) {
  const fs::path path = path_of(GetParam());
  const std::string written = read(path);
  const std::string real = rendered(written);
  if (std::getenv("REWRITE") != nullptr) {
    std::ofstream(path) << real;
    return;
  }
  EXPECT_EQ(real, written) << "if the change is right: REWRITE=1 ctest -R scenario";
}

INSTANTIATE_TEST_SUITE_P(All, Scenario, ::testing::ValuesIn(scenarios()), [](const auto& scenario) {
  return scenario.param;
});

// The engine must notice: a command that goes wrong, or output that does not come, is no pass.
TEST(ScenarioEngine, ShowsWhatGoesWrong) {
  Interpreter script;
  EXPECT_EQ(script.run("dance"), "unknown command: dance\n");
  EXPECT_NE(script.run("set no.such=1"), "");
  EXPECT_NE(script.run("crash"), "");
  EXPECT_NE(rendered("nodes 1\nrun 1s\njobs\n----\nnonsense\n"),
      "nodes 1\nrun 1s\njobs\n----\nnonsense\n");
}

}  // namespace
}  // namespace dunlin::test
