// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sched/handed_task.h"
#include "sched/surroundings.h"
#include "sched/turn.h"

namespace dunlin::sched {

struct FrontendParts;

/// Takes a frontend on with the jobs of an earlier incarnation, or of another home of their log.
/// Made for one call: it must not outlive the parts.
class FrontendRecovery {
 public:
  explicit FrontendRecovery(FrontendParts& parts) : parts_(parts) {}

  /// See Frontend::restore().
  void restore(Turn& turn,
      std::vector<StoredJob> jobs,
      std::uint32_t number_last,
      const std::vector<HandedTask>* handed,
      std::span<const StoredHolder> holders);
  /// Workers of an earlier life are waited for, or have all spoken: then tasks are handed out.
  void wake(Turn& turn, const Surroundings& around);
  /// The next incarnation need not wait for workers that hold no task any more.
  void forget_idle_holders(Turn& turn);

 private:
  /// When tasks of restored jobs may be handed out, as far as is known now.
  Time hold_restored(Time now, bool handed, std::span<const StoredHolder> holders);
  /// When a restored job counts as ended at the earliest, so that its age alone does not end it.
  Time forgotten_after(Time now) const;

  FrontendParts& parts_;
};

}  // namespace dunlin::sched
