// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <uv.h>
#include <vector>

#include "node/loop/handle.h"
#include "web/agent/agent_link.h"

namespace dunlin::web {

/// Connections that a gateway of all users has for them. An agent has places for 128 clients, most
/// of which are for the command line.
struct UpstreamBounds {
  std::size_t users = 64;          ///< Connections of users, beside the one for all.
  std::uint64_t idle_ms = 60'000;  ///< One on which nothing was asked for so long ends.
};

/// The agent that the gateway asks, by its Unix socket. Connects by itself, again and again: a
/// request that finds no agent is answered with the kind "away".
///
/// A gateway of all users has a connection for each that asks: what one of them asks for, and does
/// not read, holds up no other user. For one more user the connection ends that is idle for
/// longest; where none is idle, the request fails with the kind "full".
class Upstream {
 public:
  using Handler = AgentLink::Handler;

  /// `names_users`: the gateway is of all users, and names to the agent for whom it asks. Otherwise
  /// the kernel says which user asks, and there is one connection.
  /// A gateway may start before its agent: it connects when that is there.
  Upstream(uv_loop_t& loop, std::string socket, bool names_users, UpstreamBounds bounds = {});
  ~Upstream();
  Upstream(const Upstream&) = delete;
  Upstream& operator=(const Upstream&) = delete;

  /// Asks `verb` with `members`, JSON without braces, for `user`; empty: for the gateway itself.
  /// `handler` is called for each reply, never before this returns. Returns a number by which to
  /// stop it.
  std::uint64_t ask(
      std::string_view verb, std::string members, const std::string& user, Handler handler);
  void stop(std::uint64_t number);

  /// True while the connection for all is there.
  bool connected() const { return shared_ != nullptr && shared_->ready(); }
  /// What the agent said of itself; empty until it has.
  const client::Json& hello() const { return hello_; }
  /// Called each time that the agent is there, or is away, from then on.
  void on_change(std::function<void(bool there)> handler) { changed_ = std::move(handler); }
  /// How many users have a connection.
  std::size_t users() const { return links_.size(); }

 private:
  using Links = std::map<std::string, std::unique_ptr<AgentLink>>;
  /// A request that found no connection.
  struct Turned {
    std::uint64_t number = 0;
    Handler handler;
    Trouble why;
  };
  void connect();
  void on_lost();
  /// Null where no connection can be had.
  AgentLink* link_of(const std::string& user);
  /// False if each connection of a user is in use.
  bool make_room();
  /// Closes it now, and frees it in the next tick(): it may be the one whose callback this is.
  void retire(Links::iterator link);
  /// Fails a request in a later turn of the loop, as ask() promises.
  void turn_away(std::uint64_t number, Handler handler, Trouble why);
  void answer_turned();
  void tick();

  uv_loop_t& loop_;
  std::string socket_;
  bool names_users_;
  UpstreamBounds bounds_;
  std::unique_ptr<AgentLink> shared_;  ///< Null while the agent is away.
  Links links_;                        ///< By user.
  /// Of links that ended; they may still be at work further up the stack.
  std::vector<std::unique_ptr<AgentLink>> retired_;
  std::deque<Turned> turned_;
  client::Json hello_ = client::Json::object();
  std::uint64_t number_last_ = 0;
  bool was_there_ = false;  ///< The shared one has been ready.
  Trouble away_;            ///< Why there is no shared one.
  std::function<void(bool)> changed_;
  node::Handle<uv_timer_t> timer_ = node::make_handle<uv_timer_t>();
  node::Handle<uv_idle_t> idle_ = node::make_handle<uv_idle_t>();
};

}  // namespace dunlin::web
