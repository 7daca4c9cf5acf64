// SPDX-License-Identifier: MIT
#include "sched/worker/dispatch/class_tally.h"

#include <algorithm>
#include <chrono>

// The stride scheduler of a node wants to know three things: what each class holds, which classes
// want to run, and what tickets they have. Slots say the first whenever it changes. The second is
// read from the queue and the pending requests. The third comes from the cell, which in return
// hears what each class used and what waits.
namespace dunlin::sched {
namespace {

/// What tasks will still take is counted no further ahead than this. It is enough to deal out free
/// slots fairly, and so little that a wrong estimate does not keep a class from its share for long.
constexpr Duration kOutlookMax = std::chrono::seconds(2);

}  // namespace

ClassTally::ClassTally(Time now, const WorkerParts& parts) : parts_(parts), shares_(now) {
  count_held(now, true);
  parts_.slots.count_for(shares_);
}

void ClassTally::for_each_held(Time now, auto&& visit) const {
  for (const RunningTask& running : parts_.running.running()) {
    if (running.waits) continue;
    visit(footprint(running), std::uint64_t{1}, ran_by(running, now));
  }
  for (const PendingRequest& request : parts_.requests.pending()) {
    if (request.preempts) continue;
    visit(footprint(request.reservation.reserve), std::uint64_t{request.room}, Duration{0});
  }
}

/// Counts all that is held here for its classes, or for none.
void ClassTally::count_held(Time now, bool held) {
  for_each_held(now, [&](const Footprint& task, std::uint64_t count, Duration) {
    const std::uint64_t part = parts_.slots.part(task.demand) * count;
    return held ? shares_.hold(now, task.class_id, part)
                : shares_.release(now, task.class_id, part);
  });
}

void ClassTally::set_tickets(Time now, std::span<const std::pair<ClassId, Tickets>> tickets) {
  std::vector<std::pair<ClassId, Tickets>> by_class(tickets.begin(), tickets.end());
  std::ranges::sort(by_class);
  if (by_class == shares_.tickets()) return;
  // Tasks of a class that is not named count for the default class. So when classes come or go,
  // what is held changes its class: it leaves the old one before and joins the new one after.
  const auto class_of = [](const auto& each) { return each.first; };
  const bool same = std::ranges::equal(by_class, shares_.tickets(), {}, class_of, class_of);
  if (!same) count_held(now, false);
  shares_.set_tickets(now, std::move(by_class));
  if (!same) count_held(now, true);
  contend(now);
}

std::vector<books::Use> ClassTally::take_uses(Time now, Tickets tickets) {
  std::vector<std::pair<ClassId, std::uint64_t>> need;
  const auto wants = [&](const Reserve& reserve, std::uint64_t tasks) {
    need.emplace_back(reserve.class_id, parts_.slots.part(reserve.demand) * tasks);
  };
  for (const QueuedReservation& waiting : parts_.queue.waiting()) {
    wants(waiting.reserve, tasks_wanted(waiting.reserve));
  }
  for (const PendingRequest& request : parts_.requests.pending()) {
    const Reserve& asked = request.reservation.reserve;
    const std::uint32_t wanted = tasks_wanted(asked);
    if (wanted > request.room && parts_.requests.wants_more(asked)) {
      wants(asked, wanted - request.room);
    }
  }
  return shares_.take(now, tickets, need);
}

/// A class contends if it has a request pending, since that may come back with more tasks, or if a
/// reservation of it waits for slots that others could leave to it. One that is barred from the
/// express share waits for no such slot, so it is no claim.
std::vector<ClassId> ClassTally::contenders() const {
  std::vector<ClassId> class_ids;
  const auto has = [&](ClassId class_id) {
    return std::ranges::find(class_ids, class_id) != class_ids.end();
  };
  for (const PendingRequest& request : parts_.requests.pending()) {
    const ClassId class_id = request.reservation.reserve.class_id;
    if (!has(class_id)) class_ids.push_back(class_id);
  }
  for (const QueuedReservation& waiting : parts_.queue.waiting()) {
    const ClassId class_id = waiting.reserve.class_id;
    if (has(class_id) || parts_.fit(waiting.reserve) == Fit::barred) continue;
    class_ids.push_back(class_id);
  }
  return class_ids;
}

void ClassTally::contend(Time now) {
  shares_.contend(now, contenders());
}

Stride ClassTally::outlook(Time now) const {
  Stride stride = shares_.standing(now, contenders());
  for_each_held(now, [&](const Footprint& task, std::uint64_t count, Duration elapsed) {
    stride.expect(shares_.class_of(task.class_id), parts_.slots.part(task.demand) * count,
        outlook_of(task.task_time, elapsed));
  });
  return stride;
}

Duration ClassTally::outlook_of(Duration task_time, Duration elapsed) {
  if (task_time == Duration{0}) return kOutlookMax;  // Its frontend did not tell.
  return std::min(kOutlookMax, time_left(task_time, elapsed));
}

}  // namespace dunlin::sched
