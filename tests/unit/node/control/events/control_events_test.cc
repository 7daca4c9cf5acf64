// SPDX-License-Identifier: MIT
#include "node/events/event_feed.h"
#include "tests/unit/node/control/client_test.h"

namespace dunlin::node {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ControlEventsTest : public ClientTest {
 protected:
  static std::vector<std::string> names_in(const Json& reply) {
    std::vector<std::string> names;
    for (const Json& event : reply["ok"]["events"]) names.push_back(event["event"]);
    return names;
  }
  std::vector<Json> replies() { return std::exchange(connection->replies, {}); }
};

TEST_F(ControlEventsTest, TellsThePastAndEnds) {
  submit(2);
  const Json reply = ask("events", {{"names", {"job_*"}}});
  EXPECT_EQ(reply["end"], true);
  EXPECT_THAT(names_in(reply), ElementsAre("job_accepted"));
  const Json& event = reply["ok"]["events"][0];
  EXPECT_EQ(event["level"], "info");
  EXPECT_EQ(event["fields"]["tasks"], 2);
  EXPECT_THAT(event["fields"]["job"].get<std::string>(), HasSubstr(".1"));
}

TEST_F(ControlEventsTest, FollowsWithoutThePast) {
  submit(1);
  const Json first = ask("events", {{"follow", true}, {"names", {"job_accepted"}}});
  EXPECT_FALSE(first.contains("end"));
  EXPECT_THAT(names_in(first), IsEmpty());
  replies();
  advance();
  EXPECT_THAT(replies(), IsEmpty()) << "nothing happened";
  agent.feed.on(sched::Event(sched::JobAccepted{.job = {.home = {7}, .number = 8}, .tasks = 9}));
  EXPECT_EQ(advance()["ok"]["events"][0]["fields"]["tasks"], 9);
}

TEST_F(ControlEventsTest, SaysWhatTheClientMissed) {
  ask("events", {{"follow", true}});
  replies();
  for (std::size_t i = 0; i < EventReader::kWaitingMax + 7; ++i) {
    agent.feed.on(sched::Event(sched::DrainChanged{.draining = true, .running = 0}));
  }
  advance();
  std::size_t events = 0;
  std::uint64_t dropped = 0;
  for (const Json& reply : replies()) {
    EXPECT_LE(reply["ok"]["events"].size(), 256u);
    events += reply["ok"]["events"].size();
    dropped += reply["ok"]["dropped"].get<std::uint64_t>();
  }
  EXPECT_EQ(events, EventReader::kWaitingMax);
  EXPECT_EQ(dropped, 7u);
}

// It costs the agent no more than what waits for it, and learns how much it missed, and where, when
// it reads on.
TEST_F(ControlEventsTest, AClientThatDoesNotReadIsNotCutAndLearnsWhatItMissed) {
  ask("events", {{"follow", true}, {"names", {"drain_changed", "job_accepted"}}});
  replies();
  connection->unread = std::size_t{2} << 20;
  const auto happens = [&](std::size_t times) {
    for (std::size_t i = 0; i < times; ++i) {
      agent.feed.on(sched::Event(sched::DrainChanged{.draining = true, .running = 0}));
      if (i % 100 == 0) advance();
    }
  };
  happens(EventReader::kWaitingMax + 900);
  EXPECT_THAT(replies(), IsEmpty());
  EXPECT_FALSE(connection->closed);
  connection->unread = 0;
  advance();
  std::size_t events = 0;
  const std::vector<Json> told = replies();
  ASSERT_FALSE(told.empty());
  for (const Json& reply : told) {
    EXPECT_FALSE(reply.contains("end"));
    events += reply["ok"]["events"].size();
    EXPECT_EQ(reply["ok"]["dropped"], &reply == &told.back() ? 900 : 0) << "where they are missing";
  }
  EXPECT_EQ(events, EventReader::kWaitingMax);
  // And goes on.
  agent.feed.on(sched::Event(sched::JobAccepted{.job = {.home = {7}, .number = 8}, .tasks = 9}));
  const Json next = advance();
  EXPECT_THAT(names_in(next), ElementsAre("job_accepted"));
  EXPECT_EQ(next["ok"]["dropped"], 0);
}

TEST_F(ControlEventsTest, OthersSeeWhatIsAboutTheirOwnJobs) {
  const auto connect = [&](const char* user) {
    return std::make_unique<ControlSession>(agent, connection, Principal{.user = user}, requests);
  };
  submit(1);
  const auto alice = connect("alice");
  connection->say(R"({"verb": "submit", "id": 1, "allow_unsatisfiable": true,
      "groups": [{"command": ["true"]}]})");
  alice->advance();
  agent.feed.on(sched::Event(sched::DrainChanged{.draining = true, .running = 0}));
  const auto seen_by = [&](ControlSession& session) {
    replies();
    connection->say(R"({"verb": "events", "id": 2})");
    session.advance();
    return replies().back()["ok"]["events"];
  };
  const Json mine = seen_by(*alice);
  ASSERT_THAT(mine, SizeIs(1));
  EXPECT_THAT(mine[0]["fields"]["job"].get<std::string>(), HasSubstr(".2"));
  const auto bob = connect("bob");
  EXPECT_THAT(seen_by(*bob), IsEmpty());
}

TEST_F(ControlEventsTest, RefusesWhatIsNoLevelAndNoEvent) {
  EXPECT_EQ(error_of(ask("events", {{"level", "loud"}})),
      "usage: 'level' must be trace, debug, info, warn or error");
  EXPECT_THAT(error_of(ask("events", {{"names", {"job_done"}}})),
      HasSubstr("usage: 'job_done' is no event; known are: "));
}

}  // namespace
}  // namespace dunlin::node
