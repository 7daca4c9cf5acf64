// SPDX-License-Identifier: MIT
#include "sim/transport/latency.h"

#include <algorithm>
#include <cmath>
#include <numbers>

// Delays are computed, not drawn from a stream: the seed, the pair and the number of the message
// are hashed into a generator of its own. A stream would give other delays as soon as one message
// more is sent; so a study could not compare two schedulers on the same network.
// The log-normal has its mean fixed at 1, because a spread must not make the network slower.
namespace dunlin::sim {
namespace {

/// An independent stream for each pair of numbers.
Rng stream(std::uint64_t seed, std::uint64_t a, std::uint64_t b) {
  return Rng{Rng{seed ^ (a * 0x9e3779b97f4a7c15)}() ^ (b * 0xd1342543de82ef95)};
}

double standard_normal(Rng& rng) {  // Box and Muller 1958.
  const double radius = std::sqrt(-2 * std::log1p(-rng.uniform()));
  return radius * std::cos(2 * std::numbers::pi * rng.uniform());
}

Duration scale(Duration duration, double factor) {
  const double scaled = std::round(static_cast<double>(duration.count()) * factor);
  // At least 1 ns: a message that takes no time could be answered within one moment for ever.
  return Duration{std::max<Duration::rep>(1, static_cast<Duration::rep>(scaled))};
}

}  // namespace

double LatencyModel::draw(Rng rng, double spread) const {
  if (spread == 0) return 1;
  switch (params_.latency_spread) {
    case Spread::constant:
    case Spread::racks:
      return 1;
    case Spread::uniform:
      return 1 + spread * (2 * rng.uniform() - 1);
    case Spread::log_normal: {
      const double variance = std::log1p(spread * spread);
      return std::exp(std::sqrt(variance) * standard_normal(rng) - variance / 2);
    }
  }
  return 1;
}

Duration LatencyModel::base(std::uint32_t a, std::uint32_t b) const {
  if (a == b) return kLoopback;
  if (params_.latency_spread == Spread::racks) {
    const bool same = Racks{params_.rack_size}.same(a, b);
    return 2 * (params_.peer_delay + (same ? Duration{0} : params_.spine_delay));
  }
  // Both directions of a pair have one delay, so its stream must not depend on which of them sends.
  if (a > b) std::swap(a, b);
  const Rng rng = stream(seed_, a, b);
  return scale(params_.latency, draw(rng, params_.pair_spread));
}

Duration LatencyModel::operator()(
    std::uint32_t from, std::uint32_t to, std::uint64_t number) const {
  if (from == to || params_.latency_spread == Spread::racks) return base(from, to);
  // Messages use the other half of the seeds, so that they share no stream with pairs.
  const Rng rng = stream(~seed_, from, number);
  return scale(base(from, to), draw(rng, params_.jitter));
}

}  // namespace dunlin::sim
