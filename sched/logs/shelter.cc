// SPDX-License-Identifier: MIT
#include "sched/logs/shelter.h"

#include <algorithm>
#include <functional>
#include <set>
#include <vector>

#include "sched/directory/directory.h"
#include "sched/logs/books_link.h"
#include "sched/peer_parts.h"

// A standby that has all of a job is no use while nobody can say that it may drive it. So a home
// whose young cell has no other voter must not tell its user yet that the job is safe.
namespace dunlin::sched::logs {
namespace {

/// Books that have not answered for so long may be gone. They are asked more often than that.
constexpr Duration kAnswerMax = std::chrono::seconds(6);
/// Marks that are kept: more than a log has standbys, and nodes that may become some.
constexpr std::size_t kMarksMax = 64;

/// The finaliser of splitmix64.
std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

}  // namespace

// One of which nothing is known any more was on another machine when it was chosen.
Machine Site::machine(PeerId of) const {
  if (directory == nullptr) return machine_of(0, of);
  const auto at = directory->nodes().find(of);
  const bool known = at != directory->nodes().end() && at->second.facts;
  return machine_of(known ? at->second.facts->machine : 0, of);
}

Site site_of(const PeerParts& parts) {
  return {parts.directory.get(), parts.spec->machine, parts.endpoint().id};
}

Votes votes_of(std::span<const cell::Keeper> keepers) {
  Votes votes;
  for (const cell::Keeper& keeper : keepers) ++votes[machine_of(keeper.machine, keeper.node)];
  return votes;
}

bool outlive(const Votes& votes, std::size_t voters, const Machine& home, std::size_t required) {
  std::vector<std::size_t> others;
  for (const auto& [machine, count] : votes) {
    if (machine != home) others.push_back(count);
  }
  std::ranges::sort(others, std::greater{});
  std::size_t left = 0;
  for (std::size_t i = required - std::min<std::size_t>(required, 1); i < others.size(); ++i) {
    left += others[i];
  }
  return left > voters / 2;
}

// A manager tells itself first: which node leads is of no matter here.
std::uint64_t mark_of(const replica::LogFacts& facts) {
  std::vector<std::uint64_t> nodes;
  for (const books::Contact& contact : facts.contacts) nodes.push_back(contact.node.value);
  std::ranges::sort(nodes);
  std::uint64_t mark = mix(facts.cell.value + 1);
  for (const std::uint64_t node : nodes) mark = mix(mark ^ node);
  return mark | 1;
}

void StandbyMarks::note(const replica::Appended& appended) {
  if (marks_.size() >= kMarksMax && !marks_.contains(appended.replica)) marks_.clear();
  marks_[appended.replica] = appended.books;
}

Shortfall StandbyMarks::shortfall(const replica::Set& set,
    const replica::Member& self,
    const BooksLink& books,
    const Site& site,
    Time now,
    std::size_t required) const {
  if (required == 0) return {};
  const Machine home = site.home();
  const std::uint64_t mark = mark_of(books.facts());
  std::set<Machine> standbys;
  std::set<Machine> informed;
  for (const replica::Member& member : set) {
    const Machine machine = site.machine(member.node.id);
    if (member.replica == self.replica || machine == home) continue;
    standbys.insert(machine);
    const auto told = marks_.find(member.replica);
    // An older build does not say.
    if (told != marks_.end() && (told->second == 0 || told->second == mark)) {
      informed.insert(machine);
    }
  }
  const std::size_t needed = machines_needed(required);
  if (standbys.size() < required) return {Lack::standbys, standbys.size(), required};
  if (!books.facts().cell || !books.opened()) return {Lack::cell, 0, needed};
  if (now - books.answered() > kAnswerMax) return {Lack::answer, 0, needed};
  if (books.voters_heard()) {
    const Votes votes = votes_of(*books.voters_heard());
    if (!outlive(votes, books.voters(), home, required)) {
      return {Lack::keepers, votes.size(), needed};
    }
  } else if (books.voters() < needed) {
    return {Lack::keepers, books.voters(), needed};
  }
  if (informed.size() < required) return {Lack::word, informed.size(), required};
  return {};
}

}  // namespace dunlin::sched::logs
