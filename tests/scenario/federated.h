// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "sched/cell/cell_node.h"
#include "sched/federation/global/global_master.h"
#include "sched/federation/peer/peer_masters.h"
#include "sched/frontend/frontend.h"
#include "sched/peer_view.h"
#include "tests/support/builders.h"
#include "tests/support/world.h"

namespace dunlin::test {

using namespace std::chrono_literals;

inline constexpr std::size_t kFederatedNodes = 10;

/// Ten nodes in cells of five, of which some are global masters.
class FederationScenario : public ::testing::Test {
 protected:
  static WorldOptions options(sched::PlacementName placement) {
    WorldOptions options;
    options.seed = 3;
    options.params.frontend.placement = placement;
    options.params.sharing.cell.form = sched::CellForm::always;
    options.params.sharing.cell.cell_size = 5;
    options.params.sharing.cell.period = 1s;
    options.params.sharing.cell.lease = 4s;
    options.params.sharing.cell.patience = 2s;
    options.params.federation.heartbeat = 2s;
    options.params.federation.lease = 8s;
    options.params.federation.park = true;
    return options;
  }
  /// Forms cells, and has node 0 follow them all: its first job is one of a single task.
  void form(WorldOptions options = FederationScenario::options(sched::PlacementName::federated)) {
    world.emplace(options);
    world->on_event = [this](std::size_t at, const sched::Event& event) { note(at, event); };
    world->filter([this](std::size_t from, std::size_t to, const AnyMessage& message) {
      const std::string kind(kind_of(message));
      ++sent[kind];
      return on_send ? on_send(from, to, kind) : 1u;
    });
    world->add(kFederatedNodes, {});
    ASSERT_TRUE(world->run_until(
        [&] {
          for (std::size_t i = 0; i < kFederatedNodes; ++i) {
            const auto* cells = world->peer(i).cells();
            if (cells == nullptr || !cells->member().is_member()) return false;
          }
          return true;
        },
        120s));
    world->run_for(10s);
  }
  /// The frontend of the node is a global master with a view of all nodes.
  void lead(std::size_t node) {
    const auto warm_up = world->submit(node, job(1));
    ASSERT_TRUE(warm_up.has_value());
    ASSERT_TRUE(
        world->run_until([&] { return master(node).view().size() == kFederatedNodes; }, 30s));
    ASSERT_TRUE(finish(node, *warm_up));
    sent.clear();
    started.clear();
  }
  const sched::federation::GlobalMaster& master(std::size_t node) const {
    return *world->peer(node).frontend()->master();
  }
  const sched::JobState& state(std::size_t node, const JobId& id) const {
    return *sched::frontend_of(world->peer(node)).find(id);
  }
  bool finish(std::size_t node, const JobId& id, Duration limit = 60s) {
    const bool ended = world->run_until(
        [&] { return world->up(node) && state(node, id).finished().has_value(); }, limit);
    EXPECT_EQ(world->failure(), "");
    return ended;
  }
  void note(std::size_t, const sched::Event& event) {
    if (const auto* start = std::get_if<sched::TaskStarted>(&event)) {
      const bool is_new =
          started.insert({start->job.home.value, start->job.number, start->index, start->attempt})
              .second;
      EXPECT_TRUE(is_new) << "attempt " << start->attempt << " of task " << start->index;
    }
    if (std::holds_alternative<sched::LaunchRefused>(event)) ++refused;
    if (std::holds_alternative<sched::TaskLost>(event)) ++lost;
    if (std::holds_alternative<sched::TaskAdopted>(event)) ++adopted;
  }
  /// The manager of the cell of that node.
  std::size_t manager_of(std::size_t node) const {
    return World::node_of(world->peer(node).cells()->member().contacts().front().node);
  }

  std::optional<World> world;
  std::function<unsigned(std::size_t, std::size_t, const std::string&)> on_send;
  std::map<std::string, int> sent;
  std::set<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t, std::uint32_t>> started;
  int refused = 0;
  int lost = 0;
  int adopted = 0;
};

}  // namespace dunlin::test
