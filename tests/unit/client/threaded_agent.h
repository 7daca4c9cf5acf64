// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstring>
#include <map>
#include <stdlib.h>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "node/client/frames.h"
#include "node/client/json.h"

namespace dunlin::client {

/// An agent in a thread of its own, on a real socket: it takes each job once, says at once that it
/// has ended, and hangs up after so many messages.
class ThreadedAgent {
 public:
  /// With a `refusal` it tells each client so, and hangs up.
  explicit ThreadedAgent(int messages_max, std::string refusal = "")
      : messages_max_(messages_max),
        refusal_(std::move(refusal)) {
    char name[] = "/tmp/dunlin-agent-XXXXXX";
    directory_ = ::mkdtemp(name);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path().c_str(), path().size());
    listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    (void)!::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof(address));
    (void)!::listen(listener_, 8);
    thread_ = std::thread([this] { serve(); });
  }
  ~ThreadedAgent() {
    over_ = true;
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
    ::unlink(path().c_str());
    ::rmdir(directory_.c_str());
  }
  ThreadedAgent(const ThreadedAgent&) = delete;
  ThreadedAgent& operator=(const ThreadedAgent&) = delete;

  std::string path() const { return directory_ + "/agent.sock"; }
  int jobs() const { return jobs_; }
  int hang_ups() const { return hang_ups_; }

 private:
  void serve() {
    while (!over_) {
      const int client = ::accept(listener_, nullptr, nullptr);
      if (client < 0) return;
      converse(client);
      ::close(client);
    }
  }
  void converse(int client) {
    if (!refusal_.empty()) {
      std::string out;
      const Json error = {{"kind", "refused"}, {"text", refusal_}};
      append_frame(out, Json{{"id", nullptr}, {"error", error}}.dump());
      (void)!::send(client, out.data(), out.size(), MSG_NOSIGNAL);
      return;
    }
    FrameReader reader;
    char bytes[4096];
    int messages = 0;
    while (!over_) {
      const ssize_t size = ::recv(client, bytes, sizeof(bytes), 0);
      if (size <= 0) return;
      reader.feed({bytes, static_cast<std::size_t>(size)});
      std::string out;
      while (const auto text = reader.next()) {
        answer(Json::parse(*text), out);
        if (++messages < messages_max_) continue;
        ++hang_ups_;  // What it has answered by now is lost.
        return;
      }
      (void)!::send(client, out.data(), out.size(), MSG_NOSIGNAL);
    }
  }
  void answer(const Json& request, std::string& out) {
    const std::string verb = request["verb"];
    Json ok = Json::object();
    if (verb == "hello") ok = {{"protocol", 1}, {"node", kNode}};
    if (verb == "submit") {
      const auto known = keys_.try_emplace(request["key"], jobs_ + 1);
      if (known.second) ++jobs_;
      ok = {{"job", std::string(kNode) + "." + std::to_string(known.first->second)}, {"tasks", 1}};
    }
    if (verb == "output")
      ok = {{"data", "aGVsbG8="}, {"attempt", 1}, {"next", 5}, {"total", 5}, {"ended", true}};
    const bool subscribes = verb == "subscribe";
    if (!subscribes)
      append_frame(out, Json{{"id", request["id"]}, {"ok", ok}, {"end", true}}.dump());
    if (!subscribes && verb != "subscribe_more") return;
    const Json stream = subscribes ? request["id"] : request["subscription"];
    Json news = Json::array();
    for (const Json& wish : request["jobs"]) {
      const Json result = {{"index", 0}, {"attempt", 1}, {"state", "done"}};
      const Json results = wish.contains("told") ? Json::array() : Json::array({result});
      news.push_back({{"job", wish["job"]}, {"state", "done"}, {"tasks", 1}, {"done", 1},
          {"ended", true}, {"results", results}});
    }
    append_frame(out, Json{{"id", stream}, {"ok", {{"jobs", news}}}}.dump());
  }

  static constexpr const char* kNode = "00000000000000a1";

  int messages_max_;
  std::string refusal_;
  std::string directory_;
  int listener_ = -1;
  std::atomic<bool> over_ = false;
  std::atomic<int> jobs_ = 0;
  std::atomic<int> hang_ups_ = 0;
  std::map<std::string, int> keys_;
  std::thread thread_;
};

}  // namespace dunlin::client
