// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <gmock/gmock.h>
#include <memory>
#include <string>
#include <vector>

#include "node/control/control_session.h"
#include "sched/peer.h"
#include "tests/unit/node/control/fake_agent.h"

namespace dunlin::node {

/// A client's end of a connection: says what it is told to, and keeps the replies.
class FakeConnection final : public ControlConnection {
 public:
  overlay::PeerId peer() const override { return {}; }
  bool send(std::string_view message) override {
    replies.push_back(Json::parse(message));
    return true;
  }
  std::size_t queued() const override { return unread; }
  void pause(bool on) override { paused = on; }
  void close() override { closed = true; }
  void on_message(std::function<void(std::string_view)> handler) override {
    say = std::move(handler);
  }
  void on_close(std::function<void()> handler) override { end = std::move(handler); }
  void on_drained(std::function<void()>) override {}

  std::function<void(std::string_view)> say;
  std::function<void()> end;
  bool paused = false;
  bool closed = false;
  std::size_t unread = 0;  ///< Bytes that the client has not read yet.
  std::vector<Json> replies;
};

/// A client of an agent that is not there.
class ClientTest : public ::testing::Test {
 protected:
  /// Sends {"verb": `verb`, "id": 1} and the members of `request`, and lets requests advance once.
  /// The last reply; null if there is none yet.
  Json ask(const std::string& verb, Json request = Json::object()) {
    request["verb"] = verb;
    request["id"] = 1;
    connection->replies.clear();
    connection->say(request.dump());
    return advance();
  }
  /// Requests that wait look again. The last reply since they were made; null if there is none.
  Json advance() {
    session.advance();
    return connection->replies.empty() ? Json(nullptr) : connection->replies.back();
  }
  /// "usage: what is wrong" of a reply, "" of one that is no error.
  static std::string error_of(const Json& reply) {
    if (!reply.is_object() || !reply.contains("error")) return "";
    return reply["error"]["kind"].get<std::string>() + ": " +
        reply["error"]["text"].get<std::string>();
  }
  /// Submits a job of so many tasks of so much CPU; its number.
  std::uint32_t submit(std::uint32_t tasks, std::uint32_t cpu_milli = 1000) {
    const Json reply = ask("submit",
        {{"name", "train"}, {"allow_unsatisfiable", true},
            {"groups",
                {{{"count", tasks}, {"demand", {{"cpu_milli", cpu_milli}}},
                    {"command", {"true"}}}}}});
    EXPECT_EQ(error_of(reply), "");
    return reply["ok"]["number"].get<std::uint32_t>();
  }

  FakeAgent agent;
  std::shared_ptr<FakeConnection> connection = std::make_shared<FakeConnection>();
  std::uint64_t requests = 0;
  ControlSession session{agent, connection, Principal{.administrator = true}, requests};
};

}  // namespace dunlin::node
