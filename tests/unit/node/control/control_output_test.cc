// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <utility>

#include "node/store/results.h"
#include "sched/peer_view.h"
#include "tests/unit/node/control/client_test.h"

// The verb output, of a task that ran on another node.
namespace dunlin::node {
namespace {

class ControlOutput : public ClientTest {
 protected:
  ControlOutput() {
    agent.hear_of(2, 8000);
    agent.hear_facts(2, "osprey", 8000);
    job = submit(1);
    ResultRow row{.report = {}, .worker = {2}};
    row.report.attempt = 1;
    agent.rows.push_back(row);
  }
  Json ask_output() { return ask("output", {{"number", job}, {"task", 0}}); }
  Json advance_to(std::chrono::milliseconds since) {
    agent.time = overlay::Time{std::chrono::seconds(100)} + since;
    return advance();
  }

  std::uint32_t job = 0;
};

TEST_F(ControlOutput, ASilentNodeIsGivenUpWithinTwoSeconds) {
  EXPECT_EQ(ask_output(), nullptr);
  EXPECT_EQ(agent.output_asked.size(), 1u);
  for (int ms = 50; ms < 1500; ms += 50) {
    ASSERT_EQ(advance_to(std::chrono::milliseconds(ms)), nullptr) << ms;
  }
  EXPECT_EQ(agent.output_asked.size(), 3u) << "datagrams are lost, so it is asked again";
  const Json reply = advance_to(std::chrono::milliseconds(1550));
  EXPECT_EQ(error_of(reply), "timeout: the output is on osprey, which does not answer");
}

// A node that is slow has answered the first question when the second is out already.
TEST_F(ControlOutput, ALateAnswerCounts) {
  EXPECT_EQ(ask_output(), nullptr);
  EXPECT_EQ(advance_to(std::chrono::milliseconds(700)), nullptr);
  ASSERT_EQ(agent.output_asked.size(), 2u);
  agent.output_answers[1] = {.found = true, .ended = true, .attempt = 1, .total = 1, .data = "A"};
  const Json reply = advance_to(std::chrono::milliseconds(750));
  EXPECT_EQ(reply["ok"]["data"], "QQ==") << reply.dump();
  EXPECT_TRUE(agent.output_answers.empty()) << "nobody waits for the second answer";
}

// `dunlin run` of a short command printed nothing, one time in fourteen: it asked for output
// between the task's binding and its start.
TEST_F(ControlOutput, AFollowerWaitsForATaskThatIsBoundAndNotStartedYet) {
  agent.rows.clear();
  agent.hear(2,
      sched::GetTask{.job = sched::frontend_of(agent.peer()).jobs().at(job).id(),
          .group = 0,
          .probe = 1,
          .request = 1,
          .incarnation = 1,
          .room = 1});
  EXPECT_EQ(ask("output", {{"number", job}, {"task", 0}, {"follow", true}}), nullptr);
  ASSERT_EQ(agent.output_asked.size(), 1u);
  agent.output_answers[1] = {.found = false, .ended = true, .attempt = 1};
  EXPECT_EQ(advance_to(std::chrono::milliseconds(10)), nullptr) << "it goes on";
  advance_to(std::chrono::milliseconds(100));
  ASSERT_EQ(agent.output_asked.size(), 2u) << "it looks again";
  agent.output_answers[2] = {.found = true, .ended = true, .attempt = 1, .total = 1, .data = "A"};
  const Json reply = advance_to(std::chrono::milliseconds(150));
  EXPECT_EQ(reply["ok"]["data"], "QQ==") << reply.dump();
}

// `logs -f` left out the end of a task's output: it asked for an attempt whose result the frontend
// knew and the disk did not.
TEST_F(ControlOutput, AResultThatIsBeingWrittenIsWaitedFor) {
  const auto rows = std::exchange(agent.rows, {});
  agent.writing = true;
  EXPECT_EQ(ask("output", {{"number", job}, {"task", 0}, {"attempt", 1}}), nullptr);
  EXPECT_EQ(advance_to(std::chrono::milliseconds(50)), nullptr);
  agent.rows = rows;
  agent.writing = false;
  advance_to(std::chrono::milliseconds(100));
  ASSERT_EQ(agent.output_asked.size(), 1u);
  agent.output_answers[1] = {.found = true, .ended = true, .attempt = 1, .total = 1, .data = "A"};
  const Json reply = advance_to(std::chrono::milliseconds(150));
  EXPECT_EQ(reply["ok"]["data"], "QQ==") << reply.dump();
}

// `logs` right after the end of a task that ran here did not say that some of its output is
// missing.
TEST_F(ControlOutput, OfATaskThatRanHereTheResultIsWaitedForToo) {
  agent.rows.front().worker = {1};
  agent.rows.front().report.out_bytes = 5;
  agent.own_output = {.found = true, .ended = true, .attempt = 1, .total = 1, .data = "A"};
  agent.writing = true;
  EXPECT_EQ(ask_output(), nullptr);
  EXPECT_EQ(advance_to(std::chrono::milliseconds(50)), nullptr);
  agent.writing = false;
  EXPECT_THAT(error_of(advance_to(std::chrono::milliseconds(100))),
      ::testing::HasSubstr("task 0 wrote 5 bytes, of which"));
}

// `dunlin run` came back to an agent that had restarted, and took it for the end of the output that
// the agent had not heard of the task's node yet.
TEST_F(ControlOutput, ANodeThatIsNotHeardOfYetIsWaitedFor) {
  agent.rows.front().worker = {9};
  EXPECT_EQ(ask_output(), nullptr);
  EXPECT_EQ(advance_to(std::chrono::milliseconds(1000)), nullptr);
  EXPECT_TRUE(agent.output_asked.empty());
  agent.hear_of(9, 4000);
  EXPECT_EQ(advance_to(std::chrono::milliseconds(1100)), nullptr);
  EXPECT_EQ(agent.output_asked.size(), 1u);
}

TEST_F(ControlOutput, ANodeThatIsNeverHeardOfIsNoEndOfTheOutput) {
  agent.rows.front().worker = {9};
  EXPECT_EQ(ask_output(), nullptr);
  EXPECT_EQ(advance_to(std::chrono::milliseconds(4900)), nullptr);
  EXPECT_THAT(error_of(advance_to(std::chrono::milliseconds(5100))),
      ::testing::HasSubstr("timeout: the output is on node 0000000000000009"));
}

// Attempts of the home after a takeover count on in another office, of which clients know nothing.
// None of their pieces went on where the one before had ended: each was the first once more.
TEST_F(ControlOutput, ThePiecesOfAnAttemptOfALaterHomeFollowOneAnother) {
  const sched::AttemptNumber second = sched::first_after(3) + 2;
  agent.rows.front().worker = {1};
  agent.rows.front().report.attempt = second;
  agent.rows.front().report.out_bytes = 2;
  agent.own_output = {.found = true, .ended = true, .attempt = second, .total = 2, .data = "A"};
  const Json first =
      ask("output", {{"number", job}, {"task", 0}, {"attempt", 2}, {"bytes_max", 1}})["ok"];
  EXPECT_EQ(first["attempt"], 2);
  EXPECT_EQ(first["next"], 1);
  const auto offset_after = [&](int attempt) {
    const Json told = ask("output",
        {{"number", job}, {"task", 0}, {"offset", 1}, {"offset_attempt", attempt},
            {"bytes_max", 1}});
    return told["ok"]["offset"];
  };
  EXPECT_EQ(offset_after(2), 1);
  EXPECT_EQ(offset_after(1), 0) << "of another attempt all is told";
  EXPECT_EQ(error_of(ask("output", {{"number", job}, {"task", 0}, {"attempt", 1}})),
      "not_found: task 0 has had no attempt 1");
}

// "agent.output_task_limit or agent.output_limit left no room, or its disk lost the others" was
// said of each.
TEST_F(ControlOutput, WhatIsMissingHasItsCauseAndACure) {
  agent.rows.front().worker = {1};
  agent.rows.front().report.out_bytes = 5;
  const auto why = [&](const OutputChunk& kept) {
    agent.own_output = kept;
    const std::string text = error_of(ask_output());
    EXPECT_THAT(text, ::testing::HasSubstr("task 0 wrote 5 bytes, of which "));
    EXPECT_THAT(text, ::testing::HasSubstr("(--stdout, --stderr) has no limit"));
    return text;
  };
  OutputChunk kept{.found = true, .ended = true, .attempt = 1, .total = 1, .data = "A"};
  EXPECT_THAT(why(kept), ::testing::HasSubstr("its disk lost the others"));
  kept.at_limit = true;
  EXPECT_THAT(why(kept),
      ::testing::HasSubstr("has kept 1, as many as agent.output_task_limit there allows"));
  EXPECT_THAT(why({.ended = true, .attempt = 1, .data = {}}),
      ::testing::HasSubstr("has kept 0: agent.output_limit or the disk there left no room"));
}

TEST_F(ControlOutput, AnAttemptThatThereNeverWasIsAnError) {
  const Json reply = ask("output", {{"number", job}, {"task", 0}, {"attempt", 7}});
  EXPECT_EQ(error_of(reply), "not_found: task 0 has had no attempt 7");
}

}  // namespace
}  // namespace dunlin::node
