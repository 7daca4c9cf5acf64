// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "sched/cell/hosted_replica.h"
#include "tests/support/cell_world.h"

// The common part of the scenarios of cells.
namespace dunlin::test {

using namespace std::chrono_literals;

inline CellWorldOptions options_of(std::size_t nodes, std::uint16_t cell_size) {
  CellWorldOptions options{.nodes = nodes};
  options.params.cell.sharing = sched::SharingMode::bank;
  options.params.cell.cell_size = cell_size;
  options.params.cell.cell_min = 0.7;
  options.params.cell.voter_lost = 15s;
  options.codec = true;
  return options;
}

inline std::vector<std::size_t> members_of(CellWorld& world, sched::CellId cell) {
  std::vector<std::size_t> members;
  for (std::size_t i = 0; i < world.size(); ++i) {
    const bool is = world.alive(i) && world.node(i).member().is_member() &&
        world.node(i).member().cell() == cell;
    if (is) members.push_back(i);
  }
  return members;
}

inline std::size_t voters_of(CellWorld& world, sched::CellId cell) {
  const auto chiefs = world.managers();
  const auto at = chiefs.find(cell);
  if (at == chiefs.end()) return 0;
  const auto members = world.node(at->second).hosted(cell)->group.members();
  return static_cast<std::size_t>(
      std::ranges::count(members, sched::MemberRole::voter, &sched::RaftMember::role));
}

/// The one cell there is, and its manager.
inline std::pair<sched::CellId, std::size_t> only_cell(CellWorld& world) {
  const sched::CellId cell = world.cells().begin()->first;
  return {cell, world.managers().at(cell)};
}

/// All nodes in one cell, with three voters and grants everywhere.
inline bool form_one_cell(CellWorld& world) {
  const auto formed = [&] {
    if (!world.settled() || world.cells().size() != 1 || world.managers().size() != 1) return false;
    if (world.node(0).classes().version == 0) world.set_shares(0, {5, 3, 2});
    for (std::size_t i = 0; i < world.size(); ++i) {
      if (world.alive(i) && !world.node(i).granted(world.now())) return false;
    }
    return voters_of(world, world.cells().begin()->first) == 3;
  };
  return world.run_until(formed, 180s);
}

/// The share of the whole that each class used from now on, in `duration`.
inline std::vector<double> shares_used(CellWorld& world, std::size_t classes, Duration duration) {
  const auto total = [&] {
    std::vector<double> sums(classes, 0);
    for (std::size_t i = 0; i < world.size(); ++i) {
      for (std::size_t j = 0; j < classes; ++j) {
        const auto class_id = static_cast<sched::ClassId>(j + 1);
        sums[j] += static_cast<double>(world.workload(i).used[class_id]);
      }
    }
    return sums;
  };
  const auto before = total();
  world.run_for(duration);
  auto used = total();
  for (std::size_t j = 0; j < classes; ++j) used[j] -= before[j];
  const double sum = std::accumulate(used.begin(), used.end(), 0.0);
  for (double& each : used) each /= sum;
  return used;
}

inline void saturate(CellWorld& world, std::size_t classes, sched::Tickets tickets = 4000) {
  for (std::size_t i = 0; i < world.size(); ++i) {
    world.want(i, std::vector<sched::Tickets>(classes, tickets));
  }
}

}  // namespace dunlin::test
