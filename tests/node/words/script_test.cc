// SPDX-License-Identifier: MIT
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <string>

#include "tests/node/agent_world.h"
#include "tests/node/program.h"

// A script that travels with its job, from the command line to real agents and back into a job
// file.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ScriptTest : public AgentWorld {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(home + "/" + name) << text;
    return home + "/" + name;
  }
};

TEST_F(ScriptTest, AScriptGoesWithItsJobAndComesBackAsAJobFile) {
  TestAgent& agent = add("a");
  agent.wait_until_up();
  std::string text = "#!/usr/bin/env python3\n";
  while (text.size() < 300u << 10) text += "# \"\"\" and \\ and a line of \xc3\xa9\xe2\x82\xac\n";
  text += "import os, sys\nprint(sys.argv[1:], os.environ['DUNLIN_TASK_INDEX'])\n";
  const std::string path = write("train.py", text);
  const ProgramRun ran =
      run_dunlin(agent.socket(), {"run", "-q", "--script", path, "--", "a b", "%{TASK_INDEX}"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out, "['a b', '0'] 0\n");

  const ProgramRun shown = run_dunlin(agent.socket(), {"job", "last"});
  EXPECT_THAT(shown.out, HasSubstr("train.py"));
  EXPECT_THAT(shown.out, HasSubstr("#!/usr/bin/env python3, 300 KiB"));
  EXPECT_THAT(shown.out, Not(HasSubstr("import os")));

  const ProgramRun file = run_dunlin(agent.socket(), {"job", "last", "--file"});
  EXPECT_THAT(file.out, HasSubstr("script = \"\"\"\n#!/usr/bin/env python3\n"));
  EXPECT_THAT(file.out, HasSubstr("command = [\"a b\", \"%{TASK_INDEX}\"]\n"));
  const ProgramRun again =
      run_dunlin(agent.socket(), {"run", "-q", "-f", write("job.toml", file.out)});
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(again.out, ran.out);
  EXPECT_EQ(run_dunlin(agent.socket(), {"job", "last", "--file"}).out, file.out);
}

// As sbatch has it: the file may change once the job is taken.
TEST_F(ScriptTest, TheFileIsReadAtTheSubmit) {
  TestAgent& agent = add("a");
  agent.wait_until_up();
  const std::string path = write("step.sh",
      "#!/bin/sh\necho $1 $2 of $DUNLIN_ATTEMPT\n"
      "test $DUNLIN_ATTEMPT -gt 1\n");
  const std::string lines = write("lines", "x\ny\n");
  ASSERT_EQ(run_dunlin(agent.socket(),
                {"submit", "--hold", "--retries", "1", "--script", path, "--each-line", lines, "--",
                    "line"})
                .status,
      0);
  std::filesystem::remove(path);
  std::filesystem::remove(lines);
  ASSERT_EQ(run_dunlin(agent.socket(), {"release", "last"}).status, 0);
  ASSERT_EQ(run_dunlin(agent.socket(), {"wait", "last"}).status, 0);
  EXPECT_EQ(run_dunlin(agent.socket(), {"logs", "last"}).out, "line x of 2\nline y of 2\n");
}

TEST_F(ScriptTest, WhatIsNoScriptIsRefusedWithItsCure) {
  TestAgent& agent = add("a");
  agent.wait_until_up();
  const std::string path = write("plain.sh", "echo hello\n");
  const ProgramRun refused = run_dunlin(agent.socket(), {"run", "--script", path});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("--script: " + path + ": the script has no #! line: begin"));
  const Json reply = agent.client().call(
      request("submit", {{"groups", {{{"script", "echo"}, {"command", {"rm"}}}}}}));
  ASSERT_TRUE(reply.contains("error")) << reply;
  EXPECT_THAT(reply["error"]["text"].get<std::string>(), HasSubstr("no #! line"));
  EXPECT_EQ(reply["error"]["kind"], "usage");
}

}  // namespace
}  // namespace dunlin::node
