// SPDX-License-Identifier: MIT
#include "sched/cell/cell_gossip.h"

#include <algorithm>

#include "sched/cell/plan_rule.h"
#include "sched/ledger/class_version.h"

// Gossip is push and pull: the node that asks tells what it knows, and the one that is asked
// answers in kind. Hints travel always. The class table travels only to a node that is known to
// have an older one, for its version is in every message. A node with news, and one that has no
// cell yet, gossips several times as often for a while: to reach thousands would take a minute.
namespace dunlin::sched {
namespace {

/// A node in a hurry gossips so many times as often ...
constexpr int kHurry = 8;
/// ... and one with news does so for so many exchanges.
constexpr std::uint8_t kHurries = 4;

/// A time about as long as `period`: nodes that woke together once need not talk together for ever.
Duration by_chance(Duration period, Rng& rng) {
  return rng.between(period * 3 / 4, period * 5 / 4);
}

}  // namespace

void CellGossip::hurry() {
  hurried_ = kHurries;
}

void CellGossip::wake(const CellTurn& turn, bool seeks) {
  if (turn.now < next_) return;
  const bool hurries = hurried_ > 0 || seeks;
  const Duration period = params_->gossip / (hurries ? kHurry : 1);
  if (hurried_ > 0) --hurried_;
  next_ = turn.now + by_chance(period, turn.rng);
  const auto target = turn.targets.draw(turn.rng);
  if (!target) return;
  cell::Gossip told;
  told.hints = hints_.drawn(turn.now, kHintsMax, turn.rng);
  told.version = table_.version();
  told.needs = needs_.bits();
  turn.out.send(*target, told);
}

// A question gets one answer. An answer gets none, unless its sender still lacks the table.
void CellGossip::receive(const CellTurn& turn, const Endpoint& from, const cell::Gossip& heard) {
  for (const cell::Hint& hint : heard.hints) hear(turn.now, hint);
  adopt(turn, heard.classes);
  learn(turn, heard.needs);
  const bool older = heard.version < table_.version();
  if (heard.reply && !older) return;
  cell::Gossip told;
  if (!heard.reply) told.hints = hints_.drawn(turn.now, kHintsMax, turn.rng);
  told.version = table_.version();
  if (older) told.classes = table_.classes();
  told.needs = needs_.bits();
  told.reply = true;
  turn.out.send(from, told);
}

void CellGossip::spread_soon(const CellTurn& turn) {
  hurry();
  next_ = std::min(next_, turn.now + by_chance(params_->gossip / kHurry, turn.rng));
}

// Classes and plans count once the table is here that has them: it says more than the bits do.
void CellGossip::learn(const CellTurn& turn, std::uint16_t needs) {
  const auto others =
      needs & ~(static_cast<unsigned>(CellNeed::classes) | static_cast<unsigned>(CellNeed::plan));
  if (needs_.adopt(static_cast<std::uint16_t>(others))) spread_soon(turn);
}

// A table that is taken over is news: most neighbours have the old one yet.
void CellGossip::adopt(const CellTurn& turn, const books::Classes& classes) {
  if (!table_.adopt(classes)) return;
  if (!classes.classes.empty()) needs_.add(CellNeed::classes);
  if (plan_params(classes.plan)) needs_.add(CellNeed::plan);
  spread_soon(turn);
  // As everywhere where people see it: the lower bits of a version are chance.
  turn.events.on(ClassesChanged{
      edition_of(classes.version), static_cast<std::uint32_t>(classes.classes.size())});
}

// A member may have heard of a newer table than its manager. It sends the table up at once, since
// the manager's next lease would else tell others of the old one.
void CellGossip::on_lease(
    const CellTurn& turn, const Endpoint& from, const cell::Lease& lease, CellId cell) {
  adopt(turn, lease.classes);
  const bool older = lease.standing == cell::Standing::member && cell == lease.cell &&
      lease.version < table_.version();
  if (!older) return;
  turn.out.send(from, cell::SetClasses{.cell = lease.cell, .classes = table_.classes()});
}

void CellGossip::refer(const CellTurn& turn, const Endpoint& to, std::uint8_t level) const {
  auto standing = hints_.standing(turn.now, level);
  std::erase_if(standing, [](const cell::Hint& hint) { return hint.room == 0; });
  if (standing.empty()) return;
  turn.rng.draw_front(std::span(standing), kHintsMax);
  cell::Gossip told;
  for (const auto& hint : standing) {
    if (told.hints.size() < kHintsMax) told.hints.push_back(hint);
  }
  told.version = table_.version();
  told.needs = needs_.bits();
  told.reply = true;
  turn.out.send(to, told);
}

}  // namespace dunlin::sched
