// SPDX-License-Identifier: MIT
#include "node/client/conversation.h"

#include <utility>

#include "node/client/frames.h"
#include "node/client/include/dunlin.h"

namespace dunlin::client {
namespace {

int status_of(const std::string& kind) {
  if (kind == "usage") return DUNLIN_USAGE;
  if (kind == "not_found" || kind == "elsewhere") return DUNLIN_NOT_FOUND;
  if (kind == "refused" || kind == "stopping") return DUNLIN_REFUSED;
  if (kind == "corrupt") return DUNLIN_CORRUPT;
  if (kind == "timeout") return DUNLIN_TIMEOUT;
  return DUNLIN_IO;  // So are kinds of later agents.
}

}  // namespace

Problem problem_of(const Json& error) {
  const std::string kind = text_of(error, "kind");
  return {status_of(kind), text_of(error, "text"), kind == "stopping"};
}

std::uint64_t Conversation::ask(std::string_view verb, std::string_view members, Handler handler) {
  const std::uint64_t id = ++id_last_;
  std::string request = "{\"verb\":\"" + std::string(verb) + "\",\"id\":" + std::to_string(id);
  if (!members.empty()) request.append(",").append(members);
  request += '}';
  append_frame(out_, request);
  handlers_.emplace(id, std::move(handler));
  return id;
}

void Conversation::stop(std::uint64_t id) {
  if (handlers_.erase(id) == 0) return;
  ask("stop", "\"request\":" + std::to_string(id), [](const Reply&) {});
}

bool Conversation::hear(const Json& message) {
  const auto id = number_of<std::uint64_t>(message, "id");
  const Json* const error = member(message, "error");
  const Json* const ok = member(message, "ok");
  const bool sound = (error != nullptr && error->is_object()) || (ok != nullptr && ok->is_object());
  if (!sound) return false;
  const auto found = handlers_.find(id);
  if (found == handlers_.end()) return true;  // It was stopped.
  Reply reply;
  if (error != nullptr) {
    reply.problem = problem_of(*error);
  } else {
    reply.ok = *ok;
    reply.last = flag_of(message, "end");
  }
  // A handler may ask for more, or stop its own request.
  const Handler handler = reply.last ? std::move(found->second) : found->second;
  if (reply.last) handlers_.erase(found);
  handler(reply);
  return true;
}

void Conversation::lose(const Problem& why) {
  out_.clear();
  // Backwards: a handler puts its request in front to send it again, so the order stays.
  const auto handlers = std::exchange(handlers_, {});
  for (auto each = handlers.rbegin(); each != handlers.rend(); ++each) {
    each->second({.ok = Json::object(), .last = true, .problem = why});
  }
}

}  // namespace dunlin::client
