// SPDX-License-Identifier: MIT
#include "node/agent/plan_recorder.h"

#include <string>
#include <utility>

#include "node/control/cells/cell_json.h"
#include "sched/cell/hosted_replica.h"
#include "sched/cell/manager/cell_manager.h"
#include "sched/cell/plan_member.h"
#include "sched/cell/plan_rule.h"

// Plans of managers here are written down for other programs. It looks at each turn of the loop and
// writes only what is new since the last look, by counters that the planner keeps; of each plan one
// row, and of the last one also which job has which slots.
namespace dunlin::node {
namespace {

PlanRow row_of(sched::CellId cell,
    std::uint64_t epoch,
    const sched::PlanRecord& record,
    const Clocks& clocks) {
  const auto policy = sched::plan_rule(sched::PlanParams{.policy = record.policy}).policy;
  PlanRow row{.cell = cell,
      .epoch = epoch,
      .number = record.number,
      .made_at = clocks.wall_ns - (clocks.now - record.made).count(),
      .cause = std::string(sched::kPlanCauseWords[static_cast<std::size_t>(record.cause)]),
      .policy = std::string(kPlanPolicyWords[static_cast<std::size_t>(policy)]),
      .slots = record.slots,
      .moved = record.plan.moved,
      .jobs = static_cast<std::uint32_t>(record.plan.jobs.size()),
      .given = {}};
  return row;
}

/// The slots of the last plan: those before it have lost theirs.
void add_slots(const sched::SlotPlan& plan, PlanRow& row) {
  std::map<sched::JobId, const sched::JobPlan*> jobs;
  const auto add = [&](const sched::JobPlan& job, std::optional<sched::PeerId> node,
                       std::uint32_t slots) {
    row.given.push_back({.job = job.job,
        .node = node,
        .slots = slots,
        .need = job.need,
        .slack_ns = job.slack ? std::optional(job.slack->count()) : std::nullopt});
  };
  for (const sched::JobPlan& job : plan.jobs) {
    if (job.slots == 0) add(job, std::nullopt, 0);
    jobs.emplace(job.job, &job);
  }
  for (const sched::Allotment& each : plan.allotments) {
    add(*jobs.at(each.job), each.node, each.slots);
  }
}

}  // namespace

void PlanRecorder::look(const sched::CellNode* cells, const Clocks& clocks, PlanTables& tables) {
  if (cells == nullptr) return;
  // Marked below if it still is: what is not marked at the end is given up.
  for (auto& [cell, told] : told_) told.managed = false;
  for (const auto& hosted : cells->hosted()) {
    if (!hosted->manager || hosted->level() != 0 || !hosted->manager->planner().rule()) continue;
    Told& told = told_[hosted->cell()];
    told.managed = true;
    if (told.epoch != hosted->manager->epoch()) {
      // Another epoch is another manager, which counts changes and plans from the start.
      tables.forget_workers(hosted->cell());
      told = {.epoch = hosted->manager->epoch(), .managed = true};
    }
    tell(hosted->cell(), hosted->manager->plans(), clocks, told, tables);
  }
  std::erase_if(told_, [&](const auto& each) {
    if (!each.second.managed) tables.forget_workers(each.first);
    return !each.second.managed;
  });
}

void PlanRecorder::tell(sched::CellId cell,
    const sched::SlotPlans& plans,
    const Clocks& clocks,
    Told& told,
    PlanTables& tables) {
  for (const auto& [node, state] : plans.states().all()) {
    if (state.change > told.change) tables.put_worker(cell, node, state.slots, clocks.wall_ns);
  }
  told.change = plans.states().changes();
  for (const sched::PlanRecord& record : plans.planner().plans()) {
    if (record.number <= told.plan) continue;
    told.plan = record.number;
    PlanRow row = row_of(cell, told.epoch, record, clocks);
    if (&record == &plans.planner().plans().back()) add_slots(record.plan, row);
    tables.put_plan(std::move(row));
  }
}

}  // namespace dunlin::node
