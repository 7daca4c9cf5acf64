// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "sched/frontend/frontend.h"
#include "sched/logs/log_turn.h"

namespace dunlin::sched::logs {

/// The office of a log's home: the frontend that drives the jobs, and what it may not tell yet.
class HeldOffice {
 public:
  /// `frontend` has its office already.
  explicit HeldOffice(Frontend frontend) : frontend_(std::move(frontend)) {}

  Frontend& frontend() { return frontend_; }
  const Frontend& frontend() const { return frontend_; }

  /// Calls the frontend, at a log that ends at `end`. Returns the records of the call, in batches
  /// to append. What it promises waits for them.
  std::vector<std::string> call(
      const Host& host, std::uint64_t end, const std::function<void(Frontend&, Turn&)>& act);
  /// All that was promised when the log ended at `gate` may be told.
  void release(const Host& host, std::uint64_t gate);
  /// The nodes that have waited for their word for so long that this one may die before it is said:
  /// each once for a word. They must know which nodes could say it instead.
  std::vector<Endpoint> take_overdue(Time now);
  /// The submit of that job is in the log up to `position`, and may not be told before.
  void note_submit(std::uint32_t number, std::uint64_t position);
  /// Likewise, and no earlier home has told of it.
  void note_new(std::uint32_t number, std::uint64_t position);
  /// Nobody was told yet that the job was accepted.
  bool is_unborn(std::uint32_t number) const { return unborn_.contains(number); }
  /// True if that may not be told yet.
  bool is_untold(std::uint32_t number) const { return untold_.contains(number); }
  /// The highest gate of this office.
  std::uint64_t told_up_to() const { return told_up_to_; }
  /// The rows of its jobs go from the store.
  void forget_rows(const Host& host) const;

 private:
  struct Word {
    std::uint64_t position = 0;
    Endpoint to;
    Message message;
    Time since{};
    bool overdue = false;
  };

  Frontend frontend_;
  std::deque<Word> words_;
  LogTurn::Submits untold_;
  std::set<std::uint32_t> unborn_;  ///< Of those.
  std::uint64_t told_up_to_ = 0;
};

}  // namespace dunlin::sched::logs
