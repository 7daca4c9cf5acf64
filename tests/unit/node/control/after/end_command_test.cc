// SPDX-License-Identifier: MIT
#include "node/control/after/end_command.h"

#include "node/agent/end_commands.h"
#include "node/codec.h"
#include "sched/peer_view.h"
#include "tests/unit/node/control/client_test.h"

namespace dunlin::node {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

class EndCommandTest : public ClientTest {
 protected:
  static Json with_command(const Json& words) {
    return {{"on_end", {{"command", words}, {"directory", "/data"}}}, {"owner", "anna"},
        {"allow_unsatisfiable", true}, {"groups", {{{"command", {"true"}}, {"count", 2}}}}};
  }
  const sched::JobState& state() { return *sched::find_job(agent.peer(), agent.id(), 1); }
  Json told() { return ask("job", {{"number", 1}})["ok"]["on_end"]; }
  void note(const sched::EndCommand& command) {
    ASSERT_TRUE(agent.change(state().id(), {.end_command = command}));
  }
};

TEST_F(EndCommandTest, IsKeptWithTheJob) {
  EXPECT_EQ(error_of(ask("submit", with_command({"mail", "ann"}))), "");
  const auto spec = decode_task_spec(std::as_bytes(std::span(state().job().end_command)));
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->command.size(), 2u);
  EXPECT_EQ(spec->directory, "/data");
  EXPECT_EQ(spec->owner, "anna");
  EXPECT_EQ(told()["state"], "waiting");
  EXPECT_EQ(told()["command"], Json({"mail", "ann"}));
}

TEST_F(EndCommandTest, AJobWithoutOneSaysSo) {
  submit(1);
  EXPECT_TRUE(told().is_null());
  EXPECT_EQ(error_of(ask("output", {{"number", 1}, {"on_end", true}})),
      "not_found: job 1 has no command for its end");
}

TEST_F(EndCommandTest, WhatIsNoCommandIsRefused) {
  EXPECT_EQ(error_of(ask("submit", with_command(Json::array()))),
      "usage: 'on_end.command' must be a list of at least one text");
  EXPECT_THAT(error_of(ask("submit", with_command({"echo", "%{JOB_ID}"}))),
      HasSubstr("'on_end.command' must be without placeholders"));
}

TEST_F(EndCommandTest, WhatBecameOfItIsTold) {
  ask("submit", with_command({"mail"}));
  EXPECT_THAT(error_of(ask("output", {{"number", 1}, {"on_end", true}})),
      HasSubstr("has not been run yet"));
  ask("cancel", {{"number", 1}});
  note({.run = sched::EndRun::started});
  EXPECT_EQ(told()["state"], "running");
  note({.run = sched::EndRun::ended, .outcome = sched::Outcome::exited, .status = 3});
  EXPECT_EQ(told()["state"], "failed");
  EXPECT_EQ(told()["status"], 3);
  const auto recent = agent.feed.recent({.level = overlay::Level::info, .names = {"end_*"}});
  ASSERT_EQ(recent.size(), 2u);
  EXPECT_EQ(recent[0].name, "end_command_started");
  EXPECT_EQ(recent[1].name, "end_command_failed");
  note({.run = sched::EndRun::ended});
  EXPECT_EQ(told()["state"], "done");
}

TEST_F(EndCommandTest, ItsVariablesTellHowTheJobEnded) {
  ask("submit", with_command({"mail"}));
  ask("cancel", {{"number", 1}});
  std::vector<std::string> variables;
  for (const Variable& each : end_variables(state())) {
    variables.push_back(each.name + "=" + each.value);
  }
  EXPECT_THAT(variables, Contains("DUNLIN_JOB=0000000000000001.1"));
  EXPECT_THAT(variables, Contains("DUNLIN_STATE=cancelled"));
  EXPECT_THAT(variables, Contains("DUNLIN_CANCELLED=2"));
  EXPECT_THAT(variables, Contains("DUNLIN_DONE=0"));
}

}  // namespace
}  // namespace dunlin::node
