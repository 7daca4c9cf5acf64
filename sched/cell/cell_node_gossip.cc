// SPDX-License-Identifier: MIT
#include <algorithm>

#include "sched/cell/cell_node.h"

// What nodes tell their neighbours of cells.
namespace dunlin::sched {
namespace {

/// Who hurries gossips so many times as often.
constexpr int kHurry = 8;

}  // namespace

// Push and pull: who asks also tells. The class table travels only to who has an older one.
void CellNode::gossip(const CellTurn& turn) {
  const Time now = turn.now;
  // Who seeks a cell cannot wait, and those who found one must be heard of soon, lest others do.
  const bool hurries = hurried_ > 0 || member_.seeks();
  const Duration period = params_->cell.gossip / (hurries ? kHurry : 1);
  if (hurried_ > 0) --hurried_;
  // At first by chance: those who wake together need not talk together.
  next_gossip_ = now + turn.rng.between(period * 3 / 4, period * 5 / 4);
  const auto partner = turn.targets.draw(turn.rng);
  if (!partner) return;
  cell::Gossip told;
  told.hints = hints_.drawn(now, kHintsMax, turn.rng);
  told.version = classes_.version;
  turn.out.send(*partner, told);
}

void CellNode::on(const CellTurn& turn, const Endpoint& from, const cell::Gossip& heard) {
  const Time now = turn.now;
  for (const cell::Hint& hint : heard.hints) hints_.hear(now, params_->cell.hint_life, hint);
  adopt(turn, heard.classes);
  // To whoever asks, one answer; to an answer nothing, but to one who still lacks the table.
  const bool older = heard.version < classes_.version;
  if (heard.reply && !older) return;
  cell::Gossip told;
  if (!heard.reply) told.hints = hints_.drawn(now, kHintsMax, turn.rng);
  told.version = classes_.version;
  if (older) told.classes = classes_;
  told.reply = true;
  turn.out.send(from, told);
}

void CellNode::adopt(const CellTurn& turn, const books::Classes& classes) {
  if (classes.version <= classes_.version || !validate(classes)) return;
  classes_ = classes;
  hurried_ = kHurries;
  const Duration period = params_->cell.gossip / kHurry;
  next_gossip_ =
      std::min(next_gossip_, turn.now + turn.rng.between(period * 3 / 4, period * 5 / 4));
  turn.events.on(
      ClassesChanged{classes.version, static_cast<std::uint32_t>(classes.classes.size())});
}

void CellNode::refer(const CellTurn& turn, const Endpoint& to, std::uint8_t level) {
  cell::Gossip told;
  auto standing = hints_.standing(turn.now, level);
  std::erase_if(standing, [](const cell::Hint& hint) { return hint.room == 0; });
  if (standing.empty()) return;
  turn.rng.draw_front(std::span(standing), kHintsMax);
  for (const auto& hint : standing) {
    if (told.hints.size() < kHintsMax) told.hints.push_back(hint);
  }
  told.version = classes_.version;
  told.reply = true;
  turn.out.send(to, told);
}

}  // namespace dunlin::sched
