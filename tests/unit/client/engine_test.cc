// SPDX-License-Identifier: MIT
#include "node/client/engine.h"

#include "tests/unit/client/scripted_agent.h"

// What a client says when its agent comes, answers, dies and comes back.
namespace dunlin::client {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

using EngineTest = ScriptedAgent;

TEST_F(EngineTest, AJobIsSubmittedFollowedAndEnds) {
  const JobPtr job = submit();
  connect();
  const Json request = next_request("submit");
  EXPECT_EQ(request["groups"][0]["command"][0], "true");
  EXPECT_THAT(request["key"].get<std::string>(), SizeIs(32));
  EXPECT_FALSE(request.contains("at"));
  reply(request, taken(7));
  EXPECT_EQ(job->id, std::string(kNode) + ".7");
  const Json subscription = next_request("subscribe");
  EXPECT_EQ(subscription["jobs"],
      Json::parse(R"([{"job":"00000000000000a1.7","lineage":"00000000000000aa","results":true}])"));
  reply(subscription, {{"jobs", {news(job, "running", {}, false)}}}, false);
  EXPECT_EQ(job->state, "running");
  reply(subscription, {{"jobs", {news(job, "done", {result(0)}, true)}}}, false);
  EXPECT_EQ(job->phase, Job::Phase::ended);
  ASSERT_THAT(job->results, SizeIs(1));
  EXPECT_EQ(job->results.front().worker, "merlin");
  EXPECT_FALSE(ended);
}

TEST_F(EngineTest, ASubmitWithoutAnAnswerIsSaidAgainWithItsKey) {
  const JobPtr job = submit();
  connect();
  const Json first = next_request("submit");
  lose();
  connect();
  const Json second = next_request("submit");
  EXPECT_EQ(second["key"], first["key"]);
  EXPECT_FALSE(second.contains("at")) << "the same node is back";
  reply(second, taken(7));
  EXPECT_EQ(job->phase, Job::Phase::known);
}

TEST_F(EngineTest, SubmitsKeepTheirOrderThroughALostConnection) {
  const JobPtr one = submit();
  const JobPtr two = submit();
  connect();
  next_request("submit");
  next_request("submit");
  lose();
  connect();
  EXPECT_EQ(next_request("submit")["key"], one->key);
  EXPECT_EQ(next_request("submit")["key"], two->key);
}

// A flush beside threads that submitted on and on waited for as long as they did.
TEST_F(EngineTest, AFlushWaitsForWhatWasSubmittedBefore) {
  submit();
  const auto before = engine.submitted();
  submit();
  connect();
  const Json first = next_request("submit");
  EXPECT_FALSE(engine.submits().settled(before));
  reply(first, taken(7));
  EXPECT_TRUE(engine.submits().settled(before)) << "the second is not waited for";
  EXPECT_FALSE(engine.submits().settled(engine.submitted()));
  refuse(next_request("submit"), "refused", "no");
  EXPECT_TRUE(engine.submits().idle());
}

TEST_F(EngineTest, ASubmitThatANodeMayHaveGoesToThatNodeThroughAnother) {
  const JobPtr job = submit();
  connect();
  next_request("submit");
  lose();
  connect(kOther);
  const Json again = next_request("submit");
  EXPECT_EQ(again["at"], kNode) << "or there would be two jobs";
  refuse(again, "timeout", "it does not answer");
  EXPECT_EQ(job->phase, Job::Phase::queued);
  pass(std::chrono::seconds(2));
  const Json asked = next_request("submitted");
  EXPECT_EQ(asked["key"], job->key);
  reply(asked, taken(7));
  EXPECT_EQ(job->phase, Job::Phase::known) << "the other node has taken over its jobs";
}

TEST_F(EngineTest, AnUnknownNodeMakesASubmitUncertain) {
  const JobPtr job = submit();
  connect();
  next_request("submit");
  lose();
  connect(kOther);
  for (int i = 0; i < 200 && !job->over(); ++i) {
    pass(std::chrono::seconds(1));
    if (requests.empty()) continue;
    const Json request = requests.front();
    requests.pop_front();
    refuse(request, "not_found", "no such node");
  }
  EXPECT_EQ(job->phase, Job::Phase::failed);
  EXPECT_EQ(job->problem.status, DUNLIN_LOST);
  EXPECT_THAT(job->problem.text, HasSubstr("may have taken the job"));
}

// Others know it and it says nothing: it may come back, but a program must not wait for ever.
TEST_F(EngineTest, ANodeThatStaysAwayMakesASubmitUncertain) {
  const JobPtr job = submit();
  connect();
  next_request("submit");
  lose();
  connect(kOther);
  const Time begun = now;
  while (!job->over() && now - begun < std::chrono::hours(1)) {
    pass(std::chrono::seconds(1));
    if (requests.empty()) continue;
    const Json request = requests.front();
    requests.pop_front();
    // The other node has not taken over its jobs.
    const bool there = request.contains("at");
    refuse(request, there ? "timeout" : "not_found", there ? "it is silent" : "no such key");
    if (now - begun < Submits::kSilentMax - std::chrono::seconds(5)) {
      ASSERT_EQ(job->phase, Job::Phase::queued);
    }
  }
  EXPECT_EQ(job->problem.status, DUNLIN_LOST);
  EXPECT_THAT(job->problem.text, HasSubstr("it is silent"));
  EXPECT_LT(now - begun, Submits::kSilentMax + std::chrono::seconds(5));
}

TEST_F(EngineTest, AJobSaysWhyNothingIsHeardOfIt) {
  const JobPtr job = submit();
  connect();
  reply(next_request("submit"), taken(7, 2));
  next_request("subscribe");
  lose();
  connect(kOther);
  const Json gone = {
      {"job", job->id}, {"ended", false}, {"error", {{"kind", "elsewhere"}, {"text", "no"}}}};
  reply(next_request("subscribe"), {{"jobs", {gone}}}, false);
  refuse(next_request("watch"), "timeout", "node merlin does not answer");
  EXPECT_EQ(job->phase, Job::Phase::known) << "it may come back";
  EXPECT_EQ(job->trouble.status, DUNLIN_TIMEOUT);
  EXPECT_EQ(job->trouble.text, "node merlin does not answer");
  pass(std::chrono::seconds(2));
  const Json progress = {
      {"state", "running"}, {"tasks", 2}, {"counts", {{"running", 1}, {"cancelling", 1}}}};
  reply(next_request("watch"), {{"progress", progress}}, false);
  EXPECT_EQ(job->trouble.status, DUNLIN_OK);
  EXPECT_EQ(job->running, 1u) << "as the agent counts";
  EXPECT_EQ(job->cancelling, 1u);
}

TEST_F(EngineTest, ARefusedJobFailsWithTheAgentsWords) {
  const JobPtr job = submit();
  connect();
  refuse(next_request("submit"), "usage", "'groups' must be a list");
  EXPECT_EQ(job->phase, Job::Phase::failed);
  EXPECT_EQ(job->problem.status, DUNLIN_USAGE);
  EXPECT_EQ(job->problem.text, "'groups' must be a list");
}

TEST_F(EngineTest, AfterAReconnectEachResultIsToldOnce) {
  const JobPtr job = submit();
  connect();
  reply(next_request("submit"), taken(7, 10));
  reply(next_request("subscribe"), {{"jobs", {news(job, "running", {result(3)}, false)}}}, false);
  lose();
  connect();
  const Json again = next_request("subscribe");
  EXPECT_EQ(again["jobs"][0]["told"], "CAA=") << "bit 3 of two bytes";
  reply(again, {{"jobs", {news(job, "running", {result(3), result(4)}, false)}}}, false);
  ASSERT_THAT(job->results, SizeIs(2));
  EXPECT_EQ(job->results.back().task, 4u);
}

TEST_F(EngineTest, AJobOfAnotherNodeIsWatchedThere) {
  const JobPtr job = submit();
  connect();
  reply(next_request("submit"), taken(7, 2));
  const Json gone = {{"job", job->id}, {"ended", false},
      {"error", {{"kind", "elsewhere"}, {"text", "taken over"}}}};
  reply(next_request("subscribe"), {{"jobs", {gone}}}, false);
  const Json watch = next_request("watch");
  EXPECT_EQ(watch["job"], job->id);
  const Json progress = {
      {"state", "running"}, {"tasks", 2}, {"counts", {{"running", 1}, {"done", 1}}}};
  reply(watch, {{"progress", progress}, {"finished", {result(0)}}}, false);
  EXPECT_EQ(job->done, 1u);
  refuse(watch, "timeout", "it fell silent");
  pass(std::chrono::seconds(2));
  const Json more = next_request("watch");
  EXPECT_EQ(more["told"], "AQ==");
  reply(more, {{"progress", progress}, {"finished", {result(1)}}});
  EXPECT_EQ(job->phase, Job::Phase::ended);
  EXPECT_THAT(job->results, SizeIs(2));
}

TEST_F(EngineTest, ARetryTellsNewAttemptsAndNoOldOnes) {
  const JobPtr job = submit();
  connect();
  reply(next_request("submit"), taken(7, 2));
  const Json subscription = next_request("subscribe");
  reply(subscription, {{"jobs", {news(job, "failed", {result(0), result(1)}, true)}}}, false);
  auto command = std::make_shared<Command>(Command{.job = job, .verb = "retry"});
  engine.command(command);
  reply(next_request("retry"), {{"retried", 1}});
  EXPECT_TRUE(command->done);
  EXPECT_EQ(job->phase, Job::Phase::known);
  const Json more = next_request("subscribe_more");
  EXPECT_EQ(more["subscription"], subscription["id"]);
  EXPECT_FALSE(more["jobs"][0].contains("told"));
  reply(subscription, {{"jobs", {news(job, "done", {result(0), result(1, 2)}, true)}}}, false);
  EXPECT_THAT(job->results, SizeIs(3));
  EXPECT_EQ(job->results.back().attempt, 2u);
}

TEST_F(EngineTest, ACancelIsSaidAgainAndARetryIsNot) {
  const JobPtr job = submit();
  connect();
  reply(next_request("submit"), taken(7));
  next_request("subscribe");
  auto cancel = std::make_shared<Command>(Command{.job = job, .verb = "cancel"});
  auto retry = std::make_shared<Command>(Command{.job = job, .verb = "retry"});
  engine.command(cancel);
  engine.command(retry);
  next_request("cancel");
  next_request("retry");
  lose();
  EXPECT_EQ(retry->problem.status, DUNLIN_LOST) << "done twice it would run tasks twice";
  EXPECT_FALSE(cancel->done);
  connect();
  reply(next_request("cancel"), {{"cancelled", 1}});
  EXPECT_EQ(cancel->count, 1u);
}

TEST_F(EngineTest, AJobThatWasNotSentIsCancelledHere) {
  const JobPtr job = submit();
  auto cancel = std::make_shared<Command>(Command{.job = job, .verb = "cancel"});
  engine.command(cancel);
  connect();
  EXPECT_TRUE(cancel->done);
  EXPECT_EQ(job->problem.status, DUNLIN_REFUSED);
  EXPECT_TRUE(requests.empty());
}

TEST_F(EngineTest, OnlySoManySubmitsAreUnderWay) {
  for (int i = 0; i < 300; ++i) submit(false);
  connect();
  advance();
  EXPECT_THAT(requests, SizeIs(48)) << "the agent does not say how many requests it takes";
  lose();
  engine.on_connected(now);
  reply(next_request("hello"), {{"protocol", 1}, {"node", kNode}, {"requests_max", 256}});
  EXPECT_THAT(requests, SizeIs(192));
}

TEST_F(EngineTest, OutputIsReadInPiecesAsItIsConsumed) {
  const JobPtr job = submit(false);
  connect();
  reply(next_request("submit"), taken(7));
  next_request("subscribe");
  auto output = std::make_shared<Output>(Output{.job = job, .follow = true});
  ASSERT_TRUE(engine.read(output));
  const Json piece = next_request("output");
  EXPECT_EQ(piece["bytes_max"], Output::kPiece);
  reply(piece,
      {{"attempt", 1}, {"next", 98304}, {"total", 200000}, {"ended", false},
          {"data", std::string(131072, 'Q')}},
      false);
  reply(piece,
      {{"attempt", 1}, {"next", 131072}, {"total", 200000}, {"ended", false},
          {"data", std::string(43692, 'Q')}});
  EXPECT_TRUE(requests.empty()) << "until that is read";
  output->chunks.clear();
  output->waiting = 0;
  const Json next = next_request("output");
  EXPECT_EQ(next["offset"], 131072);
  EXPECT_EQ(next["offset_attempt"], 1);
  lose();
  connect();
  next_request("subscribe");
  EXPECT_EQ(next_request("output")["offset"], 131072) << "and goes on where it was";
}

TEST_F(EngineTest, AnAgentOfAnotherVersionIsAClearError) {
  const JobPtr job = submit();
  ASSERT_TRUE(engine.wants_connection(now));
  engine.on_connected(now);
  refuse(next_request("hello"), "refused", "the client speaks version 1, and node a 2: update");
  EXPECT_TRUE(ended);
  advance();
  EXPECT_EQ(job->problem.status, DUNLIN_MISMATCH);
  EXPECT_THAT(job->problem.text, HasSubstr("update"));
}

TEST_F(EngineTest, WhatIsNoReplyEndsTheConnection) {
  connect();
  EXPECT_FALSE(engine.hear(now, Json::array()));
  EXPECT_FALSE(engine.hear(now, {{"id", 1}}));
  EXPECT_FALSE(engine.hear(now, {{"id", 1}, {"ok", 7}}));
  EXPECT_TRUE(engine.hear(now, {{"id", 999}, {"ok", Json::object()}})) << "it was stopped, perhaps";
}

TEST(EngineAddresses, ASilentAgentIsLeftForTheNextAddress) {
  Engine engine(2, [] { return 1.0; });
  Time now{std::chrono::hours(1)};
  EXPECT_EQ(engine.address(), 0u);
  engine.on_connected(now);
  EXPECT_FALSE(engine.advance(now));
  now += Engine::kGreetingMax;
  EXPECT_TRUE(engine.advance(now));
  engine.on_lost(now, "silent");
  EXPECT_EQ(engine.address(), 1u);
  EXPECT_TRUE(engine.wants_connection(now)) << "the other one is tried at once";
  engine.on_lost(now, "no such file");
  EXPECT_EQ(engine.address(), 0u);
  EXPECT_FALSE(engine.wants_connection(now)) << "and then there is a pause";
  EXPECT_LE(engine.due(), now + std::chrono::seconds(2));
}

}  // namespace
}  // namespace dunlin::client
