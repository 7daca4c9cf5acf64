// SPDX-License-Identifier: MIT
#include "node/control/control_server.h"

#include <memory>
#include <vector>

#include "tests/unit/node/control/client_test.h"

// Who may connect. Here the clients are those of other nodes, as each test is one user.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

/// A client at the end of a stream.
class StreamOf final : public ControlConnection {
 public:
  explicit StreamOf(std::uint64_t node) : node_{node} {}
  overlay::PeerId peer() const override { return node_; }
  bool send(std::string_view message) override {
    replies.push_back(Json::parse(message));
    return true;
  }
  std::size_t queued() const override { return 0; }
  void pause(bool) override {}
  void close() override { closed = true; }
  void on_message(std::function<void(std::string_view)> handler) override {
    say = std::move(handler);
  }
  void on_close(std::function<void()> handler) override { end = std::move(handler); }
  void on_drained(std::function<void()>) override {}

  std::function<void(std::string_view)> say;
  std::function<void()> end;
  bool closed = false;
  std::vector<Json> replies;

 private:
  overlay::PeerId node_;
};

class ControlServerTest : public ::testing::Test {
 protected:
  ControlServerTest() { uv_loop_init(&loop); }
  ~ControlServerTest() override {
    server.reset();
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
  }
  /// A client of that node, which waits for the end of a job if `busy`.
  std::shared_ptr<StreamOf> connect(std::uint64_t node, const char* user, bool busy) {
    auto client = std::make_shared<StreamOf>(node);
    server->adopt(client);
    if (client->closed) return client;
    const Json speaker = {{"user", user}, {"administrator", false}};
    client->say(Json{{"verb", busy ? "events" : "hello"}, {"id", 1}, {"newest", 1},
        {"follow", false}, {"speaker", speaker}}
            .dump());
    if (busy)
      client->say(Json{{"verb", "submit_begin"}, {"id", 2}, {"speaker", speaker},
          {"groups", {{{"command", {"x"}}}}}}
              .dump());
    server->advance();
    return client;
  }
  static std::string parting(const StreamOf& client) {
    const Json& last = client.replies.back();
    return last["id"].is_null() ? last["error"]["text"].get<std::string>() : "";
  }

  uv_loop_t loop{};
  FakeAgent agent;
  std::uint64_t requests = 0;
  std::unique_ptr<ControlServer> server = std::make_unique<ControlServer>(loop, agent, requests);
};

TEST_F(ControlServerTest, AnIdleConnectionMakesRoom) {
  std::vector<std::shared_ptr<StreamOf>> clients;
  for (std::size_t i = 0; i < share_of(Place::stream).alone; ++i) {
    clients.push_back(connect(2, "mallory", false));
    agent.time += std::chrono::seconds(1);
  }
  EXPECT_FALSE(clients.front()->closed);
  for (std::size_t i = 0; i < share_of(Place::stream).user; ++i) {
    clients.push_back(connect(3, "alice", true));
    EXPECT_FALSE(clients.back()->closed);
  }
  EXPECT_FALSE(clients.front()->closed) << "there was room";
  const auto bob = connect(4, "bob", false);
  EXPECT_FALSE(bob->closed);
  EXPECT_TRUE(clients.front()->closed) << "it was idle for longest, and is of the greediest";
  EXPECT_THAT(parting(*clients.front()), HasSubstr("this connection was idle"));
  EXPECT_EQ(agent.accounts.of("mallory")->places[1], share_of(Place::stream).alone - 1);
}

TEST_F(ControlServerTest, ARefusalNamesWhoHasMost) {
  std::vector<std::shared_ptr<StreamOf>> clients;
  for (const auto& [node, user] : {std::pair(2, "mallory"), {3, "alice"}, {4, "bob"}}) {
    for (int i = 0; i < 80; ++i) {
      clients.push_back(connect(static_cast<std::uint64_t>(node), user, true));
    }
  }
  const auto carol = connect(5, "carol", false);
  EXPECT_TRUE(carol->closed);
  EXPECT_THAT(parting(*carol),
      HasSubstr("112 clients of other nodes are connected, 80 of them of one user, mallory"));
  clients.front()->end();
  server->advance();
  EXPECT_FALSE(connect(5, "carol", false)->closed) << "one has gone";
}

}  // namespace
}  // namespace dunlin::node
