// SPDX-License-Identifier: MIT
#include "tests/support/raft_world.h"

#include <algorithm>
#include <sstream>

#include "sched/cell/codec.h"
#include "sched/raft/raft_check.h"

namespace dunlin::test {
namespace {

constexpr sched::GroupId kGroup = 0xce11;

}  // namespace

RaftWorld::RaftWorld(const RaftWorldOptions& options)
    : options_(options),
      rng_(options.seed),
      network_(options.network, rng_.fork()),
      nodes_(options.nodes) {
  std::vector<sched::RaftMember> members;
  std::vector<sched::StoredRaft> founders;
  for (std::size_t i = 0; i < nodes_.size(); ++i) nodes_[i].rng = rng_.fork();
  for (std::size_t i = 0; i < options.founders; ++i) {
    Sender sender(*this, i);
    const sched::RaftTurn turn{now_, nodes_[i].rng, sender, nodes_[i].store};
    founders.push_back(sched::new_replica(turn, kGroup));
    members.push_back({.replica = founders.back().state.replica,
        .node = endpoint(i).id,
        .address = endpoint(i).address,
        .role = sched::MemberRole::voter});
  }
  for (std::size_t i = 0; i < options.founders; ++i) {
    Sender sender(*this, i);
    const sched::RaftTurn turn{now_, nodes_[i].rng, sender, nodes_[i].store};
    sched::establish(turn, founders[i], members);
    nodes_[i].store.commit();
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) start(i);
}

RaftWorld::~RaftWorld() = default;

overlay::Endpoint RaftWorld::endpoint(std::size_t node) const {
  const auto number = static_cast<std::uint32_t>(node + 1);
  return {.id = {0xabc0000000000000u + number},
      .address = overlay::Address::v4(0x0a000000 + number, 7700)};
}

std::size_t RaftWorld::node_of(sched::ReplicaId replica) const {
  const auto has = [&](const Node& node) {
    return node.store.disk() && node.store.disk()->state.replica == replica;
  };
  return static_cast<std::size_t>(std::ranges::find_if(nodes_, has) - nodes_.begin());
}

void RaftWorld::start(std::size_t node) {
  Node& self = nodes_[node];
  Sender sender(*this, node);
  const sched::RaftTurn turn{now_, self.rng, sender, self.store};
  const bool fresh = !self.store.disk().has_value();
  auto group = sched::RaftGroup::restore(turn, options_.params, endpoint(node),
      fresh ? sched::new_replica(turn, kGroup) : *self.store.disk(),
      std::make_unique<BankMachine>(history_, options_.padding));
  if (!group) {
    if (violation_.empty()) violation_ = group.error().text;
    return;
  }
  self.group.emplace(std::move(*group));
  ++self.life;
  end_turn(node, sender);
}

void RaftWorld::end_turn(std::size_t node, Sender& sender) {
  Node& self = nodes_[node];
  const auto before = self.store.commits();
  if (self.doomed) {
    self.doomed = false;
    history_.crash();
    kill(node);
    return;
  }
  self.store.commit();
  history_.commit();
  mix(self.store.commits() - before);
  sender.flush();
  look_at(node);
}

void RaftWorld::look_at(std::size_t node) {
  sched::RaftGroup& group = *nodes_[node].group;
  mix(node << 32 | group.term() << 8 | static_cast<std::uint64_t>(group.role()));
  mix(group.commit_index() << 20 | group.last_index());
  if (group.role() == sched::RaftRole::leader) {
    const auto [at, fresh] = leaders_.emplace(group.term(), group.replica());
    if (!fresh && at->second != group.replica() && violation_.empty()) {
      violation_ = "term " + std::to_string(group.term()) + " has two leaders";
    }
  }
  if (const auto trouble = group.trouble(); trouble && violation_.empty()) {
    violation_ = trouble->text;
  }
  for (const sched::Resolution& outcome : group.take_outcomes()) {
    if (outcome.committed) {
      acknowledged_.insert(outcome.id);
      unsure_.erase(outcome.id);
    } else if (!acknowledged_.contains(outcome.id)) {
      unsure_.insert(outcome.id);
    }
  }
}

void RaftWorld::mix(std::uint64_t value) {
  hash_ = (hash_ ^ value) * 0x100000001b3u + 0x9e3779b97f4a7c15u;
}

void RaftWorld::route(
    std::size_t from, const overlay::Endpoint& to, const sched::raft::Rpc& message) {
  std::size_t node = 0;
  while (node < nodes_.size() && endpoint(node).id != to.id) ++node;
  if (node == nodes_.size()) return;
  ++messages_;
  auto carried = std::make_shared<const sched::raft::Rpc>(message);
  if (options_.codec) {
    std::string bytes;
    const auto of_cell =
        std::visit([](const auto& rpc) { return sched::cell::Message(rpc); }, message);
    sched::cell::encode(of_cell, bytes);
    message_bytes_ += bytes.size();
    auto decoded = sched::cell::decode(std::as_bytes(std::span(bytes)));
    if (!decoded || *decoded != of_cell) violation_ = "a message came back as another";
  }
  if (!sched::plausible(message) && violation_.empty()) violation_ = "an absurd message was sent";
  for (const Duration latency : network_.route(from, node)) {
    deliveries_.push({now_ + latency, ++number_, from, node, carried});
  }
}

bool RaftWorld::step(Time end) {
  std::size_t due = nodes_.size();
  Time when = deliveries_.empty() ? overlay::kNever : deliveries_.top().when;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (!alive(i) || group(i).deadline() >= when) continue;
    when = group(i).deadline();
    due = i;
  }
  if (when > end || !violation().empty()) {
    now_ = std::max(now_, end);
    return false;
  }
  now_ = std::max(now_, when);
  ++steps_;
  mix(static_cast<std::uint64_t>(now_.time_since_epoch().count()));
  if (due < nodes_.size()) {
    ++nodes_[due].wakes;
    act(due, [](const auto& turn, auto& group) {
      group.wake(turn);
      return 0;
    });
    return true;
  }
  const Delivery delivery = deliveries_.top();
  deliveries_.pop();
  if (!alive(delivery.to)) return true;
  act(delivery.to, [&](const auto& turn, auto& group) {
    group.receive(turn, endpoint(delivery.from), *delivery.message);
    return 0;
  });
  return true;
}

