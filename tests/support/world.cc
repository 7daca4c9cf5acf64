// SPDX-License-Identifier: MIT
#include "tests/support/world.h"

#include <algorithm>
#include <span>
#include <utility>

#include "overlay/codec.h"
#include "sched/codec.h"
#include "sched/invariants.h"

namespace dunlin::test {
namespace {

constexpr std::uint32_t kFirstAddress = 0x0a000001;  // 10.0.0.1
constexpr std::uint16_t kPort = 7700;
constexpr std::size_t kContacts = 2;

std::string encoded(const AnyMessage& message) {
  std::string bytes;
  if (const auto* gossip = std::get_if<overlay::Message>(&message)) {
    overlay::encode(*gossip, bytes);
  } else {
    sched::encode(std::get<sched::Message>(message), bytes);
  }
  return bytes;
}

/// The same layer as `like`, read from `bytes`; empty if they are malformed.
std::optional<AnyMessage> decoded(const std::string& bytes, const AnyMessage& like) {
  const auto raw = std::as_bytes(std::span(bytes));
  if (std::holds_alternative<overlay::Message>(like)) {
    if (auto message = overlay::decode(raw)) return AnyMessage(std::move(*message));
  } else if (auto message = sched::decode(raw)) {
    return AnyMessage(std::move(*message));
  }
  return std::nullopt;
}

/// Which parts of a peer still want to be woken.
std::string overdue(const Peer& peer, Time now) {
  std::string names;
  if (peer.overlay().deadline() <= now) names += " the overlay";
  if (peer.directory().deadline() <= now) names += " the directory";
  if (peer.frontend().deadline() <= now) names += " the frontend";
  if (peer.worker().deadline() <= now) names += " the worker";
  return names;
}

/// Puts what happens later to the end of the heap; of equal times the one said first comes first.
constexpr auto later = [](const auto& a, const auto& b) {
  return std::pair(a.at, a.sequence) > std::pair(b.at, b.sequence);
};

}  // namespace

/// Collects what a turn sends and tells. Messages sent before the turn's first record need not wait
/// for it.
class World::TurnPorts final : public overlay::Port<overlay::Message>,
                               public overlay::Port<sched::Message>,
                               public sched::Observer {
 public:
  TurnPorts(World& world, std::size_t node) : world_(world), node_(node) {}

  void send(const Endpoint& to, const overlay::Message& message) override { add(to, message); }
  void send(const Endpoint& to, const sched::Message& message) override { add(to, message); }
  void on(const overlay::Event& event) override { world_.note(node_, to_string(event)); }
  void on(const sched::Event& event) override {
    world_.note(node_, to_string(event));
    if (world_.on_event) world_.on_event(node_, event);
  }

  std::vector<Outgoing> at_once;
  std::vector<Outgoing> after_records;

 private:
  void add(const Endpoint& to, AnyMessage message) {
    const std::uint64_t index = (to.address.low & 0xffffffff) - kFirstAddress;
    if (!to.address.is_v4() || index >= world_.size()) {
      world_.fail("a message to an address that nobody has");
      return;
    }
    const bool wait = world_.nodes_[node_]->store.turn_has_records();
    (wait ? after_records : at_once).push_back({index, std::move(message)});
  }

  World& world_;
  std::size_t node_;
};

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
      .executor = FakeExecutor(options_.executor, rng_.fork()),
      .incarnation = 0,
      .peer = nullptr,
      .commits = {},
  }));
  start(node);
  return node;
}

void World::add(std::size_t count, const NodeConfig& config) {
  for (std::size_t i = 0; i < count; ++i) add(config);
}

void World::start(std::size_t node) {
  Node& self = *nodes_[node];
  ++self.incarnation;
  // An earlier life may have known the others by other ways; this one knows two addresses.
  std::vector<Endpoint> contacts;
  for (std::size_t i = 0; i < kContacts && size() > 1; ++i) {
    const std::size_t contact = self.driver_rng.index(size());
    if (contact == node) continue;
    contacts.push_back({.id = {}, .address = endpoint_of(contact).address});
  }
  if (contacts.empty() && node != 0) {
    contacts.push_back({.id = {}, .address = endpoint_of(0).address});
  }
  sched::NodeSpec spec;
  spec.endpoint = self.endpoint;
  spec.incarnation = self.incarnation;
  spec.name = "node" + std::to_string(node + 1);
  spec.total = self.config.total;
  spec.attributes = self.config.attributes;
  note(node, "starts incarnation=" + std::to_string(self.incarnation));
  self.peer = std::make_unique<Peer>(options_.params, spec, contacts);
  auto jobs = self.store.load();
  if (jobs.empty()) {
    schedule(node);
    return;
  }
  turn(node, [&](Peer& peer, const sched::Host& host) { peer.restore(host, std::move(jobs)); });
}

