// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

#include "overlay/observer.h"
#include "sched/ledger/books_types.h"

// The events of cells, as values: a driver logs and counts them. See overlay/observer.h.
namespace dunlin::sched {

/// This node is a member of a cell.
struct CellJoined {
  static constexpr std::string_view kName = "cell_joined";
  static constexpr overlay::Level kLevel = overlay::Level::info;
  CellId cell;
  std::uint64_t epoch;
};

/// ... and is none any more.
struct CellLeft {
  static constexpr std::string_view kName = "cell_left";
  static constexpr overlay::Level kLevel = overlay::Level::info;
  CellId cell;
};

/// This node is the manager of a cell from now on, for one epoch.
struct ManagerElected {
  static constexpr std::string_view kName = "manager_elected";
  static constexpr overlay::Level kLevel = overlay::Level::info;
  CellId cell;
  std::uint64_t epoch;
};

/// This node is no longer the manager of that epoch: another replica leads, or none does.
struct ManagerResigned {
  static constexpr std::string_view kName = "manager_resigned";
  static constexpr overlay::Level kLevel = overlay::Level::info;
  CellId cell;
  std::uint64_t epoch;
};

/// No newer grants came in time: until some do, each class has its share of this node.
struct GrantsLapsed {
  static constexpr std::string_view kName = "grants_lapsed";
  static constexpr overlay::Level kLevel = overlay::Level::warn;
  CellId cell;
};

/// A newer class table reached this node.
struct ClassesChanged {
  static constexpr std::string_view kName = "classes_changed";
  static constexpr overlay::Level kLevel = overlay::Level::info;
  std::uint64_t version;
  std::uint32_t classes;
};

/// The manager of a cell divided its slots among jobs anew.
struct PlanMade {
  static constexpr std::string_view kName = "plan_made";
  static constexpr overlay::Level kLevel = overlay::Level::debug;
  CellId cell;
  std::uint64_t number;  ///< Of the plan, in this epoch.
  std::string_view cause;
  std::uint32_t jobs;
  std::uint32_t slots;  ///< All there are.
  std::uint32_t moved;  ///< Slots that another job has now.
};

/// Savings that this manager's cell sent reached the other's books.
struct TransferSettled {
  static constexpr std::string_view kName = "transfer_settled";
  static constexpr overlay::Level kLevel = overlay::Level::debug;
  CellId from;
  CellId to;
  std::uint64_t number;
};

/// ... or did not, and are back.
struct TransferUndone {
  static constexpr std::string_view kName = "transfer_undone";
  static constexpr overlay::Level kLevel = overlay::Level::debug;
  CellId from;
  CellId to;
  std::uint64_t number;
};

/// An operator said that these books are lost for good.
struct CellWrittenOff {
  static constexpr std::string_view kName = "cell_written_off";
  static constexpr overlay::Level kLevel = overlay::Level::warn;
  CellId cell;
};

}  // namespace dunlin::sched
