// SPDX-License-Identifier: MIT
#include "web/agent/upstream.h"

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "node/client/frames.h"
#include "node/loop/handle.h"
#include "node/read_json.h"

// The gateway's connections to an agent that is made up: it counts them, and answers whom it likes.
namespace dunlin::web {
namespace {

using client::Json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

/// What was asked, and on which connection: they count from 0.
struct Asked {
  std::size_t connection = 0;
  std::string verb;
  std::string user;
};

class MadeUpAgent {
 public:
  MadeUpAgent(uv_loop_t& loop, const std::string& path) : loop_(loop) {
    uv_pipe_init(&loop, listener_.get(), 0);
    listener_->data = this;
    EXPECT_EQ(uv_pipe_bind(listener_.get(), path.c_str()), 0);
    EXPECT_EQ(
        uv_listen(reinterpret_cast<uv_stream_t*>(listener_.get()), 64,
            [](uv_stream_t* stream, int) { static_cast<MadeUpAgent*>(stream->data)->accept(); }),
        0);
  }

  std::size_t connections() const { return clients_.size(); }
  std::size_t open() const {
    std::size_t count = 0;
    for (const auto& each : clients_) count += each->pipe != nullptr ? 1 : 0;
    return count;
  }

  std::set<std::string> silent;  ///< Users whose requests it does not answer.
  bool has_room = true;          ///< For one more client.
  std::vector<Asked> asked;

 private:
  struct Client {
    MadeUpAgent* agent = nullptr;
    std::size_t number = 0;
    node::Handle<uv_pipe_t> pipe = node::make_handle<uv_pipe_t>();
    client::FrameReader reader;
    std::array<char, 65'536> buffer{};
  };

