// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

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
        heard_(rules.follow_forward ? log_.mark(log_.end()).stamp : Stamp{}),
        kept_(log_.end()) {}

  /// Takes what follows a place that it has; else says what it has. Nothing is acknowledged before
  /// on_durable().
  void on_message(Port& out, const Endpoint& from, const Append& append);
  /// The log is durable up to `end`.
  void on_durable(Port& out, std::uint64_t end);

  const Log& log() const { return log_; }
  /// The log is up to there as it was at the last call.
  std::uint64_t take_kept() { return std::exchange(kept_, log_.end()); }
  /// The latest home heard.
  Stamp heard() const { return heard_; }

 private:
  struct Word {
    Endpoint home;
    Appended appended;
  };

  ReplicaId self_;
  Log log_;
  Rules rules_;
  Stamp heard_;
  std::optional<Word> word_;  ///< Not said yet.
  std::uint64_t kept_ = 0;
};

}  // namespace dunlin::sched::replica
