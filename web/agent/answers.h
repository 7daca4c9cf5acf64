// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <uv.h>
#include <vector>

#include "node/client/json.h"
#include "node/loop/handle.h"
#include "web/agent/problem.h"

namespace dunlin::web {

class Upstream;

/// A question to the agent.
struct Question {
  std::string verb;
  std::string members;  ///< JSON without braces.
  /// The user that asks, over its own connection; empty: the answer is the same for all users.
  std::string user;
  /// An answer may be so old, in ms; 0: it is asked anew, and what it does is done once for each.
  std::uint64_t fresh_ms = 0;
  std::string gather;  ///< The list that comes in several replies; empty: one reply is all.
};

/// What it said.
struct Answer {
  client::Json ok;
  std::int64_t as_of_ns = 0;  ///< When, since 1970.
  std::optional<Trouble> trouble;
};
using AnswerPtr = std::shared_ptr<const Answer>;

/// Asks the agent once for all who want to know the same at the same time.
/// A hundred tabs that show a user the same list cost the agent one request in a second or two.
/// What is asked while the same is under way waits for that reply; what is asked soon after gets
/// the same answer.
class Answers {
 public:
  using Handler = std::function<void(const AnswerPtr&)>;

  Answers(uv_loop_t& loop, Upstream& upstream);
  ~Answers();
  Answers(const Answers&) = delete;
  Answers& operator=(const Answers&) = delete;

  /// `handler` is called once, perhaps before this returns.
  void ask(const Question& question, Handler handler);
  /// What was said is said no more: the agent has gone, or is another one.
  void forget();

 private:
  /// A question that is under way, or its answer for as long as it is fresh.
  struct Flight {
    std::vector<Handler> waiting;
    std::shared_ptr<Answer> answer = std::make_shared<Answer>();
    bool done = false;
    std::uint64_t at_ms = 0;  ///< When it was asked; once done, when it was answered.
    std::uint64_t request = 0;
    std::uint64_t fresh_ms = 0;
  };
  void start(const std::string& key, const Question& question);
  void finish(const std::string& key);
  /// Lets answers go that are no longer fresh, and fails questions that were not answered in time.
  void check();

  uv_loop_t& loop_;
  Upstream& upstream_;
  std::map<std::string, Flight> flights_;
  std::uint64_t number_last_ = 0;
  node::Handle<uv_timer_t> timer_ = node::make_handle<uv_timer_t>();
};

}  // namespace dunlin::web
