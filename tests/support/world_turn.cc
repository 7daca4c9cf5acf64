// SPDX-License-Identifier: MIT
// How a node of the world begins, one turn of it, and what comes of that.
#include <algorithm>
#include <utility>

#include "overlay/codec.h"
#include "sched/cell/codec.h"
#include "sched/codec.h"
#include "sched/invariants.h"
#include "sched/promises.h"
#include "tests/support/world.h"

namespace dunlin::test {
namespace {

std::string encoded(const AnyMessage& message) {
  std::string bytes;
  if (const auto* gossip = std::get_if<overlay::Message>(&message)) {
    overlay::encode(*gossip, bytes);
  } else if (const auto* cell = std::get_if<sched::cell::Message>(&message)) {
    sched::cell::encode(*cell, bytes);
  } else {
    sched::encode(std::get<sched::Message>(message), bytes);
  }
  return bytes;
}

}  // namespace

/// The records on which a message may rest.
enum class RestsOn { nothing, jobs, books };

RestsOn rests_on(const AnyMessage& message) {
  if (const auto* const of_cells = std::get_if<sched::cell::Message>(&message)) {
    return sched::rests_on_record(*of_cells) ? RestsOn::jobs : RestsOn::books;
  }
  const auto* const scheduling = std::get_if<sched::Message>(&message);
  return scheduling != nullptr && sched::rests_on_record(*scheduling) ? RestsOn::jobs
                                                                      : RestsOn::nothing;
}

/// Collects what a turn sends and tells. Messages sent before the turn's first record need not wait
/// for it.
class World::TurnPorts final : public overlay::Port<overlay::Message>,
                               public overlay::Port<sched::Message>,
                               public overlay::Port<sched::cell::Message>,
                               public sched::Observer {
 public:
  TurnPorts(World& world, std::size_t node) : world_(world), node_(node) {}

  void send(const Endpoint& to, const overlay::Message& message) override { add(to, message); }
  void send(const Endpoint& to, const sched::Message& message) override { add(to, message); }
  void send(const Endpoint& to, const sched::cell::Message& message) override { add(to, message); }
  void on(const overlay::Event& event) override { world_.note(node_, to_string(event)); }
  void on(const sched::Event& event) override {
    world_.note(node_, to_string(event));
    if (const auto* task = std::get_if<sched::TaskBound>(&event)) bound.push_back(*task);
    if (world_.on_event) world_.on_event(node_, event);
  }

  std::vector<Outgoing> at_once;
  std::vector<Outgoing> after_records;
  std::vector<sched::TaskBound> bound;

 private:
  void add(const Endpoint& to, AnyMessage message) {
    const std::uint64_t index = (to.address.low & 0xffffffff) - kFirstAddress;
    if (!to.address.is_v4() || index >= world_.size()) {
      world_.fail("a message to an address that nobody has");
      return;
    }
    const Node& self = *world_.nodes_[node_];
    // Where records are durable at once, all keep the order in which they were sent.
    const bool slow = world_.commit_max(self) > Duration{0};
    const RestsOn on = rests_on(message);
    const bool jobs = self.store.turn_has_records() || self.logs.turn_has_records();
    const bool wait = (jobs && (!slow || on == RestsOn::jobs)) ||
        (!self.books.empty() && (!slow || on == RestsOn::books));
    (wait ? after_records : at_once).push_back({index, std::move(message)});
  }

  World& world_;
  std::size_t node_;
};

void World::turn(
    std::size_t index, const std::function<void(Peer&, const sched::Host&)>& call, bool checked) {
  Node& node = *nodes_[index];
  overlay::ensure(node.peer != nullptr, "a turn of a node that is down");
  TurnPorts ports(*this, index);
  node.executor.set_now(now_);
  node.logs.set_clock(ahead(index));
  const sched::Host host{.now = now_,
      .rng = node.rng,
      .gossip = ports,
      .out = ports,
      .events = ports,
      .store = node.store,
      .executor = node.executor,
      .cells = ports,
      .books = node.books,
      .logs = node.logs};
  call(*node.peer, host);

  // An earlier turn's records, of which this turn may speak, must be durable before it speaks.
  for (Outgoing& out : ports.at_once) {
    const RestsOn on = rests_on(out.message);
    const auto earlier =
        std::find_if(node.commits.rbegin(), node.commits.rend(), [on](const Commit& commit) {
          return (on == RestsOn::jobs && commit.has_jobs()) ||
              (on == RestsOn::books && !commit.books.empty());
        });
    if (earlier == node.commits.rend()) {
      send(index, std::move(out));
    } else {
      earlier->then.push_back(std::move(out));
    }
  }
  Commit records{.at = {},
      .batch = node.store.take_turn(),
      .logs = node.logs.take_turn(),
      .books = std::exchange(node.books, {}),
      .then = std::move(ports.after_records),
      .bound = {}};
  const bool recorded = records.has_jobs() || !records.books.empty();
  // Records reach the disk in order, also once it is fast again.
  if (recorded && commit_max(node) == Duration{0} && node.commits.empty()) {
    commit(index, records);
    for (Outgoing& out : records.then) send(index, std::move(out));
  } else if (recorded) {
    records.at = now_;
    if (const Duration max = commit_max(node); max > Duration{0}) {
      records.at += node.driver_rng.between(Duration{1}, max);
    }
    if (!node.commits.empty()) records.at = std::max(records.at, node.commits.back().at);
    push(records.at, Committed{index, node.incarnation});
    node.commits.push_back(std::move(records));
  }
  note_bound(node, ports.bound);
  acknowledge(index);
  schedule(index);
  if (options_.check && checked) check(index);
}

// No worker hears of a binding before the records that its number counts on from are durable.
void World::note_bound(Node& node, const std::vector<sched::TaskBound>& bound) {
  if (node.commits.empty()) {
    for (const sched::TaskBound& each : bound) check_number(each);
  } else {
    std::ranges::copy(bound, std::back_inserter(node.commits.back().bound));
  }
}

/// In all lives of a frontend no two bindings of a task share a number.
void World::check_number(const sched::TaskBound& bound) {
  const auto& [job, index, attempt, worker] = bound;
  if (bound_.emplace(job.home, job.number, job.lineage, index, attempt).second) return;
  fail("attempt " + std::to_string(attempt) + " of task " + std::to_string(index) + " of job " +
      std::to_string(job.home.value) + "/" + std::to_string(job.number) + " is bound twice");
}

void World::commit(std::size_t index, const Commit& commit) {
  Node& node = *nodes_[index];
  node.store.commit(commit.batch);
  node.logs.commit(commit.logs);
  commit.books.commit_to(node.disk);
  if (!node.disk.violation().empty()) fail(node.disk.violation());
  for (const auto& record : commit.batch) {
    const auto* const put = std::get_if<MemoryStore::PutJob>(&record);
    if (put != nullptr && put->job.replicas == 0) acknowledged_.push_back(put->job.id);
  }
  if (!node.store.violation().empty()) fail(node.store.violation());
  for (const sched::TaskBound& bound : commit.bound) check_number(bound);
}

void World::acknowledge(std::size_t index) {
  if (untold_.empty()) return;
  const Node& node = *nodes_[index];
  std::erase_if(untold_, [&](const Told& told) {
    if (told.node != index) return false;
    if (!node.peer || node.incarnation != told.incarnation) return true;  // It died meanwhile.
    const sched::PeerLogs* const logs = node.peer->logs();
    if (!node.store.holds(told.job) || !logs->may_tell(told.promise)) return false;
    acknowledged_.push_back(told.job);
    return true;
  });
}

void World::send(std::size_t from, Outgoing out) {
  const unsigned times = filter_ ? filter_(from, out.to, out.message) : 1;
  for (unsigned i = 1; i < times; ++i) transmit(from, out);
  if (times > 0) transmit(from, std::move(out));
}

void World::transmit(std::size_t from, Outgoing out) {
  Node& receiver = *nodes_[out.to];
  const auto copies = network_.route(from, out.to);
  std::string bytes;
  if (options_.codec && !copies.empty()) {
    bytes = encoded(out.message);
    // The layer is all that is left of the message: the rest must come out of the bytes.
    if (std::holds_alternative<overlay::Message>(out.message))
      out.message = overlay::Message{};
    else if (std::holds_alternative<sched::cell::Message>(out.message))
      out.message = sched::cell::Message{};
    else
      out.message = sched::Message{};
  }
  for (Duration latency : copies) {
    latency += receiver.driver_rng.between(Duration{0}, receiver.config.slowness);
    push(now_ + latency, Delivery{from, out.to, bytes, out.message});
  }
}

void World::schedule(std::size_t index) {
  Node& node = *nodes_[index];
  const Time deadline = node.peer->deadline();
  if (deadline != node.deadline || node.wake_at == sched::kNever) {
    node.deadline = deadline;
    node.wake_at = deadline;
    if (deadline != sched::kNever) {
      const Duration late = node.driver_rng.between(Duration{0}, node.config.slowness);
      node.wake_at = std::max(deadline, now_) + late;
      push(node.wake_at, Wake{index});
    }
  }
  if (node.executor.next() != node.exits_at) {
    node.exits_at = node.executor.next();
    if (node.exits_at != sched::kNever) push(node.exits_at, Exits{index});
  }
}

void World::check(std::size_t index) {
  Node& node = *nodes_[index];
  if (const auto broken = sched::broken_invariant(*node.peer)) fail(*broken);
  if (!node.executor.violation().empty()) fail(node.executor.violation());
  if (node.executor.started() == node.executor_started) return;
  node.executor_started = node.executor.started();
  std::vector<const Peer*> peers;
  for (const auto& each : nodes_) {
    if (each->peer != nullptr) peers.push_back(each->peer.get());
  }
  if (const auto broken = sched::broken_invariant(peers)) fail(*broken);
}

// An earlier life may have known the others by other ways; this one knows two addresses, of which
// one is up, if any is: no node looks for a peer that said good-bye.
std::vector<Endpoint> World::contacts_for(std::size_t node) {
  constexpr std::size_t kContacts = 2;
  std::vector<Endpoint> contacts;
  bool reached = false;
  const auto add = [&](std::size_t other) {
    if (other == node) return;
    contacts.push_back({.id = {}, .address = endpoint_of(other).address});
    reached = reached || up(other);
  };
  for (std::size_t i = 0; i < kContacts && size() > 1; ++i) {
    add(nodes_[node]->driver_rng.index(size()));
  }
  for (std::size_t other = 0; other < size() && !reached; ++other) {
    if (up(other)) add(other);
  }
  if (contacts.empty() && size() > 1) add(node == 0 ? 1 : 0);
  return contacts;
}

}  // namespace dunlin::test
