// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "overlay/message.h"
#include "sched/cell/message.h"
#include "sched/message.h"

namespace dunlin::sim {

inline constexpr std::size_t kOverlayKinds = std::variant_size_v<overlay::Message>;
inline constexpr std::size_t kSchedKinds = std::variant_size_v<sched::Message>;
inline constexpr std::size_t kCellKinds = std::variant_size_v<sched::cell::Message>;
inline constexpr std::size_t kMessageKinds = kOverlayKinds + kSchedKinds + kCellKinds;

/// Every kind of message, in the order of the schemas: first the overlay's, then scheduling's,
/// then those of cells.
inline constexpr std::array<std::string_view, kMessageKinds> kMessageWords = {"shuffle_request",
    "shuffle_reply", "gradient_request", "gradient_reply", "join", "welcome", "join_walk",
    "join_offer", "ping", "pong", "leave", "reserve", "queued", "bounced", "get_task", "tasks",
    "refused", "done", "done_ack", "renew", "renew_ack", "cancel", "kill", "facts_request", "facts",
    "drain_request", "drain_reply", "remaining", "inquiry", "testimony", "log_append",
    "log_appended", "log_behind", "find_home", "home_is", "list_jobs", "jobs_listed",
    "nodes_listed", "end_request", "job_end", "attach", "attached", "cell_view", "launch_tasks",
    "launch_reply", "roll_call", "member_row", "start_tasks", "park", "offer", "passed_launch",
    "tell_extent", "borrow", "lent", "repay", "ask_after", "request_vote", "request_vote_result",
    "append_entries", "append_entries_result", "install_snapshot", "timeout_now", "member_report",
    "lease", "enlist", "enlisted", "discharge", "set_classes", "order", "savings_offer", "verdict",
    "cell_gossip", "resign", "written_off", "excuse", "log_request", "log_answer", "claims",
    "allotments", "invite"};
static_assert(!kMessageWords.back().empty(), "a kind without a word shifts all behind it");
static_assert(kMessageWords[kOverlayKinds + kSchedKinds - 1] == "ask_after" &&
    kMessageWords[kOverlayKinds + kSchedKinds] == "request_vote");

/// The kinds [first, second) by which the jobs of the cluster are listed.
inline constexpr std::pair<std::size_t, std::size_t> kListingKinds = {
    kOverlayKinds + 24, kOverlayKinds + 27};
static_assert(kMessageWords[kListingKinds.first] == "list_jobs" &&
    kMessageWords[kListingKinds.second - 1] == "nodes_listed");

/// The place of a message's kind among all: that of its word in kMessageWords.
inline std::size_t kind_of(const overlay::Message& message) {
  return message.index();
}
inline std::size_t kind_of(const sched::Message& message) {
  return kOverlayKinds + message.index();
}
inline std::size_t kind_of(const sched::cell::Message& message) {
  return kOverlayKinds + kSchedKinds + message.index();
}

}  // namespace dunlin::sim
