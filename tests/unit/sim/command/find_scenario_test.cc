// SPDX-License-Identifier: MIT
#include "sim/command/find_scenario.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <unistd.h>

namespace dunlin::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class FindScenarioTest : public ::testing::Test {
 protected:
  FindScenarioTest() {
    folder = (std::filesystem::temp_directory_path() / ("dunlin-find-" + std::to_string(getpid())))
                 .string();
    std::filesystem::create_directories(folder);
    for (const char* const name : {"/hello.toml", "/figure3.toml", "/notes.txt"}) {
      std::ofstream(folder + name) << "title = \"x\"\n";
    }
  }
  ~FindScenarioTest() override { std::filesystem::remove_all(folder); }

  std::string folder;
};

TEST_F(FindScenarioTest, ByTheNameThatIsListed) {
  EXPECT_THAT(scenarios_in(folder), ElementsAre(folder + "/figure3.toml", folder + "/hello.toml"));
  for (const std::string& file : scenarios_in(folder)) {
    EXPECT_EQ(find_scenario(scenario_name(file), folder).value(), file);
  }
  EXPECT_EQ(find_scenario("hello.toml", folder).value(), folder + "/hello.toml");
}

TEST_F(FindScenarioTest, AFileGoesFirst) {
  EXPECT_EQ(find_scenario(folder + "/notes.txt", folder).value(), folder + "/notes.txt");
}

TEST_F(FindScenarioTest, NamesTheNearestOfOthers) {
  const auto missed = find_scenario("helo", folder);
  ASSERT_FALSE(missed);
  EXPECT_EQ(missed.error().kind, ErrorKind::usage);
  EXPECT_THAT(missed.error().text, HasSubstr("helo: no such file, and no such scenario in "));
  EXPECT_THAT(missed.error().text, HasSubstr("did you mean 'hello'?"));
  EXPECT_THAT(find_scenario("figure33333", folder).error().text, HasSubstr("figure3, hello"));
  EXPECT_EQ(find_scenario("a/b.toml", folder).error().text, "a/b.toml: no such file");
}

// `dunlin-sim run hello` in the source tree and wherever the program was built or installed.
TEST(FindScenario, KnowsThoseThatComeWithDunlin) {
  EXPECT_THAT(find_scenario("hello").value(), HasSubstr("experiments/hello.toml"));
}

}  // namespace
}  // namespace dunlin::sim
