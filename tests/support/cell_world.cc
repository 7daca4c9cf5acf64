// SPDX-License-Identifier: MIT
#include "tests/support/cell_world.h"

#include <algorithm>

#include "sched/cell/codec.h"
#include "sched/cell/hosted_replica.h"
#include "sched/raft/checksum.h"
#include "sched/raft/raft_check.h"
#include "sched/sharing/apportion.h"

namespace dunlin::test {

using sched::CellId;
using sched::Tickets;

std::vector<sched::books::Use> SimulatedWorkload::take(Time now, Tickets total) {
  const auto elapsed = (now - counted_) / std::chrono::milliseconds(1);
  counted_ = now;
  std::vector<Tickets> weights;
  std::vector<Tickets> caps;
  for (const auto& [class_id, wanted] : wants) {
    const auto at =
        std::ranges::find(tickets, class_id, [](const auto& each) { return each.first; });
    // One with hardly any tickets is served as if it had a hundredth.
    const Tickets had = at == tickets.end() ? 0 : at->second;
    weights.push_back(std::max(had, total / 100));
    caps.push_back(wanted);
  }
  const auto parts = sched::apportion(total, weights, caps);
  std::vector<sched::books::Use> uses;
  std::size_t j = 0;
  for (const auto& [class_id, wanted] : wants) {
    used[class_id] += parts[j] * elapsed;
    uses.push_back(
        {.class_id = class_id, .used = parts[j], .need = wanted - parts[j], .balance = 0});
    ++j;
  }
  demand_.foretell(std::chrono::milliseconds(elapsed), uses);
  return uses;
}

CellWorld::CellWorld(const CellWorldOptions& options)
    : options_(options),
      rng_(options.seed),
      network_(options.network, rng_.fork()),
      nodes_(options.nodes) {
  options_.params.cell.gossip = options.gossip;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    nodes_[i].rng = rng_.fork();
    start(i);
  }
}

CellWorld::~CellWorld() = default;

overlay::Endpoint CellWorld::endpoint(std::size_t node) const {
  const auto number = static_cast<std::uint32_t>(node + 1);
  return {.id = {0xabc0000000000000u + number},
      .address = overlay::Address::v4(0x0a000000 + number, 7700)};
}

void CellWorld::start(std::size_t node) {
  Node& self = nodes_[node];
  self.obeyed.clear();
  self.workload.tickets.clear();
  self.self =
      std::make_unique<sched::CellNode>(options_.params, endpoint(node), options_.tickets, now_);
  act(node, [&](const auto& turn, auto& started) {
    if (auto restored = started.restore(turn, self.store.disk()); !restored) {
      violate(restored.error().text);
    }
    return 0;
  });
}

void CellWorld::end_turn(std::size_t node, Sender& sender) {
  nodes_[node].store.commit();
  sender.flush();
  look_at(node);
}

void CellWorld::look_at(std::size_t node) {
  Node& self = nodes_[node];
  const auto& member = self.self->member();
  self.workload.tickets = self.self->tickets(now_);
  Tickets granted = 0;
  for (const auto& grant : member.grants(now_)) granted += grant.tickets;
  if (granted > options_.tickets) violate("a node has more grants than tickets");
  if (member.cell() && member.epoch() != 0) {
    sched::Epoch& obeyed = self.obeyed[member.cell()];
    if (member.is_member() && member.epoch() < obeyed) violate("a member obeys a lower epoch");
    obeyed = std::max(obeyed, member.epoch());
  }
  mix(node << 32 | member.period());
  for (const auto& hosted : self.self->hosted()) {
    const CellId cell = hosted->cell();
    mix(cell.value ^ hosted->group.commit_index() << 16 ^ hosted->group.last_epoch());
    if (hosted->manager) {
      const auto [at, fresh] =
          managers_.emplace(std::pair(cell, hosted->manager->epoch()), hosted->group.replica());
      if (!fresh && at->second != hosted->group.replica()) violate("an epoch has two managers");
    }
    if (const auto trouble = hosted->group.trouble()) violate(trouble->text);
    const auto index = hosted->group.applied_index();
    if (index == 0 || std::exchange(seen_[{node, cell}], index) == index) continue;
    const auto& state = hosted->books().ledger().state();
    if (const auto broken = sched::broken_invariant(state)) violate(*broken);
    if (!sched::balances(sched::audit_of(state))) violate("books that do not balance");
    const auto bytes = hosted->books().snapshot();
    const std::uint64_t sum = sched::crc32c(std::as_bytes(std::span(bytes)));
    const auto [at, fresh] = histories_.emplace(std::pair(cell, index), sum);
    if (!fresh && at->second != sum) {
      violate("replicas of cell " + sched::hex_text(cell.value) + " differ at " +
          std::to_string(index));
    }
  }
}

