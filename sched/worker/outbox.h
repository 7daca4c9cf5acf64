// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sched/turn.h"
#include "sched/worker/log_homes.h"

namespace dunlin::sched {

/// Reports of ended tasks, kept and sent again until their frontend has recorded them. They are the
/// only trace of work that is done.
class Outbox {
 public:
  /// What goes with reports, of the node.
  struct Word {
    Load load;
    std::uint32_t speed = 0;  ///< As in Done.
  };

  struct Item {
    JobId job;
    Endpoint frontend;
    Report report;
    TaskLog log;
    Time since{};                  ///< When the task ended, or a standby last spoke of its log.
    Time next{};                   ///< When to send the report, next time.
    std::optional<Duration> wait;  ///< Between the last two times; empty until it was sent.
  };

  const std::vector<Item>& items() const { return items_; }
  void add(Time now,
      const JobId& job,
      const Endpoint& frontend,
      const Report& report,
      const TaskLog& log = {});
  /// Their frontend `from` has recorded these: the executor need not keep them any more. So has a
  /// standby of their log that says it: only the home acknowledges, so it took over, and the
  /// frontend may be gone without a word. Words of another node change nothing.
  void acknowledge(Turn& turn, PeerId from, const JobId& job, const std::vector<Attempt>& tasks);
  /// True if the report of this attempt is kept.
  bool holds(const JobId& job, std::uint32_t index, AttemptNumber attempt) const;
  /// Sends what is due, one message per job, and doubles its waiting time from `resend` on.
  /// Drops reports that were not acknowledged for `give_up`, as if they were. Those for a frontend
  /// that is `silent(id)` go to its standbys, too, and are not sent later each time.
  void send_due(Turn& turn,
      const Word& word,
      Duration resend,
      Duration give_up,
      const std::function<bool(PeerId)>& silent);
  /// That is the home of a log from now on, and these are its standbys. Reports that were for an
  /// earlier one are due there now: true if there are any.
  bool follow(Time now, const LogHomes::Home& home);
  /// A replica of that log lives: its reports are not given up for as long again.
  void reassure(Time now, std::uint64_t log);
  /// The frontend has another address: everything for it goes there.
  void redirect(const Endpoint& frontend);
  /// The frontend is back: everything for it is due now.
  void hurry(Time now, PeerId frontend);
  /// When the next report is due; kNever if there is none.
  Time next() const;

 private:
  void drop_if(Turn& turn, auto&& is_done);

  std::vector<Item> items_;
};

}  // namespace dunlin::sched
