// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sched/frontend/frontend.h"

namespace dunlin::sched::logs {

/// A home's handover of its log to a standby, before it stops or because its disk fails. The last
/// records of the home say which tasks are bound; once they are safe, a standby is asked to take
/// over, and meanwhile the home binds no task. It goes on if no standby does.
class Handover {
 public:
  bool is_under_way() const { return since_.has_value(); }
  /// True if one may begin: the last one did not fail just now.
  bool may_begin(Time now) const { return !since_ && now >= next_; }
  /// A standby is to be asked once the log is safe up to `position`.
  void begin(Time now, std::uint64_t position);
  bool may_ask(std::uint64_t gate) const { return since_ && gate >= position_; }
  /// No standby has taken over for too long.
  bool has_failed(Time now) const;
  /// The home goes on; it does not try again at once.
  void give_up(Time now);
  /// It is another home by now.
  void forget() { since_.reset(); }

 private:
  std::optional<Time> since_;
  std::uint64_t position_ = 0;
  Time next_{};
};

/// The tasks that are bound, as batches of records.
std::vector<std::string> handover_records(const Frontend& frontend);
/// The home goes on: the same in reverse.
std::vector<std::string> no_handover_records();

}  // namespace dunlin::sched::logs
