// SPDX-License-Identifier: MIT
#include <cstdio>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>

#include "tests/support/scratch.h"

// `dunlin` and `dunlin-agent`: two programs that look like one.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct CalledProgram {
  int status = 0;
  std::string said;
};

CalledProgram call(const std::string& line) {
  CalledProgram run;
  std::FILE* const pipe = ::popen(("{ " + line + "; } 2>&1 < /dev/null").c_str(), "r");
  if (pipe == nullptr) return run;
  char piece[4096];
  while (std::fgets(piece, sizeof piece, pipe) != nullptr) run.said += piece;
  const int status = ::pclose(pipe);
  run.status = WEXITSTATUS(status);
  return run;
}

class AgentProgram : public ::testing::Test {
 protected:
  void install(const std::string& name, const std::string& folder) {
    const std::string to = scratch / folder;
    std::filesystem::create_directories(to);
    std::filesystem::copy_file(
        std::filesystem::path(DUNLIN_PROGRAM).parent_path() / name, to + "/" + name);
  }

  const test::Scratch scratch;
  const std::string dunlin = scratch / "bin/dunlin";
};

TEST_F(AgentProgram, ItsLibrariesAreLoadedForAgentsAlone) {
  const CalledProgram command = call("ldd " DUNLIN_PROGRAM);
  ASSERT_EQ(command.status, 0) << command.said;
  EXPECT_THAT(command.said, HasSubstr("libc.so"));
  for (const char* library : {"libuv", "sqlite", "capnp", "libkj", "libraft", "spdlog", "Clp"}) {
    EXPECT_THAT(command.said, Not(HasSubstr(library)));
  }
}

TEST_F(AgentProgram, IsFoundWhereAnInstallationHasIt) {
  install("dunlin", "bin");
  install("dunlin-agent", "lib/dunlin");
  // The agent itself refuses that, after it has become one.
  const CalledProgram run = call(dunlin + " agent --cpus=none");
  EXPECT_EQ(run.status, 2) << run.said;
  EXPECT_THAT(run.said, HasSubstr("dunlin agent: "));
}

TEST_F(AgentProgram, MissingIsAnErrorThatNamesTheCure) {
  install("dunlin", "bin");
  for (const char* verb : {" agent", " dev"}) {
    const CalledProgram run = call(dunlin + verb);
    EXPECT_EQ(run.status, 1);
    EXPECT_EQ(run.said,
        "dunlin: there is no executable " + (scratch / "bin/dunlin-agent") + " or " +
            (scratch / "lib/dunlin/dunlin-agent") + "; reinstall Dunlin\n");
  }
  EXPECT_EQ(call(dunlin + " agent --help").status, 0) << "it needs no agent";
  EXPECT_THAT(call(dunlin + " help dev").said, HasSubstr("--nodes"));
}

TEST_F(AgentProgram, KnowsNoOtherCommand) {
  install("dunlin-agent", "bin");
  const CalledProgram run = call(scratch / "bin/dunlin-agent" + std::string(" jobs"));
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.said, HasSubstr("no such command: jobs"));
}

}  // namespace
}  // namespace dunlin::node
