// SPDX-License-Identifier: MIT
#include "tests/support/overlay_swarm.h"

#include <algorithm>
#include <chrono>

namespace dunlin::test {

using overlay::Duration;
using overlay::Endpoint;
using overlay::GossipTurn;
using overlay::Message;
using overlay::Time;
using namespace std::chrono_literals;

class Swarm::Outbox final : public overlay::Port<Message> {
 public:
  Outbox(Swarm& swarm, std::size_t from) : swarm_(swarm), from_(from) {}
  void send(const Endpoint& to, const Message& message) override {
    swarm_.post(from_, to, message);
  }

 private:
  Swarm& swarm_;
  std::size_t from_;
};

SwarmOptions SwarmOptions::cyclon_only(std::size_t peers, std::uint64_t seed) {
  SwarmOptions options;
  options.peers = peers;
  options.seed = seed;
  options.gradient.period = 24h;
  options.liveness.period = 24h;
  return options;
}

Swarm::Swarm(const SwarmOptions& options) : options_(options), rng_(options.seed) {
  add_peers(options.peers, {});
}

Endpoint Swarm::endpoint(std::size_t peer) const {
  const auto ip = static_cast<std::uint32_t>(0x0a000000 + peer);
  return {overlay::PeerId{peer + 1}, overlay::Address::v4(ip, 7700)};
}

void Swarm::add_peers(std::size_t count, std::vector<Endpoint> contacts) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t peer = peers_.size();
    peers_.emplace_back(
        options_.cyclon, options_.gradient, options_.liveness, endpoint(peer), 1, contacts);
    streams_.push_back(rng_.fork());
    scheduled_.push_back(overlay::kNever);
    incarnations_.push_back(1);
    capacities_.emplace_back();
    alive_.push_back(true);
    call(peer, [](overlay::Overlay& overlay, GossipTurn& turn) { overlay.wake(turn); });
  }
}

void Swarm::restart(std::size_t peer, std::vector<Endpoint> contacts) {
  alive_[peer] = true;
  peers_[peer] = overlay::Overlay(options_.cyclon, options_.gradient, options_.liveness,
      endpoint(peer), ++incarnations_[peer], contacts);
  peers_[peer].publish(capacities_[peer]);
  call(peer, [](overlay::Overlay& overlay, GossipTurn& turn) { overlay.wake(turn); });
}

void Swarm::leave(std::size_t peer) {
  call(peer, [](overlay::Overlay& overlay, GossipTurn& turn) { overlay.leave(turn); });
  alive_[peer] = false;
}

void Swarm::publish(std::size_t peer, const overlay::Capacity& capacity) {
  capacities_[peer] = capacity;
  peers_[peer].publish(capacity);
}

overlay::Descriptor Swarm::descriptor(std::size_t peer) const {
  overlay::Self self(endpoint(peer), 1);
  self.publish(capacities_[peer]);
  return self.latest();
}

void Swarm::give(std::size_t peer, const std::vector<std::size_t>& known, bool aged) {
  std::vector<overlay::Neighbour> neighbours;
  const auto& cyclon = options_.cyclon;
  for (const std::size_t other : known) {
    const Duration age =
        aged ? rng_.between(Duration{0}, cyclon.view_size * cyclon.period) : Duration{0};
    neighbours.push_back({.peer = descriptor(other), .born = now_ - age});
  }
  peers_[peer].seed(neighbours);
}

void Swarm::start_random() {
  for (std::size_t peer = 0; peer < size(); ++peer) {
    std::vector<std::size_t> known;
    while (known.size() < std::min<std::size_t>(options_.cyclon.view_size, size() - 1)) {
      const std::size_t other = rng_.index(size());
      if (other != peer && std::ranges::find(known, other) == known.end()) known.push_back(other);
    }
    give(peer, known, true);
  }
}

void Swarm::start_lattice() {
  for (std::size_t peer = 0; peer < size(); ++peer) {
    std::vector<std::size_t> known;
    for (std::size_t step = 1; step <= options_.cyclon.view_size; ++step) {
      known.push_back((peer + step) % size());
    }
    give(peer, known, true);
  }
}

void Swarm::start_star() {
  for (std::size_t peer = 1; peer < size(); ++peer) give(peer, {0}, false);
}

void Swarm::call(std::size_t peer, auto&& act) {
  Outbox outbox(*this, peer);
  GossipTurn turn{.now = now_, .rng = streams_[peer], .out = outbox, .events = events_};
  act(peers_[peer], turn);
  schedule(peer);
}

