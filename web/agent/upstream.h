// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <uv.h>

#include "node/client/conversation.h"
#include "node/loop/handle.h"

namespace dunlin::web {

/// The agent that the gateway asks, by its Unix socket. Connects by itself, again and again: a
/// request that finds no agent is answered with the kind "away".
class Upstream {
 public:
  /// `user` is named with each request that has one: of a gateway that serves all users. Otherwise
  /// the kernel says who asks.
  using Handler = client::Conversation::Handler;

  Upstream(uv_loop_t& loop, std::string socket, bool names_users);
  ~Upstream();
  Upstream(const Upstream&) = delete;
  Upstream& operator=(const Upstream&) = delete;

  /// Asks `verb` with `members`, JSON without braces. `handler` is called for each reply, never
  /// before this returns. Returns a number by which to stop it.
  std::uint64_t ask(
      std::string_view verb, std::string members, const std::string& user, Handler handler);
  void stop(std::uint64_t number);

  bool connected() const { return ready_; }
  /// What the agent said of itself; empty until it has.
  const client::Json& hello() const { return hello_; }
  /// Called each time that the agent is there, or is away, from then on.
  void on_change(std::function<void(bool there)> handler) { changed_ = std::move(handler); }

 private:
  struct Pipe;
  struct Waiting {
    std::uint64_t number = 0;
    std::string verb;
    std::string members;
    Handler handler;
  };
  void connect();
  void on_connected(int status);
  void on_read(std::string_view bytes);
  void say_hello();
  void lose(const std::string& why);
  void ask_now(Waiting waiting);
  void advance();
  void flush();
  void fail(const Handler& handler, std::string kind, std::string text);

  uv_loop_t& loop_;
  std::string socket_;
  bool names_users_;
  Pipe* pipe_ = nullptr;  ///< Freed by the loop.
  bool ready_ = false;    ///< It has said hello.
  client::Conversation conversation_;
  client::FrameReader reader_;
  client::Json hello_ = client::Json::object();
  std::deque<Waiting> waiting_;                       ///< Until it is there, or has room.
  std::map<std::uint64_t, std::uint64_t> under_way_;  ///< Ids of the conversation, by our numbers.
  std::uint64_t number_last_ = 0;
  std::uint64_t next_try_ms_ = 0;
  std::string away_;  ///< Why it is away.
  std::function<void(bool)> changed_;
  node::Handle<uv_timer_t> timer_ = node::make_handle<uv_timer_t>();
  node::Handle<uv_idle_t> idle_ = node::make_handle<uv_idle_t>();
};

}  // namespace dunlin::web
