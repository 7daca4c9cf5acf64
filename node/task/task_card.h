// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "node/task/devices.h"
#include "node/task/task_about.h"
#include "sched/turn.h"

namespace dunlin::node {

/// An agent's notes of a task, which its warden keeps for the next agent. That one may be of
/// another build.
struct TaskCard {
  /// A signal that comes before it is asked to yield its room, and the time that it has then.
  struct Warning {
    std::uint8_t signal = 0;  ///< 0: none.
    std::uint32_t time_ms = 0;
    friend bool operator==(const Warning&, const Warning&) = default;
  };
  /// The agent's own knowledge of it.
  struct Notes {
    bool scratch = false;                ///< It runs in the scratch directory of its slot.
    bool fed = false;                    ///< A client gives it what it reads.
    std::vector<TaskDevices> devices{};  ///< No other task has them.
    Warning warning{};
    TaskAbout about{};  ///< Empty in cards of earlier builds.
  };
  sched::KeptTask task;
  Notes notes;
};

std::string write_card(const sched::Launch& launch, const TaskCard::Notes& notes);
/// Empty if it is of a build that wrote other cards, or damaged.
std::optional<TaskCard> read_card(std::string_view text);

}  // namespace dunlin::node
