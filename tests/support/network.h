// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <set>
#include <utility>

#include "overlay/inline_vector.h"
#include "overlay/rng.h"
#include "overlay/time.h"

namespace dunlin::test {

using overlay::Duration;

/// The faults of the network. Latency is drawn anew for each message, so a wide range reorders.
struct NetworkParams {
  Duration latency_min = std::chrono::microseconds(300);
  Duration latency_max = std::chrono::microseconds(700);
  double loss = 0;         ///< Probability that a message is lost.
  double duplication = 0;  ///< Probability that it comes twice.
  double straggling = 0;   ///< Probability that it takes up to `straggler_max` instead.
  Duration straggler_max = std::chrono::seconds(2);
};

/// Decides what becomes of each message between nodes, which are numbers here.
class Network {
 public:
  Network(const NetworkParams& params, overlay::Rng rng) : params_(params), rng_(rng) {}

  /// When the copies of a message arrive, after how long: none, one or two.
  overlay::InlineVector<Duration, 2> route(std::size_t from, std::size_t to);

  /// Loses all messages from one node to another; the way back stays open.
  void cut(std::size_t from, std::size_t to) { cuts_.insert({from, to}); }
  void mend(std::size_t from, std::size_t to) { cuts_.erase({from, to}); }
  void mend_all() { cuts_.clear(); }
  /// Splits: nothing passes between members of `side` and the others of `count` nodes. With
  /// `one_way`, only what the side sends is lost.
  void split(const std::set<std::size_t>& side, std::size_t count, bool one_way = false);
  /// All cuts are mended, and no message is lost, doubled or late from now on.
  void heal();

  NetworkParams& params() { return params_; }

 private:
  Duration latency();

  NetworkParams params_;
  overlay::Rng rng_;
  std::set<std::pair<std::size_t, std::size_t>> cuts_;
};

}  // namespace dunlin::test
