// SPDX-License-Identifier: MIT
#include "sched/peer_view.h"
#include "tests/unit/node/control/client_test.h"

// The verbs hello, subscribe and subscribe_more.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

class ControlSubscribe : public ClientTest {
 protected:
  std::string name_of(std::uint32_t number) const {
    return "0000000000000001." + std::to_string(number);
  }
  static Json wish(const std::string& job, bool results = true) {
    return {{"job", job}, {"results", results}};
  }
  /// All that was told since the last time, once time has passed.
  Json news() {
    Json all = Json::array();
    for (int i = 0; i < 30; ++i) {
      agent.time += std::chrono::milliseconds(20);
      session.advance();
    }
    for (const Json& reply : connection->replies) {
      if (!reply.contains("ok") || !reply["ok"].contains("jobs")) continue;
      if (reply["ok"]["jobs"].is_array()) {
        for (const Json& each : reply["ok"]["jobs"]) all.push_back(each);
      }
    }
    connection->replies.clear();
    return all;
  }
  const sched::JobState& job_of(std::uint32_t number) const {
    return *sched::find_job(agent.peer(), agent.id(), number);
  }
  /// The task has a result, on disk.
  void finish(std::uint32_t number, std::uint32_t index) {
    sched::Report report{.index = index, .attempt = 1};
    agent.rows.push_back({report, {2}});
    session.requests().on_result(job_of(number).id(), report, {2});
  }
};

TEST_F(ControlSubscribe, HelloAgreesOrSaysWhichSideIsOld) {
  const Json agreed = ask("hello", {{"newest", 7}, {"oldest", 1}})["ok"];
  EXPECT_EQ(agreed["protocol"], 2);
  EXPECT_EQ(agreed["node"], "0000000000000001");
  EXPECT_EQ(agreed["requests_max"], 256);
  EXPECT_THAT(error_of(ask("hello", {{"newest", 4}, {"oldest", 3}})),
      HasSubstr(
          "refused: the client speaks version 3 to 4 of the control protocol, and node merlin"));
  EXPECT_THAT(error_of(ask("hello")), HasSubstr("'newest' must be"));
}

TEST_F(ControlSubscribe, TellsOfManyJobsInOneStream) {
  const std::uint32_t one = submit(2);
  const std::uint32_t two = submit(1);
  ask("subscribe", {{"jobs", {wish(name_of(one)), wish(name_of(two), false)}}});
  Json told = news();
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0]["state"], "waiting");
  EXPECT_FALSE(told[1].contains("results"));
  EXPECT_EQ(news(), Json::array()) << "nothing has changed";
  finish(one, 1);
  told = news();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0]["results"][0]["index"], 1);
  EXPECT_EQ(news(), Json::array()) << "each result is told once";
  ASSERT_TRUE(agent.cancel(job_of(two).id(), {}));
  told = news();
  ASSERT_EQ(told.size(), 1u) << "a job that ends without a result";
  EXPECT_EQ(told[0]["job"], name_of(two));
  EXPECT_EQ(told[0]["state"], "cancelled");
  EXPECT_EQ(told[0]["ended"], true);
}

TEST_F(ControlSubscribe, TellsTheResultOfATaskThatRanAgain) {
  const std::uint32_t number = submit(2);
  ask("subscribe", {{"jobs", {wish(name_of(number))}}});
  news();
  finish(number, 1);
  EXPECT_EQ(news()[0]["results"][0]["attempt"], 1);
  const sched::Report again{.index = 1, .attempt = 2, .status = 4};
  agent.rows = {{again, {2}}};
  session.requests().on_result(job_of(number).id(), again, {2});
  Json told = news();
  ASSERT_EQ(told.size(), 1u);
  ASSERT_EQ(told[0]["results"].size(), 1u);
  EXPECT_EQ(told[0]["results"][0]["attempt"], 2);
  EXPECT_EQ(told[0]["results"][0]["status"], 4);
  // Of two that wait to be told the last one is.
  agent.writing = true;
  for (const std::uint32_t attempt : {3u, 4u}) {
    const sched::Report report{.index = 1, .attempt = attempt};
    session.requests().on_result(job_of(number).id(), report, {2});
    EXPECT_EQ(news(), Json::array()) << "it is not on disk";
  }
  agent.writing = false;
  told = news();
  ASSERT_EQ(told.size(), 1u);
  ASSERT_EQ(told[0]["results"].size(), 1u);
  EXPECT_EQ(told[0]["results"][0]["attempt"], 4);
}

TEST_F(ControlSubscribe, SaysNothingThatIsNotOnDisk) {
  const std::uint32_t job = submit(1);
  ask("subscribe", {{"jobs", {wish(name_of(job))}}});
  news();
  agent.writing = true;
  ASSERT_TRUE(agent.cancel(job_of(job).id(), {}));
  EXPECT_EQ(news(), Json::array());
  agent.writing = false;
  EXPECT_EQ(news()[0]["ended"], true);
}

TEST_F(ControlSubscribe, JobsComeAndLeave) {
  const std::uint32_t one = submit(1);
  const std::uint32_t two = submit(1);
  ask("subscribe", {{"jobs", {wish(name_of(one))}}});
  news();
  connection->say(Json{{"verb", "subscribe_more"}, {"id", 2}, {"subscription", 1},
      {"jobs", {wish(name_of(two))}}, {"leave", {name_of(one)}}}
          .dump());
  EXPECT_EQ(connection->replies.back()["ok"]["jobs"], 1);
  EXPECT_EQ(news()[0]["job"], name_of(two));
  ASSERT_TRUE(agent.cancel(job_of(one).id(), {}));
  EXPECT_EQ(news(), Json::array());
}

TEST_F(ControlSubscribe, LeavesOutWhatTheClientWasTold) {
  const std::uint32_t job = submit(3);
  ASSERT_TRUE(agent.cancel(job_of(job).id(), std::vector<std::uint32_t>{0, 2}));
  finish(job, 0);
  finish(job, 2);
  Json one = wish(name_of(job));
  one["told"] = "AQ==";  // The first of three.
  ask("subscribe", {{"jobs", {one}}});
  const Json told = news();
  ASSERT_EQ(told.size(), 1u);
  ASSERT_EQ(told[0]["results"].size(), 1u);
  EXPECT_EQ(told[0]["results"][0]["index"], 2);
}

TEST_F(ControlSubscribe, AJobThatIsNotHereIsToldOfWithAnError) {
  const std::uint32_t job = submit(1);
  Json other = wish(name_of(job));
  other["lineage"] = "ffffffffffffffff";
  ask("subscribe", {{"jobs", {wish("00000000000000ff.1"), other}}});
  const Json told = news();
  ASSERT_EQ(told.size(), 2u);
  for (const Json& each : told) EXPECT_EQ(each["error"]["kind"], "not_found");
  EXPECT_THAT(error_of(ask("subscribe", {{"jobs", {wish("merlin.1")}}})),
      HasSubstr("'jobs[0].job' must be NODE.NUMBER"));
}

TEST_F(ControlSubscribe, AnotherUsersJobIsRefused) {
  const std::uint32_t job = submit(1);
  auto theirs = std::make_shared<FakeConnection>();
  ControlSession other(agent, theirs, Principal{.user = "alice"}, requests);
  theirs->say(Json{{"verb", "subscribe"}, {"id", 1}, {"jobs", {wish(name_of(job))}}}.dump());
  other.advance();
  EXPECT_EQ(theirs->replies.back()["ok"]["jobs"][0]["error"]["kind"], "refused");
}

}  // namespace
}  // namespace dunlin::node
