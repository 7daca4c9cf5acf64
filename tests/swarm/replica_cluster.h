// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "sched/replica/home.h"
#include "sched/replica/standby.h"
#include "tests/swarm/replica_chaos.h"

namespace dunlin::test::replicated {

using namespace std::chrono_literals;
using namespace sched::replica;
using overlay::Duration;
using overlay::Endpoint;
using overlay::PeerId;
using overlay::Time;

inline constexpr std::size_t kNodes = 4;
inline constexpr Duration kHomeLease = 4s;

/// What a power cut leaves.
struct Disk {
  ReplicaId replica;
  Log log;
  HomeRecord office;
  std::uint32_t life = 0;
};

/// A word that waits until the gate is at `gate`: it tells a client the value at `position`.
struct Word {
  std::uint64_t gate = 0;
  std::uint64_t position = 0;
  std::string value;
};

struct Commit {
  Time at{};
  Log log;
  HomeRecord office;
  std::uint64_t office_changes = 0;
  std::uint64_t standby_changes = 0;
};

struct Node {
  Disk disk;
  bool up = true;
  std::optional<Home> home;
  std::optional<Standby> standby;
  Entry entry;  ///< The latest that it heard of.
  std::deque<Word> words;
  std::deque<Commit> commits;
  std::uint64_t log_end = 0;  ///< Of what was given to the disk ...
  std::uint64_t office = 0;
  std::uint64_t changes = 0;
  Time heard{};  ///< The home.
  Time claimed{};
};

struct Arrival {
  std::size_t from = 0;
  std::size_t to = 0;
  std::variant<Message, Command> what;  ///< A command goes to the books.
};

/// Four nodes with one log, and the books that say which of them drives it. What happens to them is
/// drawn by a class of its own: see replica_chaos.cc.
class ReplicaCluster {
 public:
  ReplicaCluster(std::uint64_t seed, const Rules& rules) : rng_(seed), rules_(rules) {
    nodes_.resize(kNodes);
    for (std::size_t i = 0; i < kNodes; ++i) nodes_[i].disk.replica = draw_replica();
    loss_ = 0.02 * static_cast<double>(rng_.below(8));
    slow_ = rng_.below(2) == 0;
    params_.standbys = 1 + rng_.below(2);
    params_.required = rng_.below(3) == 0 ? 1 : 0;
    books_ = {.epoch = 1, .version = 1, .home = member(0), .set = {member(0)}};
    nodes_[0].disk.office = {.epoch = 1, .version = 1, .set = books_.set, .intents = {}};
    for (std::size_t i = 0; i < kNodes; ++i) {
      nodes_[i].entry = books_;
      start(i);
    }
  }

 protected:
  struct Ports final : Port {
    ReplicaCluster& chaos;
    std::size_t self;
    Ports(ReplicaCluster& all, std::size_t node) : chaos(all), self(node) {}
    void send(const Endpoint& to, const Message& message) override {
      chaos.post(self, to.id.value - 1, message);
    }
    void propose(const Command& command) override { chaos.post(self, kNodes, command); }
  };

  bool calm() const { return healed_; }
  ReplicaId draw_replica() { return {rng_() | 1}; }
  Member member(std::size_t i) const { return {nodes_[i].disk.replica, endpoint(i)}; }
  static Endpoint endpoint(std::size_t i) { return {PeerId{i + 1}, {}}; }
  void fail(const std::string& what) {
    if (verdict_.failure.empty()) verdict_.failure = what;
  }
  bool chance(double share) { return rng_.uniform() < share; }
  Duration late(Duration mean) {
    return Duration{
        static_cast<std::int64_t>(static_cast<double>(mean.count()) * 2 * rng_.uniform())};
  }

  void post(std::size_t from, std::size_t to, std::variant<Message, Command> what) {
    if (chance(healed_ ? 0 : loss_)) return;
    const int copies = !healed_ && chance(0.05) ? 2 : 1;
    for (int i = 0; i < copies; ++i) {
      const bool straggles = !healed_ && chance(0.02);
      mail_.emplace(now_ + late(straggles ? 3s : 20ms), Arrival{from, to, what});
    }
  }

