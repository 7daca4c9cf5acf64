// SPDX-License-Identifier: MIT
#include "node/base64.h"
#include "sched/peer_view.h"
#include "tests/unit/node/control/client_test.h"

// The verbs attach and input: a client gives a task what it reads.
namespace dunlin::node {
namespace {

class ControlInput : public ClientTest {
 protected:
  /// The attachment of another node, for its client.
  Json attach_here(bool show = false) {
    return ask("attach_here",
        {{"home", "0000000000000007"}, {"number", 12}, {"lineage", "0000000000000001"}, {"task", 3},
            {"attempt", 1}, {"show", show}});
  }
  /// Gives a piece to the attachment, which has the id 1, by a request with the id 2.
  Json give(const std::string& data, bool end = false, Json more = Json::object()) {
    more.update(
        {{"verb", "input"}, {"id", 2}, {"attach", 1}, {"data", to_base64(data)}, {"end", end}});
    connection->replies.clear();
    connection->say(more.dump());
    return advance();
  }
  Json later() {
    agent.time += std::chrono::milliseconds(20);
    connection->replies.clear();
    return advance();
  }
};

TEST_F(ControlInput, APieceIsAnsweredWhenTheTaskHasTakenIt) {
  agent.fed.now.running = true;
  EXPECT_EQ(attach_here()["ok"]["attempt"], 1);
  EXPECT_EQ(agent.fed.attached, 1);
  EXPECT_EQ(give("salt"), nullptr) << "it is not taken yet";
  EXPECT_EQ(agent.fed.given, "salt");
  EXPECT_EQ(later(), nullptr);
  agent.fed.now.taken = 4;
  const Json taken = later();
  EXPECT_EQ(taken["id"], 2);
  EXPECT_EQ(taken["ok"]["taken"], 4);
  EXPECT_EQ(taken["ok"]["closed"], false);
  give("", true);
  EXPECT_TRUE(agent.fed.ended);
}

TEST_F(ControlInput, ATaskThatReadsNoMoreAnswersAtOnce) {
  agent.fed.now.running = true;
  attach_here();
  agent.fed.now.closed = true;
  EXPECT_EQ(give("salt")["ok"]["closed"], true);
}

TEST_F(ControlInput, TheSizeOfATerminalPasses) {
  agent.fed.now.running = true;
  attach_here();
  give("", false, {{"rows", 50}, {"columns", 132}});
  EXPECT_EQ(agent.fed.size, (std::pair<std::uint16_t, std::uint16_t>{50, 132}));
  EXPECT_EQ(error_of(give("", false, {{"rows", 70'000}})),
      "usage: 'rows' must be a whole number from 0 to 65535");
}

TEST_F(ControlInput, AClientThatGoesIsDetached) {
  agent.fed.now.running = true;
  attach_here();
  ask("stop", {{"request", 1}});
  EXPECT_EQ(agent.fed.attached, 0);
}

TEST_F(ControlInput, PiecesAreBounded) {
  agent.fed.now.running = true;
  attach_here();
  EXPECT_EQ(error_of(give(std::string(48 * 1024 + 1, 'x'))),
      "usage: 'data' must be base64 of at most 48 KiB");
}

TEST_F(ControlInput, InputNeedsAnAttachment) {
  EXPECT_EQ(error_of(ask("input", {{"attach", 99}})), "not_found: no request 99 is under way");
  const auto job = submit(1);
  ask("watch", {{"number", job}});
  EXPECT_EQ(error_of(give("salt")), "usage: 'attach' must be the id of a request 'attach'");
}

// A short task may have ended before its client comes; one that is not here yet comes soon.
TEST_F(ControlInput, AnAttachmentWaitsForTheStart) {
  EXPECT_EQ(attach_here(), nullptr);
  EXPECT_EQ(later(), nullptr);
  agent.fed.now.running = true;
  EXPECT_EQ(later()["ok"]["attempt"], 1);
  EXPECT_FALSE(advance().contains("end"));
}

TEST_F(ControlInput, AnAttachmentGivesUpOnATaskThatNeverComes) {
  EXPECT_EQ(attach_here(), nullptr);
  agent.time += std::chrono::seconds(11);
  EXPECT_EQ(error_of(later()), "not_found: the task does not run here");
}

TEST_F(ControlInput, TheHomeWaitsForTheTaskToBeBound) {
  const auto job = submit(1, 8000);  // More than this node has.
  EXPECT_EQ(ask("attach", {{"number", job}}), nullptr);
  EXPECT_EQ(error_of(give("salt")), "refused: the task has not started yet");
  const auto& jobs = sched::frontend_of(agent.peer()).jobs();
  ASSERT_TRUE(agent.cancel(jobs.at(job).id(), {}));
  agent.time += std::chrono::milliseconds(60);
  connection->replies.clear();
  const Json over = advance();
  EXPECT_TRUE(over.value("end", false)) << over.dump();
}

TEST_F(ControlInput, AttachHereIsForAgents) {
  ControlSession other(agent, connection, Principal{.user = "alice"}, requests);
  connection->replies.clear();
  connection->say(Json{{"verb", "attach_here"}, {"id", 5}}.dump());
  ASSERT_FALSE(connection->replies.empty());
  EXPECT_EQ(connection->replies.back()["error"]["kind"], "refused");
}

// A client gives its input once, so it cannot be for several tasks.
TEST_F(ControlInput, OneTaskAloneReadsWhatAClientGives) {
  const auto refused = [&](Json group) {
    group["command"] = {"cat"};
    group["input"] = "client";
    return error_of(ask("submit", {{"groups", Json::array({group})}}));
  };
  EXPECT_THAT(refused({{"count", 2}}), ::testing::HasSubstr("where there are several tasks"));
  EXPECT_THAT(refused({{"array", "0-9"}}), ::testing::HasSubstr("where there are several tasks"));
  EXPECT_THAT(refused({{"retries", 1}}), ::testing::HasSubstr("where there are several tasks"));
}

}  // namespace
}  // namespace dunlin::node
