// SPDX-License-Identifier: MIT
#include "tests/swarm/replica_cluster.h"

namespace dunlin::test::replicated {

void ReplicaCluster::post(std::size_t from, std::size_t to, const Mail& what) {
  if (chance(healed_ ? 0 : loss_)) return;
  const int copies = !healed_ && chance(0.05) ? 2 : 1;
  for (int i = 0; i < copies; ++i) {
    const bool straggles = !healed_ && chance(0.02);
    mail_.emplace(now_ + late(straggles ? 3s : 20ms), Arrival{from, to, what});
  }
}

void ReplicaCluster::deliver() {
  while (!mail_.empty() && mail_.begin()->first <= now_) {
    const Arrival arrival = mail_.begin()->second;
    mail_.erase(mail_.begin());
    if (cut(arrival.from, arrival.to)) continue;
    if (const auto* const command = std::get_if<Command>(&arrival.what)) {
      decide(arrival.to - kNodes, arrival.from, *command);
    } else if (const auto* const moved = std::get_if<Entry>(&arrival.what)) {
      accept(arrival.to - kNodes, *moved);
    } else if (nodes_[arrival.to].up) {
      receive(arrival.to, arrival.from, std::get<Message>(arrival.what));
    }
  }
}

void ReplicaCluster::decide(std::size_t place, std::size_t from, const Command& command) {
  const bool alive = any_alive(books_.latest().set);
  const Outcome outcome = books_.apply(place, command, rules_);
  if (outcome == Outcome::changed) ++verdict_.changes;
  if (outcome == Outcome::taken_over) {
    ++verdict_.takeovers;
    if (alive && !any_alive(books_.latest().set)) {
      fail("a takeover left no living copy in the set");
    }
  }
  tell_entry(place, from);
}

void ReplicaCluster::tell_entry(std::size_t place, std::size_t to) {
  if (const Entry* const entry = books_.answer(place)) post(kNodes + place, to, HomeIs{*entry});
}

void ReplicaCluster::go_on_moving() {
  if (!books_.is_moving() || rng_.below(50) != 0) return;
  const std::size_t to = books_.target();
  post(kNodes + 1 - to, kNodes + to, books_.moving());
}

void ReplicaCluster::accept(std::size_t place, const Entry& moved) {
  if (!books_.accept(place, moved)) return;
  ++verdict_.moves;
  for (const Member& each : moved.set) {
    if (chance(0.5)) tell_entry(place, each.node.id.value - 1);
  }
}

// A place which does not have the entry yet says nothing, so the node asks it until it does. A
// restart before that begins at the old place, whose tombstone says the same again. The tombstone
// of the place which it asks counts however old it is: a replica may have told the node a later
// entry, but not where the books are.
void ReplicaCluster::follow_books(std::size_t i, std::size_t from, const Entry& entry) {
  Node& node = nodes_[i];
  const bool is_news = entry.version >= node.copy->entry().version;
  if (entry.moved_to) {
    if (is_news || from == kNodes + node.books) node.books = place_of(entry.moved_to);
  } else if (is_news && from >= kNodes) {
    node.books = node.answered = from - kNodes;
  }
}

void ReplicaCluster::start(std::size_t i) {
  Node& node = nodes_[i];
  node.up = true;
  ++node.disk.life;
  node.words.clear();
  node.commits.clear();
  node.given = node.disk.record;
  node.books = node.answered = node.disk.books;
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
  if (const auto* const is = std::get_if<HomeIs>(&message)) follow_books(to, from, is->entry);
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

void ReplicaCluster::tell(const Word& word) {
  const std::string& value = word.value;
  if (told_.emplace(word.position, value).first->second != value) {
    fail("what was told is something else by now");
  }
  ++verdict_.told;
  for (const char c : value)
    verdict_.hash = verdict_.hash * 1099511628211u + static_cast<unsigned char>(c);
}

void ReplicaCluster::live(std::size_t i) {
  Node& node = nodes_[i];
  Ports out(*this, i);
  finish_commits(i, out);
  if (node.home() != nullptr) {
    if (rng_.below(20) == 0) {
      const std::string value = std::to_string(++values_);
      const std::uint64_t position = node.copy->append(out.turn(), value);
      node.words.push_back({position, position, value});
    }
    if (rng_.below(60) == 0) tell_again(i);
    // Gossip tells of nodes and their replicas.
    Set candidates;
    for (std::size_t k = 1; k < kNodes; ++k) candidates.push_back(member((i + k) % kNodes));
    node.copy->set_candidates(std::move(candidates));
    hand_over(i, out);
  }
  node.copy->wake(out.turn());
  look_at_office(i);
  if (rng_.below(100) == 0) tell_entry(node.books, i);
  begin_commit(i);
  const Home* const home = node.home();
  if (home == nullptr) return;
  while (!node.words.empty() && node.words.front().gate <= home->gate()) {
    tell(node.words.front());
    node.words.pop_front();
  }
}

void ReplicaCluster::begin_commit(std::size_t i) {
  Node& node = nodes_[i];
  // While one is on its way, the next one waits, and takes all of it.
  if (node.copy->changes() == node.changes || !node.commits.empty()) return;
  node.changes = node.copy->changes();
  node.commits.push_back({.at = now_ + late(slow_ && !healed_ ? 400ms : 10ms),
      .record = node.given,
      .books = node.answered,
      .changes = node.changes});
}

void ReplicaCluster::finish_commits(std::size_t i, Ports& out) {
  Node& node = nodes_[i];
  while (!node.commits.empty() && node.commits.front().at <= now_) {
    const Commit done = std::move(node.commits.front());
    node.commits.pop_front();
    node.disk.record = done.record;
    node.disk.books = done.books;
    node.copy->on_durable(out.turn(), done.changes);
  }
}

void ReplicaCluster::kill(std::size_t i) {
  if (!nodes_[i].up) return;
  ++verdict_.kills;
  nodes_[i].up = false;
  nodes_[i].copy.reset();
  nodes_[i].words.clear();
  nodes_[i].commits.clear();
}

}  // namespace dunlin::test::replicated
