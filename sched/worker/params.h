// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "overlay/params.h"
#include "sched/kernel.h"
#include "sched/packing/rules.h"

namespace dunlin::sched {

/// The order in which a worker serves its queue: names a Discipline.
enum class DisciplineName : std::uint8_t {
  fifo,      ///< The job submitted first: discipline/fifo.h.
  priority,  ///< The one of highest priority; waiting is worth priority: discipline/priority.h.
  shortest,  ///< The one with the least left to do: discipline/shortest.h.
  edf,       ///< The one of the earliest deadline: discipline/edf.h.
  tetris,    ///< The task that packs best, of short jobs: discipline/tetris.h.
};

/// The tasks that a worker stops so that others have room: see sched/worker/preemption.h.
enum class PreemptMode : std::uint8_t {
  off,        ///< None.
  emergency,  ///< Those of much lower priority, for very high priorities or urgent jobs alone.
  priority,   ///< Those of much lower priority, for any task.
  plan,       ///< Those beyond what the plan gives their job, for tasks within it.
  share,      ///< Those of the class furthest above its share, for classes below theirs.
};

struct WorkerParams {
  DisciplineName discipline = DisciplineName::shortest;
  packing::ScoreName packing_score = packing::ScoreName::dot;
  double length_weight = 0.7;
  double patience = 8;
  double scarcity = 0;
  double srtf_weight = 1;
  double fairness = 0.25;
  double remote_penalty = 0.1;
  double barrier = 0.9;
  Duration ageing = std::chrono::seconds(10);
  double express_share = 0;
  Duration express_limit = std::chrono::seconds(10);
  Duration overtake = std::chrono::seconds(5);
  std::uint16_t queue_max = 1024;
  std::uint16_t tasks_max = 256;
  std::uint16_t slots_per_user = 192;
  Duration queue_renew = std::chrono::seconds(4);
  Duration ask_timeout = std::chrono::milliseconds(250);
  std::uint8_t ask_tries = 4;
  Duration renew = std::chrono::seconds(1);
  Duration resend = std::chrono::milliseconds(500);
  Duration orphan_after = std::chrono::minutes(2);
  Duration reattach_within = std::chrono::seconds(30);
  Duration trial_period = std::chrono::seconds(5);
  PreemptMode preempt = PreemptMode::off;
  std::uint8_t preempt_delta = 10;
  std::uint8_t emergency_priority = 90;
  Duration preempt_exempt = std::chrono::seconds(1);
  std::uint16_t preempt_max = 5;
  std::uint16_t loans_max = 64;
  Duration suspend_max = std::chrono::hours(1);
  Duration loan_lease = std::chrono::seconds(30);
  Duration loan_rest = std::chrono::seconds(5);
};

}  // namespace dunlin::sched

namespace dunlin::overlay {
template <>
inline constexpr std::string_view kWords<sched::DisciplineName>[] = {
    "fifo", "priority", "shortest", "edf", "tetris"};
template <>
inline constexpr std::string_view kWords<sched::packing::ScoreName>[] = {
    "dot", "cosine", "l2_difference", "l2_ratio", "sum", "product"};
template <>
inline constexpr std::string_view kWords<sched::PreemptMode>[] = {
    "off", "emergency", "priority", "plan", "share"};

/// See overlay/params.h.
void append_entries(sched::WorkerParams& params, std::vector<ParamEntry>& entries);
}  // namespace dunlin::overlay
