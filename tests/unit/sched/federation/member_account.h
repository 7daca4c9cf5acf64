// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "sched/federation/local/local_master.h"
#include "tests/unit/sched/federation/masters_members.h"

namespace dunlin::sched::federation {

/// What becomes of the CPUs of a member by its local master.
struct MemberAccount {
  std::uint32_t free = 0;
  std::uint32_t lent = 0;       ///< Logical nodes.
  std::uint32_t own = 0;        ///< What tasks of its owner hold, or of frontends without a part.
  std::uint32_t under_way = 0;  ///< Of starts without an answer.
  std::uint32_t sum() const { return free + lent + own + under_way; }
};

/// Empty while its last row is not known, or if it declined, and counts as full.
inline std::optional<MemberAccount> account_of(
    const LocalMaster& local, std::uint64_t id, const Member& member) {
  const MemberTable& table = local.members();
  const Row* const row = table.find({id});
  if (row == nullptr || row->version != member.version() || row->free.cpu == 0) return {};
  MemberAccount account{.free = row->free.cpu};
  const PeerId owner = table.owners().owner_of({id});
  for (const FrontendHold& each : table.logical_nodes().at({id}, table.owners())) {
    account.lent += each.held.cpu;
  }
  for (const auto& [run, task] : member.running) {
    const PeerId home{std::get<0>(run)};
    if (home == owner || !local.masters().contains(home)) account.own += task.second;
  }
  for (const auto& [master, attached] : local.masters()) {
    for (const auto& [number, launched] : attached.launches) {
      const bool is_there = launched.start != 0 && launched.node == PeerId{id};
      if (is_there) account.under_way += launched.launch->reserve.demand.cpu;
    }
  }
  return account;
}

}  // namespace dunlin::sched::federation
