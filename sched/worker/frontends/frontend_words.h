// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>

#include "sched/turn.h"
#include "sched/worker/dispatch/dispatcher.h"
#include "sched/worker/frontends/frontend_ties.h"
#include "sched/worker/reservations.h"

namespace dunlin::sched {

class FollowUp;

/// What frontends say of tasks and reservations that are here already.
template <typename M>
concept FrontendWord = std::same_as<M, DoneAck> || std::same_as<M, Remaining> ||
    std::same_as<M, TellExtent> || std::same_as<M, Cancel> || std::same_as<M, Kill> ||
    std::same_as<M, AskAfter> || std::same_as<M, RenewAck> || std::same_as<M, HomeIs>;

/// Takes the words of frontends to what they are about. A node that may not speak about a job is
/// not heard; any other word renews the lease of its frontend.
class FrontendWords {
 public:
  /// All of them outlive this.
  FrontendWords(const WorkerParts& parts,
      RunningTasks& running,
      Reservations& reservations,
      FrontendTies& ties,
      FollowUp& follow_up)
      : parts_(parts),
        running_(running),
        reservations_(reservations),
        ties_(ties),
        follow_up_(follow_up) {}

  void on_message(Turn& turn, const Endpoint& from, const DoneAck& ack);
  void on_message(Turn& turn, const Endpoint& from, const Remaining& remaining);
  void on_message(Turn& turn, const Endpoint& from, const TellExtent& told);
  void on_message(Turn& turn, const Endpoint& from, const Cancel& cancel);
  void on_message(Turn& turn, const Endpoint& from, const Kill& kill);
  void on_message(Turn& turn, const Endpoint& from, const AskAfter& asked);
  void on_message(Turn& turn, const Endpoint& from, const RenewAck& ack);
  void on_message(Turn& turn, const Endpoint& from, const HomeIs& told);

 private:
  /// False if it may not speak about the job. Else its lease begins anew.
  bool hear(Time now, PeerId node, const JobId& job);

  const WorkerParts& parts_;
  RunningTasks& running_;
  Reservations& reservations_;
  FrontendTies& ties_;
  FollowUp& follow_up_;
};

}  // namespace dunlin::sched
