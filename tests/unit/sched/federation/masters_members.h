// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "sched/federation/global/global_master.h"

// Members, tasks and frontends as the test of chance has them.
namespace dunlin::sched::federation {

inline constexpr std::uint32_t kCpus = 4000;
inline constexpr std::uint64_t kCells = 2;
inline constexpr std::uint64_t kMembers =
    6;  ///< 1 to 6: the odd ones in cell 1, the others in cell 2.
inline constexpr std::uint64_t kManagers = 10;  ///< 11 and 12 manage the cells.
inline constexpr std::uint64_t kMasters = 100;  ///< 101 and 102 are global masters.

inline constexpr ClassId kClasses = 3;  ///< 1 to 3; each has its number as its share.

using Run = std::tuple<std::uint64_t, std::uint32_t, AttemptNumber>;  ///< Home, index, attempt.

inline ClassId class_of(std::uint32_t index) {
  return 1 + index % kClasses;
}

/// A worker as far as masters see it.
struct Member {
  CellId cell;
  std::uint64_t epoch = 0;
  std::uint32_t count = 1;
  std::map<Run, std::pair<Time, std::uint32_t>> running;  ///< When it ends, and its CPUs.
  std::map<std::uint64_t, bool> answered;
  /// Of the last row that it sent.
  std::uint64_t version() const { return std::uint64_t{1} << 32 | count; }
  std::uint32_t free() const {
    std::uint32_t left = kCpus;
    for (const auto& [run, task] : running) left -= task.second;
    return left;
  }
};

struct Task {
  enum class State : std::uint8_t { waiting, launching, bound, done } state = State::waiting;
  std::uint32_t cpu = 0;
  AttemptNumber attempt = 1;
};

struct Frontend {
  std::unique_ptr<GlobalMaster> master;
  std::map<std::uint32_t, Task> tasks;
};

/// What the tasks of each class and frontend hold there.
inline std::vector<ClassUse> uses_of(const Member& member) {
  std::map<std::pair<ClassId, std::uint64_t>, std::uint32_t> held;
  for (const auto& [run, task] : member.running) {
    held[{class_of(std::get<1>(run)), std::get<0>(run)}] += task.second;
  }
  std::vector<ClassUse> uses;
  for (const auto& [key, cpu] : held) {
    uses.push_back({.class_id = key.first,
        .frontend = {key.second},
        .used = cpu,
        .yields = {.cpu = cpu, .memory = 1}});
  }
  return uses;
}
/// What the tasks of each frontend hold there.
inline std::vector<FrontendHold> held_of(const Member& member) {
  std::map<std::uint64_t, std::uint32_t> held;
  for (const auto& [run, task] : member.running) held[std::get<0>(run)] += task.second;
  std::vector<FrontendHold> told;
  for (const auto& [frontend, cpu] : held) told.push_back({{frontend}, {.cpu = cpu}});
  return told;
}
/// Tasks of that class which leave room enough if they are stopped; none if they do not.
inline std::vector<Run> victims_of(const Member& member, ClassId over, std::uint32_t cpu) {
  std::uint32_t left = member.free();
  std::vector<Run> victims;
  for (const auto& [run, task] : member.running) {
    if (left >= cpu || class_of(std::get<1>(run)) != over) continue;
    left += task.second;
    victims.push_back(run);
  }
  if (left < cpu) return {};
  return victims;
}

}  // namespace dunlin::sched::federation
