// SPDX-License-Identifier: MIT
#include <chrono>
#include <filesystem>
#include <gmock/gmock.h>
#include <memory>
#include <pwd.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "node/wall_clock.h"
#include "tests/web/gateway_world.h"
#include "web/access/access.h"

// A gateway of all users before a real agent: the user of this test, and nobody, whose tokens it
// finds in its folder.
namespace dunlin::web {
namespace {

using node::Json;
using node::request;

class WebGatewayOfAll : public node::AgentWorld {
 protected:
  void SetUp() override {
    const passwd* const found = ::getpwuid(::geteuid());
    me = found == nullptr ? "" : found->pw_name;
    if (me.empty() || me == "nobody" || ::getpwnam("nobody") == nullptr) {
      GTEST_SKIP() << "NOT TESTED: there are no two users here";
    }
    agent = &add("a", {"--delegates=" + me});
    wait_for_nodes(*agent, 1);
    const std::string folder = home + "/web";
    std::filesystem::create_directories(folder);
    Access access(AccessTerms{.file = folder + "/logins"});
    mine = token_of(access, me);
    nobodys = token_of(access, "nobody");
    ASSERT_TRUE(access.save());
    gateway =
        std::make_unique<TestGateway>(*agent, folder, std::vector<std::string>{"--all-users"});
  }

  /// The header of a user that has a token.
  static std::string token_of(Access& access, const std::string& user) {
    const auto secret = access.logins().make_token(user, {}, node::unix_seconds());
    EXPECT_TRUE(secret) << user;
    return "Authorization: Bearer " + secret.value_or("") + "\r\n";
  }
  std::string submit_mine(const std::string& script, int count) {
    const Json body = {{"groups",
        {{{"command", {"sh", "-c", script}}, {"literal", true}, {"count", count},
            {"demand", {{"cpu_milli", 100}, {"memory_mib", 16}}}}}}};
    const HttpAnswer answer =
        gateway->ask("POST", "/v1/jobs", mine + "Content-Type: application/json\r\n", body.dump());
    EXPECT_EQ(answer.status, 201) << answer.body;
    return answer.json()["job"];
  }
  /// Requests of the user of this test that the agent has had.
  std::uint64_t requests_of_mine() {
    const Json users = agent->client().ok(request("status", {{"users", true}}))["users"];
    for (const Json& each : users) {
      if (each["user"] == me) return each["requests"];
    }
    return 0;
  }

  std::string me;
  node::TestAgent* agent = nullptr;
  std::unique_ptr<TestGateway> gateway;
  std::string mine;
  std::string nobodys;
};

// An agent takes 256 requests at a time on one connection; so many topics may one user listen to.
TEST_F(WebGatewayOfAll, AUserWhoFollowsMuchAndReadsNothingDelaysNoOther) {
  constexpr int kTasks = 8;
  const std::string job = submit_mine("sleep 300", kTasks);
  ASSERT_TRUE(eventually([&] {
    return gateway->ask("GET", "/v1/jobs/" + job, mine).json()["counts"]["running"] == kTasks;
  }));
  std::vector<std::unique_ptr<HttpClient>> followers;
  std::string zeros;
  std::uint64_t asked = requests_of_mine();
  for (int stream = 0; stream < 4; ++stream) {
    std::string topics;
    // The same task with more digits is another topic.
    for (int more = 0; more < 4; ++more, zeros += '0') {
      for (int task = 0; task < kTasks; ++task) {
        const std::string topic = "log:" + job + "." + zeros + std::to_string(task);
        topics += (topics.empty() ? "" : ",") + topic + "," + topic + ".err";
      }
    }
    followers.push_back(std::make_unique<HttpClient>(gateway->port()));
    followers.back()->send(request_text("GET", "/v1/stream?topics=" + topics, mine));
  }
  // Each topic asks how much there is, and then for what comes; a look is a request, too.
  ASSERT_TRUE(eventually([&] { return requests_of_mine() >= 500 + ++asked; }));
  const auto before = std::chrono::steady_clock::now();
  const HttpAnswer answer = gateway->ask("GET", "/v1/jobs", nobodys);
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json()["total"], 1);
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(5));
  // What is another user's stays so.
  EXPECT_EQ(gateway->ask("GET", "/v1/jobs/" + job, nobodys).status, 403);
}

TEST_F(WebGatewayOfAll, TheAgentSaysWhoIsAnAdministrator) {
  // It is null while the agent takes longer than a second, as it may on a busy machine.
  const auto told = [this](const std::string& whose) {
    Json whoami;
    EXPECT_TRUE(eventually([&] {
      whoami = gateway->ask("GET", "/v1/whoami", whose).json();
      return !whoami["administrator"].is_null();
    }));
    return whoami;
  };
  EXPECT_EQ(told(nobodys)["user"], "nobody");
  EXPECT_EQ(told(nobodys)["administrator"], false);
  EXPECT_EQ(told(mine)["administrator"], true);
  EXPECT_EQ(gateway->ask("GET", "/v1/audit-log", nobodys).status, 403);
}

TEST_F(WebGatewayOfAll, EveryUserIsBackWithTheAgent) {
  EXPECT_EQ(gateway->ask("GET", "/v1/jobs", nobodys).status, 200);
  EXPECT_EQ(gateway->ask("GET", "/v1/jobs", mine).status, 200);
  agent->kill9();
  EXPECT_TRUE(eventually([&] { return gateway->ask("GET", "/v1/jobs", nobodys).status == 503; }));
  agent->start();
  agent->wait_until_up();
  EXPECT_TRUE(eventually([&] { return gateway->ask("GET", "/v1/jobs", nobodys).status == 200; }));
  EXPECT_TRUE(eventually([&] { return gateway->ask("GET", "/v1/jobs", mine).status == 200; }));
}

}  // namespace
}  // namespace dunlin::web