void CellWorld::route(
    std::size_t from, const overlay::Endpoint& to, const sched::cell::Message& message) {
  std::size_t node = 0;
  while (node < nodes_.size() && endpoint(node).id != to.id) ++node;
  if (node == nodes_.size()) return;
  ++messages_;
  auto carried = std::make_shared<const sched::cell::Message>(message);
  if (options_.codec) {
    std::string bytes;
    sched::cell::encode(message, bytes);
    message_bytes_ += bytes.size();
    const auto decoded = sched::cell::decode(std::as_bytes(std::span(bytes)));
    if (!decoded || *decoded != message) violate("a message came back as another");
  }
  if (from == node) {
    deliveries_.push({now_ + std::chrono::microseconds(1), ++number_, from, node, carried});
    return;
  }
  for (const Duration latency : network_.route(from, node)) {
    deliveries_.push({now_ + latency, ++number_, from, node, carried});
  }
}

bool CellWorld::step(Time end) {
  std::size_t due = nodes_.size();
  Time when = deliveries_.empty() ? overlay::kNever : deliveries_.top().when;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (!alive(i) || node(i).deadline() >= when) continue;
    when = node(i).deadline();
    due = i;
  }
  if (when > end || !violation().empty()) {
    now_ = std::max(now_, end);
    return false;
  }
  ++steps_;
  now_ = std::max(now_, when);
  if (due < nodes_.size()) {
    act(due, [](const auto& turn, auto& self) {
      self.wake(turn);
      return 0;
    });
    return true;
  }
  const Delivery delivery = deliveries_.top();
  deliveries_.pop();
  if (!alive(delivery.to)) return true;
  act(delivery.to, [&](const auto& turn, auto& self) {
    self.receive(turn, endpoint(delivery.from), *delivery.message);
    return 0;
  });
  return true;
}

void CellWorld::kill(std::size_t node) {
  nodes_[node].self.reset();
  nodes_[node].store.crash();
}
void CellWorld::restart(std::size_t node) {
  if (!alive(node)) start(node);
}
void CellWorld::lose_disk(std::size_t node) {
  kill(node);
  nodes_[node].store.lose();
  for (auto at = seen_.begin(); at != seen_.end();) {
    at = at->first.first == node ? seen_.erase(at) : std::next(at);
  }
}

std::size_t CellWorld::add() {
  nodes_.emplace_back().rng = rng_.fork();
  start(nodes_.size() - 1);
  return nodes_.size() - 1;
}

bool CellWorld::set_shares(std::size_t at, std::vector<Tickets> shares) {
  sched::books::Classes classes;
  classes.version = node(at).classes().version + 1;
  for (std::size_t j = 0; j < shares.size(); ++j) {
    classes.classes.push_back({.class_id = static_cast<sched::ClassId>(j + 1),
        .name = "class" + std::to_string(j + 1),
        .share = shares[j]});
  }
  return act(at,
      [&](const auto& turn, auto& self) { return self.set_classes(turn, classes).has_value(); });
}

void CellWorld::want(std::size_t node, std::vector<Tickets> wants) {
  for (std::size_t j = 0; j < wants.size(); ++j) {
    workload(node).wants[static_cast<sched::ClassId>(j + 1)] = wants[j];
  }
}

}  // namespace dunlin::test
