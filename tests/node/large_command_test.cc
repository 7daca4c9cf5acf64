// SPDX-License-Identifier: MIT
#include <fstream>
#include <gmock/gmock.h>

#include "tests/node/agent_world.h"
#include "tests/node/program.h"

// Commands of the most bytes that there may be, from the command line by two agents into a task.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kBytesMax = 1 << 20;
constexpr std::size_t kWord = 131'071;
constexpr const char* kCounts = "echo ${#1} ${#7} $# ${#A} $DUNLIN_NODE";

class LargeCommand : public AgentWorld {
 protected:
  LargeCommand() {
    add("a");
    add("b", {"--attributes=where=b"});
    wait_for_nodes(*agents[0], 2);
  }

  ProgramRun dunlin(const std::vector<std::string>& words) const {
    return run_dunlin(agents[0]->socket(), words);
  }

  /// `dunlin VERB` of a command at b, of seven words of the most bytes and a variable that makes
  /// them `bytes` in all.
  static std::vector<std::string> line(const std::string& verb, std::size_t bytes) {
    const std::vector<std::string> begin = {"sh", "-c", kCounts, "x"};
    std::size_t value = bytes - 7 * kWord - 1;
    for (const std::string& word : begin) value -= word.size();
    std::vector<std::string> words = {verb, "--constraint", "where=b", "--env"};
    words.push_back("A=" + std::string(value, 'v'));
    words.emplace_back("--");
    words.insert(words.end(), begin.begin(), begin.end());
    words.insert(words.end(), 7, std::string(kWord, 'w'));
    return words;
  }
};

TEST_F(LargeCommand, AMebibyteReachesATaskOfAnotherNode) {
  const ProgramRun run = dunlin(line("run", kBytesMax));
  EXPECT_EQ(run.status, 0) << run.err.substr(0, 1000);
  EXPECT_EQ(run.out, "131071 131071 7 131035 b\n");
  // What an agent tells of it is all of it.
  const Json job = agents[1]->client().ok(request("job", {{"job", "a.1"}}));
  ASSERT_EQ(job["groups"].size(), 1u);
  EXPECT_EQ(job["groups"][0]["command"].at(10), std::string(kWord, 'w'));
  // A small one comes as it did.
  EXPECT_EQ(dunlin({"run", "--constraint", "where=b", "--", "echo", "small"}).out, "small\n");
}

TEST_F(LargeCommand, AByteMoreIsRefusedWithBothNumbers) {
  for (const char* const verb : {"run", "submit"}) {
    const ProgramRun run = dunlin(line(verb, kBytesMax + 1));
    EXPECT_EQ(run.status, 2);
    EXPECT_THAT(run.err, HasSubstr("1048577 bytes, and may have 1048576"));
  }
}

TEST_F(LargeCommand, AJobFileMayHaveAsMuch) {
  const std::string path = home + "/job.toml";
  std::ofstream file(path);
  file << "[[group]]\nconstraints = [\"where=b\"]\ncommand = ['sh', '-c', 'echo ${#1} ${#7}', 'x'";
  for (int i = 0; i < 7; ++i) file << ", '" << std::string(kWord, 'w') << "'";
  file << "]\nenv = { A = '" << std::string(100'000, 'v') << "' }\n";
  file.close();
  const ProgramRun run = dunlin({"run", "--file", path});
  EXPECT_EQ(run.status, 0) << run.err.substr(0, 1000);
  EXPECT_EQ(run.out, "131071 131071\n");
  const ProgramRun dry = dunlin({"run", "--dry-run", "--json", "--file", path});
  const Json told = Json::parse(dry.out, nullptr, false);
  ASSERT_TRUE(told.is_object()) << dry.err.substr(0, 1000);
  EXPECT_EQ(told["groups"][0]["command"].at(10), std::string(kWord, 'w'));
}

}  // namespace
}  // namespace dunlin::node
