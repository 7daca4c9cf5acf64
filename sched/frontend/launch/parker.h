// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sched/federation/global/global_master.h"
#include "sched/frontend/job_state.h"
#include "sched/frontend/prober.h"
#include "sched/worker/params.h"

namespace dunlin::sched {

/// The groups of tasks that a global master parked at local ones: they have no match, and wait
/// where room will come. Source: facts on federated placement; beyond the paper, which has such
/// tasks wait at the global master (Megha, section IV-B5).
class Parker {
 public:
  /// `params` outlives it. Workers are as with `worker`.
  Parker(const federation::FederationParams& params, const WorkerParams& worker)
      : params_(params),
        has_express_(worker.express_share > 0),
        express_limit_(worker.express_limit) {}

  /// Parks what waits of the job where it is not parked yet, with its terms of now, and takes back
  /// what does not wait any more. True if nothing of it need be sought otherwise for now.
  bool park(const federation::MastersTurn& turn,
      federation::GlobalMaster& master,
      const JobState& job,
      Prober& prober);
  /// A worker that was offered room, or any other, got so many tasks of the group. True if local
  /// masters should be told soon that there are more.
  bool served(Time now, const JobState& job, std::uint16_t group, std::size_t tasks);
  /// Takes back the groups of the job that have nothing to offer.
  void withdraw_idle(
      const federation::MastersTurn& turn, federation::GlobalMaster& master, const JobState& job);
  /// The cells where the group is parked.
  std::vector<CellId> parked_at(const JobState& job, std::uint16_t group) const;
  /// The job has other terms: tells them at the next park().
  void renew(const JobState& job);

 private:
  struct Place {
    std::uint64_t epoch = 0;
    Time told = Time::min();
  };
  struct Parked {
    std::uint32_t probe = 0;  ///< The number of its reservation; 0: it gets another one.
    std::uint32_t left = 0;   ///< Tasks that waited when it was told of, ...
    std::uint32_t rooms = 0;  ///< ... the rooms that may be offered for them, ...
    std::size_t served = 0;   ///< ... and the tasks that were asked for since.
    Time lucky{};             ///< When it was parked, or when it last got room.
    bool express = false;     ///< Its tasks may have the express share, of which no row tells.
    std::map<CellId, Place> at;

    /// Half of the rooms may be used up, and there are more tasks; or half as many are left, which
    /// is another place in the order.
    bool is_stale(std::uint32_t offered) const {
      return (offered > rooms / 2 && 2 * served >= rooms) || 2 * offered <= left;
    }
  };
  struct GroupId {
    JobId job;
    std::uint16_t group = 0;
  };

  std::pair<std::vector<CellId>, std::uint32_t> share_out(
      std::vector<CellId> cells, const JobState& job, std::uint32_t tasks) const;
  static void take_back(const federation::MastersTurn& turn,
      federation::GlobalMaster& master,
      const GroupId& group,
      CellId cell,
      const Place& place);
  void park_group(const federation::MastersTurn& turn,
      federation::GlobalMaster& master,
      const JobState& job,
      std::uint16_t group,
      Prober& prober);

  const federation::FederationParams& params_;
  bool has_express_;
  Duration express_limit_;
  std::map<std::pair<std::uint32_t, std::uint16_t>, Parked> groups_;  ///< By job number and group.
};

}  // namespace dunlin::sched
