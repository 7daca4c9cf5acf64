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

/// What is required by a job of which a client was told that it was accepted: one that its user
/// cancelled before promises nothing that could be lost.
std::size_t required_by_words(const HeldOffice& office) {
  StandbyCounts::Counts counts = office.frontend().table().indexes().standbys().required();
  const auto& jobs = office.frontend().jobs();
  for (const std::uint32_t number : office.unborn()) {
    const auto job = jobs.find(number);
    if (job == jobs.end()) continue;
    const auto at = counts.find(job->second.job().replicas_required);
    if (at != counts.end() && --at->second == 0) counts.erase(at);
  }
  return max_of(counts);
}

}  // namespace

void StandbyWish::add(replica::Copy& copy, const Job& job) {
  standbys_ = std::max<std::size_t>(standbys_, job.replicas);
  required_ = std::max<std::size_t>(required_, job.replicas_required);
  copy.want(standbys_, required_, false);
}

void StandbyWish::follow(
    replica::Copy& copy, const HeldOffice& office, const Site& site, bool told) {
  const JobTable& jobs = office.frontend().table();
  const StandbyCounts& said = jobs.indexes().standbys();
  // Of those that have ended, too, until they are history: their records and their results are no
  // more to be lost than their tasks were.
  std::size_t standbys = max_of(said.replicas());
  std::size_t required = max_of(said.required_by_active());
  const bool idle = jobs.active_count() == 0;
  // The last words of a job that has ended wait for as many as its first.
  if (!told) required = std::max(required, std::min(required_by_words(office), required_));
  const replica::Set& set = copy.home()->office().set;
  // Two standbys of one machine are no more than one.
  if (required > 0) standbys += doubles(set, site);
  standbys_ = std::max({standbys, set.size() - 1, required});
  required_ = required;
  copy.want(standbys_, required_, idle && told);
}

}  // namespace dunlin::sched::logs
