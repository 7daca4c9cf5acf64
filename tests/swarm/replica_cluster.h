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

#include "sched/replica/copy.h"
#include "tests/swarm/replica_books.h"
#include "tests/swarm/replica_chaos.h"

namespace dunlin::test::replicated {

using namespace std::chrono_literals;
using namespace sched::replica;
using overlay::Duration;
using overlay::Endpoint;
using overlay::PeerId;
using overlay::Time;

inline constexpr std::size_t kNodes = 4;
/// Those that a message is from or to: the nodes, then the places of books.
inline constexpr std::size_t kParties = kNodes + kPlaces;

/// What a power cut leaves.
struct Disk {
  ReplicaId replica;
  CopyRecord record;
  std::uint32_t life = 0;
  std::size_t books = 0;  ///< The place which answered with an entry last.
};

/// A word that waits until the gate is at `gate`: it tells a client the value at `position`.
struct Word {
  std::uint64_t gate = 0;
  std::uint64_t position = 0;
  std::string value;
};

struct Commit {
  Time at{};
  CopyRecord record;
  std::size_t books = 0;
  std::uint64_t changes = 0;
};

struct Node {
  Disk disk;
  bool up = true;
  bool leaves = false;   ///< It is to keep the log no longer ...
  bool trouble = false;  ///< ... or cannot, as it says.
  CopyRecord given;      ///< To the disk: it is not durable yet.
  std::optional<Copy> copy;
  std::deque<Word> words;
  std::deque<Commit> commits;
  std::uint64_t changes = 0;  ///< Of what is in a commit.
  std::uint32_t epoch = 0;    ///< Of the office that it held when it last looked; 0: none.
  std::size_t answered = 0;   ///< As Disk::books, but not durable yet.
  std::size_t books = 0;      ///< The place that it asks: a tombstone may have sent it there.

  const Home* home() const { return copy ? copy->home() : nullptr; }
};

/// A command goes to the books, an entry from one place of them to the other.
using Mail = std::variant<Message, Command, Entry>;

struct Arrival {
  std::size_t from = 0;
  std::size_t to = 0;
  Mail what;
};

/// Four nodes with one log, and two places of books, one of which says which of them drives it.
/// What happens to them is drawn by a class of its own: see replica_chaos.cc.
class ReplicaCluster {
 public:
  ReplicaCluster(std::uint64_t seed, const Rules& rules) : rng_(seed), rules_(rules) {
    nodes_.resize(kNodes);
    for (std::size_t i = 0; i < kNodes; ++i) nodes_[i].disk.replica = draw_replica();
    loss_ = 0.02 * static_cast<double>(rng_.below(8));
    slow_ = rng_.below(2) == 0;
    params_.home.standbys = 1 + rng_.below(2);
    params_.home.required = rng_.below(3) == 0 ? 1 : 0;
    params_.home.shunned = 5s;
    const Entry entry{.epoch = 1, .version = 1, .home = member(0), .set = {member(0)}};
    books_ = MovingBooks(entry);
    nodes_[0].disk.record.office = {.epoch = 1, .version = 1, .set = entry.set, .intents = {}};
    for (std::size_t i = 0; i < kNodes; ++i) {
      nodes_[i].disk.record.entry = entry;
      start(i);
    }
  }

 protected:
  struct Ports final : Port, CopyStore {
    ReplicaCluster& chaos;
    std::size_t self;
    Ports(ReplicaCluster& all, std::size_t node) : chaos(all), self(node) {}
    CopyTurn turn() { return {chaos.now_, *this, *this}; }
    void send(const Endpoint& to, const Message& message) override {
      Message said = message;
      if (auto* const appended = std::get_if<Appended>(&said)) {
        appended->leaves = chaos.nodes_[self].leaves;
        appended->trouble = chaos.nodes_[self].trouble;
      }
      chaos.post(self, to.id.value - 1, said);
    }
    void propose(const Command& command) override {
      chaos.post(self, kNodes + chaos.nodes_[self].books, command);
    }
    void put_batch(std::uint64_t position, const Batch& batch) override {
      Log& log = chaos.nodes_[self].given.log;
      if (position != log.end() + 1) chaos.fail("a batch that does not follow the last one");
      log.append(batch);
    }
    void truncate(std::uint64_t position) override {
      Log& log = chaos.nodes_[self].given.log;
      chaos.verdict_.truncated += log.end() - position;
      log.truncate(position);
    }
    void put_office(const HomeRecord& office) override { chaos.nodes_[self].given.office = office; }
    void put_entry(const Entry& entry) override { chaos.nodes_[self].given.entry = entry; }
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

  void post(std::size_t from, std::size_t to, const Mail& what);
  void deliver();
  bool cut(std::size_t from, std::size_t to) const { return cuts_.contains({from, to}); }

  /// A place of the books gets a command, and answers if it ever had the entry.
  void decide(std::size_t place, std::size_t from, const Command& command);
  /// A place of the books says what it has, if anything.
  void tell_entry(std::size_t place, std::size_t to);
  /// The manager of one place sends the entry to the other, now and then.
  void go_on_moving();
  /// A place gets the entry from the other: it may tell those in the set.
  void accept(std::size_t place, const Entry& moved);
  /// A node learns where the books are.
  void follow_books(std::size_t i, std::size_t from, const Entry& entry);

  /// A home that is to leave asks a standby to take over, and may think better of it.
  void hand_over(std::size_t i, Ports& out);

  void start(std::size_t i);

  void receive(std::size_t to, std::size_t from, const Message& message);

  /// Words of an office that ended are never said; one that began is asked for old ones.
  void look_at_office(std::size_t i);

  /// A node asks for what was told before: a repeated report, or a reader.
  void tell_again(std::size_t i);
  void tell(const Word& word);

  void live(std::size_t i);

  void begin_commit(std::size_t i);

  void finish_commits(std::size_t i, Ports& out);

  void kill(std::size_t i);

  /// A member of the set has its disk.
  bool any_alive(const Set& set) const {
    return std::ranges::any_of(set, [&](const Member& each) {
      return nodes_[each.node.id.value - 1].disk.replica == each.replica;
    });
  }

  overlay::Rng rng_;
  Rules rules_;
  ReplicaVerdict verdict_;
  CopyParams params_;
  double loss_ = 0;
  bool slow_ = false;
  bool healed_ = false;
  Time begin_{std::chrono::seconds(100)};
  Time now_ = begin_;
  std::vector<Node> nodes_;
  MovingBooks books_{Entry{}};
  std::multimap<Time, Arrival> mail_;
  std::set<std::pair<std::size_t, std::size_t>> cuts_;
  std::uint64_t values_ = 0;
  std::map<std::uint64_t, std::string> told_;  ///< By position.
};

}  // namespace dunlin::test::replicated
