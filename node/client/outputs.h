// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <list>
#include <memory>

#include "node/client/conversation.h"
#include "node/client/job.h"
#include "node/client/later.h"

namespace dunlin::client {

/// What programs read of what tasks write. It is asked for piece by piece, and the next only when
/// the program has read: a fast task must not fill its memory. If the connection breaks, it is read
/// on from where it was.
class Outputs {
 public:
  /// Streams that are read at a time.
  static constexpr std::size_t kAtOnceMax = 24;

  /// False if there are too many.
  bool add(const std::shared_ptr<Output>& output);
  /// Tells the agent, too: it need not send what no program reads.
  void drop(const std::shared_ptr<Output>& output, Conversation& agent);
  /// Asks for the next pieces, where there is room for one. `later` must outlive `agent`.
  void advance(Conversation& agent, Later& later);
  /// No agent can be talked to any more: all fail.
  void fail_all(const Problem& why);

 private:
  std::list<std::shared_ptr<Output>> outputs_;
};

}  // namespace dunlin::client
