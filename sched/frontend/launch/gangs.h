// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sched/federation/global/global_master.h"
#include "sched/frontend/job_state.h"
#include "sched/frontend/launch/class_claims.h"
#include "sched/frontend/prober.h"

namespace dunlin::sched {

/// Groups of tasks that start together, or not at all: a gang. When the view has room for all of it
/// the global master has each cell *hold* its part: the local master offers members their room, and
/// they keep it as long as they ask for tasks (GetTask). Only when all of it is held is it
/// *committed*: all questions are answered, in one step. Else they are answered by nothing, and the
/// gang tries again after a while that is drawn.
///
/// Where others have the room, a gang whose class lacks its share *gathers*. Its reservations wait
/// at workers as those of single tasks do, and get slots when it is the turn of their class; what
/// is held counts as used by the class. Each slot is kept until the gang has all of them. How long
/// the tasks of others run is not known: so what was in vain for some time is let go, others have
/// it for a while, and the next time it is held for twice as long. One that takes more than the
/// share of its class may get that by luck only, and holds for no longer than any gang.
///
/// Of a class a few gangs gather at a time, the eldest first, if the tasks of all are of one size,
/// any node will do for them, and all of them together are within the share of the class. Then
/// there are slots for all: the class comes to so many as tasks end, and none of these gangs waits
/// for what another one holds. Others of the class gather alone. Those of two frontends may be in
/// each other's way until the first of them lets go: then the other has its slots, for which it
/// waits.
///
/// Cells are asked one after the other, in the order of their ids. So of gangs that want the same
/// room one has all of it, and none waits for another one in a circle. Source: Megha, section VIII,
/// names gangs as future work; this way is ours.
class Gangs {
 public:
  /// `params` outlives it.
  explicit Gangs(const federation::FederationParams& params) : params_(params) {}

  /// What the class of the job lacks of what so many tasks of the group take.
  using Lacks = std::function<Lack(std::uint16_t group, std::uint32_t tasks)>;
  /// The number of tasks of the group in the whole share of the job's class.
  using ShareOf = std::function<std::uint32_t(std::uint16_t group)>;
  /// Begins to hold room for gangs of the job that wait, where the view has room for all of one, or
  /// its class `lacks` it. Without `share` no gang gathers beside another one of its class.
  void seek(const federation::MastersTurn& turn,
      federation::GlobalMaster& master,
      const JobState& job,
      Prober& prober,
      const Lacks& lacks = {},
      const ShareOf& share = {});
  /// True while a gang gathers: reservations of it are to be out.
  bool gathers(const JobState& job, std::uint16_t group) const;
  /// A worker that holds room for tasks of a gang.
  struct Holder {
    Endpoint worker;
    GetTask asked;
    Time heard{};  ///< When it last asked.
  };
  /// `from` holds room. Returns all holders, which are to be answered now, if that was the last one
  /// that was missing; else none.
  std::vector<Holder> hold(const federation::MastersTurn& turn,
      federation::GlobalMaster& master,
      const JobState& job,
      const Endpoint& from,
      const GetTask& asked,
      Prober& prober);
  /// Lets go of what is held for gangs of the job that do not wait any more as they did.
  void drop_idle(
      const federation::MastersTurn& turn, federation::GlobalMaster& master, const JobState& job);
  void forget(
      const federation::MastersTurn& turn, federation::GlobalMaster& master, const JobState& job);
  /// Lets go of what has been held for too long. Call it at deadline().
  void wake(const federation::MastersTurn& turn, federation::GlobalMaster& master);
  Time deadline() const;

 private:
  struct Gang {
    JobId job{};
    std::map<CellId, std::uint32_t> parts{};  ///< Tasks of each cell; none: it holds nothing.
    CellId asked{};                           ///< The cell that is asked now.
    std::uint32_t tasks = 0;                  ///< Those of all cells.
    std::vector<Holder> holders{};
    std::uint32_t held = 0;  ///< Tasks that they have room for, ...
    std::uint32_t told = 0;  ///< ... and as many as were asked for in all.
    Time parked{};           ///< When a cell was last asked.
    Time until{};            ///< They hold it no longer, ...
    Time rests_until{};      ///< ... and before that it is not tried again.
    // One that gathers:
    bool gathers = false;
    ClassId class_id = 0;
    /// What a task takes, if any slot of that size does for it; else it gathers alone.
    std::optional<Resources> size{};
    Duration patience{0};  ///< It holds for so long; 0: for as long as any gang.
    Time rested{};         ///< It gathers no more before that.
    Time in_line{};        ///< Until then those that came later do not gather before it.
  };
  using Key = std::pair<std::uint32_t, std::uint16_t>;  ///< Job number and group.

  /// The tasks of the cells up to the one that is asked now.
  static std::uint32_t due(const Gang& gang);
  /// How long any gang may hold what it has.
  Duration hold_time() const { return params_.launch_timeout * params_.launch_tries; }
  /// True if no other gang of the class waits to gather and came before, and those that gather
  /// leave as many tasks of the class's `share` as it has.
  bool may_gather(Time now, const Key& key, const Gang& gang, std::uint32_t share) const;
  /// The parts of cells that it gathers; none if it may not.
  std::map<CellId, std::uint32_t> gather(Time now,
      const federation::GlobalMaster& master,
      const JobState& job,
      const Key& key,
      const Lacks& lacks,
      const ShareOf& share);
  /// One has stopped gathering: others of its class need not rest for long.
  void call_next(ClassId class_id);
  /// Forgets those that would have asked again by now, if they held anything.
  static bool drop_silent(Time now, Gang& gang);
  void ask(const federation::MastersTurn& turn,
      federation::GlobalMaster& master,
      const JobState& job,
      const Key& key,
      Gang& gang,
      Prober& prober);
  void withdraw(const federation::MastersTurn& turn,
      federation::GlobalMaster& master,
      const Key& key,
      const Gang& gang) const;
  void let_go(const federation::MastersTurn& turn,
      federation::GlobalMaster& master,
      const Key& key,
      Gang& gang);
  /// Its time is over.
  void give_up(const federation::MastersTurn& turn,
      federation::GlobalMaster& master,
      const Key& key,
      Gang& gang);

  const federation::FederationParams& params_;
  std::map<Key, Gang> gangs_;
};

}  // namespace dunlin::sched
