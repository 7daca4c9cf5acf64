// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sched/federation/global/global_master.h"
#include "sched/frontend/job_state.h"
#include "sched/frontend/job_table.h"
#include "sched/ledger/roster.h"
#include "sched/worker/share/class_balance.h"

namespace dunlin::sched {

/// What a class lacks of its share.
enum class Lack : std::uint8_t {
  none,  ///< It has it, or nearly.
  part,  ///< So much more brings it nearer to it, and beyond it.
  all,   ///< So much more is within its share.
};

/// The shares of classes, as a global master sees them: what its own jobs hold it knows exactly,
/// what those of others hold from local masters. A task without a match may have the room of others
/// if its class is below its share, of the class that is furthest above its own. Source: Megha,
/// section IV-C, algorithm 2.
class ClassClaims {
 public:
  /// Where tasks may be stopped, and of which class.
  struct Claim {
    CellId cell;
    std::uint64_t epoch = 0;
    ClassId over = 0;
  };

  /// A claim that is refused is not made again for so long. `preempts`: workers stop tasks by
  /// shares; otherwise there are no claims.
  ClassClaims(bool preempts, Duration rest) : preempts_(preempts), rest_(rest) {}

  void set_classes(const books::Classes& table);
  /// The class that the job counts for: those that are not in the table are one with the default
  /// class, and without a table all are one.
  ClassId class_of(const JobState& job) const;

  /// Counts anew what classes hold, for the claims that follow in the same step.
  void count(Time now, const JobTable& jobs, const federation::GlobalMaster& master);
  /// What the job's class lacks of what so many tasks take. Counts anew what classes hold.
  Lack lacks(Time now,
      const JobTable& jobs,
      const federation::GlobalMaster& master,
      const JobState& job,
      const Resources& demand,
      std::uint32_t tasks);
  /// The tasks of that demand in the whole share of the job's class, as of the last count; 0
  /// without a table of classes.
  std::uint32_t share_of(const JobState& job, const Resources& demand) const;
  /// Where a task of the job with that demand may have the room of others. Empty if its class has
  /// its share, or no other class is known to have more than its own.
  std::optional<Claim> claim(Time now,
      const JobState& job,
      const Resources& demand,
      const federation::GlobalMaster& master);
  /// The claim is made, by the launch of that number: it counts until it is settled.
  void make(const Claim& claim, std::uint64_t number, const JobState& job, const Resources& demand);
  /// What became of a launch, which may be one of a claim.
  void note(Time now, const federation::LaunchOutcome& outcome);

 private:
  struct Made {
    ClassId by = 0;
    ClassId over = 0;
    Tickets part = 0;
  };
  struct Refused {
    ClassId by = 0;
    ClassId over = 0;
    CellId cell;
    friend auto operator<=>(const Refused&, const Refused&) = default;
  };

  void count_held(Time now, const JobTable& jobs, const federation::GlobalMaster& master);
  /// The part of the cluster that such a task takes, in CPUs and memory.
  Tickets part_of(const Resources& demand) const;
  /// The cell that has most of the class beyond its share; empty if none has any.
  std::optional<Claim> find_cell(Time now,
      const Claim& claim,
      ClassId by,
      const std::vector<federation::CellStanding>& cells) const;

  bool preempts_;
  Duration rest_;
  std::vector<std::pair<ClassId, Tickets>> shares_;  ///< By class.
  double cpus_ = 0;    ///< Of all cells, in thousandths; Resources could not hold them ...
  double memory_ = 0;  ///< ... nor that, in MiB.
  ClassBalance balance_;
  std::map<std::pair<CellId, std::uint64_t>, Made> made_;  ///< By cell and number.
  std::map<Refused, Time> refused_;                        ///< And until when they are not made.
};

}  // namespace dunlin::sched
