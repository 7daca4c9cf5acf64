// SPDX-License-Identifier: MIT
#include "node/client/queries.h"

#include "tests/unit/client/scripted_agent.h"

// What a program asks an agent to tell.
namespace dunlin::client {
namespace {

using ::testing::HasSubstr;

class QueriesTest : public ScriptedAgent {
 protected:
  std::shared_ptr<Query> ask(std::string_view verb, std::string_view members = "") {
    auto query = std::make_shared<Query>();
    EXPECT_EQ(read_query(verb, members, *query).status, DUNLIN_OK);
    engine.ask(query);
    return query;
  }
  static std::string wrong(std::string_view verb, std::string_view members) {
    Query query;
    const Problem problem = read_query(verb, members, query);
    EXPECT_EQ(problem.status, DUNLIN_USAGE);
    return problem.text;
  }
};

TEST_F(QueriesTest, AreAnswered) {
  connect();
  const auto query = ask("usage", R"({"by": "day", "cluster": true})");
  const Json request = next_request("usage");
  EXPECT_EQ(request["by"], "day");
  EXPECT_EQ(request["cluster"], true);
  EXPECT_FALSE(query->done);
  reply(request, {{"by", "day"}, {"usage", Json::array()}});
  EXPECT_TRUE(query->done);
  EXPECT_EQ(query->text, R"({"by":"day","usage":[]})");
  EXPECT_TRUE(query->next.is_null()) << "no list of pages";
}

TEST_F(QueriesTest, GoOnWhereAPageEnds) {
  connect();
  const auto pages = [&](const char* verb, const char* members, const Json& told) {
    const auto query = ask(verb, members);
    reply(next_request(verb), told);
    return query->next;
  };
  EXPECT_EQ(
      pages("jobs", R"({"all":true})", {{"next", "abc"}}), (Json{{"all", true}, {"after", "abc"}}));
  EXPECT_EQ(pages("jobs", R"({"all":true,"after":"abc"})", {{"next", "def"}}),
      (Json{{"all", true}, {"after", "def"}}));
  EXPECT_EQ(pages("node_tasks", "", {{"next", "abc"}}), (Json{{"after", "abc"}}));
  EXPECT_EQ(pages("tasks", R"({"job":"a"})", {{"next", 7}}), (Json{{"job", "a"}, {"from", 7}}));
  EXPECT_EQ(pages("past", "{}", {{"next_at_ns", 7}}), (Json{{"since_at_ns", 7}}));
  EXPECT_TRUE(pages("jobs", "{}", {{"next", nullptr}}).is_null());
  EXPECT_TRUE(pages("jobs", "{}", {{"jobs", Json::array()}}).is_null()) << "an older agent";
  EXPECT_TRUE(pages("overlay", R"({"at":"b"})", {{"next", 7}}).is_null()) << "told whole";
  for (const char* const verb : {"timeline", "task_bins"}) {
    EXPECT_TRUE(pages(verb, R"({"job":"a"})", {{"next", 7}}).is_null()) << verb;
  }
  EXPECT_TRUE(pages("node_bins", "{}", {{"next", 7}}).is_null());
}

TEST_F(QueriesTest, AreAskedAnewAfterAReconnect) {
  const auto query = ask("status");
  connect();
  next_request("status");
  lose();
  EXPECT_FALSE(query->done);
  connect();
  reply(next_request("status"), {{"name", "a"}});
  EXPECT_EQ(query->text, R"({"name":"a"})");
  lose();
  connect();
  advance();
  EXPECT_TRUE(requests.empty()) << "it has its answer";
}

TEST_F(QueriesTest, WaitForAnAgentThatIsBusyOrStops) {
  connect();
  const auto query = ask("jobs");
  Json busy = {{"kind", "busy"}, {"text", "too much"}};
  busy["retry_ns"] = 500'000'000;
  EXPECT_TRUE(engine.hear(now, {{"id", next_request("jobs")["id"]}, {"error", busy}}));
  advance();
  EXPECT_TRUE(requests.empty());
  pass(std::chrono::milliseconds(500));
  refuse(next_request("jobs"), "stopping", "about to stop");
  EXPECT_TRUE(requests.empty());
  pass(std::chrono::seconds(1));
  reply(next_request("jobs"), {{"jobs", Json::array()}});
  EXPECT_EQ(query->problem.status, DUNLIN_OK);
}

TEST_F(QueriesTest, SayWhyThereIsNoAnswer) {
  connect();
  const auto query = ask("timeline", R"({"job":"a.1"})");
  refuse(next_request("timeline"), "forbidden", "it is alice's");
  EXPECT_TRUE(query->done);
  EXPECT_EQ(query->problem.status, DUNLIN_FORBIDDEN);
  EXPECT_EQ(query->problem.text, "it is alice's");
}

TEST_F(QueriesTest, AreTakenBack) {
  connect();
  const auto query = ask("jobs");
  const Json request = next_request("jobs");
  engine.stop_asking(query);
  EXPECT_EQ(next_request("stop")["request"], request["id"]);
  EXPECT_TRUE(engine.hear(now, {{"id", request["id"]}, {"ok", Json::object()}, {"end", true}}));
  EXPECT_FALSE(query->done);
  engine.stop_asking(ask("status"));
  advance();
  EXPECT_TRUE(requests.empty()) << "before it was asked";
}

TEST_F(QueriesTest, FailWhereNoAgentSpeaksTheirLanguage) {
  const auto query = ask("jobs");
  engine.on_connected(now);
  refuse(next_request("hello"), "refused", "update");
  advance();
  EXPECT_TRUE(query->done);
  EXPECT_EQ(query->problem.status, DUNLIN_MISMATCH);
}

TEST_F(QueriesTest, ChangeNothing) {
  for (const char* const verb : {"cancel", "submit", "stop", "watch", "subscribe", ""}) {
    EXPECT_THAT(wrong(verb, "{}"), HasSubstr("nothing that an agent may be asked")) << verb;
  }
  for (const char* const member : {"verb", "id", "speaker", "tell_waits"}) {
    EXPECT_THAT(wrong("jobs", "{\"" + std::string(member) + "\": 1}"), HasSubstr(member));
  }
  for (const char* const text : {"[]", "7", "null", "\"x\""}) {
    EXPECT_THAT(wrong("jobs", text), HasSubstr("must be a JSON object")) << text;
  }
  wrong("jobs", "{");
  wrong("jobs", "{} {}");
  wrong("jobs", R"({"all": 1, "all": 2})");
}

}  // namespace
}  // namespace dunlin::client
