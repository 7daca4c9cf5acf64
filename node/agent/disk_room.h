// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "node/task/output/output.h"

namespace dunlin::node {

/// The room on the disk of a directory.
struct DiskRoom {
  std::uint64_t size = 0;        ///< Bytes in all ...
  std::uint64_t free = 0;        ///< ... and for users without privilege.
  std::uint64_t files = 0;       ///< Files that it may have in all; 0: there is no such limit.
  std::uint64_t files_free = 0;  ///< Those that it may have yet.
  bool read_only = false;
  bool frees_late = false;  ///< What is deleted counts as free after many seconds only.
};

/// The least free room that a node needs, as agent.disk_free_min says: bytes; empty: by the disk.
using FreeMin = std::optional<std::uint64_t>;
/// Of a value of agent.disk_free_min that was checked.
FreeMin free_min_of(const std::string& text);

/// The least free room of a disk like this one, in bytes.
std::uint64_t room_min_of(const DiskRoom& room, FreeMin free_min);

/// Tasks that write much do it slowly while the disk has less room, in bytes: a little more than
/// makes a node sick, so that output alone does not.
std::uint64_t room_to_write(const DiskRoom& room, FreeMin free_min);
/// The same of a directory's disk, for agent.disk_free_min as it stands; 0 if it can't be measured.
std::uint64_t room_to_write(const std::string& directory, const std::string& free_min);

/// What output is to give back to such a disk, which has more room than room_to_write() then.
Shortage shortage_for_output(const DiskRoom& room, FreeMin free_min);

/// Why a disk with this room, of the directory `directory`, makes the node sick: "disk full: DIR,
/// 12 MB free". Empty: it does not. `sick`: it did just now; then it must have a little more, so
/// that the node is not well and sick in turns.
std::string disk_trouble(
    const std::string& directory, const DiskRoom& room, FreeMin free_min, bool sick);

/// Measures it. Empty if that fails; then errno says why.
std::optional<DiskRoom> room_of(const std::string& directory);

}  // namespace dunlin::node
