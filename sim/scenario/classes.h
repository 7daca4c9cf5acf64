// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "overlay/params.h"
#include "overlay/result.h"
#include "overlay/time.h"
#include "sched/cell/message.h"
#include "sched/ledger/books_types.h"

namespace dunlin::sim {

using overlay::Duration;
using overlay::Time;

/// The classes that share the simulated cluster, and what each wants of it.
struct ClassParams {
  /// "web=5, batch=3": see the table in classes.cc for these texts.
  std::string shares;
  Duration set_at = std::chrono::seconds(8);
  std::string jobs;
  std::string pauses;
  std::string at;
  std::uint32_t backlog = 2;
};

/// A class, as a scenario has it.
struct WorkloadClass {
  /// A class that wants nothing in [from, until).
  struct Pause {
    Time from{};
    Time until{};
  };

  std::string name;
  sched::ClassId id = 0;
  std::int64_t share = 0;
  double jobs = 1;  ///< Its part of all jobs, relative to those of the others.
  std::vector<Pause> pauses;
  std::optional<std::uint32_t> at;  ///< The frontend of all its jobs; empty: any.

  /// False in one of its pauses.
  bool wants(Time now) const { return wants_from(now) == now; }
  /// The next time at which it wants something: now, if it does already.
  Time wants_from(Time now) const;
};

/// The classes in the order of the scenario; none if it has no classes. Fails (`usage`) if a text
/// is malformed, or names a class without a share.
Result<std::vector<WorkloadClass>> classes_of(const ClassParams& params);

/// The class table for the books.
sched::books::Classes table_of(const std::vector<WorkloadClass>& classes);

/// The part of a full cluster that each should have now: in proportion to the shares of the classes
/// that want anything. 0 for the others.
std::vector<double> desired_of(const std::vector<WorkloadClass>& classes, Time now);

}  // namespace dunlin::sim

namespace dunlin::overlay {
/// See overlay/params.h.
void append_entries(sim::ClassParams& params, std::vector<ParamEntry>& entries);
}  // namespace dunlin::overlay
