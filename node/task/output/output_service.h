// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <uv.h>
#include <vector>

#include "node/loop/wakeup.h"
#include "node/message.h"
#include "node/task/output/output.h"
#include "overlay/address.h"

namespace dunlin::node {

/// Output across nodes, both ways: answers other agents' requests from the OutputStore, keeping
/// those that wait for more until there is more; and matches answers to our own.
class OutputService {
 public:
  using Send = std::function<void(const overlay::Endpoint& to, const Message& message)>;

  /// Requests kept waiting at once; beyond, they are answered empty at once.
  static constexpr std::size_t kWaitingMax = 1024;
  /// Answers to our own requests kept until fetched.
  static constexpr std::size_t kAnswersMax = 1024;

  OutputService(uv_loop_t& loop, OutputStore& output, Send send);

  void on_message(const overlay::Endpoint& from, const OutputRequest& request);
  void on_message(const overlay::Endpoint& from, const OutputChunk& chunk);

  /// Asks another node; returns the number to take() the answer by. The answer may never come.
  std::uint64_t ask(const overlay::Endpoint& node, OutputRequest request);
  /// The answer, once it has come. Empty before.
  std::optional<OutputChunk> take(std::uint64_t request);
  /// Forgets a request that nobody waits for any more.
  void abandon(std::uint64_t request) { asked_.erase(request); }

  /// Reads output that is kept here, in the form of an answer.
  OutputChunk read(const OutputRequest& request);

 private:
  struct Waiting {
    overlay::Endpoint from;
    OutputRequest request;
    overlay::Time until{};
  };
  struct Asked {
    overlay::PeerId node;
    std::optional<OutputChunk> answer;
  };
  void look_again();

  uv_loop_t& loop_;
  OutputStore& output_;
  Send send_;
  std::vector<Waiting> waiting_;
  std::map<std::uint64_t, Asked> asked_;
  std::uint64_t request_last_ = 0;
  Wakeup wakeup_;
};

}  // namespace dunlin::node
