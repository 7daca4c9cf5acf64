// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>

#include "node/client/conversation.h"
#include "node/client/job.h"
#include "node/client/json.h"
#include "node/client/later.h"

// What a program asks an agent to tell, which changes nothing.
namespace dunlin::client {

/// One question, and its answer when it is there. Guarded by the client's mutex.
struct Query {
  std::string verb;
  Json members = Json::object();  ///< Of the request, as the program said them.

  std::uint64_t asked = 0;  ///< The request under way; 0: none.
  bool resting = false;     ///< It is asked again later.
  Time busy_at{};           ///< Since when the agent is too busy for it.
  bool done = false;
  Problem problem;   ///< Why there is no answer.
  std::string text;  ///< The answer, a JSON object.
  /// The members that ask for the next page of a list; null: this was the last one, or no list.
  Json next;
};

/// Reads a question: `text` has its members, or nothing. Fails with DUNLIN_USAGE.
Problem read_query(std::string_view verb, std::string_view text, Query& query);

/// The questions of one client. What the connection loses is asked anew: to ask twice does no harm.
class Queries {
 public:
  void add(const std::shared_ptr<Query>& query) { queries_.push_back(query); }
  /// The program wants no answer any more.
  void drop(const std::shared_ptr<Query>& query, Conversation& agent);
  /// Asks what the agent can be asked now.
  void advance(Conversation& agent, Later& later);
  /// No agent can be talked to any more.
  void fail_all(const Problem& why);

 private:
  void ask(const std::shared_ptr<Query>& query, Conversation& agent, Later& later);
  static void hear(const std::shared_ptr<Query>& query, const Reply& reply, Later& later);

  std::list<std::shared_ptr<Query>> queries_;  ///< Those without an answer.
};

}  // namespace dunlin::client
