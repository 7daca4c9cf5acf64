// SPDX-License-Identifier: MIT
#include "sim/transport/medium.h"

#include <algorithm>

// A link is a single number, the time until which it is busy; a message starts then and moves it
// on. That gives the same delays as a queue of packets, first come first served, at the cost of one
// comparison, and a message that would wait longer than the backlog is dropped as a full queue
// drops it.
namespace dunlin::sim {
namespace {

/// The bytes that UDP, IP and PPP add to a message, and the byte that names its layer.
constexpr std::size_t kHeaders = 8 + 20 + 2 + 1;

Time& of_peer(std::vector<Time>& times, std::uint32_t peer) {
  if (peer >= times.size()) times.resize(peer + 1);
  return times[peer];
}

}  // namespace

Duration Medium::on_link(std::size_t bytes, double bandwidth) const {
  if (bandwidth <= 0) return Duration{0};
  const std::size_t all = bytes + (hops_ ? kHeaders : 0);
  // Bytes × 8 / (Mbit/s × 10^6) seconds are bytes × 8,000 / (Mbit/s) nanoseconds.
  return Duration{static_cast<Duration::rep>(8e3 * static_cast<double>(all) / bandwidth)};
}

Passage Medium::pass(Time now, std::uint32_t from, std::uint32_t to, std::size_t bytes) {
  if (from >= sent_.size()) sent_.resize(from + 1);
  const std::uint32_t number = ++sent_[from];
  Passage passage{.delay = delay_(from, to, number)};
  if (from == to) return passage;
  // Before the link: what a partition cuts off takes no time of it.
  if (faults_.parted(now, from, to)) return {.lost = true};
  if (bandwidth_ > 0) {
    Time& busy = of_peer(busy_, from);
    const Time start = std::max(now, busy);
    if (start - now > backlog_) return {.lost = true};
    busy = start + on_link(bytes, bandwidth_);
    passage.delay += busy - now;
  }
  if (hops_) {
    // A router passes a message on when it has all of it, so each link on the way takes its time
    // again.
    passage.delay += on_link(bytes, bandwidth_);
    if (!racks_.same(from, to)) passage.delay += 2 * on_link(bytes, spine_bandwidth_);
  }
  // A message lost on the way has still taken its time on the sender's link.
  if (loss_ > 0) {
    Rng chance{Rng{seed_ ^ (from * 0x9e3779b97f4a7c15)}() ^ (number * 0xd1342543de82ef95)};
    passage.lost = chance.chance(loss_);
  }
  return passage;
}

Passage Medium::land(Time now, std::uint32_t to, std::size_t bytes) {
  Time& landing = of_peer(landing_, to);
  // With a free link, the last bit would arrive now.
  const Time last_bit = std::max(now, landing + on_link(bytes, bandwidth_));
  if (last_bit - now > backlog_) return {.lost = true};
  landing = last_bit;
  return {.delay = last_bit - now};
}

}  // namespace dunlin::sim
