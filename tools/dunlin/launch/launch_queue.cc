// SPDX-License-Identifier: MIT
#include "tools/dunlin/launch/launch_queue.h"

#include <algorithm>
#include <utility>

// Hosts go on as soon as they can, in the order in which they were named, and three rules hold them
// back: so many are at work at most; of a cluster without an agent one alone is started first, and
// all others join it; agents are restarted one after the other, up to the first that does not come
// back.
namespace dunlin::cli {
namespace {

/// Contacts that a new agent is told: one that is up is enough, and some may go.
constexpr std::size_t kContactsTold = 3;

bool is_over(const HostLaunch& host) {
  return host.phase() == HostPhase::done || host.phase() == HostPhase::failed;
}

/// True if no step has looked yet whether an agent lives there.
bool is_unseen(const HostLaunch& host) {
  return host.phase() == HostPhase::waiting ||
      (host.phase() == HostPhase::at_work && host.step() == LaunchStep::probe);
}

}  // namespace

LaunchQueue::LaunchQueue(std::vector<HostLaunch> hosts, LaunchLimits limits)
    : hosts_(std::move(hosts)),
      under_way_(hosts_.size(), false),
      limits_(limits) {}

std::size_t LaunchQueue::count_at_work() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      hosts_, [](const HostLaunch& host) { return host.phase() == HostPhase::at_work; }));
}

// A host that is between two steps holds no place of either.
std::size_t LaunchQueue::count_under_way(LaunchStep step) const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    if (under_way_[i] && hosts_[i].step() == step) ++count;
  }
  return count;
}

std::string LaunchQueue::contacts_for(std::size_t self) const {
  std::string contacts;
  std::size_t told = 0;
  for (std::size_t i = 0; i < hosts_.size() && told < kContactsTold; ++i) {
    const HostReport& report = hosts_[i].report();
    if (i == self || report.agent != "up" || report.address.empty()) continue;
    contacts += (contacts.empty() ? "" : ",") + report.address;
    ++told;
  }
  return contacts;
}

// Two hosts that begin at once would found two clusters of one key, which never meet. So one alone
// is started, once all others were seen to have no agent to join; with a new key none can have one.
bool LaunchQueue::may_found() const {
  if (count_under_way(LaunchStep::start) > 0) return false;
  return limits_.fresh || std::ranges::none_of(hosts_, is_unseen);
}

bool LaunchQueue::may_begin(const HostLaunch& host) const {
  // A host that waits for contacts is not at work: else those that are still to be looked at could
  // wait for it, and it for them.
  const bool comes_new = host.phase() != HostPhase::at_work;
  if (comes_new && count_at_work() >= limits_.at_once) return false;
  if (host.step() != LaunchStep::restart) return true;
  return count_under_way(LaunchStep::restart) < limits_.restarts_at_once;
}

std::optional<LaunchTask> LaunchQueue::next() {
  if (!stop_reason_.empty()) return std::nullopt;
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    HostLaunch& host = hosts_[i];
    if (under_way_[i] || is_over(host) || !may_begin(host)) continue;
    // None: it waits for contacts, and those behind it may go on meanwhile.
    auto command = host.next(contacts_for(i), may_found());
    if (!command) continue;
    under_way_[i] = true;
    return LaunchTask{i, std::move(*command)};
  }
  return std::nullopt;
}

void LaunchQueue::take(std::size_t host, const RemoteResult& result) {
  HostLaunch& taken = hosts_[host];
  const bool restarted = taken.step() == LaunchStep::restart;
  under_way_[host] = false;
  if (abandoned_) return taken.fail(stop_reason_);
  taken.take(result);
  if (!stop_reason_.empty() && !is_over(taken)) taken.fail(stop_reason_);
  // The cause that took one agent away may take them all.
  if (restarted && taken.phase() == HostPhase::failed && stopped_at_.empty()) {
    stopped_at_ = taken.host().text();
    stop("left as it was, since " + stopped_at_ + " did not come back");
  }
}

void LaunchQueue::stop(const std::string& reason) {
  stop_reason_ = reason;
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    if (!under_way_[i] && !is_over(hosts_[i])) hosts_[i].fail(reason);
  }
}

void LaunchQueue::abandon(const std::string& reason) {
  abandoned_ = true;
  stop(reason);
}

bool LaunchQueue::finished() const {
  return std::ranges::all_of(hosts_, is_over);
}

}  // namespace dunlin::cli
