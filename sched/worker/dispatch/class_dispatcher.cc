// SPDX-License-Identifier: MIT
#include "sched/worker/dispatch/class_dispatcher.h"

#include <algorithm>
#include <utility>

#include "sched/resources.h"
#include "sched/worker/packing/contest.h"

// Each class has a pass: what it has held so far, divided by its tickets. The class with the
// smallest pass is due. Free slots are dealt out one by one, each to the class that is due when it
// comes to it, and the pass of that class grows at once by what the task is expected to hold. So no
// class gets all slots that are free at the same time.
//
// Within a class the discipline decides; one that packs chooses anew for each slot. If the class
// that is due has nothing that fits, the next one is served, unless it would take what the first
// lacks and the first has waited long enough.
namespace dunlin::sched {
namespace {

/// A job with so many tasks left does not notice one reservation more or less.
constexpr std::uint16_t kManyTasks = 16;

}  // namespace

/// The reservation that gets the next slot.
struct ClassDispatcher::Due {
  enum class From {
    queue,  ///< An element of the queue.
    round,  ///< A request of this round, not sent yet: it asks for one task more.
    asked,  ///< A request that awaits its answer: its job is asked a second time.
  };
  From from = From::queue;
  std::size_t index = 0;
};

/// The reservations by which a class could use the next slot.
struct ClassDispatcher::Claim {
  ClassId class_id = 0;
  std::optional<std::size_t> round;  ///< A request of this round that wants more.
  std::optional<std::size_t> asked;  ///< A request sent before, without answer, that wants more.
  std::optional<std::size_t>
      first;                        ///< In the queue: by the discipline, whether it fits or not ...
  std::optional<std::size_t> best;  ///< ... and of those that fit.
  bool beyond_plan = false;         ///< A plan gives `best` slots here, and none more to `round`.
  std::optional<Contest> contest;   ///< Of `round` and the queue, if the discipline packs.

  /// Asks a job a second time, while its first answer is under way, only if nothing else of its
  /// class can run.
  std::optional<Due> next() const {
    if (round && !beyond_plan) return Due{Due::From::round, *round};
    if (best) return Due{Due::From::queue, *best};
    if (asked) return Due{Due::From::asked, *asked};
    return std::nullopt;
  }

  /// The same by the contest. It takes nothing of what `kept` lacks, which may be null.
  std::optional<Due> next_packed(const QueuedReservation* kept) {
    if (const auto won = contest ? contest->winner(kept) : std::nullopt) {
      return Due{won->asking ? Due::From::round : Due::From::queue, won->index};
    }
    if (asked) return Due{Due::From::asked, *asked};
    return std::nullopt;
  }
};

/// The claims of all classes that have any. The first `asked` requests were sent before this round.
auto ClassDispatcher::gather_claims(Time now, std::size_t asked) const -> std::vector<Claim> {
  std::vector<Claim> claims;
  const auto claim_of = [&](const Reserve& reserve) -> Claim& {
    const ClassId class_id = class_of(reserve);
    const auto found = std::ranges::find(claims, class_id, &Claim::class_id);
    return found != claims.end() ? *found : claims.emplace_back(Claim{.class_id = class_id});
  };
  for (std::size_t i = 0; i < parts_.requests.size(); ++i) {
    const Reserve& reserve = parts_.requests[i].reservation.reserve;
    if (parts_.fit(reserve) != Fit::yes || !parts_.requests.wants_more(reserve)) continue;
    Claim& claim = claim_of(reserve);
    std::optional<std::size_t>& first = i < asked ? claim.asked : claim.round;
    if (!first) first = i;
  }
  const std::vector<QueuedReservation>& waiting = parts_.queue.waiting();
  const ServiceMoment at = parts_.moment(now);
  const auto earlier = [&](std::size_t i, const std::optional<std::size_t>& than) {
    return !than || serves_before(parts_.discipline, waiting[i], waiting[*than], at);
  };
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    const Fit fit = parts_.fit(waiting[i].reserve);
    if (fit == Fit::barred) continue;
    Claim& claim = claim_of(waiting[i].reserve);
    if (earlier(i, claim.first)) claim.first = i;
    if (fit == Fit::yes && earlier(i, claim.best)) claim.best = i;
  }
  if (parts_.discipline.packer() != nullptr) hold_contests(claims, at, asked);
  if (at.planned == nullptr) return claims;
  for (Claim& claim : claims) {
    const auto has_slots = [&](const Reserve& reserve) {
      return at.planned->rank(reserve).has_value();
    };
    claim.beyond_plan = claim.round && claim.best && has_slots(waiting[*claim.best].reserve) &&
        !has_slots(parts_.requests[*claim.round].reservation.reserve);
  }
  return claims;
}

/// Tells each claim all that takes part in its contest.
void ClassDispatcher::hold_contests(
    std::vector<Claim>& claims, const ServiceMoment& at, std::size_t asked) const {
  const std::vector<QueuedReservation>& waiting = parts_.queue.waiting();
  const std::size_t all = waiting.size() + parts_.requests.size() - asked;
  const auto enter = [&](const QueuedReservation& reservation, const Next& next) {
    const auto claim = std::ranges::find(claims, class_of(reservation.reserve), &Claim::class_id);
    if (claim == claims.end()) return;
    if (!claim->contest) claim->contest.emplace(parts_, at, all);
    claim->contest->add(reservation, next, parts_.fit(reservation.reserve) == Fit::yes);
  };
  for (std::size_t i = asked; i < parts_.requests.size(); ++i) {
    const QueuedReservation& asking = parts_.requests[i].reservation;
    if (parts_.requests.wants_more(asking.reserve)) enter(asking, {.asking = true, .index = i});
  }
  for (std::size_t i = 0; i < waiting.size(); ++i) enter(waiting[i], {.index = i});
}

