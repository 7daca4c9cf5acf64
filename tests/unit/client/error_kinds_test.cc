// SPDX-License-Identifier: MIT
#include "node/client/conversation.h"
#include "node/client/engine.h"
#include "tests/unit/client/scripted_agent.h"

// What the library makes of an agent's errors, and when it asks an agent again that is busy.
namespace dunlin::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class ClientErrorKindsTest : public ScriptedAgent {
 protected:
  /// The agent is too busy for that request, for so long.
  void busy(const Json& request, std::chrono::nanoseconds pause) {
    Json error = {{"kind", "busy"}, {"text", "too much is under way"}};
    error["retry_ns"] = pause.count();
    EXPECT_TRUE(engine.hear(now, {{"id", request["id"]}, {"error", error}}));
    advance();
  }
};

TEST(ClientErrorKinds, EachHasItsStatus) {
  const std::pair<const char*, int> kinds[] = {{"usage", DUNLIN_USAGE},
      {"not_found", DUNLIN_NOT_FOUND}, {"elsewhere", DUNLIN_NOT_FOUND}, {"refused", DUNLIN_REFUSED},
      {"stopping", DUNLIN_REFUSED}, {"forbidden", DUNLIN_FORBIDDEN}, {"busy", DUNLIN_BUSY},
      {"quota", DUNLIN_QUOTA}, {"conflict", DUNLIN_CONFLICT}, {"io", DUNLIN_IO},
      {"corrupt", DUNLIN_CORRUPT}, {"timeout", DUNLIN_TIMEOUT}, {"of a later agent", DUNLIN_IO}};
  for (const auto& [kind, status] : kinds) {
    EXPECT_EQ(problem_of(kind, "no").status, status) << kind;
    EXPECT_STRNE(dunlin_status_text(status), "an unknown status") << kind;
  }
}

TEST(ClientErrorKinds, NoAgentHasAProgramWaitForHours) {
  EXPECT_EQ(problem_of("busy", "no", 5).retry_ns, 5);
  EXPECT_EQ(problem_of("busy", "no", -5).retry_ns, 0);
  EXPECT_EQ(problem_of("busy", "no", INT64_MAX).retry_ns, 60'000'000'000);
  EXPECT_EQ(pause_of({DUNLIN_BUSY, "no", false, 1}), milliseconds(1));
}

TEST_F(ClientErrorKindsTest, ASubmitIsSaidAgainWhenABusyAgentSays) {
  const JobPtr job = submit();
  connect();
  const Json first = next_request("submit");
  busy(first, milliseconds(300));
  EXPECT_EQ(job->phase, Job::Phase::queued);
  pass(milliseconds(200));
  EXPECT_TRUE(requests.empty()) << "too early";
  pass(milliseconds(100));
  const Json second = next_request("submit");
  EXPECT_EQ(second["key"], first["key"]);
  reply(second, taken(7));
  EXPECT_EQ(job->phase, Job::Phase::known);
}

TEST_F(ClientErrorKindsTest, ASubmitFailsAfterAMinuteOfThat) {
  const JobPtr job = submit();
  connect();
  const Time begun = now;
  while (!job->over() && now - begun < seconds(600)) {
    busy(next_request("submit"), seconds(1));
    pass(seconds(1));
  }
  EXPECT_EQ(job->problem.status, DUNLIN_BUSY);
  EXPECT_GE(now - begun, kBusyMax);
  EXPECT_LE(now - begun, kBusyMax + seconds(2));
}

TEST_F(ClientErrorKindsTest, AnAgentThatDoesNotSayWhenIsNotAskedAgain) {
  const JobPtr job = submit();
  connect();
  refuse(next_request("submit"), "busy");
  EXPECT_EQ(job->problem.status, DUNLIN_BUSY);
  const JobPtr other = submit();
  refuse(next_request("submit"), "quota", "you have 3 jobs");
  EXPECT_EQ(other->problem.status, DUNLIN_QUOTA);
  EXPECT_EQ(other->problem.text, "you have 3 jobs");
}

// A retry that was done twice would run tasks twice; an agent that was busy did nothing.
TEST_F(ClientErrorKindsTest, ACommandIsGivenAgain) {
  const JobPtr job = submit();
  connect();
  reply(next_request("submit"), taken(7, 2));
  next_request("subscribe");
  auto command = std::make_shared<Command>();
  command->job = job;
  command->verb = "retry";
  engine.command(command);
  busy(next_request("retry"), seconds(1));
  EXPECT_FALSE(command->done);
  pass(seconds(1));
  refuse(next_request("retry"), "conflict", "it runs");
  EXPECT_TRUE(command->done);
  EXPECT_EQ(command->problem.status, DUNLIN_CONFLICT);
}

TEST_F(ClientErrorKindsTest, AJobOfAnotherUserIsNotWaitedFor) {
  const JobPtr job = engine.find(std::string(kNode) + ".7", true);
  connect();
  const Json subscription = next_request("subscribe");
  const Json error = {{"kind", "forbidden"}, {"text", "it is alice's"}};
  reply(subscription,
      {{"jobs", Json::array({{{"job", job->id}, {"ended", false}, {"error", error}}})}}, false);
  EXPECT_EQ(job->phase, Job::Phase::failed);
  EXPECT_EQ(job->problem.status, DUNLIN_FORBIDDEN);
}

TEST_F(ClientErrorKindsTest, AnAgentWithoutRoomIsLeftAloneForAsLongAsItSays) {
  submit();
  engine.on_connected(now);
  next_request("hello");
  Json error = {{"kind", "refused"}, {"text", "128 clients are connected"}};
  error["retry_ns"] = std::chrono::nanoseconds(seconds(30)).count();
  EXPECT_FALSE(engine.hear(now, {{"id", nullptr}, {"error", error}}));
  engine.on_lost(now, engine.parting());
  now += seconds(29);
  EXPECT_FALSE(engine.wants_connection(now));
  now += seconds(1);
  EXPECT_TRUE(engine.wants_connection(now));
}

// A program that was built before there were these kinds is told what it knows: agents are asked to
// speak as they did then.
TEST(ClientErrorKinds, AProgramOfBeforeSpeaksVersion1) {
  for (const int protocol : {Engine::kProtocolRefused, Engine::kProtocol}) {
    Engine engine(1, [] { return 1.0; }, protocol);
    engine.on_connected(Time{});
    engine.advance(Time{});
    FrameReader reader;
    reader.feed(engine.out());
    const auto hello = reader.next();
    ASSERT_TRUE(hello);
    EXPECT_EQ(Json::parse(*hello)["newest"], protocol);
  }
  EXPECT_EQ(Engine::kProtocolRefused, 1);
}

}  // namespace
}  // namespace dunlin::client
