// SPDX-License-Identifier: MIT
#pragma once

#include <list>
#include <memory>

#include "node/client/conversation.h"
#include "node/client/job.h"

namespace dunlin::client {

/// What programs give tasks to read. It goes to a task piece by piece, as the task takes it. If the
/// connection breaks on the way, the agent ends the task: it must not take a part for all of it.
class Inputs {
 public:
  /// Tasks that are given something at a time.
  static constexpr std::size_t kAtOnceMax = 8;
  /// Pieces that wait to be taken by a task.
  static constexpr std::size_t kUnderWayMax = 2;

  /// False if there are too many.
  bool add(const std::shared_ptr<Input>& input);
  /// The program gives no more, and does not care for the rest: ends the task if it still reads, or
  /// as soon as it begins.
  void drop(const std::shared_ptr<Input>& input, Conversation& agent);
  /// Sends what may be sent.
  void advance(Conversation& agent);
  /// No agent can be talked to any more: all fail.
  void fail_all(const Problem& why);

 private:
  /// Tells the agent of inputs that were dropped before their task had begun, once it has.
  void end_dropped(Conversation& agent);
  /// Ties the input to its task; answered when the task runs.
  static void attach(const std::shared_ptr<Input>& input, Conversation& agent);
  /// Sends pieces, as long as the task takes them.
  static void give(const std::shared_ptr<Input>& input, Conversation& agent);

  std::list<std::shared_ptr<Input>> inputs_;
};

}  // namespace dunlin::client
