// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "node/store/sqlite.h"
#include "overlay/result.h"
#include "sched/kernel.h"
#include "sched/ledger/books_types.h"
#include "sched/message.h"

namespace dunlin::node {

/// A plan that the manager of a cell made, for other programs.
struct PlanRow {
  /// Slots that a job has at a node; of a job that has none, one row without a node.
  struct Slots {
    sched::JobId job;
    std::optional<sched::PeerId> node;
    std::uint32_t slots = 0;
    std::uint32_t need = 0;                ///< Of the job, as its policy saw it.
    std::optional<std::int64_t> slack_ns;  ///< Of the job: see sched::JobPlan.
  };

  sched::CellId cell;
  std::uint64_t epoch = 0;   ///< Of the manager, ...
  std::uint64_t number = 0;  ///< ... which counts its plans from 1.
  std::int64_t made_at = 0;  ///< ns since 1970.
  std::string cause;         ///< A word of sched::kPlanCauseWords.
  std::string policy;
  std::uint32_t slots = 0;  ///< All there were.
  std::uint32_t moved = 0;
  std::uint32_t jobs = 0;
  std::vector<Slots> given;
};

/// The tables `workers`, `plans` and `plan_slots` of an agent's database, in which the manager of a
/// cell tells other programs of its plans: no agent reads them. So they carry no checksums, and an
/// earlier build that finds them lets them be. Written by the commits of the store.
class PlanTables {
 public:
  /// Plans that are kept, of all cells together.
  static constexpr std::size_t kPlansMax = 100;

  /// Keeps `database`, which must outlive it.
  explicit PlanTables(Database& database) : database_(database) {}

  /// Makes the tables if there are none. No cell is managed yet, so `workers` is emptied.
  Result<void> open();

  /// The slots of a node do this now, since `at` (ns since 1970).
  void put_worker(
      sched::CellId cell, sched::PeerId node, const sched::SlotCounts& slots, std::int64_t at);
  /// This node manages the cell no longer, or begins to.
  void forget_workers(sched::CellId cell);
  void put_plan(PlanRow plan);

  /// True if rows are queued.
  bool dirty() const { return !forget_.empty() || !workers_.empty() || !plans_.empty(); }
  // The steps of a commit: see SqliteStore. Rows of one that fails wait for the next.
  void begin_commit();
  Result<void> write();
  void end_commit(bool done);

 private:
  struct WorkerRow {
    sched::SlotCounts slots;
    std::int64_t at = 0;
  };
  using WorkerKey = std::pair<sched::CellId, sched::PeerId>;
  struct Rows {
    std::vector<sched::CellId> forget;  ///< First.
    std::map<WorkerKey, WorkerRow> workers;
    std::deque<PlanRow> plans;
  };

  Result<void> write(const PlanRow& plan);
  Result<void> write_workers();

  Database& database_;
  std::vector<sched::CellId> forget_;
  std::map<WorkerKey, WorkerRow> workers_;
  std::deque<PlanRow> plans_;
  Rows writing_;
};

}  // namespace dunlin::node
