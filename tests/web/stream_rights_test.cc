// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <memory>
#include <string>

#include "tests/web/gateway_world.h"

// A stream ends with what opened it, also while much is told on it.
namespace dunlin::web {
namespace {

using ::testing::HasSubstr;

class StreamRights : public node::AgentWorld {
 protected:
  void SetUp() override {
    agent = &add("a");
    wait_for_nodes(*agent, 1);
    gateway = std::make_unique<TestGateway>(*agent, home + "/web");
    cookie = gateway->log_in();
    const HttpAnswer answer = gateway->post("/v1/jobs", cookie,
        {{"groups",
            {{{"command", {"sh", "-c", "for i in $(seq 200); do echo line $i; sleep .1; done"}},
                {"literal", true}}}}});
    ASSERT_EQ(answer.status, 201) << answer.body;
    target = "/v1/stream?topics=log:" + answer.json()["job"].get<std::string>() + ".0";
  }

  node::TestAgent* agent = nullptr;
  std::unique_ptr<TestGateway> gateway;
  std::string cookie;
  std::string target;  ///< A stream on which something is told for 20 s, ten times a second.
};

TEST_F(StreamRights, EndWithTheSessionWhileTheTaskWrites) {
  HttpClient client(gateway->port());
  client.send(request_text("GET", target, "Cookie: " + cookie + "\r\n"));
  client.read_until("event: log");
  const HttpAnswer out = gateway->ask("DELETE", "/v1/session",
      "Cookie: " + cookie + "\r\nX-Dunlin: 1\r\nSec-Fetch-Site: same-origin\r\n");
  EXPECT_EQ(out.status, 204);
  EXPECT_TRUE(client.ends_within(8));
}

TEST_F(StreamRights, EndWithATokenThatIsTakenBackWhileTheTaskWrites) {
  const std::string token = gateway->say({"token", "--read-only"});
  HttpClient client(gateway->port());
  client.send(request_text("GET", target, "Authorization: Bearer " + token + "\r\n"));
  EXPECT_THAT(client.read_until("event: log"), HasSubstr("event: hello"));
  const std::string line = gateway->say({"token", "--list"});
  gateway->say({"token", "--revoke", line.substr(0, line.find(' '))});
  EXPECT_TRUE(client.ends_within(8));
}

}  // namespace
}  // namespace dunlin::web
