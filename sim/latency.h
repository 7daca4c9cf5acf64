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

/// What carries messages.
enum class TransportKind : std::uint8_t {
  context,  ///< Events alone: the fastest.
  fabric,   ///< Packets of real bytes between devices of ns-3, from any to any.
};

struct NetworkParams {
  TransportKind transport = TransportKind::context;
  Spread latency_spread = Spread::uniform;
  Duration latency = std::chrono::microseconds(500);
  double pair_spread = 0.2;
  double jitter = 0.1;
  double loss = 0;
  double bandwidth = 0;
  Duration backlog = std::chrono::milliseconds(100);
  bool codec = false;
  std::uint16_t pcap = 0;
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
inline constexpr std::string_view kWords<sim::TransportKind>[] = {"context", "fabric"};
template <>
inline constexpr std::string_view kSection<sim::NetworkParams> = "network";
template <>
inline constexpr auto kParams<sim::NetworkParams> = std::tuple{
    Param<&sim::NetworkParams::transport>{{},
        "What carries messages: context (events alone, the fastest) or fabric (packets between "
        "devices of ns-3, which can be traced)."},
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
    Param<&sim::NetworkParams::loss>{
        {0.0, 1.0}, "Share of messages that are lost on their way, each by chance."},
    Param<&sim::NetworkParams::bandwidth>{{0.0, 1e6},
        "Mbit/s of each peer's link, on which its messages wait for each other; 0 for no limit."},
    Param<&sim::NetworkParams::backlog>{{std::chrono::seconds(0), std::chrono::seconds(60)},
        "The longest wait there; what would wait longer is lost."},
    Param<&sim::NetworkParams::codec>{{},
        "Messages travel as bytes, as between agents, not as structs. Slower; all else is equal. "
        "The fabric always does so."},
    Param<&sim::NetworkParams::pcap>{{0, 1000},
        "The devices of the first so many peers write what they send and receive to "
        "peer-<id>.pcap in the working folder. With the fabric only."},
};
static_assert(complete<sim::NetworkParams>());
}  // namespace dunlin::overlay