void RaftWorld::run_until(Time end) {
  while (step(end)) {
  }
}

std::size_t RaftWorld::manager() const {
  std::size_t best = nodes_.size();
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (!alive(i) || !nodes_[i].group->epoch()) continue;
    if (best == nodes_.size() || nodes_[best].group->term() < nodes_[i].group->term()) best = i;
  }
  return best;
}

void RaftWorld::kill(std::size_t node) {
  nodes_[node].group.reset();
  nodes_[node].store.crash();
}

void RaftWorld::restart(std::size_t node) {
  if (!alive(node)) start(node);
}

void RaftWorld::lose_disk(std::size_t node) {
  kill(node);
  nodes_[node].store.lose();
}

Result<void> RaftWorld::propose(std::size_t node, const Transfer& transfer) {
  return act(node, [&](const auto& turn, auto& group) {
    return group.propose(turn, transfer.id, encode(transfer));
  });
}

bool RaftWorld::reconcile() {
  const std::size_t chief = manager();
  if (chief == nodes_.size() || group(chief).changing()) return false;
  const auto members = group(chief).members();
  for (const auto& member : members) {
    if (node_of(member.replica) != nodes_.size()) continue;
    act(chief, [&](const auto& turn, auto& group) { return group.remove(turn, member.replica); });
    return false;
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (!alive(i)) continue;
    const auto replica = group(i).replica();
    const auto known = std::ranges::find(members, replica, &sched::RaftMember::replica);
    if (known == members.end()) {
      act(chief,
          [&](const auto& turn, auto& group) { return group.add(turn, replica, endpoint(i)); });
      return false;
    }
    if (known->role == sched::MemberRole::voter) continue;
    act(chief, [&](const auto& turn, auto& group) {
      return group.assign(turn, replica, sched::MemberRole::voter);
    });
    return false;
  }
  return true;
}

bool RaftWorld::settled() {
  const std::size_t chief = manager();
  if (chief == nodes_.size()) return false;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (!alive(i) || group(i).applied_index() != group(chief).last_index()) return false;
    if (bank(i).snapshot() != bank(chief).snapshot()) return false;
  }
  return true;
}

std::string RaftWorld::describe() {
  std::ostringstream out;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    out << "\nnode " << i << ':';
    if (!alive(i)) {
      out << " dead";
      continue;
    }
    const sched::RaftGroup& group = *nodes_[i].group;
    constexpr const char* roles[] = {"follower", "candidate", "leader", "failed"};
    out << ' ' << sched::hex_text(group.replica()) << ' '
        << roles[static_cast<std::size_t>(group.role())] << " in term " << group.term()
        << ", epoch " << group.last_epoch() << ", log to " << group.last_index() << ", committed "
        << group.commit_index() << (group.changing() ? ", changing" : "") << ", members";
    for (const auto& member : group.members()) {
      out << ' ' << sched::hex_text(member.replica) << '='
          << sched::raft::kMemberRoleWords[static_cast<std::size_t>(member.role)];
    }
  }
  return out.str();
}

std::string RaftWorld::violation() const {
  if (!violation_.empty()) return violation_;
  if (!history_.violation().empty()) return history_.violation();
  for (const Node& node : nodes_) {
    if (!node.store.violation().empty()) return node.store.violation();
  }
  return {};
}

}  // namespace dunlin::test
