// SPDX-License-Identifier: MIT
#include "sched/cell/cell_node.h"

// What nodes tell their neighbours of cells.
namespace dunlin::sched {

// Push and pull: who asks also tells. The class table travels only to who has an older one.
void CellNode::gossip(const CellTurn& turn) {
  const Time now = turn.raft.now;
  const Duration period = params_->cell.gossip;
  // At first by chance: those who wake together need not talk together.
  next_gossip_ = now + turn.raft.rng.between(period * 3 / 4, period * 5 / 4);
  const auto partner = turn.partners.draw(turn.raft.rng);
  if (!partner) return;
  cell::Gossip told;
  told.hints = hints_.newest(now, kHintsMax);
  told.version = classes_.version;
  turn.raft.out.send(*partner, told);
}

void CellNode::on(const CellTurn& turn, const Endpoint& from, const cell::Gossip& heard) {
  const Time now = turn.raft.now;
  for (const cell::Hint& hint : heard.hints) hints_.hear(now, params_->cell.hint_life, hint);
  adopt(turn, heard.classes);
  // To whoever asks, one answer; to an answer nothing, but to one who still lacks the table.
  const bool older = heard.version < classes_.version;
  if (heard.reply && !older) return;
  cell::Gossip told;
  if (!heard.reply) told.hints = hints_.newest(now, kHintsMax);
  told.version = classes_.version;
  if (older) told.classes = classes_;
  told.reply = true;
  turn.raft.out.send(from, told);
}

}  // namespace dunlin::sched
