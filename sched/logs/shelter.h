// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

#include "sched/cell/message.h"
#include "sched/logs/lack.h"
#include "sched/logs/log_store.h"
#include "sched/replica/message.h"

namespace dunlin::sched {
class Directory;
struct PeerParts;
}  // namespace dunlin::sched

namespace dunlin::sched::logs {

/// The mark of a machine as one of many: nodes that do not say on which they are count as machines
/// of their own.
struct Machine {
  std::uint64_t mark = 0;
  PeerId node;
  friend auto operator<=>(const Machine&, const Machine&) = default;
};
constexpr Machine machine_of(std::uint64_t mark, PeerId node) {
  return {mark, mark == 0 ? node : PeerId{}};
}

/// Where the home is, and what it knows of others.
struct Site {
  const Directory* directory;  ///< Nullptr: nothing.
  std::uint64_t mark = 0;      ///< Of the home's machine.
  PeerId node;

  Machine home() const { return machine_of(mark, node); }
  Machine machine(PeerId of) const;
};

/// Where this node is, as the home of a log.
Site site_of(const PeerParts& parts);

/// The voters of some books by machine, of which `voters` in all; what is not in it is lost.
using Votes = std::map<Machine, std::size_t>;
Votes votes_of(std::span<const cell::Keeper> keepers);
/// The voters that could be lost of `voters`: the home's machine, and the worst `required` - 1
/// others. Those that are left must be more than half.
bool outlive(const Votes& votes, std::size_t voters, const Machine& home, std::size_t required);

/// A mark of where the books are, which home and standbys compare; never 0.
std::uint64_t mark_of(const replica::LogFacts& facts);

class BooksLink;

/// Where standbys know the books to be, by their marks, as they say it in each answer to the home.
/// A standby that knows old books cannot claim the office from the new ones.
class StandbyMarks {
 public:
  void note(const replica::Appended& appended);
  /// The things lacking before the books and so many standbys of the `set` outlive what they
  /// should. `self` is the home.
  Shortfall shortfall(const replica::Set& set,
      const replica::Member& self,
      const BooksLink& books,
      const Site& site,
      Time now,
      std::size_t required) const;

 private:
  std::map<replica::ReplicaId, std::uint64_t> marks_;
};

}  // namespace dunlin::sched::logs
