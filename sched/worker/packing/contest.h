// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sched/worker/dispatch/dispatcher.h"
#include "sched/worker/packing/job_index.h"

namespace dunlin::sched {

/// A choice of the task that a worker starts next, by a discipline that packs. All that waits is
/// told to it, then it names the winner. Requires that the parts and all that is told stay as they
/// are meanwhile.
class Contest {
 public:
  /// Of at most `size_max` reservations. Requires that the discipline of `parts` has a packer.
  Contest(const WorkerParts& parts, const ServiceMoment& at, std::size_t size_max);

  /// `waiting` takes part. It is `next`, and fits if `may_start`; else its job alone counts.
  void add(const QueuedReservation& waiting, const Next& next, bool may_start);
  /// What starts next; empty if nothing fits. Nothing wins that takes of what `kept` lacks, which
  /// may be null.
  std::optional<Next> winner(const QueuedReservation* kept);

 private:
  struct Entrant {
    const QueuedReservation* waiting = nullptr;
    Next next;
    std::uint32_t job = 0;
  };

  void count_held();
  packing::Shares weights() const;
  void keep_planned(std::vector<Entrant>& entrants) const;
  packing::Candidate candidate_of(const Entrant& entrant) const;

  const WorkerParts* parts_;  ///< Pointers, so that it can be assigned.
  const packing::Packer* packer_;
  ServiceMoment at_;
  JobIndex index_;
  std::vector<packing::Job> jobs_;
  std::vector<const QueuedReservation*> first_of_;  ///< By job.
  std::vector<Entrant> entrants_;                   ///< Those that may start.
};

/// Of all that waits or asks for more here, what a worker starts next by a discipline that packs.
/// The first `asked` requests wait for their answers, and ask for no more.
std::optional<Next> pack_next(const WorkerParts& parts, Time now, std::size_t asked);

}  // namespace dunlin::sched
