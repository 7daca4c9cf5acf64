// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

#include "overlay/observer.h"
#include "sched/ledger/books_types.h"

// What happens in cells, as values; see overlay/observer.h.
namespace dunlin::sched {

/// This node is a member of a cell.
struct CellJoined {
  static constexpr std::string_view kName = "cell_joined";
  static constexpr overlay::Level kLevel = overlay::Level::info;
  CellId cell;
  std::uint64_t epoch;
  void fields(auto&& field) const {
    field("cell", overlay::PeerId{cell});
    field("epoch", epoch);
  }
};

/// ... and no longer.
struct CellLeft {
  static constexpr std::string_view kName = "cell_left";
  static constexpr overlay::Level kLevel = overlay::Level::info;
  CellId cell;
  void fields(auto&& field) const { field("cell", overlay::PeerId{cell}); }
};

/// This node is a cell's manager: its term of office begins.
struct ManagerElected {
  static constexpr std::string_view kName = "manager_elected";
  static constexpr overlay::Level kLevel = overlay::Level::info;
  CellId cell;
  std::uint64_t epoch;
  void fields(auto&& field) const {
    field("cell", overlay::PeerId{cell});
    field("epoch", epoch);
  }
};

struct ManagerResigned {
  static constexpr std::string_view kName = "manager_resigned";
  static constexpr overlay::Level kLevel = overlay::Level::info;
  CellId cell;
  std::uint64_t epoch;
  void fields(auto&& field) const {
    field("cell", overlay::PeerId{cell});
    field("epoch", epoch);
  }
};

/// No newer grants came in time: classes go by their shares of this node.
struct GrantsLapsed {
  static constexpr std::string_view kName = "grants_lapsed";
  static constexpr overlay::Level kLevel = overlay::Level::warn;
  CellId cell;
  void fields(auto&& field) const { field("cell", overlay::PeerId{cell}); }
};

/// A newer table says who shares the cluster.
struct ClassesChanged {
  static constexpr std::string_view kName = "classes_changed";
  static constexpr overlay::Level kLevel = overlay::Level::info;
  std::uint64_t version;
  std::uint32_t classes;
  void fields(auto&& field) const {
    field("version", version);
    field("classes", classes);
  }
};

/// Savings that this manager's cell sent reached the other's books.
struct TransferSettled {
  static constexpr std::string_view kName = "transfer_settled";
  static constexpr overlay::Level kLevel = overlay::Level::debug;
  CellId from;
  CellId to;
  std::uint64_t number;
  void fields(auto&& field) const {
    field("from", overlay::PeerId{from});
    field("to", overlay::PeerId{to});
    field("number", number);
  }
};

/// ... or did not, and are back.
struct TransferUndone {
  static constexpr std::string_view kName = "transfer_undone";
  static constexpr overlay::Level kLevel = overlay::Level::debug;
  CellId from;
  CellId to;
  std::uint64_t number;
  void fields(auto&& field) const {
    field("from", overlay::PeerId{from});
    field("to", overlay::PeerId{to});
    field("number", number);
  }
};

/// An operator said that these books are lost for good.
struct CellWrittenOff {
  static constexpr std::string_view kName = "cell_written_off";
  static constexpr overlay::Level kLevel = overlay::Level::warn;
  CellId cell;
  void fields(auto&& field) const { field("cell", overlay::PeerId{cell}); }
};

}  // namespace dunlin::sched
