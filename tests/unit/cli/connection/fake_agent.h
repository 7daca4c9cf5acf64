// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "tools/dunlin/connection/connection.h"

namespace dunlin::cli {

/// A message as it crosses the socket.
inline std::string frame_of(std::string_view text) {
  std::string frame;
  for (unsigned i = 0; i < 4; ++i) frame += static_cast<char>(text.size() >> (8 * i) & 0xff);
  return frame + std::string(text);
}

/// The other end of a socket pair, as an agent would see it.
class FakeAgent {
 public:
  using Script = std::function<void(FakeAgent&)>;

  explicit FakeAgent(Script script) {
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_), 0);
    thread_ = std::thread([this, script = std::move(script)] {
      script(*this);
      close(ends_[0]);
    });
  }
  ~FakeAgent() { join(); }

  /// Waits until the script has ended.
  void join() {
    if (thread_.joinable()) thread_.join();
  }

  std::unique_ptr<Channel> channel() { return std::make_unique<PlainChannel>(Socket(ends_[1])); }
  Connection connect(Connection::Dial dial = {}) { return Connection(channel(), std::move(dial)); }

  /// The next request but a greeting; null if the client has left.
  Json request() {
    Json said = any_request();
    while (said.is_object() && said["verb"] == "hello") said = any_request();
    return said;
  }
  /// The next request, of any kind.
  Json any_request() {
    std::string length(4, '\0');
    if (recv(ends_[0], length.data(), 4, MSG_WAITALL) != 4) return {};
    std::uint32_t size = 0;
    std::memcpy(&size, length.data(), sizeof size);  // Little end first, as the machine has it.
    std::string text(size, '\0');
    if (recv(ends_[0], text.data(), text.size(), MSG_WAITALL) < 0) return {};
    return Json::parse(text);
  }
  void raw(std::string_view bytes) {
    EXPECT_EQ(send(ends_[0], bytes.data(), bytes.size(), MSG_NOSIGNAL),
        static_cast<ssize_t>(bytes.size()));
  }
  void fail(const Json& to, const char* kind, const char* text) {
    raw(frame_of(compact({{"id", to["id"]}, {"error", {{"kind", kind}, {"text", text}}}})));
  }
  void reply(const Json& to, Json ok, bool end = true) {
    raw(frame_of(compact({{"id", to["id"]}, {"ok", std::move(ok)}, {"end", end}})));
  }

 private:
  int ends_[2] = {-1, -1};
  std::thread thread_;
};

}  // namespace dunlin::cli
