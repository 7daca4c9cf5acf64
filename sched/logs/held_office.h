// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sched/frontend/frontend.h"
#include "sched/host.h"
#include "sched/logs/log_turn.h"

namespace dunlin::sched::logs {

/// The office of a log's home: the frontend that drives the jobs, and what it may not tell yet.
class HeldOffice {
 public:
  /// `frontend` has its office already.
  explicit HeldOffice(Frontend frontend);
  ~HeldOffice();

  Frontend& frontend() { return frontend_; }
  const Frontend& frontend() const { return frontend_; }

  /// Calls the frontend, at a log that ends at `end`. Returns the records of the call, in batches
  /// to append. What it promises waits for them.
  std::vector<std::string> call(
      const Host& host, std::uint64_t end, const std::function<void(Frontend&, Turn&)>& act);
  /// True if a job that requires so many standbys is as safe as its user is told.
  using IsSafe = std::function<bool(std::uint8_t required)>;
  /// All that was promised when the log ended at `gate` may be told; a submit that requires
  /// standbys only once they are safe.
  void release(const Host& host, std::uint64_t gate, const IsSafe& is_safe);
  /// The nodes that have waited for their word for so long that this one may die before it is said:
  /// each once for a word. They must know which nodes could say it instead.
  std::vector<Endpoint> take_overdue(Time now);
  /// The submit of that job is in the log, and may not be told yet.
  void note_submit(std::uint32_t number, const LogTurn::Submit& submit);
  /// Likewise, and no earlier home has told of it.
  void note_new(std::uint32_t number, const LogTurn::Submit& submit);
  /// The numbers of the jobs of which no client was told yet that they were accepted.
  const std::set<std::uint32_t>& unborn() const { return unborn_; }
  /// What it waits for; nullptr if it may be told.
  const LogTurn::Submit* untold(std::uint32_t number) const;
  /// True if a submit that requires standbys waits.
  bool has_unsafe() const;
  /// The highest gate of this office.
  std::uint64_t told_up_to() const { return told_up_to_; }
  /// The rows of its jobs go from the store.
  void forget_rows(const Host& host) const;

 private:
  struct Word;

  Frontend frontend_;
  std::list<Word> words_;
  LogTurn::Submits untold_;
  std::set<std::uint32_t> unborn_;  ///< Of those.
  std::uint64_t told_up_to_ = 0;
};

}  // namespace dunlin::sched::logs