/// The reservation that gets the next slot if the discipline packs: of the first class in the order
/// of `claims` that has one. What the first reservation of the class that is due lacks is kept for
/// it once it has waited long enough.
auto ClassDispatcher::due_packed(std::vector<Claim>& claims, Time now) const -> std::optional<Due> {
  const QueuedReservation* kept = nullptr;
  if (!claims.empty() && claims.front().first && claims.front().first != claims.front().best) {
    const QueuedReservation& first = parts_.queue.waiting()[*claims.front().first];
    if (parts_.discipline.keeps_room_for(first, parts_.moment(now))) kept = &first;
  }
  for (Claim& claim : claims) {
    const auto next = claim.next_packed(kept);
    if (!next) continue;
    if (kept == nullptr || next->from != Due::From::asked) return next;
    const Reserve& reserve = parts_.requests[next->index].reservation.reserve;
    if (!in_the_way(reserve.demand, kept->reserve.demand, parts_.slots.free())) return next;
  }
  return std::nullopt;
}

/// The reservation that gets the next slot; empty if none does.
auto ClassDispatcher::due(const Stride& outlook, Time now, std::size_t asked) const
    -> std::optional<Due> {
  std::vector<Claim> claims = gather_claims(now, asked);
  std::ranges::sort(claims, {},
      [&](const Claim& claim) { return std::pair(outlook.pass(claim.class_id), claim.class_id); });
  if (parts_.discipline.packer() != nullptr) return due_packed(claims, now);
  for (const Claim& claim : claims) {
    const auto next = claim.next();
    if (!next) continue;
    const Claim& lead = claims.front();
    const auto of_lead = lead.next();
    if (of_lead && (of_lead->from == Due::From::round || lead.first == lead.best)) return of_lead;
    // Whatever is served now overtakes the first reservation of the class that is due.
    const Reserve& reserve = next->from == Due::From::queue
        ? parts_.queue.waiting()[next->index].reserve
        : parts_.requests[next->index].reservation.reserve;
    const QueuedReservation& first = parts_.queue.waiting()[*lead.first];
    const bool kept = parts_.discipline.keeps_room_for(first, parts_.moment(now)) &&
        in_the_way(reserve.demand, first.reserve.demand, parts_.slots.free());
    if (!kept) return next;
  }
  return std::nullopt;
}

std::optional<std::size_t> ClassDispatcher::choose(Time now) const {
  const auto next = due(tally_.outlook(now), now, parts_.requests.size());
  if (!next || next->from != Due::From::queue) return std::nullopt;
  return next->index;
}

// A class that is due while its only reservation here is away, asking, asks its job a second time.
// Otherwise all slots that fall free in the meantime would go to others, and classes of short tasks
// would never get their share. On the strength of a second question no third one is asked: so the
// questions come to an end with the job, or with its frontend.
void ClassDispatcher::dispatch(Turn& turn) {
  tally_.contend(turn.now);
  Stride ahead = tally_.outlook(turn.now);
  PendingRequests& requests = parts_.requests;
  const std::size_t asked = requests.size();
  std::vector<std::size_t> second;
  while (const auto next = due(ahead, turn.now, asked)) {
    std::size_t at = next->index;
    if (next->from == Due::From::queue) {
      QueuedReservation first = parts_.queue.take(next->index);
      const std::uint32_t slots_max = parts_.slots_max(first.reserve);
      at = requests.open(std::move(first), slots_max);
    }
    if (next->from == Due::From::asked) {
      at = requests.open(requests[next->index].reservation);
      second.push_back(at);
    }
    const Reserve& reserve = requests[at].reservation.reserve;
    tally_.shares().serve(reserve.class_id);
    requests.widen(turn.now, at);
    ahead.expect(class_of(reserve), parts_.slots.part(reserve.demand),
        ClassTally::outlook_of(reserve.task_time, Duration{0}));
  }
  for (std::size_t i = asked; i < requests.size(); ++i) requests.send(turn, i);
  for (const std::size_t i : second) requests.ask_no_more(i);
}

void ClassDispatcher::serve(Time now, const Reserve& reserve) {
  tally_.contend(now);
  tally_.shares().serve(reserve.class_id);
}

std::uint32_t ClassDispatcher::ahead_of(std::size_t i, Time now) const {
  return ahead_by_class(class_queue(now), i);
}

double ClassDispatcher::work_ahead(const QueuedReservation& newcomer, Time now) const {
  return parts_.requests.work() + work_ahead_by_class(class_queue(now), newcomer);
}

std::optional<std::size_t> ClassDispatcher::eviction_candidate(
    const Reserve& newcomer, Time now) const {
  return crowded_element(class_queue(now), newcomer);
}

bool ClassDispatcher::ends_walk(const Reserve& newcomer) const {
  if (newcomer.tasks_max < kManyTasks) return false;
  const Stride& stride = tally_.shares().stride();
  const ClassId own = class_of(newcomer);
  if (static_cast<double>(stride.held(own)) >= kWholeNode * stride.portion(own)) return false;
  const auto of_class = [&](const Reserve& other) { return class_of(other) == own; };
  return std::ranges::none_of(parts_.queue.waiting(), of_class, &QueuedReservation::reserve) &&
      std::ranges::none_of(
          parts_.requests.pending(), of_class, [](const PendingRequest& request) -> const Reserve& {
            return request.reservation.reserve;
          });
}

ClassId ClassDispatcher::class_of(const Reserve& reserve) const {
  return tally_.shares().class_of(reserve.class_id);
}

ClassQueue ClassDispatcher::class_queue(Time now) const {
  return {parts_.queue.waiting(), tally_.shares(), parts_.discipline, parts_.moment(now)};
}

}  // namespace dunlin::sched
