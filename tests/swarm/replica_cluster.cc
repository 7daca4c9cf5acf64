// SPDX-License-Identifier: MIT
#include "tests/swarm/replica_cluster.h"

namespace dunlin::test::replicated {

void ReplicaCluster::start(std::size_t i) {
  Node& node = nodes_[i];
  node.up = true;
  ++node.disk.life;
  node.words.clear();
  node.commits.clear();
  node.given = node.disk.record;
  Ports out(*this, i);
  node.copy.emplace(params_, member(i), node.disk.life, node.disk.record, out.turn(), rules_);
  node.changes = 0;
  node.epoch = node.home() == nullptr ? 0 : node.home()->stamp().epoch;
}

void ReplicaCluster::hand_over(std::size_t i, Ports& out) {
  Node& node = nodes_[i];
  const bool is_idle = rng_.below(200) == 0;
  node.copy->want(params_.home.standbys, params_.home.required, is_idle);
  if (node.home()->is_handing_over()) {
    if (rng_.below(100) == 0 || healed_) node.copy->end_handover();
  } else if (node.leaves && node.home()->has_successor(now_) && rng_.below(10) == 0) {
    node.copy->begin_handover(out.turn());
  }
}

void ReplicaCluster::receive(std::size_t to, std::size_t from, const Message& message) {
  Ports out(*this, to);
  nodes_[to].copy->on_message(out.turn(), endpoint(from), message);
  look_at_office(to);
}

void ReplicaCluster::look_at_office(std::size_t i) {
  Node& node = nodes_[i];
  const std::uint32_t epoch = node.home() == nullptr ? 0 : node.home()->stamp().epoch;
  if (epoch == std::exchange(node.epoch, epoch)) return;
  node.words.clear();
  if (epoch != 0) tell_again(i);
}

void ReplicaCluster::tell_again(std::size_t i) {
  Node& node = nodes_[i];
  const Log& log = node.copy->log();
  if (log.end() == 0) return;
  const bool reads = rng_.below(2) == 0;
  const std::uint64_t position = 1 + rng_.below(static_cast<std::uint32_t>(log.end()));
  const bool gated = reads ? rules_.reads_gated : rules_.repeats_gated;
  const Word word{log.end(), position, log.at(position).records};
  if (gated) node.words.push_back(word);
  if (!gated) tell(word);
}

void ReplicaCluster::begin_commit(std::size_t i) {
  Node& node = nodes_[i];
  // While one is on its way, the next one waits, and takes all of it.
  if (node.copy->changes() == node.changes || !node.commits.empty()) return;
  node.changes = node.copy->changes();
  node.commits.push_back({.at = now_ + late(slow_ && !healed_ ? 400ms : 10ms),
      .record = node.given,
      .changes = node.changes});
}

void ReplicaCluster::finish_commits(std::size_t i, Ports& out) {
  Node& node = nodes_[i];
  while (!node.commits.empty() && node.commits.front().at <= now_) {
    const Commit done = std::move(node.commits.front());
    node.commits.pop_front();
    node.disk.record = done.record;
    node.copy->on_durable(out.turn(), done.changes);
  }
}

}  // namespace dunlin::test::replicated
