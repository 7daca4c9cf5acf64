// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "sched/federation/message_fwd.h"
#include "sched/kernel.h"
#include "sched/message_fwd.h"
#include "sched/surroundings.h"
#include "sched/turn.h"

namespace dunlin::sched {

class JobState;
struct FrontendParts;
struct ManagerPlace;
struct WorkerParams;
namespace books {
struct Classes;
}
namespace federation {
struct FederationParams;
struct LaunchOutcome;
}  // namespace federation

/// A frontend as a global master, to act on. It is none before lead(), and then most of this does
/// nothing. Made for one call: it must not outlive the frontend, which must not be moved meanwhile.
class FrontendLaunches {
 public:
  explicit FrontendLaunches(FrontendParts& parts) : parts_(parts) {}

  /// It is a global master from now on. `params` outlives it; numbers of launches begin with the
  /// incarnation of its node. Jobs wait for a match in the order of workers with `worker`.
  void lead(const federation::FederationParams& params,
      const WorkerParams& worker,
      std::uint32_t incarnation);
  /// The class table is this one from now on: see ClassClaims. Nothing if it is no global master.
  void set_classes(const books::Classes& table);
  /// When follow() should be called; kNever if it has no use for local masters.
  Time follow_at() const;
  /// Finds local masters, and hears what is new of them: see FollowedCells::follow(). Requires
  /// lead().
  void follow(Turn& turn, std::span<const ManagerPlace> own, std::span<const ManagerPlace> known);

  /// Lets go of local masters that no job needs any more, and asks workers after starts of which
  /// only others have told. Requires lead().
  void wake(Turn& turn, const Surroundings& around);
  /// A worker asks for tasks that start together.
  void hold_gang(Turn& turn,
      const Surroundings& around,
      const Endpoint& from,
      JobState& job,
      const GetTask& asked);
  void receive(
      Turn& turn, const Surroundings& around, const Endpoint& from, const Attached& answer);
  void receive(Turn& turn, const Surroundings& around, const Endpoint& from, const CellView& view);
  void receive(
      Turn& turn, const Surroundings& around, const Endpoint& from, const LaunchReply& reply);

 private:
  /// Local masters told of room.
  void launch_waiting(Turn& turn, const Surroundings& around);
  void hear_outcomes(
      Turn& turn, const Surroundings& around, std::span<const federation::LaunchOutcome> outcomes);

  FrontendParts& parts_;
};

}  // namespace dunlin::sched
