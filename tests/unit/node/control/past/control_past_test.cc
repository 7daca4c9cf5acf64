// SPDX-License-Identifier: MIT
#include "node/control/control_handlers.h"
#include "node/wall_clock.h"
#include "tests/unit/node/control/client_test.h"

// The verb `past`.
namespace dunlin::node {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ControlPast : public ClientTest {
 protected:
  /// So many steps are over, the last of them now. In step i, i tasks ran.
  void pass(int steps) {
    agent.time = overlay::Time{100h};
    for (int i = 0; i < steps; ++i) {
      PastFigures figures{};
      figures[static_cast<std::size_t>(PastLevel::running)] = i;
      agent.past.add(agent.time + i * 5s, figures);
    }
    agent.time += steps * 5s;
  }
  Json tell(const Json& request) {
    const Json reply = ask("past", request);
    EXPECT_EQ(error_of(reply), "");
    return reply["ok"];
  }
};

TEST_F(ControlPast, AnAgentThatHasJustBegunHasNone) {
  const Json told = tell({{"figures", {"running"}}});
  EXPECT_EQ(told["node_name"], "merlin");
  ASSERT_EQ(told["figures"].size(), 1u);
  EXPECT_THAT(told["figures"][0]["values"], IsEmpty());
  EXPECT_EQ(told["next_at_ns"], nullptr);
}

TEST_F(ControlPast, TellsTheLastStepsOfEachFigureThatIsNamed) {
  pass(300);
  const Json told = tell({{"figures", {"running", "failed"}}});
  EXPECT_EQ(told["step_ns"], 5'000'000'000);
  ASSERT_EQ(told["figures"].size(), 2u);
  const Json& running = told["figures"][0];
  EXPECT_EQ(running["name"], "running");
  EXPECT_EQ(running["kind"], "mean");
  ASSERT_EQ(running["values"].size(), 100u);
  EXPECT_EQ(running["values"][99], 299);
  EXPECT_EQ(told["figures"][1]["kind"], "sum");
  // The first of them ended 99 steps ago.
  const std::int64_t ago = wall_clock_ns() - told["first_at_ns"].get<std::int64_t>();
  EXPECT_NEAR(static_cast<double>(ago), 99 * 5e9, 2e9);
}

TEST_F(ControlPast, AnAnswerIsBoundedAndSaysWhereToGoOn) {
  pass(720);
  Json request = {{"since_at_ns", 1}};
  std::vector<std::int64_t> running;
  for (int pages = 0; pages < 20; ++pages) {
    const Json told = tell(request);
    EXPECT_EQ(told["figures"].size(), kPastCount);
    const Json& values = told["figures"][static_cast<std::size_t>(PastLevel::running)]["values"];
    EXPECT_LE(values.size() * kPastCount, 4000u);
    for (const Json& value : values) running.push_back(value.get<std::int64_t>());
    if (told["next_at_ns"].is_null()) break;
    request["since_at_ns"] = told["next_at_ns"];
  }
  ASSERT_EQ(running.size(), 720u);
  for (std::size_t i = 0; i < running.size(); ++i) {
    ASSERT_EQ(running[i], static_cast<std::int64_t>(i)) << "none is missing, none is told twice";
  }
}

TEST_F(ControlPast, WhatNobodySawIsNull) {
  pass(1);
  agent.past.add(agent.time + 5s, {});
  agent.time += 10s;
  const Json told = tell({{"figures", {"queued"}}});
  EXPECT_EQ(told["figures"][0]["values"], Json::parse("[0, null, 0]"));
}

TEST_F(ControlPast, MinutesAreToldLikewise) {
  pass(36);
  const Json told = tell({{"figures", {"running"}}, {"step_ns", 60'000'000'000}});
  EXPECT_EQ(told["figures"][0]["values"], Json::parse("[5, 17]")) << "the third is under way";
}

TEST_F(ControlPast, WrongRequestsSaySo) {
  EXPECT_THAT(
      error_of(ask("past", {{"figures", {"speed"}}})), HasSubstr("'figures' must be names"));
  EXPECT_THAT(error_of(ask("past", {{"step_ns", 6'000'000'000}})), HasSubstr("'step_ns' must be"));
}

}  // namespace
}  // namespace dunlin::node
