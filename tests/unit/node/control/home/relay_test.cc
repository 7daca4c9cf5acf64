// SPDX-License-Identifier: MIT
#include "node/control/home/relay.h"

#include <gmock/gmock.h>

#include "node/control/home/home_search.h"
#include "node/control/home/task_bits.h"
#include "node/ids.h"
#include "tests/unit/node/control/home/relay_test.h"

// Requests about jobs of another node, passed on to it.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// The user for whom requests are passed on: that of the client.
const Json kRoot = {{"user", ""}, {"administrator", true}};

TEST_F(RelayTest, ARequestGoesToTheJobsHome) {
  EXPECT_TRUE(ask("job", {{"job", "osprey.7"}, {"lineage", "00"}}).is_null());
  ASSERT_EQ(dialed.size(), 1u);
  EXPECT_EQ(dialed[0].id, overlay::PeerId{2});
  EXPECT_EQ(heard(),
      (Json{{"lineage", "00"}, {"verb", "job"}, {"id", 1}, {"number", 7},
          {"origin", "0000000000000002"}, {"speaker", kRoot}}));
  answer({{"id", 1}, {"ok", {{"name", "a"}}}, {"end", true}});
  EXPECT_EQ(advance(), (Json{{"id", 1}, {"ok", {{"name", "a"}}}, {"end", true}}));
}

TEST_F(RelayTest, NumbersAtANodeAreThatNodes) {
  ask("wait", {{"at", "0000000000000002"}, {"numbers", {1, 2}}});
  EXPECT_EQ(heard(),
      (Json{{"numbers", {1, 2}}, {"verb", "wait"}, {"id", 1}, {"origin", "0000000000000002"},
          {"speaker", kRoot}}));
}

TEST_F(RelayTest, AJobOfThisNodeIsAnsweredHere) {
  const auto number = submit(1);
  EXPECT_EQ(ask("job", {{"job", "merlin." + std::to_string(number)}})["ok"]["number"], number);
  EXPECT_EQ(ask("job", {{"job", std::to_string(number)}})["ok"]["number"], number);
  EXPECT_EQ(ask("job", {{"at", "merlin"}, {"number", number}})["ok"]["home_name"], "merlin");
  EXPECT_TRUE(dialed.empty());
}

TEST_F(RelayTest, PartsAndErrorsArePassedBack) {
  ask("watch", {{"job", "osprey.7"}});
  answer({{"id", 1}, {"ok", {{"part", 1}}}});
  EXPECT_EQ(advance()["ok"]["part"], 1);
  answer({{"id", 1}, {"error", {{"kind", "not_found"}, {"text", "gone"}}}});
  EXPECT_EQ(error_of(advance()), "") << "another node may drive it";
  later(HomeSearch::kShort);
  EXPECT_EQ(error_of(advance()), "not_found: gone");
  const std::size_t replies = connection->replies.size();
  answer({{"id", 1}, {"ok", {{"part", 2}}}});
  advance();
  EXPECT_EQ(connection->replies.size(), replies) << "nothing follows the last reply";
}

// A member that is null counts as missing, on every way.
TEST_F(RelayTest, AWatchWithNullMembersIsPassedOn) {
  ask("watch", {{"job", "osprey.7"}, {"told", nullptr}});
  answer({{"id", 1}, {"ok", {{"progress", {{"tasks", 4}}}, {"finished", {{{"index", 2}}}}}}});
  EXPECT_EQ(advance()["ok"]["finished"][0]["index"], 2);
  ask("watch", {{"job", "osprey.7"}, {"told", 17}});
  answer({{"id", 2}, {"ok", {{"progress", {{"tasks", 4}}}, {"finished", {{{"index", 2}}}}}}});
  EXPECT_EQ(advance()["ok"]["finished"][0]["index"], 2);
}

TEST_F(RelayTest, AnAgentThatTalksNonsenseHarmsNobody) {
  const char* const answers[] = {R"({"id":1,"error":null})", R"({"id":1,"error":7})",
      R"({"id":1,"error":{"kind":null,"text":null}})", R"({"id":1,"error":{"kind":[],"text":{}}})",
      R"({"id":1,"error":{"kind":"not_found","text":5}})", R"({"id":1,"ok":null})",
      R"({"id":1,"ok":{"progress":null,"finished":null,"next":null}})",
      R"({"id":1,"ok":{"progress":{"tasks":-1},"finished":[null,1,{"index":null}],"next":"x"}})",
      R"({"id":1,"ok":{"progress":[],"finished":[{"index":-3},{"index":1e300}],"next":-1}})",
      R"({"id":1,"ok":{"finished":{}}})", R"({"id":1.5,"ok":{}})", R"({"id":null})", "[]", "{", ""};
  for (const char* const text : answers) {
    ControlSession one(agent, connection, Principal{.administrator = true}, requests);
    connection->say(R"({"verb":"watch","id":1,"job":"osprey.7","told":null})");
    home->say(text);
    one.advance();
    home->say(R"({"id":1,"ok":{},"end":true})");
    one.advance();
  }
  EXPECT_EQ(agent.accounts.of("")->failed, 0u);
}

