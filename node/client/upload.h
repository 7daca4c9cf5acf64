// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "node/client/conversation.h"
#include "node/client/job.h"

namespace dunlin::client {

/// The submission of a job that is larger than a message: the job without its lines, the lines in
/// pieces, and the word that these are all. One at a time.
class Upload {
 public:
  /// Pieces that wait for an answer: enough to keep the agent busy, and few in its memory.
  static constexpr std::size_t kUnderWayMax = 4;
  /// Called with the last reply, or the first failure.
  using Done = std::function<void(const Reply&)>;

  bool busy() const { return now_ != nullptr; }
  /// Begins to submit a job to the agent of that id. Requires: !busy().
  void begin(const JobPtr& job, const std::string& node, Conversation& agent, Done done);
  /// Sends what may be sent.
  void advance(Conversation& agent);

 private:
  /// Of one upload: replies of one that was given up find another here, or none.
  struct State {
    JobPtr job;
    std::string node;
    Done done;
    std::uint32_t number = 0;  ///< How the agent calls it; 0: it has not answered yet.
    std::size_t sent = 0;      ///< Pieces.
    std::size_t answered = 0;
    bool said_end = false;
  };
  void end(const Reply& reply);

  std::shared_ptr<State> now_;
};

}  // namespace dunlin::client
