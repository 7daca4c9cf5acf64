// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "overlay/neighbour.h"
#include "sched/turn.h"

namespace dunlin::sched {

/// The one answer to "is that node there?", for every listing and every count.
enum class NodeState : std::uint8_t {
  up,
  draining,  ///< Up, and takes no more tasks.
  sick,      ///< Up, and takes no tasks: no task can start there, or its operator says so.
  suspect,   ///< Not heard of for KnownNode::kSuspectAfter, and asked in vain.
  down,      ///< Found dead, or it said good-bye.
};

/// "up", "draining", "sick", "suspect" or "down".
std::string_view to_string(NodeState state);

/// Everything known of one node.
struct KnownNode {
  /// The silence after which a node that leaves a question unanswered is suspect.
  static constexpr Duration kSuspectAfter = std::chrono::seconds(10);
  /// The wait for an answer before the question counts as unanswered, and ...
  static constexpr Duration kAnswerWait = std::chrono::milliseconds(250);
  /// ... before it is asked again: the request or the answer may be lost.
  static constexpr Duration kAskAgain = std::chrono::seconds(2);
  /// Gossip does not tell that a node takes tasks or copies again: one that did not is asked again
  /// after this time.
  static constexpr Duration kLookAgain = std::chrono::seconds(10);
  /// The number of unanswered questions, kAskAgain apart, after which a node is down.
  static constexpr int kQuestionsMax = 3;

  overlay::Descriptor descriptor;  ///< The freshest statement heard.
  Time born;                       ///< The time at which its owner made it, by our clock.
  std::optional<Facts> facts;      ///< The facts of this incarnation.
  Time facts_at{};                 ///< The time at which they came.
  std::optional<Time> asked_at;    ///< The time of the last request for them, if any.

  /// Questions that nothing has answered so far.
  struct Unanswered {
    Time since;     ///< The time of the first of them.
    Time counted;   ///< The time of the last that is counted.
    int count = 1;  ///< Those at least kAskAgain apart.
  };
  std::optional<Unanswered> unanswered;

  struct Departure {
    Time at;                ///< The time at which it was noticed.
    bool farewell = false;  ///< It said good-bye.
  };
  std::optional<Departure> departure;  ///< Only while it is down.
  Time aside_since{};  ///< The time of the first facts that said so, while it drains or is sick.

  /// True if it is not down and there is something to ask it, now or later: it has no facts here,
  /// left a question open, or tells what may mend.
  bool is_open() const { return !departure && (!facts || unanswered || stale_at() != kNever); }
  NodeState state(Time now) const;
  /// Since when it has been in that state, as far as is known here; nothing of one that is up.
  std::optional<Time> state_since(Time now) const;
  /// True if it is sick, by the latest news of it. Its facts say why.
  bool sick() const;
  /// The time of the last sign of life, by our clock.
  Time heard_at() const { return facts ? std::max(born, facts_at) : born; }

  /// Takes in what gossip says of it. A statement that its owner made before it went down never
  /// raises it, whenever it is heard. False if nothing is new.
  bool hear(Time now, const overlay::Descriptor& statement);
  /// Takes in its own answer. Ignores answers of an earlier incarnation.
  void answer(Time now, const Facts& told);
  /// When its facts are too old to be believed, because they say that it drains or is in trouble;
  /// kNever if they say nothing of the kind, or none are there.
  Time stale_at() const;
  /// Notes that it is asked now.
  void ask(Time now);
  /// It was found dead, or said good-bye.
  void depart(Time now, bool farewell);
  /// True if it left so many questions unanswered for so long that it is down.
  bool gave_no_answer(Time now) const;
};

}  // namespace dunlin::sched