TEST_F(RelayTest, OneConversationServesAllRequestsOfAClient) {
  ask("watch", {{"job", "osprey.7"}});
  ask("job", {{"job", "osprey.8"}});
  EXPECT_EQ(dialed.size(), 1u);
  EXPECT_EQ(heard()["id"], 2);
}

// The id that the client gave its attachment is another one at the home.
TEST_F(RelayTest, InputFollowsItsAttachment) {
  ask("job", {{"job", "osprey.7"}});
  answer({{"id", 1}, {"ok", Json::object()}, {"end", true}});
  advance();
  ask("attach", {{"job", "osprey.7"}});
  EXPECT_EQ(heard()["id"], 2);
  connection->say(Json{{"verb", "input"}, {"id", 9}, {"attach", 1}, {"data", "QQ=="}}.dump());
  EXPECT_EQ(heard(), (Json{{"verb", "input"}, {"id", 3}, {"attach", 2}, {"data", "QQ=="}}));
  answer({{"id", 3}, {"ok", {{"taken", 1}}}, {"end", true}});
  EXPECT_EQ(advance(), (Json{{"id", 9}, {"ok", {{"taken", 1}}}, {"end", true}}));
}

TEST_F(RelayTest, AnAttachmentGoesOnToTheNodeThatRunsTheTask) {
  const auto number = submit(1, 8000);  // More than this node has.
  const auto& job = sched::frontend_of(agent.peer()).jobs().at(number);
  ask("attach", {{"number", number}, {"show", true}});
  agent.hear(2,
      sched::GetTask{
          .job = job.id(), .group = 0, .probe = 1, .request = 1, .incarnation = 1, .room = 1});
  later(std::chrono::milliseconds(60));
  advance();
  ASSERT_EQ(dialed.size(), 1u);
  EXPECT_EQ(heard(),
      (Json{{"verb", "attach_here"}, {"home", to_string(job.id().home)}, {"number", number},
          {"lineage", lineage_text(job.id())}, {"task", 0}, {"attempt", 1}, {"show", true},
          {"id", 1}}))
      << "in the name of this agent: it has looked whose job it is";
  connection->say(Json{{"verb", "input"}, {"id", 9}, {"attach", 1}, {"data", "QQ=="}}.dump());
  EXPECT_EQ(heard()["attach"], 1);
}

TEST_F(RelayTest, AHomeThatIsGoneIsAnErrorThatNamesIt) {
  ask("job", {{"job", "osprey.7"}});
  home->end();
  advance();
  later(HomeSearch::kShort);
  EXPECT_THAT(error_of(advance()), StartsWith("timeout: node osprey (up 0 s ago) does not answer"));
  ask("job", {{"job", "osprey.7"}});
  EXPECT_EQ(dialed.size(), 2u) << "it is tried again";
}

TEST_F(RelayTest, AHomeThatSaysNothingIsGivenUpWithinTwoSeconds) {
  ask("wait", {{"at", "osprey"}, {"numbers", {7}}});
  later(RelayLink::kFirstWord);
  EXPECT_TRUE(advance().is_null()) << "what came while we stood still is read first";
  later(std::chrono::milliseconds(100));
  advance();
  later(HomeSearch::kShort);
  EXPECT_THAT(error_of(advance()), HasSubstr("does not answer"));
  EXPECT_TRUE(home->closed);
}

// That a worker does not answer is no word on which node drives the job.
TEST_F(RelayTest, AWorkerThatIsSilentIsNoHomeThatMoved) {
  ask("output", {{"job", "osprey.7"}});
  answer({{"id", 1}, {"error", {{"kind", "timeout"}, {"text", "merlin does not answer"}}}});
  EXPECT_EQ(error_of(advance()), "timeout: merlin does not answer");
}

