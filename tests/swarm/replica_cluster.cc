// SPDX-License-Identifier: MIT
#include "tests/swarm/replica_cluster.h"

namespace dunlin::test::replicated {

void ReplicaCluster::start(std::size_t i) {
  Node& node = nodes_[i];
  node.up = true;
  ++node.disk.life;
  node.home.reset();
  node.standby.reset();
  node.words.clear();
  node.commits.clear();
  node.heard = node.claimed = now_;
  if (node.disk.office.epoch == node.entry.epoch && node.disk.office.epoch != 0 &&
      has(node.disk.office.set, node.disk.replica) && node.entry.home == member(i)) {
    take_office(i);
  } else {
    node.standby.emplace(node.disk.replica, node.disk.log, rules_);
  }
  node.log_end = node.disk.log.end();
  node.office = node.home ? node.home->office_changes() : 0;
  node.changes = 0;
}

void ReplicaCluster::take_office(std::size_t i) {
  Node& node = nodes_[i];
  node.standby.reset();
  node.home.emplace(params_, member(i), Stamp{node.disk.office.epoch, node.disk.life},
      node.disk.office, node.disk.log, rules_);
}

void ReplicaCluster::receive(std::size_t to, std::size_t from, const Message& message) {
  Node& node = nodes_[to];
  Ports out(*this, to);
  if (const auto* is = std::get_if<HomeIs>(&message)) return learn(to, is->entry);
  if (const auto* append = std::get_if<Append>(&message)) {
    if (!node.standby) {
      if (node.home && append->stamp.epoch > node.home->stamp().epoch) depose(to);
      if (!node.standby) return post(to, from, HomeIs{node.entry});
    }
    if (append->stamp >= node.standby->heard()) node.heard = now_;
    const std::uint64_t before = node.standby->log().end();
    node.standby->on_message(out, endpoint(from), *append);
    const std::uint64_t after = node.standby->log().end();
    if (after < before) verdict_.truncated += before - after;
  } else if (node.home) {
    if (const auto* appended = std::get_if<Appended>(&message)) {
      node.home->on_message(now_, out, *appended);
    } else {
      node.home->on_message(now_, out, std::get<Behind>(message));
    }
  }
}

void ReplicaCluster::depose(std::size_t i) {
  Node& node = nodes_[i];
  node.home.reset();
  node.words.clear();
  node.commits.clear();
  // What its disk has not is not its log yet.
  node.standby.emplace(node.disk.replica, node.disk.log, rules_);
  node.log_end = node.disk.log.end();
  node.changes = 0;
  node.heard = now_;
}

void ReplicaCluster::learn(std::size_t i, const Entry& entry) {
  Node& node = nodes_[i];
  if (entry.version < node.entry.version) return;
  node.entry = entry;
  if (node.home) {
    node.home->on_entry(entry);
    if (node.home->deposed()) depose(i);
    return;
  }
  if (entry.home != member(i) || !has(entry.set, node.disk.replica)) return;
  if (!rules_.standby_disk_first) node.disk.log = node.standby->log();
  // The office is on disk before it begins; the log that it begins with is the disk's.
  node.disk.office = {
      .epoch = entry.epoch, .version = entry.version, .set = entry.set, .intents = {}};
  node.commits.clear();
  take_office(i);
  node.log_end = node.disk.log.end();
  node.office = node.home->office_changes();
  tell_again(i);
}

void ReplicaCluster::tell_again(std::size_t i) {
  Node& node = nodes_[i];
  const Log& log = node.home->log();
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
  const std::uint64_t end = node.home ? node.home->log().end() : 0;
  const std::uint64_t office = node.home ? node.home->office_changes() : 0;
  const std::uint64_t changes = node.standby ? node.standby->changes() : 0;
  if (end == node.log_end && office == node.office && changes == node.changes) {
    if (node.commits.empty() && node.standby) {
      Ports out(*this, i);
      node.standby->on_durable(out, changes);
    }
    return;
  }
  if (!node.commits.empty()) return;  // The next one takes all of it.
  node.log_end = end;
  node.office = office;
  node.changes = changes;
  node.commits.push_back({.at = now_ + late(slow_ && !healed_ ? 400ms : 10ms),
      .log = node.home ? node.home->log() : node.standby->log(),
      .office = node.home ? node.home->office() : node.disk.office,
      .office_changes = office,
      .standby_changes = changes});
}

void ReplicaCluster::finish_commits(std::size_t i, Ports& out) {
  Node& node = nodes_[i];
  while (!node.commits.empty() && node.commits.front().at <= now_) {
    const Commit done = std::move(node.commits.front());
    node.commits.pop_front();
    node.disk.log = done.log;
    node.disk.office = done.office;
    if (node.home) node.home->on_durable(done.log.end());
    if (node.home) node.home->on_office_durable(done.office_changes);
    if (node.standby) node.standby->on_durable(out, done.standby_changes);
  }
}

}  // namespace dunlin::test::replicated
