// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>

#include "overlay/params.h"
#include "overlay/rng.h"
#include "overlay/time.h"

namespace dunlin::sim {

using overlay::Duration;
using overlay::Rng;

/// How delays are spread around their mean.
enum class Spread : std::uint8_t { constant, uniform, log_normal };

struct NetworkParams {
  Spread latency_spread = Spread::uniform;
  Duration latency = std::chrono::microseconds(500);
  double pair_spread = 0.2;
  double jitter = 0.1;
  bool codec = false;
};

/// After how long the message that is the `number`-th of `from` reaches `to`.
using Delay = std::function<Duration(std::uint32_t from, std::uint32_t to, std::uint64_t number)>;

/// One-way delays: a base that each pair of peers has for good, in both directions, times a jitter
/// drawn for each message. A pure function of its arguments and the seed: neither the order of
/// calls nor the transport can change it.
class LatencyModel {
 public:
  LatencyModel(const NetworkParams& params, std::uint64_t seed) : params_(params), seed_(seed) {}

  Duration operator()(std::uint32_t from, std::uint32_t to, std::uint64_t number) const;
  /// The part that stays: what a message without jitter takes.
  Duration base(std::uint32_t a, std::uint32_t b) const;

 private:
  /// A factor of mean 1.
  double draw(Rng rng, double spread) const;

  NetworkParams params_;
  std::uint64_t seed_;
};

}  // namespace dunlin::sim

namespace dunlin::overlay {
template <>
inline constexpr std::string_view kWords<sim::Spread>[] = {"constant", "uniform", "log_normal"};
template <>
inline constexpr std::string_view kSection<sim::NetworkParams> = "network";
template <>
inline constexpr auto kParams<sim::NetworkParams> = std::tuple{
    Param<&sim::NetworkParams::latency_spread>{{},
        "How one-way delays are spread around their "
        "mean; constant ignores both spreads."},
    Param<&sim::NetworkParams::latency>{
        {std::chrono::microseconds(1), std::chrono::seconds(10), Scale::log},
        "Mean one-way delay of a message between two peers.", "0.5 ms: Ousterhout 2013, section 7"},
    Param<&sim::NetworkParams::pair_spread>{{0.0, 1.0},
        "How much pairs differ: half the width of uniform, the standard deviation of log_normal, "
        "as a share of the mean."},
    Param<&sim::NetworkParams::jitter>{
        {0.0, 1.0}, "How much the messages of one pair differ, likewise."},
    Param<&sim::NetworkParams::codec>{{},
        "Messages travel as bytes, as between agents, not as structs. Slower; all else is equal."},
};
static_assert(complete<sim::NetworkParams>());
}  // namespace dunlin::overlay
