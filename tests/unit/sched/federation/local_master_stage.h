// SPDX-License-Identifier: MIT
#pragma once

#include <gmock/gmock.h>
#include <utility>
#include <vector>

#include "sched/federation/local/local_master.h"
#include "tests/support/solo.h"
#include "tests/unit/sched/federation/rows.h"

namespace dunlin::sched::federation {

inline constexpr CellId kCell{5};
inline constexpr std::uint64_t kEpoch = 3;

/// A local master with the members 1 to 3, of 4 CPUs each, and the global master 100.
class LocalMasterTest : public ::testing::Test {
 protected:
  LocalMasterTest() {
    const Endpoint members[] = {rows::at(1), rows::at(2), rows::at(3)};
    master_.set_members(members);
    attach(100);
    for (std::uint64_t node = 1; node <= 3; ++node) row(node, 1, 4000);
    out_.clear();
  }

  MastersTurn turn() { return {now_, rng_, out_}; }
  void attach(std::uint64_t node, std::uint32_t incarnation = 1, std::uint64_t version = 0) {
    const KnownView known{.cell = kCell, .epoch = kEpoch, .version = version, .floor = 1};
    master_.receive(
        turn(), rows::at(node), Attach{.incarnation = incarnation, .known = {known}}, &known);
  }
  void row(std::uint64_t node,
      std::uint64_t version,
      std::uint32_t cpu,
      std::vector<StartAnswer> answers = {}) {
    master_.receive(turn(), rows::at(node),
        MemberRow{.cell = kCell,
            .epoch = kEpoch,
            .version = std::uint64_t{1} << 32 | version,
            .incarnation = 1,
            .free = {.cpu = cpu, .memory = 8192},
            .kind = {kind({})},
            .answers = std::move(answers)});
  }
  static NodeKind kind(std::initializer_list<std::string_view> attributes) {
    return rows::kind(attributes);
  }
  /// Launches task `index` by that number at `node`.
  LaunchTasks launch(std::uint64_t number,
      std::uint32_t index,
      std::uint64_t node,
      std::uint32_t cpu = 3000,
      AttemptNumber attempt = 1) const {
    LaunchTasks launch{
        .known = {.cell = kCell, .epoch = kEpoch, .floor = floor_}, .incarnation = 1};
    launch.reserve.job = launch.tasks.job = {.home = {100}, .number = 1};
    launch.reserve.demand = {.cpu = cpu, .memory = 1};
    launch.tasks.tasks = {{index, attempt, {}}};
    launch.targets = {{number, {node}}};
    return launch;
  }
  void receive(const LaunchTasks& launch) { master_.receive(turn(), rows::at(100), launch); }
  StartTasks started_at(std::uint64_t node) {
    EXPECT_EQ(out_.sent.back().first.id, PeerId{node});
    return out_.only<StartTasks>();
  }
  LaunchVerdict verdict() {
    const auto reply = out_.only<LaunchReply>();
    EXPECT_THAT(reply.verdicts, ::testing::SizeIs(1));
    return reply.verdicts.empty() ? LaunchVerdict{} : reply.verdicts.front();
  }

  FederationParams params_;
  Time now_{};
  Rng rng_{1};
  test::SchedRecorder out_;
  std::uint64_t floor_ = 1;
  LocalMaster master_{params_, kCell, kEpoch};
};

}  // namespace dunlin::sched::federation
