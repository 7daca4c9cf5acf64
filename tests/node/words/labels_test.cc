// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <string>

#include "tests/node/agent_world.h"
#include "tests/node/program.h"

// What users say of their jobs, as real agents keep it.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

class LabelsTest : public AgentWorld {
 protected:
  /// The names of the jobs that `dunlin jobs --all --quiet` lists with these words.
  static std::string listed(const TestAgent& at, const std::string& label) {
    const ProgramRun run = run_dunlin(at.socket(), {"jobs", "--all", "--quiet", "--label", label});
    EXPECT_EQ(run.status, 0) << run.err;
    return run.out;
  }
};

TEST_F(LabelsTest, FindAJobFromAnyNodeAlsoAfterItEndedAndARestart) {
  TestAgent& first = add("n0");
  TestAgent& second = add("n1");
  first.wait_until_up();
  second.wait_until_up();
  wait_for_nodes(first, 2);
  wait_for_nodes(second, 2);
  const ProgramRun done = run_dunlin(first.socket(),
      {"run", "-q", "--comment", "the third try", "--job-label", "team=lab3", "--job-label",
          "step=2", "--", "true"});
  ASSERT_EQ(done.status, 0) << done.err;
  ASSERT_EQ(
      run_dunlin(first.socket(), {"run", "-q", "--job-label", "team=lab4", "--", "true"}).status,
      0);
  EXPECT_TRUE(eventually([&] { return listed(second, "team=lab3") == "n0.1\n"; }));
  EXPECT_EQ(listed(second, "team=lab5"), "");
  first.kill9();
  first.start();
  first.wait_until_up();
  EXPECT_TRUE(eventually([&] { return listed(second, "team=lab3") == "n0.1\n"; }));
  EXPECT_EQ(listed(first, "step"), "n0.1\n");
  const ProgramRun shown = run_dunlin(first.socket(), {"job", "1"});
  EXPECT_THAT(shown.out, HasSubstr("comment  the third try"));
  EXPECT_THAT(shown.out, HasSubstr("labels   step=2, team=lab3"));
  EXPECT_THAT(run_dunlin(first.socket(), {"job", "1", "--file"}).out,
      HasSubstr("labels = { \"step\" = \"2\", \"team\" = \"lab3\" }"));
  const ProgramRun wrong = run_dunlin(first.socket(), {"jobs", "--label", "a b"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("--label: 'a b' is no label"));
}

}  // namespace
}  // namespace dunlin::node
