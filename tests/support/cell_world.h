// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <tuple>
#include <vector>

#include "sched/cell/cell_node.h"
#include "sched/cell/sharing_params.h"
#include "sched/ledger/audit.h"
#include "sched/ledger/cell_books.h"
#include "sched/worker/share/recent_demand.h"
#include "tests/support/grouped_raft_store.h"
#include "tests/support/network.h"

namespace dunlin::test {

using overlay::Time;

/// The tasks of a node, as far as sharing goes: each class wants so much of it, and what there is
/// goes by tickets, never idle while somebody wants it.
class SimulatedWorkload final : public sched::Workload {
 public:
  std::vector<sched::books::Use> take(Time now, sched::Tickets tickets) override;

  std::map<sched::ClassId, sched::Tickets> wants;
  /// The use of all time, by class: tickets × milliseconds, as of the last report.
  std::map<sched::ClassId, sched::Tickets> used;
  std::vector<std::pair<sched::ClassId, sched::Tickets>> tickets;

 private:
  sched::RecentDemand demand_;
  Time counted_{std::chrono::hours(1)};  ///< The world's first moment.
};

struct CellWorldOptions {
  std::size_t nodes = 9;
  sched::SharingParams params;
  NetworkParams network;
  std::uint64_t seed = 1;
  bool codec = false;  ///< Messages travel as bytes.
  sched::Tickets tickets = 4000;
  Duration gossip = std::chrono::milliseconds(500);
};

/// Nodes that share, on a virtual clock, with a network that loses, doubles and delays, disks that
/// forget what was not durable, and nodes that die. After every step it checks that books balance,
/// that replicas that applied the same entries are equal, that a cell has one manager in an epoch,
/// that epochs never fall where they are obeyed, and that no node's grants exceed what it has.
class CellWorld final : private sched::Observer {
 public:
  explicit CellWorld(const CellWorldOptions& options);
  ~CellWorld();

  Time now() const { return now_; }
  std::size_t size() const { return nodes_.size(); }
  bool step(Time end);
  void run_for(Duration duration) {
    const Time end = now_ + duration;
    while (step(end)) {
    }
  }
  /// Runs until `condition()`. False if it took longer than `limit`.
  bool run_until(auto&& condition, Duration limit) {
    const Time end = now_ + limit;
    Time next = now_;
    while (true) {
      if (now_ >= next) {
        if (condition()) return true;
        next = now_ + std::chrono::milliseconds(50);
      }
      if (!step(end)) return condition();
    }
  }

  bool alive(std::size_t node) const { return nodes_[node].self != nullptr; }
  sched::CellNode& node(std::size_t node) { return *nodes_[node].self; }
  SimulatedWorkload& workload(std::size_t node) { return nodes_[node].workload; }
  Network& network() { return network_; }
  overlay::Endpoint endpoint(std::size_t node) const;

  void kill(std::size_t node);
  void restart(std::size_t node);
  void lose_disk(std::size_t node);
  /// A node more, that never was there before.
  std::size_t add();
  /// True if no books need the disk of a node: each cell that it keeps books of has a manager and
  /// three voters or more, and all the others run and know of the same ones. Only an operator can
  /// help books that lost a majority for good.
  bool dispensable(std::size_t node) const;
  template <typename Call>
  auto act(std::size_t node, Call&& call) {
    Sender sender(*this, node);
    Node& self = nodes_[node];
    const sched::CellTurn turn{now_, self.rng, sender, self.store, self.workload, sender, *this};
    auto result = call(turn, *self.self);
    end_turn(node, sender);
    return result;
  }
  /// A class table of the classes 1, 2, ... with these shares, set at node `at`.
  bool set_shares(std::size_t at, std::vector<sched::Tickets> shares);
  void want(std::size_t node, std::vector<sched::Tickets> wants);

