// SPDX-License-Identifier: MIT
// The part of a worker that knows of classes: as long as they have tickets, it is their turn first,
// and the discipline decides within a class.
#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "sched/resources.h"
#include "sched/worker/share/class_shares.h"
#include "sched/worker/share/stride.h"
#include "sched/worker/worker.h"

namespace dunlin::sched {
namespace {

/// What tasks will still take is looked at no further ahead: enough to deal out free slots fairly,
/// and so little that a wrong estimate does not keep a class from its share for long.
constexpr Duration kOutlook = std::chrono::seconds(2);

/// What a task occupies from now on, as far as one looks ahead.
Duration expected(Duration task_time, Duration elapsed) {
  if (task_time == Duration{0}) return kOutlook;  // It was not told.
  // Longer than thought: expect as much again.
  return std::min(kOutlook, elapsed < task_time ? task_time - elapsed : elapsed);
}

std::uint32_t tasks_wanted(const Reserve& reserve) {
  return std::clamp<std::uint32_t>(reserve.most, 1, kRoomMax);
}

/// True if `other` would take of what `first` lacks.
bool in_the_way(const Resources& other, const Resources& first, const Resources& free) {
  if (first.cpu > free.cpu && other.cpu > 0) return true;
  if (first.memory > free.memory && other.memory > 0) return true;
  return std::ranges::any_of(first.custom, [&](const Amount& amount) {
    return amount.count > amount_of(free, amount.name) && amount_of(other, amount.name) > 0;
  });
}

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

/// What a class would run next.
struct Claim {
  ClassId class_id = 0;
  std::size_t open = kNone;   ///< Asks in this round, and wants more.
  std::size_t asked = kNone;  ///< Asked before, has no answer yet, and wants more.
  std::size_t first = kNone;  ///< In the queue: by the discipline, whether it fits or not ...
  std::size_t best = kNone;   ///< ... and of those that fit.
};

Claim& claim_of(std::vector<Claim>& claims, ClassId class_id) {
  const auto found = std::ranges::find(claims, class_id, &Claim::class_id);
  return found != claims.end() ? *found : claims.emplace_back(Claim{.class_id = class_id});
}

}  // namespace

bool Worker::by_class() const {
  return shares_ && shares_->enforced();
}

ClassShares& Worker::the_shares(Time now) {
  if (!shares_) {
    shares_ = std::make_unique<ClassShares>(now);
    count_all(now, true);
  }
  return *shares_;
}

/// Counts all that is occupied here for its classes, or for none.
void Worker::count_all(Time now, bool held) {
  const auto count = [&](ClassId class_id, const Resources& demand, std::uint64_t tasks) {
    const std::uint64_t part = dominant_part(demand, total_) * tasks;
    return held ? shares_->hold(now, class_id, part) : shares_->release(now, class_id, part);
  };
  for (const RunningTask& running : running_) count(running.class_id, running.demand, 1);
  for (const PendingRequest& asking : asking_) {
    const Reserve& asked = asking.reservation.reserve;
    count(asked.class_id, asked.demand, asking.room);
  }
}

void Worker::set_tickets(Time now, std::span<const std::pair<ClassId, Tickets>> tickets) {
  if (!shares_ && tickets.empty()) return;
  ClassShares& shares = the_shares(now);
  std::vector<std::pair<ClassId, Tickets>> by_class(tickets.begin(), tickets.end());
  std::ranges::sort(by_class);
  if (by_class == shares.tickets()) return;
  const auto class_of = [](const auto& each) { return each.first; };
  const bool same = std::ranges::equal(by_class, shares.tickets(), {}, class_of, class_of);
  if (!same) count_all(now, false);
  shares.set_tickets(now, std::move(by_class));
  if (!same) count_all(now, true);
  contend(now);
}

std::vector<books::Use> Worker::take_uses(Time now, Tickets tickets) {
  std::vector<std::pair<ClassId, std::uint64_t>> need;
  const auto wants = [&](const Reserve& reserve, std::uint64_t tasks) {
    need.emplace_back(reserve.class_id, dominant_part(reserve.demand, total_) * tasks);
  };
  for (const QueuedReservation& waiting : queue_.waiting()) {
    wants(waiting.reserve, tasks_wanted(waiting.reserve));
  }
  for (const PendingRequest& asking : asking_) {
    const Reserve& asked = asking.reservation.reserve;
    const auto wanted = static_cast<std::uint32_t>(tasks_wanted(asked));
    if (wanted > asking.room && wants_more(asked)) wants(asked, wanted - asking.room);
  }
  return the_shares(now).take(now, tickets, need);
}

// Whoever asks may well be back with more. Whom only the express share is left to waits for no room
// that others could leave him: that is no claim.
std::vector<ClassId> Worker::contenders() const {
  std::vector<ClassId> class_ids;
  const auto add = [&](ClassId class_id, auto&& if_so) {
    if (std::ranges::find(class_ids, class_id) == class_ids.end() && if_so()) {
      class_ids.push_back(class_id);
    }
  };
  for (const PendingRequest& asking : asking_) {
    add(asking.reservation.reserve.class_id, [] { return true; });
  }
  for (const QueuedReservation& waiting : queue_.waiting()) {
    add(waiting.reserve.class_id, [&] { return fit_of(waiting.reserve) != Fit::barred; });
  }
  return class_ids;
}

void Worker::contend(Time now) {
  if (shares_) shares_->contend(now, contenders());
}

/// Passes as they will be when what is occupied now has ended, or a little later.
Stride Worker::outlook(Time now) const {
  Stride stride = shares_->standing(now, contenders());
  const auto expect = [&](ClassId class_id, const Resources& demand, std::uint64_t tasks,
                          Duration time) {
    stride.expect(shares_->class_of(class_id), dominant_part(demand, total_) * tasks, time);
  };
  for (const RunningTask& running : running_) {
    expect(running.class_id, running.demand, 1, expected(running.task_time, now - running.started));
  }
  for (const PendingRequest& asking : asking_) {
    const Reserve& asked = asking.reservation.reserve;
    expect(asked.class_id, asked.demand, asking.room, expected(asked.task_time, Duration{0}));
  }
  return stride;
}

/// Of a job that was asked: whether it has more tasks than were asked for.
bool Worker::wants_more(const Reserve& asked) const {
  std::uint32_t room = 0;
  for (const PendingRequest& asking : asking_) {
    const Reserve& other = asking.reservation.reserve;
    if (other.job == asked.job && other.group == asked.group) room += asking.room;
  }
  return room < tasks_wanted(asked);
}

bool Worker::keeps_room_for(const QueuedReservation& first, const Reserve& other, Time now) const {
  return now - first.born > params_.overtake &&
      in_the_way(other.demand, first.reserve.demand, free_);
}

std::optional<Worker::Due> Worker::due(const Stride& outlook, Time now, std::size_t asked) const {
  std::vector<Claim> claims;
  for (std::size_t i = 0; i < asking_.size(); ++i) {
    const Reserve& reserve = asking_[i].reservation.reserve;
    if (fit_of(reserve) != Fit::yes || !wants_more(reserve)) continue;
    Claim& claim = claim_of(claims, shares_->class_of(reserve.class_id));
    std::size_t& first = i < asked ? claim.asked : claim.open;
    if (first == kNone) first = i;
  }
  const std::vector<QueuedReservation>& waiting = queue_.waiting();
  const auto earlier = [&](std::size_t i, std::size_t than) {
    return than == kNone || queue_.before(waiting[i], waiting[than], now);
  };
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    const Fit fitting = fit_of(waiting[i].reserve);
    if (fitting == Fit::barred) continue;
    Claim& claim = claim_of(claims, shares_->class_of(waiting[i].reserve.class_id));
    if (earlier(i, claim.first)) claim.first = i;
    if (fitting == Fit::yes && earlier(i, claim.best)) claim.best = i;
  }
  std::ranges::sort(claims, {},
      [&](const Claim& claim) { return std::pair(outlook.pass(claim.class_id), claim.class_id); });
  // A job whose answer is under way asks again only if nothing else of its class can.
  const auto next_of = [](const Claim& claim) -> std::optional<Due> {
    if (claim.open != kNone) return Due{Due::From::round, claim.open};
    if (claim.best != kNone) return Due{Due::From::queue, claim.best};
    if (claim.asked != kNone) return Due{Due::From::asked, claim.asked};
    return std::nullopt;
  };
  for (const Claim& claim : claims) {
    const auto next = next_of(claim);
    if (!next) continue;
    const Claim& lead = claims.front();
    const auto due = next_of(lead);
    if (due && (due->from == Due::From::round || lead.first == lead.best)) return due;
    // It would overtake whoever is due.
    const Reserve& reserve = next->from == Due::From::queue
        ? waiting[next->index].reserve
        : asking_[next->index].reservation.reserve;
    if (!keeps_room_for(waiting[lead.first], reserve, now)) return next;
  }
  return std::nullopt;
}

