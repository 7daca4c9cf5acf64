// SPDX-License-Identifier: MIT
#include <algorithm>

#include "sched/cell/cell_node.h"
#include "sched/directory.h"
#include "sched/frontend/frontend.h"
#include "sched/peer.h"
#include "sched/peer_params.h"
#include "sched/saturate.h"
#include "sched/turn.h"
#include "sched/worker/worker.h"

// The state of a peer, and the statements that it makes of itself.
namespace dunlin::sched {

// Peers of one make share a NodeSpec, so address and incarnation come from the overlay.
NodeSpec Peer::self() const {
  NodeSpec spec = *spec_;
  spec.endpoint = endpoint();
  spec.incarnation = overlay_.self().incarnation;
  return spec;
}

Frontend& Peer::ensure_frontend() {
  if (!frontend_) frontend_ = std::make_unique<Frontend>(params_->frontend, endpoint());
  return *frontend_;
}

Worker& Peer::ensure_worker() {
  if (!worker_) worker_ = std::make_unique<Worker>(params_->worker, self());
  return *worker_;
}

Directory& Peer::ensure_directory() {
  if (!directory_) directory_ = std::make_unique<Directory>(params_->directory, self());
  return *directory_;
}

bool Peer::closed() const {
  return worker_ && worker_->slots().closed();
}

// A node without a worker runs nothing, so all of it is free.
Load Peer::load() const {
  if (worker_) return worker_->load();
  return {.cpu_free = spec_->total.cpu, .memory_free = spec_->total.memory};
}

overlay::Capacity Peer::capacity() const {
  const Load load = this->load();
  // A node that seems large draws reservations even when it is full. A sick one has nothing at all.
  const bool sick = worker_ && worker_->slots().sick();
  return {.cpu_free = load.cpu_free,
      .memory_free = load.memory_free,
      .cpu_total = sick ? 0 : spec_->total.cpu,
      .memory_total = sick ? 0 : spec_->total.memory,
      .queued = saturate(load.queued),
      .signature = overlay_.self().signature};
}

overlay::Descriptor Peer::own_descriptor() const {
  const overlay::Capacity now = capacity();
  return {.id = endpoint().id,
      .address = endpoint().address,
      .queued = now.queued,
      .incarnation = overlay_.self().incarnation,
      .cpu_free = now.cpu_free,
      .memory_free = now.memory_free,
      .cpu_total = now.cpu_total,
      .memory_total = now.memory_total,
      .signature = now.signature};
}

Surroundings Peer::around(Time now) const {
  // The sets are made on demand and sorted by id: draws by chance must not depend on the order of
  // views. The node itself is among them, unless it drains or is sick, so that a job may run where
  // it was submitted.
  using Nodes = Surroundings::Nodes;
  const auto gather = [this, now](Nodes& known, Nodes& random) {
    const auto id_of = [](const overlay::Neighbour& node) { return node.peer.id; };
    overlay_.neighbours(known);
    const auto& links = overlay_.cyclon().view();
    random.reserve(links.size() + 1);
    for (const overlay::Neighbour& node : known) {
      if (links.contains(node.peer.id)) random.push_back(node);
    }
    if (closed()) return;
    const overlay::Neighbour here{.peer = own_descriptor(), .born = now};
    for (auto* nodes : {&known, &random}) {
      nodes->insert(std::ranges::lower_bound(*nodes, here.peer.id, {}, id_of), here);
    }
  };
  return {gather, overlay_.gradient().params().utility,
      [this](PeerId id) { return overlay_.gradient().knows(id); }};
}

void Peer::on_trial(const Host& host, std::string_view failure) {
  on_verdict(host, HealthJudge::starts, failure);
}

void Peer::set_health(const Host& host, std::string_view why_sick) {
  on_verdict(host, HealthJudge::operators, why_sick);
}

void Peer::on_verdict(const Host& host, HealthJudge judge, std::string_view why) {
  if (!worker_ && why.empty()) return;  // It is well, as it was.
  Turn turn = Peer::turn(host);
  ensure_worker().on_verdict(turn, around(host.now), judge, why);
  overlay_.publish(capacity());
}

// Facts are for people: unlike descriptors they carry names and exact amounts, and only on request.
Facts Peer::facts() const {
  return {.name = spec_->name,
      .incarnation = overlay_.self().incarnation,
      .total = spec_->total,
      .free = worker_ ? worker_->free() : spec_->total,
      .attributes = spec_->attributes,
      .limits = spec_->limits,
      .version = spec_->version,
      .draining = worker_ && worker_->slots().draining(),
      .running = worker_ ? static_cast<std::uint32_t>(worker_->running().size()) : 0,
      .queued = load().queued,
      .jobs = frontend_ ? frontend_->unfinished_jobs() : 0,
      .trouble = trouble_ ? *trouble_ : std::string(),
      .sick = worker_ ? worker_->health().reason() : std::string()};
}

}  // namespace dunlin::sched
