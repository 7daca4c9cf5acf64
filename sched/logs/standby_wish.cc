// SPDX-License-Identifier: MIT
#include "sched/logs/standby_wish.h"

#include <algorithm>
#include <set>

#include "sched/logs/held_office.h"
#include "sched/replica/copy.h"

namespace dunlin::sched::logs {
namespace {

/// The standbys that share a machine with another one, or with the home.
std::size_t doubles(const replica::Set& set, const Site& site) {
  std::set<Machine> machines;
  for (const replica::Member& member : set) machines.insert(site.machine(member.node.id));
  return set.size() - machines.size();
}

}  // namespace

void StandbyWish::add(replica::Copy& copy, const Job& job) {
  standbys_ = std::max<std::size_t>(standbys_, job.replicas);
  required_ = std::max<std::size_t>(required_, job.replicas_required);
  copy.want(standbys_, required_, false);
}

void StandbyWish::follow(
    replica::Copy& copy, const HeldOffice& office, const Site& site, bool told) {
  std::size_t standbys = 0;
  std::size_t required = 0;
  bool idle = true;
  std::size_t of_words = 0;
  for (const auto& [number, job] : office.frontend().jobs()) {
    const std::size_t its = job.job().replicas_required;
    // One that its user cancelled before it was accepted promises nothing that could be lost.
    if (!office.is_unborn(number)) of_words = std::max(of_words, its);
    // Until it is history, too: its record and its results are no more to be lost than its tasks
    // were.
    standbys = std::max<std::size_t>(standbys, job.job().replicas);
    if (job.finished()) continue;
    idle = false;
    required = std::max(required, its);
  }
  // The last words of a job that has ended wait for as many as its first.
  if (!told) required = std::max(required, std::min(of_words, required_));
  const replica::Set& set = copy.home()->office().set;
  // Two standbys of one machine are no more than one.
  if (required > 0) standbys += doubles(set, site);
  standbys_ = std::max({standbys, set.size() - 1, required});
  required_ = required;
  copy.want(standbys_, required_, idle && told);
}

}  // namespace dunlin::sched::logs
