// SPDX-License-Identifier: MIT
#include "sched/cell/manager/slot_plans.h"

#include "sched/cell/plan_rule.h"

namespace dunlin::sched {

void SlotPlans::follow_rule(const LeaderTurn& turn) {
  if (turn.level() != 0) return;
  planner_.set_rule(turn.now, plan_params(turn.books.roster().classes.plan));
  if (!planner_.rule()) states_.clear();
}

void SlotPlans::on_report(const LeaderTurn& turn, const cell::MemberReport& report) {
  if (!planner_.rule() || turn.books.ledger().node(report.member) == nullptr) return;
  states_.hear(report.member.node(), report.slots);
}

// The books evict silent members a period after their leases at most; the planner forgets what is
// silent by itself.
void SlotPlans::on_period(const LeaderTurn& turn) {
  follow_rule(turn);
  const auto is_member = [&](PeerId member) { return turn.books.ledger().node(member) != nullptr; };
  planner_.forget_others(is_member);
  states_.lose_others(is_member);
}

void SlotPlans::on_outcome(const LeaderTurn& turn, const Resolution&) {
  follow_rule(turn);
}

Handling SlotPlans::on_message(
    const LeaderTurn& turn, const Endpoint& from, const cell::Message& message) {
  const auto* const claims = std::get_if<cell::Claims>(&message);
  if (claims == nullptr) return Handling::passed;
  const bool is_member = turn.books.ledger().node(from.id) != nullptr;
  if (claims->member != from.id || is_member == claims->guest) return Handling::refused;
  follow_rule(turn);
  if (claims->guest && turn.ending) return Handling::handled;
  if (!planner_.hear(turn.now, from, *claims)) return Handling::handled;
  planner_.hear_all(turn.books.ledger().state().nodes.size());
  answer(turn, from);
  return Handling::handled;
}

void SlotPlans::on_deadline(const LeaderTurn& turn) {
  const auto before = planner_.plans().empty() ? 0 : planner_.plans().back().number;
  for (const Endpoint& member : planner_.wake(turn.now)) answer(turn, member);
  if (planner_.plans().empty() || planner_.plans().back().number == before) return;
  const PlanRecord& made = planner_.plans().back();
  turn.events.on(PlanMade{.cell = turn.cell(),
      .number = made.number,
      .cause = kPlanCauseWords[static_cast<std::size_t>(made.cause)],
      .jobs = static_cast<std::uint32_t>(made.plan.jobs.size()),
      .slots = made.slots,
      .moved = made.plan.moved});
}

void SlotPlans::answer(const LeaderTurn& turn, const Endpoint& to) const {
  auto told = planner_.allotments(to.id);
  if (!told) return;
  told->cell = turn.cell();
  told->epoch = turn.epoch();
  told->life = life_;
  turn.out.send(to, *told);
}

}  // namespace dunlin::sched
