// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <uv.h>

#include "node/client/conversation.h"
#include "node/loop/handle.h"
#include "web/agent/problem.h"

namespace dunlin::web {

/// One connection to the agent, from its begin to its end: once it is lost it stays so.
/// A new try is a new link: so nothing of an old connection, such as half a frame or a reply that
/// comes late, can be taken for something of the next one.
class AgentLink {
 public:
  using Handler = client::Conversation::Handler;
  /// What its owner is told, from the loop. There, and in a Handler, the owner may close it, but
  /// must not destroy it.
  struct Seams {
    /// The agent has said hello.
    std::function<void()> ready;
    /// It has ended, or was never made. Requests that had no last reply fail after that.
    std::function<void()> lost;
  };

  /// Begins to connect to the socket `path`.
  AgentLink(uv_loop_t& loop, const std::string& path, Seams seams);
  ~AgentLink();
  AgentLink(const AgentLink&) = delete;
  AgentLink& operator=(const AgentLink&) = delete;

  /// Asks `verb` with `members`, JSON without braces. `handler` is called for each reply, never
  /// before this returns; stop() knows the request by `number`.
  void ask(std::uint64_t number, std::string_view verb, std::string members, Handler handler);
  /// Its handler is not called again. Nothing happens if there is no such request, or it has ended.
  void stop(std::uint64_t number);
  /// Ends it, and tells no Handler and no Seam. Requires that it is idle, or that no request waits.
  void close();

  bool ready() const { return ready_; }
  /// Why it was lost; nothing: it is there, or comes.
  const std::optional<Trouble>& lost() const { return lost_; }
  /// What the agent said of itself; empty until it has.
  const client::Json& hello() const { return hello_; }
  /// Since when nothing is asked, by the loop's clock in ms; nothing while something is.
  std::optional<std::uint64_t> idle_since() const;

 private:
  struct Pipe;
  struct Waiting {
    std::uint64_t number = 0;
    std::string verb;
    std::string members;
    Handler handler;
  };
  void on_connected(int status);
  void on_read(std::string_view bytes);
  void say_hello();
  /// Lets libuv close it; from then on no callback of the pipe finds this.
  void drop_pipe();
  /// Ends it for a reason, once, and tells all that wait.
  void lose(Trouble why);
  void ask_now(Waiting waiting);
  /// Sends requests that wait, as many as the agent takes at a time.
  void advance();
  /// The same in the next turn of the loop: see ask().
  void advance_soon();
  /// Gives to libuv what the conversation has to send.
  void flush();

  uv_loop_t& loop_;
  std::string path_;
  Seams seams_;
  Pipe* pipe_ = nullptr;  ///< Freed by the loop.
  bool ready_ = false;
  std::optional<Trouble> lost_;
  client::Conversation conversation_;
  client::FrameReader reader_;
  client::Json hello_ = client::Json::object();
  std::deque<Waiting> waiting_;                       ///< Until it is there, or has room.
  std::map<std::uint64_t, std::uint64_t> under_way_;  ///< Ids of the conversation, by our numbers.
  std::uint64_t idle_since_ms_;
  node::Handle<uv_idle_t> idle_ = node::make_handle<uv_idle_t>();
};

/// Says a request's last reply, that it failed.
void fail_request(const AgentLink::Handler& handler, const Trouble& why);

}  // namespace dunlin::web
