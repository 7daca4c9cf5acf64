// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "node/client/frames.h"
#include "node/client/include/dunlin.h"
#include "node/client/job.h"
#include "node/client/json.h"

// What every client of an agent does: libdunlin, and the command line.
namespace dunlin::client {

/// One reply to a request.
template <typename Document>
struct BasicReply {
  Document ok;           ///< An object; empty if it failed.
  bool last = true;      ///< No more follows to that request.
  Problem problem;       ///< Why it failed, if it did.
  std::string kind;      ///< The agent's word for that: "usage", "not_found", ...
  std::uint64_t id = 0;  ///< Of the request.

  bool failed() const { return problem.status != 0; }
};

/// The problem of that kind. Another node that drives a job is DUNLIN_NOT_FOUND, too: both mean
/// that this one has no more to say. `retry_ns`: when an agent that is busy may be asked again.
Problem problem_of(const std::string& kind, std::string text, std::int64_t retry_ns = 0);
/// The problem that an object `error` of a reply tells of.
template <typename Document>
Problem problem_of(const Document& error) {
  return problem_of(
      text_of(error, "kind"), text_of(error, "text"), number_of<std::int64_t>(error, "retry_ns"));
}

/// The requests on one connection, and what is to be sent on it.
template <typename Document>
class BasicConversation {
 public:
  using Reply = BasicReply<Document>;
  /// Called for each reply, which it may take to pieces. The last one may be that the connection
  /// was lost (DUNLIN_LOST).
  using Handler = std::function<void(Reply&)>;
  /// What an agent takes at a time that says nothing else.
  static constexpr std::size_t kRequestsMax = 64;
  /// So many of them are kept for commands.
  static constexpr std::size_t kKept = 4;

  /// Queues {"verb": `verb`, "id": ..., `members`}, where `members` is JSON without braces, or
  /// empty. Returns the id.
  std::uint64_t ask(std::string_view verb, std::string_view members, Handler handler) {
    const std::uint64_t id = ++id_last_;
    std::string request = "{\"verb\":\"" + std::string(verb) + "\",\"id\":" + std::to_string(id);
    if (!members.empty()) request.append(",").append(members);
    request += '}';
    append_frame(out_, request);
    handlers_.emplace(id, std::move(handler));
    return id;
  }
  /// Wants no more replies to that request, and tells the agent so.
  void stop(std::uint64_t id) {
    if (handlers_.erase(id) == 0) return;
    ask("stop", "\"request\":" + std::to_string(id), [](const Reply&) {});
  }
  /// Takes a message of the agent. False if it makes no sense, or is a parting().
  bool hear(Document message);
  /// Why the agent ends the connection: the error that it told without naming a request; `kind` is
  /// empty if there was none.
  const BasicReply<Document>& parting() const { return parting_; }
  /// The connection ended: all requests under way are answered with that.
  void lose(const Problem& why);

  /// Goes on with an agent that takes so many requests at a time; 0: it did not say.
  void set_requests_max(std::size_t requests) {
    requests_max_ = requests == 0 ? kRequestsMax : std::max(requests, 2 * kKept);
  }
  std::size_t requests_max() const { return requests_max_; }
  /// True if the agent takes one more request now, with some kept for commands: a program that
  /// follows many jobs must still be able to cancel one.
  bool has_room() const { return handlers_.size() + kKept < requests_max_; }
  /// Frames to be sent; the driver takes away what it has sent.
  std::string& out() { return out_; }

 private:
  // By id, and so in the order of the requests: see lose().
  std::map<std::uint64_t, Handler> handlers_;
  Reply parting_{};
  std::uint64_t id_last_ = 0;
  std::size_t requests_max_ = kRequestsMax;
  std::string out_;  ///< Frames to be sent.
};

template <typename Document>
bool BasicConversation<Document>::hear(Document message) {
  const Document* const error = member(message, "error");
  const Document* const ok = member(message, "ok");
  Reply reply{.id = number_of<std::uint64_t>(message, "id")};
  if (error != nullptr && member(message, "id") == nullptr) {
    parting_ = {.ok = {}, .problem = problem_of(*error), .kind = text_of(*error, "kind")};
    return false;
  }
  if (reply.id == 0 || (error == nullptr && (ok == nullptr || !ok->is_object()))) return false;
  const auto found = handlers_.find(reply.id);
  if (found == handlers_.end()) return true;  // It was stopped.
  if (error != nullptr) {
    reply.problem = problem_of(*error);
    reply.kind = text_of(*error, "kind");
  } else {
    reply.last = flag_of(message, "end");
    reply.ok = std::move(message["ok"]);
  }
  // A handler may ask for more, or stop its own request.
  const Handler handler = reply.last ? std::move(found->second) : found->second;
  if (reply.last) handlers_.erase(found);
  handler(reply);
  return true;
}

template <typename Document>
void BasicConversation<Document>::lose(const Problem& why) {
  out_.clear();
  parting_ = {};
  // Backwards: a handler puts its request in front to send it again, so the order stays.
  const auto handlers = std::exchange(handlers_, {});
  for (auto each = handlers.rbegin(); each != handlers.rend(); ++each) {
    Reply reply{.ok = Document::object(), .problem = why, .id = each->first};
    each->second(reply);
  }
}

using Reply = BasicReply<Json>;
using Conversation = BasicConversation<Json>;

}  // namespace dunlin::client
