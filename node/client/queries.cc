// SPDX-License-Identifier: MIT
#include "node/client/queries.h"

#include <algorithm>
#include <utility>

#include "node/client/frames.h"
#include "node/client/include/dunlin.h"
#include "node/read_json.h"

namespace dunlin::client {
namespace {

/// An agent that is about to stop is asked again after so long.
constexpr std::chrono::seconds kQueryRest{1};
/// What a request needs beside its members.
constexpr std::size_t kQueryRoom = 256;

/// A verb that a program may ask, and how its lists go on: the member of the answer that is null at
/// the end becomes that member of the next request. Empty: it has no pages.
struct AskedVerb {
  std::string_view name;
  std::string_view told{};
  std::string_view wanted{};
};

/// Of those that are answered by one reply and change nothing.
constexpr AskedVerb kAskedVerbs[] = {{"status"}, {"nodes"}, {"node_bins"}, {"node"}, {"overlay"},
    {"node_tasks", "next", "after"}, {"past", "next_at_ns", "since_at_ns"},
    {"jobs", "next", "after"}, {"job"}, {"tasks", "next", "from"}, {"timeline"}, {"task_bins"},
    {"explain"}, {"find"}, {"usage"}};

const AskedVerb* verb_of(std::string_view name) {
  const auto* const found = std::ranges::find(kAskedVerbs, name, &AskedVerb::name);
  return found == std::end(kAskedVerbs) ? nullptr : found;
}

std::string query_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

Problem read_query(std::string_view verb, std::string_view text, Query& query) {
  if (verb_of(verb) == nullptr) {
    return {DUNLIN_USAGE, "'" + std::string(verb) + "' is nothing that an agent may be asked here"};
  }
  query.verb = verb;
  if (text.empty()) return {};
  std::string why;
  query.members = read_json<Json>(text, &why);
  if (!why.empty()) return {DUNLIN_USAGE, "a query is refused that is " + why};
  if (!query.members.is_object()) {
    return {DUNLIN_USAGE, "a query must be a JSON object, such as {\"all\": true}"};
  }
  // The members go into the request as text, beside the request's own: these would stand for them.
  for (const char* const name : {"verb", "id", "speaker", "tell_waits"}) {
    if (query.members.contains(name)) {
      return {DUNLIN_USAGE, "a query has no member '" + std::string(name) + "'"};
    }
  }
  if (text.size() > kMessageMax - kQueryRoom) {
    return {DUNLIN_USAGE, "a query of more than 16 MiB"};
  }
  return {};
}

void Queries::drop(const std::shared_ptr<Query>& query, Conversation& agent) {
  if (std::erase(queries_, query) > 0 && query->asked != 0) agent.stop(query->asked);
}

void Queries::advance(Conversation& agent, Later& later) {
  std::erase_if(queries_, [](const auto& query) { return query->done; });
  for (const auto& query : queries_) {
    if (query->asked == 0 && !query->resting && agent.has_room()) ask(query, agent, later);
  }
}

void Queries::ask(const std::shared_ptr<Query>& query, Conversation& agent, Later& later) {
  const std::string object = query_text(query->members);
  query->asked = agent.ask(query->verb, std::string_view(object).substr(1, object.size() - 2),
      [query, &later](const Reply& reply) { hear(query, reply, later); });
}

void Queries::hear(const std::shared_ptr<Query>& query, const Reply& reply, Later& later) {
  if (!reply.last) return;
  query->asked = 0;
  if (reply.problem.status == DUNLIN_LOST) return;
  const bool busy = may_try_again(reply.problem, later.now(), query->busy_at);
  if (busy || reply.problem.again) {
    query->resting = true;
    later.in(busy ? pause_of(reply.problem) : kQueryRest, [query] { query->resting = false; });
    return;
  }
  query->done = true;
  query->problem = reply.problem;
  if (reply.failed()) return;
  query->text = query_text(reply.ok);
  const AskedVerb& verb = *verb_of(query->verb);
  if (verb.told.empty()) return;
  const Json* const told = member(reply.ok, verb.told);
  if (told == nullptr) return;
  query->next = query->members;
  query->next[std::string(verb.wanted)] = *told;
}

void Queries::fail_all(const Problem& why) {
  for (const auto& query : std::exchange(queries_, {})) {
    query->problem = why;
    query->done = true;
  }
}

}  // namespace dunlin::client
