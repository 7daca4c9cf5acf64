// SPDX-License-Identifier: MIT
#include "node/warden/task_record.h"

#include <utility>

#include "node/warden/frames.h"

// An agent passes the end of a task on to the node that asked for it, and may die before that node
// has said that it is on its disk. So an end is kept here until the agent says so. The same end may
// then be told to two agents: results are recorded once all the same, because the node that records
// them knows attempts by their numbers.
namespace dunlin::node::warden {
namespace {

/// Ends that are kept at most: one that no node took for an hour is not waited for, and tasks may
/// end a thousand times a second. Beyond that the oldest are dropped.
constexpr std::size_t kEndedMax = 100'000;
/// With more bytes on the way the use of tasks is not told: the next telling has all of it.
constexpr std::size_t kBehind = 1u << 20;

std::int64_t nanoseconds(TaskRecord::Time::duration time) {
  return std::chrono::nanoseconds(time).count();
}

}  // namespace

bool TaskRecord::begin(const Start& start, Time now) {
  const auto [entry, is_new] =
      entries_.try_emplace(start.id, Entry{.slot = start.slot, .card = start.card, .begun = now});
  if (!is_new) return false;
  const auto before = slots_.find(start.slot);
  if (before != slots_.end()) {
    const auto last = entries_.find(before->second);
    // The task before has ended, and no agent has said to forget it: the slot's files are not its
    // own any more.
    if (last != entries_.end()) last->second.slot_passed_on = true;
  }
  slots_[start.slot] = start.id;
  return true;
}

void TaskRecord::tell(const Exited& exited) {
  if (agent_) append_frame(out_, exited);
  const auto entry = entries_.find(exited.id);
  if (entry == entries_.end() || entry->second.ended) return;
  entry->second.ended = exited;
  if (++ended_ <= kEndedMax) return;
  for (auto oldest = entries_.begin(); oldest != entries_.end(); ++oldest) {
    // Ids ascend, so the first that fits is about the oldest. One that is stuck still holds its
    // slot.
    if (!oldest->second.ended || oldest->second.ended->stuck) continue;
    --ended_;
    entries_.erase(oldest);
    return;
  }
}

void TaskRecord::tell(const Freed& freed) {
  if (agent_) append_frame(out_, freed);
  const auto entry = entries_.find(freed.id);
  if (entry == entries_.end()) return;
  if (entry->second.ended) entry->second.ended->stuck = false;
  erase_if_over(entry);
}

void TaskRecord::tell(const Used& used) {
  if (agent_ && out_.size() < kBehind) append_frame(out_, used);
}

void TaskRecord::tell(const Note& note) {
  if (agent_) append_frame(out_, note);
}

void TaskRecord::forget(std::uint64_t id) {
  const auto entry = entries_.find(id);
  if (entry == entries_.end() || !entry->second.ended) return;
  entry->second.forgotten = true;
  erase_if_over(entry);
}

void TaskRecord::note(const Suspend& order, Time now) {
  const auto entry = entries_.find(order.id);
  if (entry == entries_.end() || entry->second.kill_requested) return;
  Entry& task = entry->second;
  // Said twice: the time for which it stands must count once.
  if (order.on == task.suspended.has_value()) return;
  if (order.on) {
    task.suspended = now;
    ++task.suspensions;
  } else {
    task.stood += now - *std::exchange(task.suspended, std::nullopt);
  }
}

void TaskRecord::note(const Kill& order) {
  const auto entry = entries_.find(order.id);
  if (entry == entries_.end()) return;
  entry->second.kill_requested = true;
  entry->second.kill_reason = order.reason;
}

void TaskRecord::erase_if_over(Entries::iterator entry) {
  const Entry& task = entry->second;
  // All three, in any order: it has ended, its slot is free, and an agent has its end on disk.
  if (!task.ended || task.ended->stuck || !task.forgotten) return;
  const auto last = slots_.find(task.slot);
  if (last != slots_.end() && last->second == entry->first) slots_.erase(last);
  --ended_;
  entries_.erase(entry);
}

void TaskRecord::welcome(const Welcome& welcome, Time now) {
  out_.clear();
  agent_ = true;
  append_frame(out_, welcome);
  for (const auto& [id, task] : entries_) {
    append_frame(out_,
        Kept{.id = id,
            .slot = task.slot,
            .slot_passed_on = task.slot_passed_on,
            .forgotten = task.forgotten,
            .ran = nanoseconds(task.suspended.value_or(now) - task.begun - task.stood),
            .suspended = task.suspended.has_value(),
            .stands = nanoseconds(now - task.suspended.value_or(now)),
            .suspensions = task.suspensions,
            .kill_requested = task.kill_requested,
            .kill_reason = task.kill_reason,
            .card = task.card});
    if (task.ended) append_frame(out_, *task.ended);
  }
  append_frame(out_, Listed{});
}

void TaskRecord::part() {
  agent_ = false;
  out_.clear();
}

std::vector<std::uint64_t> TaskRecord::running() const {
  std::vector<std::uint64_t> ids;
  for (const auto& [id, task] : entries_) {
    if (!task.ended) ids.push_back(id);
  }
  return ids;
}

}  // namespace dunlin::node::warden
