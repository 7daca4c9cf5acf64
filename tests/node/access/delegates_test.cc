// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <pwd.h>
#include <unistd.h>

#include "tests/node/agent_world.h"
#include "tests/node/program.h"

// A process that speaks for users, with real agents: the user of this test is one, whom they know.
// Two users of one machine are in users_test.cc, which needs root.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class DelegatesLive : public AgentWorld {
 protected:
  DelegatesLive() {
    const passwd* const found = ::getpwuid(::geteuid());
    me = found == nullptr ? "" : found->pw_name;
  }
  void SetUp() override {
    if (me.empty() || me == "nobody" || ::getpwnam("nobody") == nullptr) {
      GTEST_SKIP() << "NOT TESTED: there are no two users here";
    }
  }
  /// A client that speaks version 2.
  static TestClient client_of(TestAgent& agent) {
    TestClient client = agent.client();
    client.ok(request("hello", {{"newest", 2}}));
    return client;
  }
  static Json for_user(const std::string& user, const std::string& verb, Json more = {}) {
    Json asked = request(verb, more.is_object() ? std::move(more) : Json::object());
    asked["speaker"] = {{"user", user}, {"administrator", true}};
    return asked;
  }
  static std::string error(const Json& reply) {
    if (!reply.contains("error")) return "";
    return reply["error"]["kind"].get<std::string>() + ": " +
        reply["error"]["text"].get<std::string>();
  }
  static Json job() {
    return {
        {"hold", true}, {"groups", {{{"command", {"true"}}, {"demand", {{"cpu_milli", 500}}}}}}};
  }

  std::string me;
};

TEST_F(DelegatesLive, ActForUsersWhomTheAgentKnows) {
  TestAgent& agent = add("n0", {"--delegates=" + me});
  agent.wait_until_up();
  TestClient client = client_of(agent);
  const Json taken = client.ok(for_user("nobody", "submit", job()));
  const Json number = {{"number", taken["number"]}};
  EXPECT_EQ(client.ok(for_user("nobody", "job", number))["owner"], "nobody");
  EXPECT_THAT(error(client.call(for_user("nobody", "drain", {{"on", false}}))),
      StartsWith("forbidden: administrators alone"));
  EXPECT_EQ(error(client.call(for_user("no-such-user", "jobs"))),
      "refused: " + me + " speaks for user 'no-such-user', and this machine has no such user");
  EXPECT_EQ(client.ok(for_user("nobody", "whoami")),
      (Json{{"user", "nobody"}, {"administrator", false}, {"delegate", me}}));
  EXPECT_EQ(client.ok(request("whoami")), (Json{{"user", me}, {"administrator", true}}));
  client.ok(request("drain", {{"on", false}}));  // For itself: the agent's own user.
  // For root, which is an administrator on any machine.
  const Json log = client.ok(for_user("root", "audit_log", {{"user", "nobody"}}))["actions"];
  ASSERT_FALSE(log.empty());
  for (const Json& action : log) {
    EXPECT_EQ(action["user"], "nobody");
    EXPECT_EQ(action["delegate"], me);
  }
  const auto shown = run_dunlin(agent.socket(), {"audit", "log", "--user", "nobody"});
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("nobody by " + me));
  // It stands on the disk.
  agent.kill9();
  agent.start();
  agent.wait_until_up();
  TestClient again = client_of(agent);
  EXPECT_FALSE(again.ok(request("audit_log", {{"user", "nobody"}}))["actions"].empty());
}

// Administrators have no quota, and the user of a test is one: it speaks for another.
TEST_F(DelegatesLive, UsersHaveTheirQuotaOfADay) {
  TestAgent& agent = add("n0", {"--delegates=" + me, "--quota=user:nobody=1"});
  agent.wait_until_up();
  TestClient client = client_of(agent);
  const Json long_job = {
      {"groups", {{{"command", {"/bin/sleep", "2"}}, {"demand", {{"cpu_milli", 1000}}}}}}};
  const Json taken = client.ok(for_user("nobody", "submit", long_job));
  EXPECT_EQ(finish(agent, taken["number"].get<std::uint32_t>())["done"], 1);
  std::string said;
  EXPECT_TRUE(eventually([&] {
    said = error(client.call(for_user("nobody", "submit", job())));
    return !said.empty();
  })) << "it is looked at every ten seconds";
  EXPECT_THAT(said, StartsWith("quota: user nobody has held "));
  EXPECT_THAT(said, HasSubstr(" CPU seconds today by jobs of this agent, and may hold 1 a day"));
  client.ok(request("submit", job()));  // For itself.
  const auto shown = run_dunlin(agent.socket(), {"usage"});
  EXPECT_THAT(shown.out, HasSubstr("quota of user nobody: "));
  EXPECT_THAT(shown.out,
      HasSubstr(" of 1 CPU seconds held today at this agent: no more jobs are taken until "));
}

TEST_F(DelegatesLive, AreKnownAtTheNodesToWhichTheirRequestsArePassedOn) {
  TestAgent& n0 = add("n0", {"--delegates=" + me});
  TestAgent& n1 = add("n1");
  for (const auto& agent : agents) agent->wait_until_up();
  for (const auto& agent : agents) wait_for_nodes(*agent, 2);
  TestClient client = client_of(n0);
  Json there = job();
  there["at"] = "n1";
  ASSERT_TRUE(
      eventually([&] { return client.call(request("find", {{"name", "n1.1"}})).contains("ok"); }));
  const Json taken = client.ok(for_user("nobody", "submit", there));
  const Json log = n1.client().ok(request("audit_log", {{"user", "nobody"}}))["actions"];
  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(log[0]["delegate"], me);
  EXPECT_EQ(log[0]["remote"], true);
  const Json named = {{"job", taken["job"]}};
  EXPECT_EQ(client.ok(for_user("nobody", "job", named))["owner"], "nobody");
  EXPECT_EQ(client.ok(for_user("nobody", "cancel", named))["cancelled"], 1);
  // n1 was told of no delegate.
  EXPECT_THAT(error(client_of(n1).call(for_user("nobody", "jobs"))),
      StartsWith("forbidden: you are " + me + ", and speak for user 'nobody'"));
}

}  // namespace
}  // namespace dunlin::node