  void deliver() {
    while (!mail_.empty() && mail_.begin()->first <= now_) {
      const Arrival arrival = mail_.begin()->second;
      mail_.erase(mail_.begin());
      if (cut(arrival.from, arrival.to)) continue;
      if (arrival.to == kNodes) {
        decide(arrival.from, std::get<Command>(arrival.what));
      } else if (nodes_[arrival.to].up) {
        receive(arrival.to, arrival.from, std::get<Message>(arrival.what));
      }
    }
  }
  bool cut(std::size_t from, std::size_t to) const { return cuts_.contains({from, to}); }

  void decide(std::size_t from, const Command& command) {
    if (const auto* change = std::get_if<ChangeSet>(&command)) {
      // A home proposes in its own name; the epoch says so.
      if (apply(books_, *change, rules_)) ++verdict_.changes;
    } else {
      const bool alive = any_alive();
      if (apply(books_, std::get<TakeOver>(command), rules_)) ++verdict_.takeovers;
      if (alive && !any_alive()) fail("a takeover left no living copy in the set");
    }
    post(kNodes, from, HomeIs{books_});
  }

  void start(std::size_t i);

  /// Requires that the disk has the office.
  void take_office(std::size_t i);

  void receive(std::size_t to, std::size_t from, const Message& message);

  void depose(std::size_t i);

  void learn(std::size_t i, const Entry& entry);

  /// Somebody asks for what was told before: a repeated report, or a reader.
  void tell_again(std::size_t i);
  void tell(const Word& word) {
    const std::string& value = word.value;
    if (told_.emplace(word.position, value).first->second != value) {
      fail("what was told is something else by now");
    }
    ++verdict_.told;
    for (const char c : value)
      verdict_.hash = verdict_.hash * 1099511628211u + static_cast<unsigned char>(c);
  }

  void live(std::size_t i) {
    Node& node = nodes_[i];
    Ports out(*this, i);
    finish_commits(i, out);
    if (node.home) {
      if (rng_.below(20) == 0) {
        const std::string value = std::to_string(++values_);
        const std::uint64_t position = node.home->append(now_, out, value);
        node.words.push_back({position, position, value});
      }
      if (rng_.below(60) == 0) tell_again(i);
      // Gossip tells of nodes and their replicas.
      Set candidates;
      for (std::size_t k = 1; k < kNodes; ++k) candidates.push_back(member((i + k) % kNodes));
      node.home->set_candidates(std::move(candidates));
      node.home->wake(now_, out);
    } else {
      claim(i, out);
    }
    if (rng_.below(100) == 0) post(kNodes, i, HomeIs{books_});
    begin_commit(i);
    if (!node.home) return;
    while (!node.words.empty() && node.words.front().gate <= node.home->gate()) {
      tell(node.words.front());
      node.words.pop_front();
    }
  }

  void claim(std::size_t i, Ports& out) {
    Node& node = nodes_[i];
    const bool in_set = has(node.entry.set, node.disk.replica) || !rules_.claimants_in_sync;
    const bool mine = node.entry.home == member(i);
    if (!in_set || (!mine && now_ - node.heard < kHomeLease) || now_ - node.claimed < 500ms) return;
    node.claimed = now_;
    out.propose(TakeOver{node.entry.epoch, member(i)});
  }

  void begin_commit(std::size_t i);

  void finish_commits(std::size_t i, Ports& out);

  void kill(std::size_t i) {
    if (!nodes_[i].up) return;
    ++verdict_.kills;
    nodes_[i].up = false;
    nodes_[i].home.reset();
    nodes_[i].standby.reset();
    nodes_[i].words.clear();
    nodes_[i].commits.clear();
  }

  /// A member of the set has its disk.
  bool any_alive() const {
    return std::ranges::any_of(books_.set, [&](const Member& each) {
      return nodes_[each.node.id.value - 1].disk.replica == each.replica;
    });
  }

  overlay::Rng rng_;
  Rules rules_;
  ReplicaVerdict verdict_;
  HomeParams params_;
  double loss_ = 0;
  bool slow_ = false;
  bool healed_ = false;
  Time begin_{std::chrono::seconds(100)};
  Time now_ = begin_;
  std::vector<Node> nodes_;
  Entry books_;
  std::multimap<Time, Arrival> mail_;
  std::set<std::pair<std::size_t, std::size_t>> cuts_;
  std::uint64_t values_ = 0;
  std::map<std::uint64_t, std::string> told_;  ///< By position.
};

}  // namespace dunlin::test::replicated
