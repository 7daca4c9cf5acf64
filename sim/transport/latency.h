// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>

#include "overlay/rng.h"
#include "sim/scenario/network_params.h"

namespace dunlin::sim {

using overlay::Rng;

/// The delay of a message of a peer to itself: it crosses no network, but takes a turn of the loop.
inline constexpr Duration kLoopback = std::chrono::microseconds(5);

/// The time after which the `number`-th message of `from` reaches `to`.
using Delay = std::function<Duration(std::uint32_t from, std::uint32_t to, std::uint64_t number)>;

/// One-way delays: a base that each pair of peers has for good, in both directions, times a jitter
/// drawn for each message; or the sum of the links between the two, which does not vary. It is a
/// pure function of its arguments and the seed, so neither the order of calls nor the transport can
/// change it.
class LatencyModel {
 public:
  LatencyModel(const NetworkParams& params, std::uint64_t seed) : params_(params), seed_(seed) {}

  Duration operator()(std::uint32_t from, std::uint32_t to, std::uint64_t number) const;
  /// The constant part: the delay of a message without jitter.
  Duration base(std::uint32_t a, std::uint32_t b) const;

 private:
  /// A factor of mean 1.
  double draw(Rng rng, double spread) const;

  NetworkParams params_;
  std::uint64_t seed_;
};

}  // namespace dunlin::sim
