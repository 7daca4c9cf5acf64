// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sched/surroundings.h"
#include "sched/turn.h"
#include "sched/worker/dispatch/dispatcher.h"
#include "sched/worker/params.h"
#include "sched/worker/walk/exhausted_groups.h"

namespace dunlin::sched {

/// The fate of a reservation that came to a worker.
enum class Arrival : std::uint8_t {
  gone,    ///< Sent on, turned away or of no use: nothing has changed here.
  starts,  ///< It is in the queue, and the next dispatch() asks for its tasks.
  waits,   ///< It is in the queue, and its frontend knows.
};

/// Reservations that come to a worker, wait in its queue, walk on or are turned away, and what
/// their frontends hear of that. A frontend hears again every `queue_renew` that a reservation
/// waits: its lease.
class Reservations {
 public:
  /// `params` and `parts` outlive this; `self` is this node.
  Reservations(const WorkerParams& params, const Endpoint& self, const WorkerParts& parts)
      : params_(params),
        self_(self),
        parts_(parts) {}

  /// Finds a place for `reserve`, here or elsewhere.
  Arrival arrive(
      Turn& turn, const Surroundings& around, const Dispatcher& dispatcher, const Reserve& reserve);
  /// Serves `newcomer` with one task that need not be asked for, if that fits and it would be
  /// served before all that wait here. False if not.
  bool serve(Time now, Dispatcher& dispatcher, QueuedReservation newcomer) const;
  /// Has `newcomer` ask for as many tasks as it names, if they fit and it would be served before
  /// all that wait here. False if not.
  bool ask(Turn& turn, Dispatcher& dispatcher, QueuedReservation newcomer) const;
  /// Its group has more tasks than were handed out: it keeps its place in the queue and asks again
  /// when there is room. `left` is how many to ask for at most.
  void requeue(Turn& turn, QueuedReservation reservation, const Tasks& answer, std::uint16_t left);
  /// Sends back what waits here of a group of which tasks cannot be asked for any more.
  void turn_away(Turn& turn, const JobId& job, std::uint16_t group);
  void cancel(Time now, const Cancel& cancel);
  /// Its home said with `tasks` which reservations of the group are of no use any more.
  void learn(Time now, const Tasks& tasks);
  /// Its home says how much of a job is left, and how long the tasks of a group take. What has no
  /// place here any more goes back. True if more may start
  /// than before: tasks seem shorter, or are urgent now.
  bool learn(Turn& turn, const Remaining& told);
  /// Its home says how a job stands.
  void learn(const TellExtent& told);

  /// Tells frontends that their reservations still wait here, wherever it is time.
  void confirm_due(Turn& turn, const Dispatcher& dispatcher);
  /// Sends all away: the node drains or is sick, as `reason` says.
  void leave(Turn& turn, const Surroundings& around, BounceReason reason);

 private:
  bool knows(const Reserve& reserve) const;
  std::optional<BounceReason> unwelcome(Time now, const Reserve& reserve) const;
  bool admit(Time now, Dispatcher& dispatcher, const QueuedReservation& newcomer) const;
  void note_wait(const Dispatcher& dispatcher, QueuedReservation& newcomer, Time now) const;
  void confirm(Turn& turn, const Dispatcher& dispatcher, std::size_t i);
  void bounce(Turn& turn, const QueuedReservation& reservation, BounceReason reason) const;

  const WorkerParams& params_;
  Endpoint self_;
  WorkerParts parts_;
  ExhaustedGroups exhausted_;
};

}  // namespace dunlin::sched
