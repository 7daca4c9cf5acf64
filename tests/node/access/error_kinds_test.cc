// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "tests/node/agent_world.h"
#include "tests/node/program.h"

// Errors as clients of both versions of the protocol are told them, by the agent that they ask and
// through another one.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

class ErrorKindsLive : public AgentWorld {
 protected:
  static std::string kind(TestClient& client, const Json& request) {
    const Json reply = client.call(request);
    return reply.contains("error") ? reply["error"]["kind"].get<std::string>() : reply.dump();
  }
};

TEST_F(ErrorKindsLive, ClientsOfBothVersionsUnderstandThem) {
  add("n0").wait_until_up();
  add("n1").wait_until_up();
  for (const auto& agent : agents) wait_for_nodes(*agent, 2);
  const std::uint32_t number = submit(*agents[0], "true", 1);
  finish(*agents[0], number);
  const std::string name = "n0." + std::to_string(number);
  ASSERT_TRUE(eventually(
      [&] { return agents[1]->client().ok(request("find", {{"name", name}})).contains("job"); }));
  const Json hold = request("hold", {{"job", name}});
  for (const auto& agent : agents) {
    SCOPED_TRACE(agent->name());
    TestClient silent = agent->client();
    EXPECT_EQ(kind(silent, hold), "refused") << "it never said which version it speaks";
    TestClient old = agent->client();
    EXPECT_EQ(old.ok(request("hello", {{"newest", 1}}))["protocol"], 1);
    EXPECT_EQ(kind(old, hold), "refused");
    TestClient newer = agent->client();
    EXPECT_EQ(newer.ok(request("hello", {{"newest", 2}}))["protocol"], 2);
    EXPECT_EQ(kind(newer, hold), "conflict");
    EXPECT_EQ(newer.ok(request("hello", {{"newest", 7}}))["protocol"], 2) << "a later client";
    const auto said = run_dunlin(agent->socket(), {"hold", name, "--json"});
    EXPECT_EQ(said.status, 1);
    EXPECT_THAT(said.out, HasSubstr("\"kind\": \"conflict\""));
  }
}

}  // namespace
}  // namespace dunlin::node
