// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "sched/frontend/frontend.h"
#include "sched/host.h"

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
  /// All that was promised when the log ended at `gate` may be told.
  void release(const Host& host, std::uint64_t gate);
  /// The nodes that have waited for their word for so long that this one may die before it is said:
  /// each once for a word. They must know which nodes could say it instead.
  std::vector<Endpoint> take_overdue(Time now);
  /// The submit of that job is in the log up to `position`, and may not be told before.
  void note_submit(std::uint32_t number, std::uint64_t position);
  /// True if that may not be told yet.
  bool is_untold(std::uint32_t number) const { return untold_.contains(number); }
  /// The highest gate of this office.
  std::uint64_t told_up_to() const { return told_up_to_; }
  /// The rows of its jobs go from the store.
  void forget_rows(const Host& host) const;

 private:
  struct Word;

  Frontend frontend_;
  std::list<Word> words_;
  std::map<std::uint32_t, std::uint64_t> untold_;  ///< See LogTurn::Submits.
  std::uint64_t told_up_to_ = 0;
};

}  // namespace dunlin::sched::logs
