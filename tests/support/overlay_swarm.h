// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <tuple>
#include <vector>

#include "overlay/overlay.h"
#include "tests/support/graph.h"

namespace dunlin::test {

/// Counts events by kind.
class EventCounter final : public overlay::Observer {
 public:
  void on(const overlay::Event& event) override { ++counts_[event.index()]; }
  template <typename Kind>
  std::size_t count() const {
    return counts_[overlay::Event(Kind{}).index()];
  }

 private:
  std::array<std::size_t, std::variant_size_v<overlay::Event>> counts_{};
};

struct SwarmOptions {
  std::size_t peers = 100;
  std::uint64_t seed = 1;
  overlay::CyclonParams cyclon{};
  overlay::GradientParams gradient{};
  overlay::LivenessParams liveness{};
  /// One way, uniform between the two: short against a period, as in one data centre.
  overlay::Duration latency_min = std::chrono::milliseconds(1);
  overlay::Duration latency_max = std::chrono::milliseconds(5);
  double loss = 0;  ///< The chance for each datagram.

  /// Cyclon alone: the other timers are hours away.
  static SwarmOptions cyclon_only(std::size_t peers, std::uint64_t seed = 1);
};

/// Thousands of overlays on a virtual clock: datagrams with latency and loss, partitions, kills and
/// restarts. The same seed gives the same run.
class Swarm {
 public:
  explicit Swarm(const SwarmOptions& options);

  /// Peers know the contacts, or nobody; they join by themselves.
  void add_peers(std::size_t count, std::vector<overlay::Endpoint> contacts);
  /// Views to start from, instead of joining. Capacities are known if they were published before.
  void start_random();   ///< `view_size` others by chance, of ages from 0 to `view_size` periods.
  void start_lattice();  ///< The next `view_size` peers, and around, of like ages.
  void start_star();     ///< All know peer 0, which knows no peer.

  void run(overlay::Duration duration);
  /// Mean periods of Cyclon.
  void run_cycles(double cycles);

  void kill(std::size_t peer) { alive_[peer] = false; }
  /// The same name and address, the next life, empty views.
  void restart(std::size_t peer, std::vector<overlay::Endpoint> contacts);
  void leave(std::size_t peer);
  void publish(std::size_t peer, const overlay::Capacity& capacity);
  void set_loss(double loss) { options_.loss = loss; }
  /// Datagrams pass only between peers of equal sides.
  void set_sides(std::vector<std::uint8_t> sides) { sides_ = std::move(sides); }
  void heal() { sides_.clear(); }

  std::size_t size() const { return peers_.size(); }
  bool alive(std::size_t peer) const { return alive_[peer]; }
  const std::vector<bool>& living() const { return alive_; }
  const overlay::Overlay& peer(std::size_t i) const { return peers_[i]; }
  overlay::Endpoint endpoint(std::size_t peer) const;
  static std::size_t number(overlay::PeerId id) { return id.value - 1; }
  overlay::Time now() const { return now_; }
  overlay::Rng& rng() { return rng_; }
  const EventCounter& events() const { return events_; }
  std::size_t sent() const { return sent_; }

 private:
  class Outbox;
  struct Due {
    overlay::Time when;
    std::uint64_t order;
    std::uint32_t peer;
    std::uint32_t letter;  ///< kWake, or where the message is.
    friend bool operator>(const Due& a, const Due& b) {
      return std::tie(a.when, a.order) > std::tie(b.when, b.order);
    }
  };
  struct Letter {
    overlay::Endpoint from;
    overlay::Message message;
  };
  static constexpr std::uint32_t kWake = 0xffffffff;

  void post(std::size_t from, const overlay::Endpoint& to, const overlay::Message& message);
  void schedule(std::size_t peer);
  void step(const Due& due);
  void call(std::size_t peer, auto&& act);
  overlay::Descriptor descriptor(std::size_t peer) const;
  void give(std::size_t peer, const std::vector<std::size_t>& known, bool aged);

  SwarmOptions options_;
  overlay::Rng rng_;
  overlay::Time now_{};
  std::vector<overlay::Overlay> peers_;
  std::vector<overlay::Rng> streams_;
  std::vector<overlay::Time> scheduled_;
  std::vector<std::uint32_t> incarnations_;
  std::vector<overlay::Capacity> capacities_;
  std::vector<bool> alive_;
  std::vector<std::uint8_t> sides_;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> queue_;
  std::deque<Letter> letters_;  ///< Stay in place while more are posted.
  std::vector<std::uint32_t> free_letters_;
  std::uint64_t order_ = 0;
  std::size_t sent_ = 0;
  EventCounter events_;
};

// The figures of the tables, about the random views of living peers.

/// Dead peers have no links, but links may lead to them.
Graph graph_of(const Swarm& swarm);
/// The share of all links that lead to dead peers.
double dead_share(const Swarm& swarm);
/// Mean size of the views.
double fill_of(const Swarm& swarm);
/// The mean age of links, in periods of Cyclon.
double mean_age(const Swarm& swarm);
/// Share of links that lead from one side to another.
double cross_share(const Swarm& swarm, const std::vector<std::uint8_t>& sides);

}  // namespace dunlin::test
