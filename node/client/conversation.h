// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "node/client/job.h"
#include "node/client/json.h"

namespace dunlin::client {

/// One reply to a request.
struct Reply {
  Json ok;           ///< An object; empty if it failed.
  bool last = true;  ///< No more follows to that request.
  Problem problem;   ///< Why it failed, if it did.

  bool failed() const { return problem.status != 0; }
};

/// The problem that an object `error` of a reply tells of. Another node that drives a job is
/// DUNLIN_NOT_FOUND, too: both mean that this one has no more to say.
Problem problem_of(const Json& error);

/// The requests on one connection, and what is to be sent on it.
class Conversation {
 public:
  /// Called for each reply, the last of which may be that the connection was lost (DUNLIN_LOST).
  using Handler = std::function<void(const Reply&)>;
  /// Fewer than an agent takes at a time: some are kept for commands.
  static constexpr std::size_t kRequestsMax = 60;

  /// Queues {"verb": `verb`, "id": ..., `members`}, where `members` is JSON without braces, or
  /// empty. Returns the id.
  std::uint64_t ask(std::string_view verb, std::string_view members, Handler handler);
  /// Wants no more replies to that request, and tells the agent so.
  void stop(std::uint64_t id);
  /// Takes a message of the agent. False if it makes no sense.
  bool hear(const Json& message);
  /// The connection ended: all requests under way are answered with that.
  void lose(const Problem& why);

  bool has_room() const { return handlers_.size() < kRequestsMax; }
  std::string& out() { return out_; }

 private:
  std::map<std::uint64_t, Handler> handlers_;
  std::uint64_t id_last_ = 0;
  std::string out_;  ///< Frames to be sent.
};

}  // namespace dunlin::client
