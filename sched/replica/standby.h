// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "sched/replica/message.h"

namespace dunlin::sched::replica {

/// A standby's side of a log: it copies, and acknowledges what its disk has.
class Standby {
 public:
  /// `log` is what the disk has.
  Standby(ReplicaId self, Log log, const Rules& rules = {})
      : self_(self),
        log_(std::move(log)),
        rules_(rules),
        heard_(rules.follow_forward ? log_.mark(log_.end()).stamp : Stamp{}) {}

  /// Takes what follows a place that it has; else says what it has. Nothing is acknowledged before
  /// on_durable().
  void on_message(Port& out, const Endpoint& from, const Append& append);
  /// All of the log is durable as it was when `changes` was that.
  void on_durable(Port& out, std::uint64_t changes);

  const Log& log() const { return log_; }
  /// Counts the changes of the log.
  std::uint64_t changes() const { return changes_; }
  /// The latest home heard.
  Stamp heard() const { return heard_; }

 private:
  struct Word {
    Endpoint home;
    Appended appended;
    std::uint64_t changes = 0;  ///< It rests on these.
  };

  ReplicaId self_;
  Log log_;
  Rules rules_;
  std::uint64_t changes_ = 0;
  Stamp heard_;
  std::optional<Word> word_;  ///< Not said yet.
};

}  // namespace dunlin::sched::replica
