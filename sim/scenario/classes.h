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
template <>
inline constexpr std::string_view kSection<sim::ClassParams> = "classes";
template <>
inline constexpr auto kParams<sim::ClassParams> = std::tuple{
    Param<&sim::ClassParams::shares>{{},
        "The classes that share the cluster: \"web=5, batch=3, test=2\". Empty: none, and no "
        "cells."},
    Param<&sim::ClassParams::set_at>{{std::chrono::seconds(0), std::chrono::hours(24)},
        "When an operator says so, at one of the peers. Jobs should come a while later."},
    Param<&sim::ClassParams::jobs>{{},
        "The part of the jobs that belongs to each: \"web=1, batch=1\". A class not named has no "
        "job; empty: all have as many. Not with workload.kind = \"classes\"."},
    Param<&sim::ClassParams::pauses>{{},
        "Times at which a class wants nothing: \"batch 60s 90s, web 100s 120s\". Its jobs under "
        "way go on."},
    Param<&sim::ClassParams::at>{{},
        "The frontend that all jobs of a class are submitted to, by its number from 0: \"web=0, "
        "batch=1\". A class not named: any.",
        "Megha, section IV-C: a queue is at one global master"},
    Param<&sim::ClassParams::backlog>{{1, 1000},
        "With workload.kind = \"classes\": jobs that each class has under way at each frontend. "
        "When one ends, the next comes: demand never ends."},
};
}  // namespace dunlin::overlay