void Swarm::schedule(std::size_t peer) {
  const Time deadline = std::max(now_, peers_[peer].deadline());
  if (deadline == scheduled_[peer]) return;
  scheduled_[peer] = deadline;
  queue_.push({deadline, order_++, static_cast<std::uint32_t>(peer), kWake});
}

void Swarm::post(std::size_t from, const Endpoint& to, const Message& message) {
  ++sent_;
  // As a network does: by the address. A contact's id may be unknown.
  const std::size_t target = static_cast<std::uint32_t>(to.address.low) - 0x0a000000u;
  if (options_.loss > 0 && rng_.chance(options_.loss)) return;
  if (!sides_.empty() && sides_[from] != sides_[target]) return;
  std::uint32_t letter = static_cast<std::uint32_t>(letters_.size());
  if (free_letters_.empty()) {
    letters_.push_back({endpoint(from), message});
  } else {
    letter = free_letters_.back();
    free_letters_.pop_back();
    letters_[letter] = {endpoint(from), message};
  }
  const Duration latency = rng_.between(options_.latency_min, options_.latency_max);
  queue_.push({now_ + latency, order_++, static_cast<std::uint32_t>(target), letter});
}

void Swarm::step(const Due& due) {
  now_ = due.when;
  if (due.letter == kWake) {
    if (!alive_[due.peer] || scheduled_[due.peer] != due.when) return;
    scheduled_[due.peer] = overlay::kNever;
    call(due.peer, [](overlay::Overlay& overlay, GossipTurn& turn) { overlay.wake(turn); });
    return;
  }
  if (alive_[due.peer]) {
    const Letter& letter = letters_[due.letter];
    call(due.peer, [&](overlay::Overlay& overlay, GossipTurn& turn) {
      overlay.receive(turn, letter.from, letter.message);
    });
  }
  free_letters_.push_back(due.letter);
}

void Swarm::run(Duration duration) {
  const Time end = now_ + duration;
  while (!queue_.empty() && queue_.top().when <= end) {
    const Due due = queue_.top();
    queue_.pop();
    step(due);
  }
  now_ = end;
}

void Swarm::run_cycles(double cycles) {
  const auto period = static_cast<double>(options_.cyclon.period.count());
  run(Duration{static_cast<Duration::rep>(cycles * period)});
}

Graph graph_of(const Swarm& swarm) {
  Graph graph(swarm.size());
  for (std::size_t i = 0; i < swarm.size(); ++i) {
    if (!swarm.alive(i)) continue;
    for (const overlay::Link& link : swarm.peer(i).cyclon().view().links()) {
      graph[i].push_back(static_cast<std::uint32_t>(Swarm::number(link.id())));
    }
  }
  return graph;
}

namespace {

/// Mean over all links of those alive.
double mean_over_links(const Swarm& swarm, auto&& value) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < swarm.size(); ++i) {
    if (!swarm.alive(i)) continue;
    for (const overlay::Link& link : swarm.peer(i).cyclon().view().links()) {
      sum += value(i, link);
      ++count;
    }
  }
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

}  // namespace

double dead_share(const Swarm& swarm) {
  return mean_over_links(swarm, [&](std::size_t, const overlay::Link& link) {
    return swarm.alive(Swarm::number(link.id())) ? 0.0 : 1.0;
  });
}

double fill_of(const Swarm& swarm) {
  std::size_t links = 0;
  std::size_t living = 0;
  for (std::size_t i = 0; i < swarm.size(); ++i) {
    if (!swarm.alive(i)) continue;
    ++living;
    links += swarm.peer(i).cyclon().view().size();
  }
  return static_cast<double>(links) / static_cast<double>(living);
}

double mean_age(const Swarm& swarm) {
  const auto period = static_cast<double>(swarm.peer(0).cyclon().params().period.count());
  return mean_over_links(swarm, [&](std::size_t, const overlay::Link& link) {
    return static_cast<double>((swarm.now() - link.linked).count()) / period;
  });
}

double cross_share(const Swarm& swarm, const std::vector<std::uint8_t>& sides) {
  return mean_over_links(swarm, [&](std::size_t i, const overlay::Link& link) {
    return sides[i] == sides[Swarm::number(link.id())] ? 0.0 : 1.0;
  });
}

}  // namespace dunlin::test
