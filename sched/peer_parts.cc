// SPDX-License-Identifier: MIT
#include "sched/peer_parts.h"

#include <algorithm>

#include "sched/cell/cell_node.h"
#include "sched/constraints.h"
#include "sched/directory/directory.h"
#include "sched/federation/peer/peer_masters.h"
#include "sched/frontend/frontend.h"
#include "sched/logs/peer_logs.h"
#include "sched/packing/rate_bits.h"
#include "sched/peer_params.h"
#include "sched/peer_view.h"
#include "sched/resources.h"
#include "sched/saturate.h"
#include "sched/turn.h"
#include "sched/worker/worker.h"

// The parts make no statements about the node: each knows its own subject only. Here their words
// become one: a descriptor for gossip, facts for people.
namespace dunlin::sched {
namespace {

bool is_federated(const PeerParams& params) {
  return params.frontend.placement == PlacementName::federated;
}

bool closed(const PeerParts& parts) {
  return parts.worker && parts.worker->slots().closed();
}

// A node without a worker runs nothing, so all of it is free.
Load load_of(const PeerParts& parts) {
  if (parts.worker) return parts.worker->load();
  return {.cpu_free = parts.spec->total.cpu, .memory_free = parts.spec->total.memory};
}

overlay::Capacity capacity_of(const PeerParts& parts) {
  const Load load = load_of(parts);
  // A node that seems large draws reservations even when it is full. A sick one has nothing at all.
  const bool sick = parts.worker && parts.worker->slots().sick();
  return {.cpu_free = load.cpu_free,
      .memory_free = load.memory_free,
      .cpu_total = sick ? 0 : parts.spec->total.cpu,
      .memory_total = sick ? 0 : parts.spec->total.memory,
      .queued = saturate(load.queued),
      .signature = parts.overlay.self().signature,
      .rates_total = sick ? 0 : rates_total_bits(parts.spec->total),
      .rates_used = load.rates_used};
}

overlay::Descriptor descriptor_of(const PeerParts& parts) {
  const overlay::Capacity now = capacity_of(parts);
  const Endpoint self = parts.endpoint();
  return {.id = self.id,
      .address = self.address,
      .queued = now.queued,
      .incarnation = parts.overlay.self().incarnation,
      .cpu_free = now.cpu_free,
      .memory_free = now.memory_free,
      .cpu_total = now.cpu_total,
      .memory_total = now.memory_total,
      .signature = now.signature,
      .rates_total = now.rates_total,
      .rates_used = now.rates_used};
}

}  // namespace

PeerParts::PeerParts(const SharedParams& shared,
    const overlay::Shared<NodeSpec>& like,
    const Endpoint& where,
    std::uint32_t incarnation,
    std::span<const Endpoint> contacts)
    : params(shared.all),
      spec(like),
      overlay(shared.cyclon, shared.gradient, shared.liveness, where, incarnation, contacts) {
  overlay::Capacity idle = capacity_of(*this);
  idle.signature = signature_of(like->attributes, like->total);
  overlay.publish(idle);
}

PeerParts::PeerParts(PeerParts&&) noexcept = default;
PeerParts& PeerParts::operator=(PeerParts&&) noexcept = default;
PeerParts::~PeerParts() = default;

Turn PeerParts::turn(const Host& host) {
  return {.now = host.now,
      .rng = host.rng,
      .out = host.out,
      .events = host.events,
      .store = host.store,
      .executor = host.executor,
      .effort = host.effort,
      .profiles = host.profiles};
}

// Peers of one make share a NodeSpec, so address and incarnation come from the overlay.
NodeSpec PeerParts::self() const {
  NodeSpec own = *spec;
  own.endpoint = endpoint();
  own.incarnation = overlay.self().incarnation;
  return own;
}

Load PeerParts::load() const {
  return load_of(*this);
}

bool PeerParts::begins_cells() const {
  const CellParams& cell = params->sharing.cell;
  const bool form = cell.form == CellForm::always || is_federated(*params);
  return !cells && form && cell.sharing != SharingMode::none;
}

Frontend& PeerParts::ensure_frontend() {
  if (!frontend) {
    frontend = std::make_unique<Frontend>(params->frontend, endpoint(), params->worker.renew);
    if (is_federated(*params)) {
      frontend->launches().lead(params->federation, params->worker, overlay.self().incarnation);
    }
  }
  return *frontend;
}

Worker& PeerParts::ensure_worker() {
  if (!worker) worker = std::make_unique<Worker>(params->worker, self(), params->tracker);
  return *worker;
}

Directory& PeerParts::ensure_directory() {
  if (!directory) directory = std::make_unique<Directory>(params->directory, self());
  return *directory;
}

void PeerParts::publish(const Host& host) {
  overlay.publish(capacity_of(*this));
  if (seldom.masters() != nullptr) seldom.masters()->tell_row(*this, host);
}

void PeerParts::update_self(const Host& host) {
  // A job may fit on this node alone, so the census must know it.
  ensure_directory().set_own_facts(host.now, facts(), descriptor_of(*this));
}

Surroundings PeerParts::around(Time now) const {
  // The sets are made on demand and sorted by id: draws by chance must not depend on the order of
  // views. The node itself is among them, unless it drains or is sick, so that a job may run where
  // it was submitted.
  using Nodes = Surroundings::Nodes;
  const auto gather = [this, now](Nodes& known, Nodes& random) {
    const auto id_of = [](const overlay::Neighbour& node) { return node.peer.id; };
    overlay.neighbours(known);
    const auto& links = overlay.cyclon().view();
    random.reserve(links.size() + 1);
    for (const overlay::Neighbour& node : known) {
      if (links.contains(node.peer.id)) random.push_back(node);
    }
    if (closed(*this)) return;
    const overlay::Neighbour here{.peer = descriptor_of(*this), .born = now};
    for (auto* nodes : {&known, &random}) {
      nodes->insert(std::ranges::lower_bound(*nodes, here.peer.id, {}, id_of), here);
    }
  };
  return {gather, overlay.gradient().params().utility,
      [this](PeerId id) { return overlay.gradient().knows(id); },
      [this](PeerId id) -> std::optional<Endpoint> {
        if (!directory) return std::nullopt;
        const auto found = directory->nodes().find(id);
        if (found == directory->nodes().end()) return std::nullopt;
        return Endpoint{id, found->second.descriptor.address};
      }};
}

void PeerParts::on_verdict(const Host& host, HealthJudge judge, std::string_view why) {
  if (!worker && why.empty()) return;  // It is well, as it was.
  Turn turn = PeerParts::turn(host);
  ensure_worker().on_verdict(turn, around(host.now), judge, why);
  publish(host);
}

bool PeerParts::is_leaving() const {
  return worker && worker->availability().is_leaving();
}

std::uint32_t PeerParts::running() const {
  return worker ? static_cast<std::uint32_t>(worker->running().size()) : 0;
}

std::uint32_t PeerParts::active_jobs() const {
  std::uint32_t count = frontend ? frontend->table().active_count() : 0;
  if (seldom.logs() == nullptr) return count;
  for (const Frontend* each : seldom.logs()->parts().frontends())
    count += each->table().active_count();
  return count;
}

// Facts are for people: unlike descriptors they carry names and exact amounts, and only on request.
Facts PeerParts::facts() const {
  Facts facts{.name = spec->name,
      .incarnation = overlay.self().incarnation,
      .total = spec->total,
      .free = worker ? worker->slots().free() : all_of(spec->total),
      .attributes = spec->attributes,
      .limits = spec->limits,
      .version = spec->version,
      .draining = worker && worker->slots().draining(),
      .running = running(),
      .queued = load_of(*this).queued,
      .jobs = active_jobs(),
      .trouble = spec->trouble,
      .sick = worker ? worker->availability().health().reason() : std::string(),
      .capabilities = kCapabilities,
      .replica = replica(),
      .machine = spec->machine,
      .slots = slot_counts(worker.get(), spec->total)};
  if (spec->drain) facts.drain = {*spec->drain};
  return facts;
}

}  // namespace dunlin::sched
