// SPDX-License-Identifier: MIT
#include "sched/logs/shelter.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "sched/directory.h"

// A standby that has all of a job is no use while nobody can say that it may drive it. So a home
// whose young cell has no other voter must not tell its user yet that the job is safe.
namespace dunlin::sched::logs {
namespace {

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

}  // namespace dunlin::sched::logs
