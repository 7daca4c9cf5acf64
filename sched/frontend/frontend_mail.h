// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sched/federation/message_fwd.h"
#include "sched/kernel.h"
#include "sched/message_fwd.h"
#include "sched/surroundings.h"
#include "sched/turn.h"

namespace dunlin::sched {

struct FrontendParts;

/// The messages of others to a frontend: workers of tasks and reservations, nodes of each other,
/// frontends of the ends of jobs, managers of room. Made for one call: it must not outlive the
/// parts.
class FrontendMail {
 public:
  explicit FrontendMail(FrontendParts& parts) : parts_(parts) {}

  // From workers: of tasks, ...
  void receive(Turn& turn, const Surroundings& around, const Endpoint& from, const GetTask& asked);
  void receive(
      Turn& turn, const Surroundings& around, const Endpoint& from, const Refused& refused);
  void receive(Turn& turn, const Surroundings& around, const Endpoint& from, const Done& done);
  void receive(Turn& turn, const Surroundings& around, const Endpoint& from, const Renew& renewed);
  // ... and of reservations.
  void receive(Turn& turn, const Surroundings& around, const Endpoint& from, const Queued& queued);
  void receive(
      Turn& turn, const Surroundings& around, const Endpoint& from, const Bounced& bounced);
  // From any node: of itself, or of one that was asked after.
  void receive(Turn& turn, const Surroundings& around, const Endpoint& from, const Facts& facts);
  void receive(
      Turn& turn, const Surroundings& around, const Endpoint& from, const Testimony& testimony);
  // From frontends: jobs that wait for jobs.
  void receive(
      Turn& turn, const Surroundings& around, const Endpoint& from, const EndRequest& asked);
  void receive(Turn& turn, const Surroundings& around, const Endpoint& from, const JobEnd& told);
  // From local masters: see FrontendLaunches.
  void receive(
      Turn& turn, const Surroundings& around, const Endpoint& from, const Attached& answer);
  void receive(Turn& turn, const Surroundings& around, const Endpoint& from, const CellView& view);
  void receive(
      Turn& turn, const Surroundings& around, const Endpoint& from, const LaunchReply& reply);
  /// A worker is known to be gone: its tasks are lost now, not when their leases end.
  void on_worker_gone(Turn& turn, const Surroundings& around, PeerId worker);

 private:
  /// A worker that restarted has lost its queue, and its tasks unless it kept them.
  void note_incarnation(Turn& turn,
      const Surroundings& around,
      PeerId worker,
      std::uint32_t incarnation,
      std::uint32_t since);

  FrontendParts& parts_;
};

}  // namespace dunlin::sched