  void accept() {
    clients_.push_back(std::make_unique<Client>());
    Client& client = *clients_.back();
    client.agent = this;
    client.number = clients_.size() - 1;
    uv_pipe_init(&loop_, client.pipe.get(), 0);
    client.pipe->data = &client;
    auto* const stream = reinterpret_cast<uv_stream_t*>(client.pipe.get());
    ASSERT_EQ(uv_accept(reinterpret_cast<uv_stream_t*>(listener_.get()), stream), 0);
    uv_read_start(
        stream,
        [](uv_handle_t* handle, std::size_t, uv_buf_t* buffer) {
          auto& bytes = static_cast<Client*>(handle->data)->buffer;
          *buffer = uv_buf_init(bytes.data(), static_cast<unsigned>(bytes.size()));
        },
        [](uv_stream_t* from, ssize_t size, const uv_buf_t* buffer) {
          Client& reader = *static_cast<Client*>(from->data);
          if (size < 0) return reader.pipe.reset();
          reader.reader.feed({buffer->base, static_cast<std::size_t>(size)});
          while (const auto text = reader.reader.next()) {
            reader.agent->hear(reader, read_json<Json>(*text));
          }
        });
    if (!has_room) {
      say(client,
          {{"error", {{"kind", "busy"}, {"text", "128 clients"}, {"retry_ns", 1'000'000'000}}}});
    }
  }

  void hear(Client& client, const Json& request) {
    const std::string verb = client::text_of(request, "verb");
    const Json id = request["id"];
    if (verb == "hello") {
      // So few that a test fills them: four are kept for commands.
      return say(client, {{"id", id}, {"ok", {{"requests_max", 8}}}, {"end", true}});
    }
    if (verb == "stop") return say(client, {{"id", id}, {"ok", Json::object()}, {"end", true}});
    const Json* const speaker = client::member(request, "speaker");
    const std::string user = speaker == nullptr ? "" : client::text_of(*speaker, "user");
    asked.push_back({client.number, verb, user});
    if (silent.contains(user)) return;
    say(client, {{"id", id}, {"ok", Json::object()}, {"end", true}});
  }

  void say(Client& client, const Json& reply) {
    std::string bytes;
    client::append_frame(bytes, reply.dump());
    const uv_buf_t buffer = uv_buf_init(bytes.data(), static_cast<unsigned>(bytes.size()));
    // It may have gone already.
    uv_try_write(reinterpret_cast<uv_stream_t*>(client.pipe.get()), &buffer, 1);
  }

  uv_loop_t& loop_;
  node::Handle<uv_pipe_t> listener_ = node::make_handle<uv_pipe_t>();
  std::vector<std::unique_ptr<Client>> clients_;
};

class UpstreamTest : public ::testing::Test {
 protected:
  UpstreamTest() {
    std::signal(SIGPIPE, SIG_IGN);
    uv_loop_init(&loop);
    std::string name = (std::filesystem::temp_directory_path() / "dunlin-upstream-XXXXXX").string();
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    home = name;
    agent = std::make_unique<MadeUpAgent>(loop, path());
  }
  ~UpstreamTest() override {
    upstream.reset();
    agent.reset();
    uv_run(&loop, UV_RUN_DEFAULT);
    EXPECT_EQ(uv_loop_close(&loop), 0);
    std::filesystem::remove_all(home);
  }

  std::string path() const { return home + "/agent.sock"; }
  void connect(bool names_users, UpstreamBounds bounds = {}) {
    upstream = std::make_unique<Upstream>(loop, path(), names_users, bounds);
    upstream->on_change([this](bool there) { changes.push_back(there); });
    ASSERT_TRUE(until([this] { return upstream->connected(); }));
  }
  /// Asks; what the last reply says goes to `said`, by user: "ok", or the kind of its error.
  std::uint64_t ask(const std::string& user, const std::string& verb = "jobs") {
    return upstream->ask(verb, "", user, [this, user](client::Reply& reply) {
      said.emplace_back(user, reply.failed() ? reply.kind : "ok");
      text = reply.problem.text;
      retry_ns = reply.problem.retry_ns;
    });
  }
  /// Asks, and waits for the reply.
  std::string told(const std::string& user) {
    said.clear();
    ask(user);
    return until([this] { return !said.empty(); }) ? said.front().second : "nothing";
  }
  bool until(const std::function<bool()>& holds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!holds() && std::chrono::steady_clock::now() < end) turn();
    return holds();
  }
  void turn() {
    uv_run(&loop, UV_RUN_NOWAIT);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }

  uv_loop_t loop{};
  std::string home;
  std::unique_ptr<MadeUpAgent> agent;
  std::unique_ptr<Upstream> upstream;
  std::vector<std::pair<std::string, std::string>> said;
  std::string text;           ///< Of the last error.
  std::int64_t retry_ns = 0;  ///< Of the same.
  std::vector<bool> changes;
};

TEST_F(UpstreamTest, AUserWhoAsksForMuchHoldsUpNoOther) {
  connect(true);
  agent->silent = {"anna"};
  for (int i = 0; i < 100; ++i) ask("anna");
  ask("bert");
  ask("");
  ASSERT_TRUE(until([this] { return said.size() == 2; }));
  EXPECT_THAT(said, UnorderedElementsAre(Pair("bert", "ok"), Pair("", "ok")));
  EXPECT_EQ(agent->connections(), 3u) << "for all, for anna, for bert";
  EXPECT_EQ(upstream->users(), 2u);
  for (const Asked& each : agent->asked) {
    EXPECT_EQ(each.connection == 0, each.user.empty()) << each.user;
  }
}

TEST_F(UpstreamTest, TheGatewayOfOneUserHasOneConnection) {
  connect(false);
  EXPECT_EQ(told("anna"), "ok");
  EXPECT_EQ(told("bert"), "ok");
  EXPECT_EQ(agent->connections(), 1u);
  for (const Asked& each : agent->asked)
    EXPECT_EQ(each.user, "") << "the kernel says which user asks";
}

TEST_F(UpstreamTest, AUserKeepsAConnection) {
  connect(true);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(told("anna"), "ok");
  EXPECT_EQ(agent->connections(), 2u);
  EXPECT_EQ(agent->asked.back().user, "anna");
}

TEST_F(UpstreamTest, TheOneThatIsIdleForLongestMakesRoom) {
  connect(true, {.users = 2});
  EXPECT_EQ(told("bert"), "ok");
  turn();
  EXPECT_EQ(told("anna"), "ok");
  turn();
  EXPECT_EQ(told("carl"), "ok");
  EXPECT_EQ(upstream->users(), 2u);
  ASSERT_TRUE(until([this] { return agent->open() == 3; }));
  EXPECT_EQ(agent->connections(), 4u);
  EXPECT_EQ(told("anna"), "ok");
  EXPECT_EQ(agent->connections(), 4u) << "bert's was the older one";
}

// The reply of one may be what makes another ask.
TEST_F(UpstreamTest, MakesRoomWhileAReplyIsTold) {
  connect(true, {.users = 1});
  bool bert = false;
  upstream->ask("jobs", "", "anna", [&](client::Reply&) {
    upstream->ask("jobs", "", "bert", [&](client::Reply& reply) { bert = !reply.failed(); });
  });
  EXPECT_TRUE(until([&] { return bert; }));
  EXPECT_EQ(upstream->users(), 1u);
}

TEST_F(UpstreamTest, WhereNoneIsIdleItIsFull) {
  connect(true, {.users = 1});
  agent->silent = {"anna"};
  const std::uint64_t annas = ask("anna");
  const std::uint64_t berts = ask("bert");
  EXPECT_TRUE(said.empty()) << "never before it returns";
  upstream->stop(berts);
  EXPECT_EQ(told("bert"), "full");
  EXPECT_THAT(text, HasSubstr("all 1 connections of the gateway to the agent are in use"));
  EXPECT_EQ(said.size(), 1u) << "the one that was stopped is told nothing";
  upstream->stop(annas);
  EXPECT_EQ(told("bert"), "ok");
  EXPECT_EQ(told(""), "ok") << "what is everybody's has its own";
}

TEST_F(UpstreamTest, AnIdleOneEnds) {
  connect(true, {.idle_ms = 50});
  agent->silent = {"bert"};
  EXPECT_EQ(told("anna"), "ok");
  ask("bert");
  ASSERT_TRUE(until([this] { return upstream->users() == 1; }));
  ASSERT_TRUE(until([this] { return agent->open() == 2; })) << "for all, and for bert";
  EXPECT_EQ(told("anna"), "ok");
}

TEST_F(UpstreamTest, GoesOnAfterTheAgentsDeath) {
  connect(true);
  agent->silent = {"anna"};
  ask("anna");
  ASSERT_TRUE(until([this] { return !agent->asked.empty(); }));
  agent.reset();
  ASSERT_TRUE(until([this] { return !said.empty() && !upstream->connected(); }));
  EXPECT_EQ(said.front().second, "away");
  EXPECT_EQ(told("anna"), "away");
  EXPECT_EQ(told("bert"), "away");
  EXPECT_EQ(told(""), "away");
  agent = std::make_unique<MadeUpAgent>(loop, path());
  ASSERT_TRUE(until([this] { return upstream->connected(); }));
  EXPECT_EQ(told("anna"), "ok");
  EXPECT_THAT(changes, ElementsAre(true, false, true));
}

TEST_F(UpstreamTest, AnAgentWithoutRoomLives) {
  connect(true);
  agent->has_room = false;
  EXPECT_EQ(told("anna"), "full");
  EXPECT_EQ(text, "128 clients");
  EXPECT_EQ(retry_ns, 1'000'000'000);
  EXPECT_TRUE(upstream->connected());
  agent->has_room = true;
  EXPECT_EQ(told("anna"), "ok");
}

}  // namespace
}  // namespace dunlin::web