  /// The cells of a level that nodes alive are members of, with how many.
  std::map<sched::CellId, std::size_t> cells() const;
  /// Cells of `level` with a manager that is alive, and the node of the latest one.
  std::map<sched::CellId, std::size_t> managers(std::uint8_t level = 0) const;
  const sched::CellBooks* books(sched::CellId cell) const;
  /// Every node is a member of a cell that has a manager, and no cell is about to end.
  bool settled() const;
  /// Cells that stand, with a manager, and have no parent that does: 1 is as it should be.
  std::size_t trees() const;
  std::string describe() const;

  std::string violation() const;
  /// Terms of office that began, of all cells.
  std::size_t terms() const { return managers_.size(); }
  std::uint64_t hash() const { return hash_; }
  std::uint64_t messages() const { return messages_; }
  std::uint64_t message_bytes() const { return message_bytes_; }
  std::uint64_t steps() const { return steps_; }
  /// The number of times that an event happened, at all nodes.
  template <typename Event>
  std::uint64_t count() const {
    const auto at = events_.find(sched::Event(std::in_place_type<Event>).index());
    return at == events_.end() ? 0 : at->second;
  }

 private:
  class Sender final : public overlay::Port<sched::cell::Message>, public sched::GossipTargets {
   public:
    Sender(CellWorld& world, std::size_t node) : world_(world), node_(node) {}
    void send(const overlay::Endpoint& to, const sched::cell::Message& message) override {
      sent_.emplace_back(to, message);
    }
    std::optional<overlay::Endpoint> draw(overlay::Rng& rng) override {
      const std::size_t other = rng.index(world_.size());
      return other == node_ ? std::nullopt : std::optional(world_.endpoint(other));
    }
    void flush() {
      for (const auto& [to, message] : sent_) world_.route(node_, to, message);
      sent_.clear();
    }

   private:
    CellWorld& world_;
    std::size_t node_;
    std::vector<std::pair<overlay::Endpoint, sched::cell::Message>> sent_;
  };
  struct Node {
    std::unique_ptr<sched::CellNode> self;
    GroupedRaftStore store;
    SimulatedWorkload workload;
    overlay::Rng rng{0};
    std::map<sched::CellId, sched::Epoch> obeyed;  ///< In this life.
  };
  struct Delivery {
    Time when;
    std::uint64_t number;
    std::size_t from;
    std::size_t to;
    std::shared_ptr<const sched::cell::Message> message;
    bool operator>(const Delivery& other) const {
      return std::tie(when, number) > std::tie(other.when, other.number);
    }
  };

  void start(std::size_t node);
  void end_turn(std::size_t node, Sender& sender);
  void route(std::size_t from, const overlay::Endpoint& to, const sched::cell::Message& message);
  void on(const overlay::Event&) override {}
  void on(const sched::Event& event) override { ++events_[event.index()]; }
  void look_at(std::size_t node);
  void mix(std::uint64_t value) { hash_ = (hash_ ^ value) * 0x100000001b3u + 0x9e3779b97f4a7c15u; }
  void violate(std::string what) {
    if (violation_.empty()) violation_ = std::move(what);
  }

  CellWorldOptions options_;
  overlay::Rng rng_;
  Network network_;
  Time now_{std::chrono::hours(1)};
  std::vector<Node> nodes_;
  std::priority_queue<Delivery, std::vector<Delivery>, std::greater<>> deliveries_;
  std::map<std::pair<sched::CellId, sched::Epoch>, sched::ReplicaId> managers_;
  std::map<std::pair<sched::CellId, sched::RaftIndex>, std::uint64_t> histories_;
  std::map<std::pair<std::size_t, sched::CellId>, sched::RaftIndex> seen_;
  std::string violation_;
  std::uint64_t number_ = 0;
  std::uint64_t hash_ = 0;
  std::uint64_t messages_ = 0;
  std::uint64_t message_bytes_ = 0;
  std::uint64_t steps_ = 0;
  std::map<std::size_t, std::uint64_t> events_;  ///< By kind.
};

}  // namespace dunlin::test
