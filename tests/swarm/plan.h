// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sched/ledger/roster.h"
#include "tests/support/world.h"

namespace dunlin::test {

/// Something done to the world at some time of the safety phase.
struct Deed {
  enum class Kind {
    submit,
    cancel,
    cancel_some,
    crash,
    leave,
    split,
    cut,
    mend,
    drain,
    share,
    sicken,   ///< No task can start there.
    bereave,  ///< What watches over its tasks dies.
    hold,     ///< A job is put on hold, and released later.
    retry,    ///< Tasks of a job that have ended run again.
    set,      ///< A job gets another priority and deadline.
    perish,   ///< A node dies with its disk, often the home of a job. Another machine comes for it.
    isolate,  ///< The home of a job is cut off.
    retire,   ///< The home of a job is told to stop: it hands over what it can first.
    fill,     ///< The disk of a node, often a home's, stores nothing more.
    requeue   ///< Tasks of a job that run are stopped, and run again.
  };
  Kind kind = Kind::submit;
  Duration at{};           ///< Since the start.
  Duration lasts{};        ///< The length of a crash, a split, a cut, a drain or a sickness.
  std::uint64_t seed = 0;  ///< Decides which nodes it hits.
};

/// All options of one run, drawn from one seed: cluster, parameters, faults, work.
struct Plan {
  std::uint64_t seed = 1;
  WorldOptions world;
  std::vector<NodeConfig> nodes;
  std::vector<Deed> deeds;
  Duration safety_phase{};  ///< With faults; then all is healed.
  /// Classes that may come to share the cluster; none in most plans.
  std::vector<std::string> classes;
  bool replicas = false;  ///< Jobs have up to two standbys.
  bool after = false;     ///< Jobs wait for up to two others.
  bool stages = false;    ///< Groups of jobs wait for others of their job.
  bool inputs = false;    ///< Inputs of tasks are at some of the nodes.
  bool words = false;     ///< Jobs have labels, begin later, and may run no task twice.
  bool idle = false;      ///< Once all is healed and done it stands still, and goes on.
  bool clocks = false;    ///< Wall clocks of nodes are apart, and drift.
  std::string drawn;      ///< The parameters that are not at their defaults.

  static Plan draw(std::uint64_t seed);
};

/// The plan in a few lines, for whoever looks into a failing seed.
std::string to_string(const Plan& plan);

/// A job that at least one of `nodes` can run, drawn by `rng`. `crowded`: its tasks are long, so
/// that they fill nodes.
sched::Job draw_job(const std::vector<NodeConfig>& nodes, bool crowded, overlay::Rng& rng);
/// A table of the plan's classes, with that version.
sched::books::Classes draw_table(const Plan& plan, std::uint64_t version, overlay::Rng& rng);
/// Gives it standbys, or none.
void draw_replicas(sched::Job& job, overlay::Rng& rng);

}  // namespace dunlin::test
