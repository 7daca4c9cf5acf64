// SPDX-License-Identifier: MIT
#include "sched/frontend/history/job_history.h"

#include <ranges>

#include "overlay/ensure.h"

// A job is forgotten by the time of its end, as people ask for what ended lately: a long one that
// ended a moment ago has a lower number than a thousand others. And where there is too much, by its
// user: many jobs of one push out no other's, nor the keys by which submissions are known.
namespace dunlin::sched {
namespace {

/// Users that are looked at for a job that is old enough: others take less anyway.
constexpr std::ptrdiff_t kUsersLookedAt = 64;

}  // namespace

void JobHistory::add(
    std::uint32_t number, const std::string& user, Time ended, const HistorySize& size) {
  const bool is_new = jobs_.emplace(number, Kept{user, ended, size}).second;
  overlay::ensure(is_new, "a job ends once");
  const Place place{ended, number};
  by_end_.insert(place);
  OfUser& of = users_[user];
  of.all.insert(place);
  if (size.tasks > 0) of.whole.insert(place);
  weigh(user, of, static_cast<std::int64_t>(size.record + size.tasks));
}

void JobHistory::remove(std::uint32_t number) {
  const auto at = jobs_.find(number);
  if (at == jobs_.end()) return;
  const auto [user, ended, size] = at->second;
  const Place place{ended, number};
  by_end_.erase(place);
  OfUser& of = users_.at(user);
  of.all.erase(place);
  of.whole.erase(place);
  weigh(user, of, -static_cast<std::int64_t>(size.record + size.tasks));
  jobs_.erase(at);
}

void JobHistory::prune(std::uint32_t number) {
  Kept& kept = jobs_.at(number);
  OfUser& of = users_.at(kept.user);
  of.whole.erase({kept.ended, number});
  const std::uint64_t freed = std::exchange(kept.size.tasks, 0);
  weigh(kept.user, of, -static_cast<std::int64_t>(freed));
}

void JobHistory::weigh(const std::string& user, OfUser& of, std::int64_t more) {
  by_bytes_.erase({of.bytes, user});
  // Unsigned numbers wrap, so that to add a negative one is to subtract.
  of.bytes += static_cast<std::uint64_t>(more);
  bytes_ += static_cast<std::uint64_t>(more);
  if (!of.all.empty()) {
    by_bytes_.insert({of.bytes, user});
  } else {
    users_.erase(users_.find(user));
  }
}

std::optional<std::uint32_t> JobHistory::first_of(
    const Places& places, Time until, std::uint32_t spared) {
  for (const auto& [ended, number] : places | std::views::take(2)) {
    if (ended >= until) return std::nullopt;
    if (number != spared) return number;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> JobHistory::first(Time until, std::uint32_t spared) const {
  return first_of(by_end_, until, spared);
}

std::optional<Time> JobHistory::last_end() const {
  if (by_end_.empty()) return std::nullopt;
  return by_end_.rbegin()->first;
}

std::optional<JobHistory::Choice> JobHistory::of_largest(
    Time until, std::uint32_t spared, bool tasks_are_enough) const {
  for (const auto& [bytes, user] :
      by_bytes_ | std::views::reverse | std::views::take(kUsersLookedAt)) {
    const OfUser& of = users_.at(user);
    const auto whole = tasks_are_enough ? first_of(of.whole, until, 0) : std::nullopt;
    if (whole) return Choice{*whole, true};
    if (const auto any = first_of(of.all, until, spared)) return Choice{*any, false};
  }
  const auto any = first(until, spared);
  if (!any) return std::nullopt;
  return Choice{*any, tasks_are_enough && jobs_.at(*any).size.tasks > 0};
}

}  // namespace dunlin::sched
