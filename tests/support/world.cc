// SPDX-License-Identifier: MIT
#include "tests/support/world.h"

#include <algorithm>
#include <span>
#include <utility>

#include "overlay/codec.h"
#include "sched/cell/cell_node.h"
#include "sched/cell/codec.h"
#include "sched/codec.h"
#include "sched/peer/comeback.h"
#include "sched/peer/peer_orders.h"
#include "sched/peer_maintenance.h"
#include "sched/peer_sharing.h"
#include "sched/peer_view.h"

namespace dunlin::test {
namespace {

constexpr std::uint16_t kPort = 7700;

/// The same layer as `like`, read from `bytes`; empty if they are malformed.
std::optional<AnyMessage> decoded(const std::string& bytes, const AnyMessage& like) {
  const auto raw = std::as_bytes(std::span(bytes));
  if (std::holds_alternative<overlay::Message>(like)) {
    if (auto message = overlay::decode(raw)) return AnyMessage(std::move(*message));
  } else if (std::holds_alternative<sched::cell::Message>(like)) {
    if (auto message = sched::cell::decode(raw)) return AnyMessage(std::move(*message));
  } else if (auto message = sched::decode(raw)) {
    return AnyMessage(std::move(*message));
  }
  return std::nullopt;
}

/// Which parts of a peer still want to be woken.
std::string overdue(const Peer& peer, Time now) {
  std::string names;
  const auto check = [&](const auto* part, const char* name) {
    if (part != nullptr && part->deadline() <= now) names += name;
  };
  check(&peer.overlay(), " the overlay");
  check(peer.directory(), " the directory");
  check(peer.frontend(), " the frontend");
  check(peer.worker(), " the worker");
  check(peer.cells(), " the cells");
  return names;
}

/// Puts what happens later to the end of the heap; of equal times the one said first comes first.
constexpr auto later = [](const auto& a, const auto& b) {
  return std::pair(a.at, a.sequence) > std::pair(b.at, b.sequence);
};

}  // namespace

World::World(const WorldOptions& options)
    : options_(options),
      rng_(options.seed),
      network_(options.network, rng_.fork()),
      trace_(options.trace_lines) {}

World::~World() = default;

Endpoint World::endpoint_of(std::size_t node) {
  const auto ip = kFirstAddress + static_cast<std::uint32_t>(node);
  return {.id = id_of(node), .address = overlay::Address::v4(ip, kPort)};
}

std::size_t World::add(const NodeConfig& config) {
  const std::size_t node = nodes_.size();
  nodes_.push_back(std::make_unique<Node>(Node{
      .config = config,
      .endpoint = endpoint_of(node),
      .rng = rng_.fork(),
      .driver_rng = rng_.fork(),
      .store = {},
      .books = {},
      .disk = {},
      .executor = FakeExecutor(options_.executor, rng_.fork()),
      .incarnation = 0,
      .peer = nullptr,
      .commits = {},
  }));
  nodes_.back()->executor.set_total(config.total);
  start(node);
  return node;
}

void World::add(std::size_t count, const NodeConfig& config) {
  for (std::size_t i = 0; i < count; ++i) add(config);
}

void World::start(std::size_t node) {
  Node& self = *nodes_[node];
  ++self.incarnation;
  sched::NodeSpec spec;
  spec.endpoint = self.endpoint;
  spec.incarnation = self.incarnation;
  spec.name = "node" + std::to_string(node + 1);
  spec.total = self.config.total;
  spec.attributes = self.config.attributes;
  // Each disk has another; nothing else depends on the draw.
  if (self.replica == 0 && options_.replicas)
    self.replica = overlay::Rng{(node + 1) << 32 | self.incarnation}() | 1;
  spec.replica = self.replica;
  spec.machine = self.config.machine != 0 ? self.config.machine : node + 1;
  note(node, "starts incarnation=" + std::to_string(self.incarnation));
  self.peer = std::make_unique<Peer>(options_.params, spec, contacts_for(node));
  auto jobs = self.store.load();
  for (sched::StoredJob& job : jobs) {
    job.submitted = Time{Duration{job.job.submitted_at} - ahead(node)};
  }
  std::uint32_t last = 0;
  for (const sched::StoredJob& job : jobs) {
    if (job.job.id.home == self.endpoint.id) last = std::max(last, job.job.id.number);
  }
  // Those with replicas are in their logs.
  std::erase_if(jobs, [](const sched::StoredJob& job) { return job.job.replicas > 0; });
  auto logs = self.logs.load();
  auto books = self.disk.disk();
  if (self.since == 0) self.since = self.incarnation;
  const auto kept = self.executor.take_kept(now_);
  const auto drained = self.store.drain();
  const bool is_new =
      jobs.empty() && logs.empty() && books.empty() && !drained && self.store.spent_keys().empty();
  if (is_new && self.since == self.incarnation) {
    schedule(node);
    return;
  }
  turn(node, [&](Peer& peer, const sched::Host& host) {
    peer.comeback().restore(host, std::move(jobs), last, self.store.holders());
    peer.comeback().restore_keys(now_, self.store.spent_keys());
    peer.comeback().restore_logs(host, std::move(logs));
    const auto restored = peer.sharing().restore_books(host, std::move(books));
    if (!restored) fail(restored.error().text);
    if (self.since != self.incarnation) peer.comeback().take_back(host, self.since, kept);
    if (drained) peer.maintenance().set_drain(host, drained);
  });
}

Result<JobId> World::submit(std::size_t node, sched::Job job, bool allow_unsatisfiable) {
  Result<JobId> id;
  const unsigned replicas = job.replicas;
  job.submitted_at = (now_.time_since_epoch() + ahead(node)).count();
  job.id.lineage = overlay::Rng{node << 32 | nodes_[node]->incarnation}();
  turn(node, [&](Peer& peer, const sched::Host& host) {
    id = peer.orders().submit(host, std::move(job), allow_unsatisfiable);
    // Said again it may be a job of before, which has no log any more.
    if (!id || replicas == 0 || peer.logs() == nullptr) return;
    untold_.push_back({*id, node, nodes_[node]->incarnation, peer.logs()->promise(*id)});
  });
  return id;
}

Result<std::uint32_t> World::requeue(
    std::size_t node, const JobId& job, const std::vector<std::uint32_t>& tasks) {
  Result<std::uint32_t> result;
  turn(node, [&](Peer& peer, const sched::Host& host) {
    result = peer.orders().requeue(host, job, tasks);
  });
  return result;
}

Result<void> World::cancel(
    std::size_t node, const JobId& job, const std::vector<std::uint32_t>& tasks) {
  Result<void> result;
  turn(node, [&](Peer& peer, const sched::Host& host) {
    result = peer.orders().cancel(host, job, tasks);
  });
  return result;
}

Result<void> World::change(std::size_t node, const JobId& job, const sched::JobChange& change) {
  Result<void> result;
  turn(node, [&](Peer& peer, const sched::Host& host) {
    result = peer.orders().change(host, job, change);
  });
  return result;
}

Result<void> World::retry(
    std::size_t node, const JobId& job, const std::vector<std::uint32_t>& tasks) {
  Result<void> result;
  const sched::Job* const stored = nodes_[node]->store.job(job);
  turn(node, [&](Peer& peer, const sched::Host& host) {
    result = peer.orders().retry(host, job, tasks, stored);
  });
  return result;
}

Result<void> World::set_classes(std::size_t node, const sched::books::Classes& classes) {
  Result<void> result;
  turn(node, [&](Peer& peer, const sched::Host& host) {
    result = peer.sharing().set_classes(host, classes);
  });
  return result;
}

void World::act(std::size_t node, const std::function<void(Peer&, const sched::Host&)>& call) {
  turn(node, call);
}

void World::ask_for_facts(std::size_t node) {
  turn(node, [](Peer& peer, const sched::Host& host) { peer.refresh_directory(host); });
}

bool World::all_durable() const {
  return std::ranges::all_of(nodes_, [](const auto& node) { return node->commits.empty(); });
}

void World::calm() {
  network_.heal();
  for (const auto& node : nodes_) {
    node->config.slowness = Duration{0};
    node->config.disk = Duration{0};
    node->executor.calm();
  }
}

Duration World::ahead(std::size_t node) const {
  const NodeConfig& config = nodes_[node]->config;
  return config.clock + now_.time_since_epoch() / 1'000'000 * config.drift;
}

void World::at(Time when, std::function<void()> action) {
  push(when, Action{std::move(action)});
}

std::uint64_t World::replica(std::size_t node) const {
  // As PeerParts::replica() says.
  return nodes_[node]->replica == 0 ? 0 : nodes_[node]->replica ^ id_of(node).value;
}

const Peer& World::peer(std::size_t node) const {
  overlay::ensure(up(node), "the peer of a node that is down");
  return *nodes_[node]->peer;
}

void World::push(Time at, What what) {
  heap_.push_back({.at = std::max(at, now_), .sequence = sequence_++, .what = std::move(what)});
  std::ranges::push_heap(heap_, later);
}

bool World::step() {
  if (heap_.empty() || !failure_.empty()) return false;
  std::ranges::pop_heap(heap_, later);
  Happening next = std::move(heap_.back());
  heap_.pop_back();
  now_ = next.at;
  ++steps_;
  std::visit([this](auto& what) { happen(what); }, next.what);
  return failure_.empty();
}

void World::run_until(Time end) {
  while (!heap_.empty() && heap_.front().at <= end && step()) {
  }
  if (failure_.empty()) now_ = std::max(now_, end);
}

bool World::run_until(const std::function<bool()>& done, Duration limit) {
  const Time end = now_ + limit;
  while (!done()) {
    if (heap_.empty() || heap_.front().at > end || !step()) return false;
  }
  return true;
}

void World::happen(Delivery& delivery) {
  if (!up(delivery.to)) return;
  if (options_.codec) {
    auto message = decoded(delivery.bytes, delivery.message);
    if (!message) return fail("what a peer encoded does not decode");
    delivery.message = std::move(*message);
  }
  trace_.add(now_,
      std::to_string(delivery.from + 1) + ">" + std::to_string(delivery.to + 1) + " " +
          std::string(kind_of(delivery.message)));
  const Endpoint from = endpoint_of(delivery.from);
  // Most messages are of cells, and they touch neither views nor frontends.
  const bool checked = !std::holds_alternative<sched::cell::Message>(delivery.message);
  turn(
      delivery.to,
      [&](Peer& peer, const sched::Host& host) {
        std::visit(
            [&](const auto& message) { peer.receive(host, from, message); }, delivery.message);
      },
      checked);
}

void World::happen(const Wake& wake) {
  Node& node = *nodes_[wake.node];
  if (node.peer == nullptr || node.wake_at != now_) return;  // Another deadline came between.
  node.wake_at = sched::kNever;
  turn(wake.node, [](Peer& peer, const sched::Host& host) { peer.wake(host); });
  if (up(wake.node) && node.peer->deadline() <= now_) {
    fail("waking does not move the deadline of" + overdue(*node.peer, now_));
  }
}

void World::happen(const Exits& exits) {
  Node& node = *nodes_[exits.node];
  if (node.peer == nullptr || node.exits_at != now_) return;
  node.exits_at = sched::kNever;
  const auto ended = node.executor.take_ended(now_);
  const auto trial = node.executor.take_trial(now_);
  turn(exits.node, [&](Peer& peer, const sched::Host& host) {
    if (!ended.empty()) peer.on_exits(host, ended);
    if (trial) peer.on_trial(host, *trial);
  });
}

void World::happen(const Committed& committed) {
  Node& node = *nodes_[committed.node];
  if (node.incarnation != committed.incarnation || node.commits.empty()) return;
  const Commit done = std::move(node.commits.front());
  node.commits.pop_front();
  commit(committed.node, done);
  for (const Outgoing& out : done.then) send(committed.node, out);
  acknowledge(committed.node);
}

void World::note(std::size_t node, const std::string& what) {
  trace_.add(now_, std::to_string(node + 1) + " " + what);
}

void World::fail(const std::string& what) {
  if (!failure_.empty()) return;
  failure_ = "at " + to_string(now_) + ": " + what + "\n" + trace_.tail(40);
}

}  // namespace dunlin::test
