// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "overlay/neighbour.h"
#include "sched/frontend/params.h"
#include "sched/frontend/placement/demand_class.h"
#include "sched/frontend/probe.h"
#include "sched/hop.h"

namespace dunlin::sched {

/// A task group that has tasks waiting, as a placement sees it.
struct Need {
  const Resources& demand;
  const Signature& signature;  ///< The bits that a fit node must have.
  DemandClass demand_class = DemandClass::small;
  std::uint32_t waiting = 0;   ///< Tasks; at least 1.
  std::span<const Probe> out;  ///< Its reservations that are out.
  bool crowded = false;        ///< One of them had to queue.
  bool turned_away = false;    ///< A node refused one for good, and none has taken one in since.
  Duration pause{0};           ///< It grows while reservations only find others of their group.
  std::span<const PeerId> avoided{};  ///< Nodes that none of the tasks may go to.
};

/// The nodes that a frontend has heard of.
struct Known {
  const Surroundings& around;
  std::span<const overlay::Neighbour> others;  ///< Older news of more nodes: see NodeCache.
};

/// Reservations to send now.
struct Batch {
  std::vector<Hop> hops;  ///< One reservation to each.
  Walk walk;              ///< Says how each walks on from there.
  Duration rest{0};       ///< The group sends no more before that, unless all of its own are lost.
};

/// The rule by which a frontend seeks workers for its tasks: which nodes to probe, how many, when
/// to probe again, and how many tasks a worker gets that asks. It never sees the frontend or the
/// job. Source: design, section 5.
class Placement {
 public:
  virtual ~Placement() = default;

  /// The reservations that `need` calls for beyond those that are out; empty if these are enough.
  /// A batch without hops means that more are called for, and that there is no node to ask.
  virtual std::optional<Batch> choose(const Need& need, const Known& known, Rng& rng) = 0;

  /// A reservation for such a demand came to a node as `report` tells. Called only if some of its
  /// hops were greedy.
  virtual void learn(DemandClass /*demand*/, const Walk& /*report*/) {}

  /// Tasks that are bound to the worker that asks. By default as many as it has room for: late
  /// binding, first asked first served (Ousterhout 2013, section 3.4).
  virtual std::size_t grant(const GetTask& asked) const { return asked.room; }

 protected:
  Placement() = default;
  Placement(const Placement&) = default;
  Placement& operator=(const Placement&) = default;
};

/// The placement that `params.placement` names.
std::unique_ptr<Placement> make_placement(const FrontendParams& params);

}  // namespace dunlin::sched
