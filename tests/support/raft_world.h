// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "sched/raft/raft_group.h"
#include "tests/support/bank_machine.h"
#include "tests/support/memory_raft_store.h"
#include "tests/support/network.h"

namespace dunlin::test {

using overlay::Time;

struct RaftWorldOptions {
  std::size_t founders = 3;
  std::size_t nodes = 3;  ///< The others wait to be added.
  sched::RaftParams params;
  NetworkParams network;
  std::uint64_t seed = 1;
  bool codec = false;       ///< Messages travel as bytes.
  std::size_t padding = 0;  ///< Bytes that make snapshots longer.
};

/// Replicas of a bank on a virtual clock, with a network that loses, doubles and delays, disks that
/// forget what was not durable, and nodes that die. After every step it checks: money is
/// conserved, all replicas apply the same commands in the same order, and no term has two leaders.
class RaftWorld {
 public:
  explicit RaftWorld(const RaftWorldOptions& options);
  ~RaftWorld();

  Time now() const { return now_; }
  std::size_t size() const { return nodes_.size(); }
  /// Runs all that happens until then.
  void run_until(Time end);
  void run_for(Duration duration) { run_until(now_ + duration); }
  /// Runs until `condition()`, checked at every step. False if it took longer than `limit`.
  bool run_until(auto&& condition, Duration limit) {
    const Time end = now_ + limit;
    while (!condition()) {
      if (!step(end)) return condition();
    }
    return true;
  }

  bool alive(std::size_t node) const { return nodes_[node].group.has_value(); }
  sched::RaftGroup& group(std::size_t node) { return *nodes_[node].group; }
  BankMachine& bank(std::size_t node) { return static_cast<BankMachine&>(group(node).machine()); }
  MemoryRaftStore& store(std::size_t node) { return nodes_[node].store; }
  Network& network() { return network_; }
  const History& history() const { return history_; }
  overlay::Endpoint endpoint(std::size_t node) const;
  /// The node of a replica, or size().
  std::size_t node_of(sched::ReplicaId replica) const;

  /// The manager of the latest term, or size() if nobody is.
  std::size_t manager() const;

  void kill(std::size_t node);
  /// Dies in the middle of its next turn that has something to store: neither that nor its messages
  /// leave it.
  void doom(std::size_t node) { nodes_[node].doomed = true; }
  void restart(std::size_t node);
  /// Comes back, if it comes back, as another replica.
  void lose_disk(std::size_t node);

  /// Lets `call(turn, group)` act on a node that is alive.
  template <typename Call>
  auto act(std::size_t node, Call&& call) {
    Sender sender(*this, node);
    const sched::RaftTurn turn{now_, nodes_[node].rng, sender, nodes_[node].store};
    auto result = call(turn, group(node));
    end_turn(node, sender);
    return result;
  }
  Result<void> propose(std::size_t node, const Transfer& transfer);

  /// One step of what a manager does about members: all that are alive, or were and kept their
  /// disk, become voters; replicas that are no more go. True if there was nothing to do.
  bool reconcile();
  /// All nodes are alive and equal, and there is a manager.
  bool settled();

  /// Every replica, in a line each.
  std::string describe();
  /// The first thing that was wrong, or empty.
  std::string violation() const;
  /// The hash of everything that happened.
  std::uint64_t hash() const { return hash_; }
  std::uint64_t steps() const { return steps_; }
  std::uint64_t messages() const { return messages_; }
  std::uint64_t message_bytes() const { return message_bytes_; }
  std::uint64_t wakes(std::size_t node) const { return nodes_[node].wakes; }
  std::size_t terms() const { return leaders_.size(); }
  /// Commands that were acknowledged to their proposer.
  const std::set<std::uint64_t>& acknowledged() const { return acknowledged_; }
  /// Commands of which nobody knows what became, to be proposed again.
  std::set<std::uint64_t>& unsure() { return unsure_; }

 private:
  /// Keeps what a turn sends until its records are durable.
  class Sender final : public overlay::Port<sched::raft::Rpc> {
   public:
    Sender(RaftWorld& world, std::size_t node) : world_(world), node_(node) {}
    void send(const overlay::Endpoint& to, const sched::raft::Rpc& message) override {
      sent_.emplace_back(to, message);
    }
    void flush() {
      for (const auto& [to, message] : sent_) world_.route(node_, to, message);
      sent_.clear();
    }

   private:
    RaftWorld& world_;
    std::size_t node_;
    std::vector<std::pair<overlay::Endpoint, sched::raft::Rpc>> sent_;
  };
  struct Node {
    MemoryRaftStore store;
    overlay::Rng rng{0};
    std::optional<sched::RaftGroup> group;
    bool doomed = false;
    bool founder = false;
    std::uint64_t wakes = 0;
    std::uint64_t life = 0;
  };
  struct Delivery {
    Time when;
    std::uint64_t number;
    std::size_t from;
    std::size_t to;
    std::shared_ptr<const sched::raft::Rpc> message;
    bool operator>(const Delivery& other) const {
      return std::tie(when, number) > std::tie(other.when, other.number);
    }
  };

  /// The next thing that happens, but nothing after `end`: then false, and it is `end`.
  bool step(Time end);
  void start(std::size_t node);
  void end_turn(std::size_t node, Sender& sender);
  void route(std::size_t from, const overlay::Endpoint& to, const sched::raft::Rpc& message);
  void look_at(std::size_t node);
  void mix(std::uint64_t value);

  RaftWorldOptions options_;
  overlay::Rng rng_;
  Network network_;
  Time now_{std::chrono::hours(1)};
  History history_;
  std::vector<Node> nodes_;
  std::priority_queue<Delivery, std::vector<Delivery>, std::greater<>> deliveries_;
  std::map<sched::RaftTerm, sched::ReplicaId> leaders_;
  std::set<std::uint64_t> acknowledged_;
  std::set<std::uint64_t> unsure_;
  std::string violation_;
  std::uint64_t number_ = 0;
  std::uint64_t hash_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t messages_ = 0;
  std::uint64_t message_bytes_ = 0;
};

}  // namespace dunlin::test
