// SPDX-License-Identifier: MIT
#include "node/store/plan_tables.h"

#include <algorithm>
#include <iterator>

#include "node/ids.h"
#include "node/store/store_schema.h"
#include "sched/plan/slot_width.h"

// Of a node only its last state is written, and of more plans than are kept only the last: what is
// queued stays small however long the disk takes.
namespace dunlin::node {

Result<void> PlanTables::open() {
  return database_.execute(kPlanSchema);
}

void PlanTables::put_worker(
    sched::CellId cell, sched::PeerId node, const sched::SlotCounts& slots, std::int64_t at) {
  workers_[{cell, node}] = {.slots = slots, .at = at};
}

void PlanTables::forget_workers(sched::CellId cell) {
  std::erase_if(workers_, [&](const auto& each) { return each.first.first == cell; });
  if (std::ranges::find(forget_, cell) == forget_.end()) forget_.push_back(cell);
}

void PlanTables::put_plan(PlanRow plan) {
  plans_.push_back(std::move(plan));
  if (plans_.size() > kPlansMax) plans_.pop_front();
}

void PlanTables::begin_commit() {
  writing_ = {.forget = std::exchange(forget_, {}),
      .workers = std::exchange(workers_, {}),
      .plans = std::exchange(plans_, {})};
}

Result<void> PlanTables::write() {
  if (auto written = write_workers(); !written) return written;
  for (const PlanRow& plan : writing_.plans) {
    if (auto written = write(plan); !written) return written;
  }
  if (writing_.plans.empty()) return {};
  auto trimmed = database_.prepare("delete from plans where id <= (select max(id) from plans) - ?")
                     .bind(kPlansMax)
                     .run();
  if (!trimmed) return trimmed;
  return database_.execute("delete from plan_slots where plan not in (select id from plans)");
}

// Forgotten ones first: a cell that was given up and taken again in one commit has new rows.
Result<void> PlanTables::write_workers() {
  for (const sched::CellId cell : writing_.forget) {
    const std::string name = to_string(cell);
    auto forgotten =
        database_.prepare("delete from workers where cell = ?").bind(std::string_view(name)).run();
    if (!forgotten) return forgotten;
  }
  for (const auto& [key, row] : writing_.workers) {
    const std::string cell = to_string(key.first);
    const std::string node = to_string(key.second);
    auto written =
        database_
            .prepare(
                "insert or replace into workers(cell, node, slots, available, occupied, busy, "
                "down, changed_at) values(?, ?, ?, ?, ?, ?, ?, ?)")
            .bind(std::string_view(cell), std::string_view(node), row.slots.all,
                sched::available(row.slots), row.slots.occupied, row.slots.busy, row.slots.down,
                row.at)
            .run();
    if (!written) return written;
  }
  return {};
}

Result<void> PlanTables::write(const PlanRow& plan) {
  const std::string cell = to_string(plan.cell);
  auto written =
      database_
          .prepare(
              "insert into plans(cell, epoch, number, made_at, cause, policy, slots, moved, "
              "jobs) values(?, ?, ?, ?, ?, ?, ?, ?, ?)")
          .bind(std::string_view(cell), plan.epoch, plan.number, plan.made_at,
              std::string_view(plan.cause), std::string_view(plan.policy), plan.slots, plan.moved,
              plan.jobs)
          .run();
  for (const PlanRow::Slots& each : plan.given) {
    if (!written) return written;
    const std::string home = to_string(each.job.home);
    const std::string node = each.node ? to_string(*each.node) : "";
    written =
        database_
            .prepare(
                "insert into plan_slots(plan, home, job, lineage, node, slots, need, "
                "slack_ns) values((select max(id) from plans), ?, ?, ?, ?, ?, ?, "
                "case when ? then ? end)")
            .bind(std::string_view(home), each.job.number, each.job.lineage, std::string_view(node),
                each.slots, each.need, each.slack_ns.has_value(), each.slack_ns.value_or(0))
            .run();
  }
  return written;
}

void PlanTables::end_commit(bool done) {
  Rows rows = std::exchange(writing_, {});
  if (done) return;
  // What came meanwhile is newer.
  for (const sched::CellId cell : rows.forget) {
    if (std::ranges::find(forget_, cell) == forget_.end()) forget_.push_back(cell);
  }
  for (auto& [key, row] : rows.workers) workers_.try_emplace(key, row);
  std::ranges::move(plans_, std::back_inserter(rows.plans));
  plans_ = std::move(rows.plans);
  while (plans_.size() > kPlansMax) plans_.pop_front();
}

}  // namespace dunlin::node