/// One slot after the other, to the class that is due: so that none gets all that are free at once.
/// Who is due while its only reservation here is away, asking, asks a second time: else all slots
/// that fall free in the meantime would go to others, and short tasks never get their share. Nobody
/// asks again on the strength of a second question, so that it comes to an end: with the job, or
/// with its frontend.
void Worker::dispatch_by_class(Turn& turn) {
  contend(turn.now);
  Stride ahead = outlook(turn.now);
  const std::size_t asked = asking_.size();
  std::vector<std::size_t> second;
  while (const auto next = due(ahead, turn.now, asked)) {
    if (next->from == Due::From::asked) second.push_back(asking_.size());
    if (next->from != Due::From::round) {
      QueuedReservation reservation = next->from == Due::From::queue
          ? queue_.take(next->index)
          : asking_[next->index].reservation;
      asking_.push_back(
          {.request = ++request_last_, .reservation = std::move(reservation), .room = 0});
    }
    PendingRequest& asking = next->from == Due::From::round ? asking_[next->index] : asking_.back();
    const Reserve& reserve = asking.reservation.reserve;
    ++asking.room;
    shares_->serve(reserve.class_id);
    hold(turn.now, reserve.class_id, reserve.demand);
    ahead.expect(shares_->class_of(reserve.class_id), dominant_part(reserve.demand, total_),
        expected(reserve.task_time, Duration{0}));
  }
  for (std::size_t i = asked; i < asking_.size(); ++i) send_get_task(turn, asking_[i]);
  for (const std::size_t i : second) asking_[i].reservation.reserve.most = 0;
}

}  // namespace dunlin::sched
