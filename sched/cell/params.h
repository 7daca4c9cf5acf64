// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "overlay/params.h"
#include "sched/kernel.h"

namespace dunlin::sched {

/// The authority that sets the tickets of classes.
enum class SharingMode : std::uint8_t {
  none,              ///< No authority: there are no cells.
  bank,              ///< Accounts of savings; between cells, transfers.
  cluster_reserves,  ///< Cluster Reserves, at every level.
};

/// When nodes form cells.
enum class CellForm : std::uint8_t {
  automatic,  ///< Once something needs them: see CellNeed.
  always,
};

/// The parameters by which nodes form cells and managers work.
struct CellParams {
  SharingMode sharing = SharingMode::bank;
  CellForm form = CellForm::automatic;
  std::uint16_t cell_size = 40;
  std::uint16_t fan_out = 40;
  std::uint16_t voters = 3;
  std::uint16_t root_voters = 5;
  Duration period = std::chrono::seconds(2);
  Duration lease = std::chrono::seconds(10);
  Duration grant_life = std::chrono::seconds(10);
  Duration margin = std::chrono::seconds(2);
  Duration retry = std::chrono::seconds(1);
  Duration patience = std::chrono::seconds(5);
  double cell_min = 0.4;
  std::uint16_t merge_rounds = 5;
  Duration voter_lost = std::chrono::seconds(30);
  std::uint16_t voter_margin = 2;
  std::uint16_t voter_rounds = 10;
  Duration hint_life = std::chrono::seconds(30);
  Duration gossip = std::chrono::seconds(2);
};

}  // namespace dunlin::sched

namespace dunlin::overlay {
template <>
inline constexpr std::string_view kWords<sched::SharingMode>[] = {
    "none", "bank", "cluster_reserves"};
template <>
inline constexpr std::string_view kWords<sched::CellForm>[] = {"auto", "always"};

/// See overlay/params.h.
void append_entries(sched::CellParams& params, std::vector<ParamEntry>& entries);
}  // namespace dunlin::overlay