void World::crash(std::size_t node) {
  Node& self = *nodes_[node];
  overlay::ensure(self.peer != nullptr, "a crash of a node that is down");
  note(node, "crashes");
  self.peer.reset();
  self.executor.crash();
  self.commits.clear();
  self.wake_at = self.exits_at = sched::kNever;
}

void World::restart(std::size_t node) {
  overlay::ensure(!up(node), "a restart of a node that is up");
  start(node);
}

Result<JobId> World::submit(std::size_t node, sched::Job job, bool allow_unsatisfiable) {
  Result<JobId> id;
  turn(node, [&](Peer& peer, const sched::Host& host) {
    id = peer.submit(host, std::move(job), allow_unsatisfiable);
  });
  return id;
}

Result<void> World::cancel(
    std::size_t node, const JobId& job, const std::vector<std::uint32_t>& tasks) {
  Result<void> result;
  turn(node, [&](Peer& peer, const sched::Host& host) { result = peer.cancel(host, job, tasks); });
  return result;
}

void World::drain(std::size_t node, bool on) {
  turn(node, [on](Peer& peer, const sched::Host& host) { peer.drain(host, on); });
}

void World::leave(std::size_t node) {
  turn(node, [](Peer& peer, const sched::Host& host) { peer.leave(host); });
  crash(node);
}

bool World::all_durable() const {
  return std::ranges::all_of(nodes_, [](const auto& node) { return node->commits.empty(); });
}

void World::calm() {
  network_.heal();
  for (const auto& node : nodes_) {
    node->config.slowness = Duration{0};
    node->executor.calm();
  }
}

void World::at(Time when, std::function<void()> action) {
  push(when, Action{std::move(action)});
}

const Peer& World::peer(std::size_t node) const {
  overlay::ensure(up(node), "the peer of a node that is down");
  return *nodes_[node]->peer;
}

void World::push(Time at, auto what) {
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
  turn(delivery.to, [&](Peer& peer, const sched::Host& host) {
    std::visit([&](const auto& message) { peer.receive(host, from, message); }, delivery.message);
  });
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
  turn(exits.node, [&](Peer& peer, const sched::Host& host) { peer.on_exits(host, ended); });
}

void World::happen(const Committed& committed) {
  Node& node = *nodes_[committed.node];
  if (node.incarnation != committed.incarnation || node.commits.empty()) return;
  const Commit done = std::move(node.commits.front());
  node.commits.pop_front();
  commit(node, done.batch);
  for (const Outgoing& out : done.then) send(committed.node, out);
}

void World::turn(std::size_t index, const std::function<void(Peer&, const sched::Host&)>& call) {
  Node& node = *nodes_[index];
  overlay::ensure(node.peer != nullptr, "a turn of a node that is down");
  TurnPorts ports(*this, index);
  node.executor.set_now(now_);
  const sched::Host host{.now = now_,
      .rng = node.rng,
      .gossip = ports,
      .out = ports,
      .events = ports,
      .store = node.store,
      .executor = node.executor};
  call(*node.peer, host);

  // What an earlier turn stored, and this one may speak of, must be durable before this one speaks.
  auto& early = node.commits.empty() ? ports.at_once : node.commits.back().then;
  if (!node.commits.empty())
    std::ranges::move(ports.at_once, std::back_inserter(early));
  else
    for (Outgoing& out : early) send(index, std::move(out));
  auto batch = node.store.take_turn();
  if (!batch.empty() && options_.commit_most == Duration{0}) {
    commit(node, batch);
    for (Outgoing& out : ports.after_records) send(index, std::move(out));
  } else if (!batch.empty()) {
    Time when = now_ + node.driver_rng.between(Duration{1}, options_.commit_most);
    if (!node.commits.empty()) when = std::max(when, node.commits.back().at);
    node.commits.push_back({when, std::move(batch), std::move(ports.after_records)});
    push(when, Committed{index, node.incarnation});
  }
  schedule(index);
  if (options_.check) check(index);
}

void World::commit(Node& node, const MemoryStore::Batch& batch) {
  node.store.commit(batch);
  for (const auto& record : batch) {
    if (const auto* put = std::get_if<MemoryStore::PutJob>(&record)) {
      acknowledged_.push_back(put->job.id);
    }
  }
  if (!node.store.violation().empty()) fail(node.store.violation());
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

void World::note(std::size_t node, const std::string& what) {
  trace_.add(now_, std::to_string(node + 1) + " " + what);
}

void World::fail(const std::string& what) {
  if (!failure_.empty()) return;
  failure_ = "at " + to_string(now_) + ": " + what + "\n" + trace_.tail(40);
}

}  // namespace dunlin::test