// Another home goes on with the tasks that were not told of.
TEST_F(RelayTest, AWatchGoesOnWhereItEnded) {
  agent.hear_of(3, 4000);
  ask("watch", {{"job", "osprey.7"}});
  Json finished = Json::array();
  finished.push_back({{"index", 1}});
  finished.push_back({{"index", 9}});
  answer({{"id", 1}, {"ok", {{"progress", {{"tasks", 10}}}, {"finished", finished}}}});
  advance();
  answer({{"id", 1}, {"error", {{"kind", "elsewhere"}, {"text", "ask again"}}}});
  advance();
  session.requests().on_home_is({3}, told_by(3, 2));
  advance();
  ASSERT_EQ(dialed.size(), 2u);
  const auto told = TaskBits::read(heard()["told"].get<std::string>(), 10);
  ASSERT_TRUE(told);
  TaskBits expected(10);
  expected.add(1);
  expected.add(9);
  EXPECT_EQ(told->text(), expected.text());
}

// What was told is of one attempt: another one is told from its beginning.
TEST_F(RelayTest, OutputGoesOnWhereItEndedInTheAttemptThatItWasOf) {
  agent.hear_of(3, 4000);
  ask("output", {{"job", "osprey.7"}, {"task", 2}, {"follow", true}});
  answer({{"id", 1}, {"ok", {{"attempt", 4}, {"offset", 0}, {"next", 10}, {"data", "QQ=="}}}});
  advance();
  answer({{"id", 1}, {"error", {{"kind", "elsewhere"}, {"text", "ask again"}}}});
  advance();
  session.requests().on_home_is({3}, told_by(3, 2));
  advance();
  ASSERT_EQ(dialed.size(), 2u);
  EXPECT_EQ(heard()["offset"], 10);
  EXPECT_EQ(heard()["offset_attempt"], 4);
}

// A wait may last for days, so silence alone means nothing.
TEST_F(RelayTest, ALongWaitLastsAsLongAsTheHomeGivesSigns) {
  ask("wait", {{"at", "osprey"}, {"numbers", {7}}});
  answer({{"id", 0}, {"ok", Json::object()}, {"end", true}});
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(advance().is_null());
    const std::size_t asked = home->replies.size();
    later(RelayLink::kQuiet);
    EXPECT_TRUE(advance().is_null());
    ASSERT_GT(home->replies.size(), asked) << "a sign of life is asked for";
    EXPECT_EQ(heard()["verb"], "stop");
    answer({{"id", 0}, {"ok", Json::object()}, {"end", true}});
  }
  advance();
  later(RelayLink::kSilence);
  advance();
  later(std::chrono::milliseconds(100));
  advance();
  later(HomeSearch::kShort);
  EXPECT_THAT(error_of(advance()), HasSubstr("does not answer"));
}

// The home reads the same from the client: it must not fill this agent's memory.
TEST_F(RelayTest, ReadingPausesWhileMuchWaitsHere) {
  ask("output", {{"job", "osprey.7"}, {"follow", true}});
  answer({{"id", 1}, {"ok", {{"data", std::string(RelayLink::kWaitingMax, 'x')}}}});
  EXPECT_TRUE(home->paused);
  later(RelayLink::kSilence * 2);
  EXPECT_TRUE(advance().contains("ok")) << "a home that may not speak is not dead";
  EXPECT_FALSE(home->paused);
}

TEST_F(RelayTest, ARequestThatIsStoppedEndsAtItsHome) {
  ask("watch", {{"job", "osprey.7"}});
  ask("stop", {{"request", 1}});
  EXPECT_EQ(heard(), (Json{{"verb", "stop"}, {"id", 0}, {"request", 1}}));
  later(Relays::kKeep);
  advance();
  EXPECT_TRUE(home->closed) << "a conversation that nobody needs ends";
}

TEST_F(RelayTest, WhereToGoMustBeKnown) {
  EXPECT_THAT(error_of(ask("job", {{"job", "eagle.7"}})), StartsWith("not_found: no node 'eagle'"));
  EXPECT_THAT(error_of(ask("job", {{"job", "merlin.7"}, {"at", "osprey"}})), StartsWith("usage: "));
  EXPECT_THAT(error_of(ask("job", {{"job", 7}})), HasSubstr("'job' must be"));
  agent.dial = nullptr;
  EXPECT_THAT(error_of(ask("job", {{"job", "osprey.7"}})), StartsWith("refused: too many"));
}

TEST_F(RelayTest, FindReadsTheNamesOfTasks) {
  const Json found = ask("find", {{"name", "osprey.7.0-9,20"}})["ok"];
  EXPECT_EQ(found,
      (Json{{"job", "0000000000000002.7"}, {"number", 7}, {"node", "0000000000000002"},
          {"node_name", "osprey"}, {"tasks", "0-9,20"}}));
  EXPECT_EQ(ask("find", {{"name", "7"}})["ok"]["node_name"], "merlin");
}

}  // namespace
}  // namespace dunlin::node
