// SPDX-License-Identifier: MIT
#include <set>

#include "sched/logs/log_part.h"
#include "sched/peer_parts.h"

// What a job that requires standbys lacks: see shelter.h.
namespace dunlin::sched::logs {
namespace {

/// Books that have not answered for so long may be gone. They are asked more often than that.
constexpr Duration kAnswerMax = std::chrono::seconds(6);
/// Marks that are kept: more than a log has standbys, and nodes that may become some.
constexpr std::size_t kMarksMax = 64;

}  // namespace

Site site_of(const PeerParts& parts) {
  return {parts.directory.get(), parts.spec->machine, parts.endpoint().id};
}

void LogPart::note_mark(const replica::Appended& appended) {
  if (marks_.size() >= kMarksMax && !marks_.contains(appended.replica)) marks_.clear();
  marks_[appended.replica] = appended.books;
}

std::size_t LogPart::doubles(const Site& site) const {
  std::set<Machine> machines;
  const replica::Set& set = copy_.home()->office().set;
  for (const replica::Member& member : set) machines.insert(site.machine(member.node.id));
  return set.size() - machines.size();
}

Shortfall LogPart::shortfall(const Site& site, Time now, std::size_t required) const {
  if (required == 0) return {};
  const Machine home = site.home();
  const std::uint64_t mark = mark_of(facts());
  std::set<Machine> standbys;
  std::set<Machine> informed;
  for (const replica::Member& member : copy_.home()->office().set) {
    const Machine machine = site.machine(member.node.id);
    if (member.replica == copy_.self().replica || machine == home) continue;
    standbys.insert(machine);
    const auto told = marks_.find(member.replica);
    // An older build does not say.
    if (told != marks_.end() && (told->second == 0 || told->second == mark)) {
      informed.insert(machine);
    }
  }
  const std::size_t needed = machines_needed(required);
  if (standbys.size() < required) return {Lack::standbys, standbys.size(), required};
  if (!facts().cell || !books_.opened()) return {Lack::cell, 0, needed};
  if (now - books_.answered() > kAnswerMax) return {Lack::answer, 0, needed};
  if (books_.voters_heard()) {
    const Votes votes = votes_of(*books_.voters_heard());
    if (!outlive(votes, books_.voters(), home, required)) {
      return {Lack::keepers, votes.size(), needed};
    }
  } else if (books_.voters() < needed) {
    return {Lack::keepers, books_.voters(), needed};
  }
  if (informed.size() < required) return {Lack::word, informed.size(), required};
  return {};
}

}  // namespace dunlin::sched::logs
