// SPDX-License-Identifier: MIT
#pragma once

#include <variant>
#include <vector>

#include "sched/replica/entry.h"

namespace dunlin::sched::replica {

/// Home to standby: what comes after `before`; also the heartbeat.
struct Append {
  Stamp stamp;
  Mark before;
  std::vector<Batch> batches;
  bool idle = false;        ///< Nothing is unfinished: the next one may be long in coming.
  bool hands_over = false;  ///< A standby that has all of this is to take over at once.
};

/// Standby to home: its log equals the home's up to `position`, and that is durable.
struct Appended {
  Stamp stamp;
  ReplicaId replica;
  std::uint64_t position = 0;
  bool leaves = false;   ///< Its node drains or will stop: another is to take its place.
  bool trouble = false;  ///< It cannot keep the log.
  std::uint64_t books =
      0;  ///< Where its node knows the books to be, as a mark; 0: it does not say.
};

/// Standby to home: `before` is no place in its log.
struct Behind {
  Stamp stamp;
  ReplicaId replica;
  Runs runs;
};

/// A replica, or the books, to any node: so it stands.
struct HomeIs {
  Entry entry;
  bool of_books = false;  ///< Said by the books' manager, and not passed on.
};

using Message = std::variant<Append, Appended, Behind, HomeIs>;
/// A home that hears nothing of a standby asks the books whether it is heard itself.
struct Ask {};

/// A command for the books, which answer with HomeIs whether it was applied or not.
using Command = std::variant<ChangeSet, TakeOver, Ask>;

/// Where the messages of a replica leave.
class Port {
 public:
  virtual void send(const Endpoint& to, const Message& message) = 0;
  virtual void propose(const Command& command) = 0;

 protected:
  ~Port() = default;
};

}  // namespace dunlin::sched::replica
