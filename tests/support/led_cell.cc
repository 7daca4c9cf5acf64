// SPDX-License-Identifier: MIT
#include "tests/support/led_cell.h"

#include <algorithm>
#include <memory>

namespace dunlin::test {

LedCell::LedCell(std::uint8_t level, const sched::SharingParams& given) : params(given) {
  const sched::CellTurn step = CellStage::turn();
  auto replica = sched::new_replica(step.raft(), sched::cell_id(level, 0x7700).value);
  const sched::CellId cell{replica.state.group};
  const sched::RaftMember voter{.replica = replica.state.replica,
      .node = at(kSelf).id,
      .address = at(kSelf).address,
      .role = sched::MemberRole::voter};
  sched::establish(step.raft(), replica, std::span(&voter, 1));
  group.emplace(std::move(*sched::RaftGroup::restore(step.raft(), params.raft, at(kSelf),
      std::move(replica), std::make_unique<sched::CellBooks>(cell))));
  for (int i = 0; i < 100 && !group->epoch(); ++i) {
    now = std::max(now, group->deadline());
    group->wake(CellStage::turn().raft());
    store.commit();
  }
  proposer.emplace(now, context());
}

void LedCell::check_applied() {
  store.commit();
  decide([](const sched::LeaderTurn&, const sched::Resolution& outcome) {
    EXPECT_TRUE(outcome.committed);
    EXPECT_EQ(sched::CellBooks::outcome_of(outcome.result), sched::books::Outcome::applied);
  });
}

void LedCell::apply(sched::books::Action action) {
  EXPECT_TRUE(turn().propose(std::move(action)));
  check_applied();
}

void LedCell::apply_change(const sched::books::Change& change) {
  EXPECT_TRUE(turn().propose_change(change));
  check_applied();
}

void LedCell::admit(sched::MemberId member, sched::Tickets tickets) {
  apply_change(sched::books::Admit{
      .member = member, .tickets = tickets, .contact = sched::contact_of(at(member.value))});
}

void LedCell::set_shares(const std::vector<sched::Tickets>& shares) {
  sched::books::Classes classes{.version = books().roster().classes.version + 1, .classes = {}};
  for (std::size_t i = 0; i < shares.size(); ++i) {
    classes.classes.push_back({.class_id = static_cast<sched::ClassId>(i + 1),
        .name = std::string(1, static_cast<char>('a' + i)),
        .share = shares[i]});
  }
  apply_change(classes);
}

}  // namespace dunlin::test
