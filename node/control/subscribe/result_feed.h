// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "node/control/agent_services.h"
#include "node/control/home/task_bits.h"
#include "node/control/json.h"
#include "node/store/results.h"
#include "overlay/ids.h"
#include "overlay/result.h"
#include "sched/job.h"
#include "sched/message.h"

namespace dunlin::node {

/// The results of one job that a client has to be told of: those of the past from disk, then those
/// that come. Each result is told once, and only when it is durable: a task that its user had run
/// again has another one then, and of two that wait to be told the last is.
class ResultFeed {
 public:
  /// Results remembered until the client has read those before; beyond, they are read back from
  /// disk: a slow client must not cost memory.
  static constexpr std::size_t kFreshMax = 4096;

  /// `told`: the tasks that the client was told of before.
  ResultFeed(const sched::JobId& job, TaskBits told) : job_(job), told_(std::move(told)) {}

  /// There are no results of the past: nothing need be read from disk.
  void skip_past() { stale_ = false; }
  /// A result of the job was recorded.
  void on_result(const sched::Report& report, overlay::PeerId worker);
  /// Adds Tasks to `told`, at most kPageMax of the past at a time. False, and nothing added, while
  /// what there is to tell is not durable: ask again in a later turn. Fails if the results cannot
  /// be read.
  Result<bool> take(AgentServices& agent, Json& told);
  /// True if nothing is left to tell.
  bool whole() const { return !stale_ && !has_fresh(); }
  /// True if results have to be read back from disk.
  bool stale() const { return stale_; }
  bool has_fresh() const { return !fresh_.empty() || !ready_.empty(); }
  const TaskBits& told() const { return told_; }

 private:
  Json told_task(AgentServices& agent, const ResultRow& row) const;
  Result<void> read_back(AgentServices& agent, Json& told);
  /// `results` has the very result of that row: it is told from elsewhere.
  static void drop(std::map<std::uint32_t, ResultRow>& results, const ResultRow& row);

  sched::JobId job_;
  TaskBits told_;
  bool stale_ = true;       ///< Results are on disk that were not told.
  std::uint32_t from_ = 0;  ///< Where to read on.
  // By task: results to tell, and those of them that are durable once mark_ is.
  std::map<std::uint32_t, ResultRow> fresh_;
  std::map<std::uint32_t, ResultRow> ready_;
  std::optional<RecordMark> mark_;
};

}  // namespace dunlin::node
