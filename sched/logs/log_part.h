// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "sched/frontend/frontend.h"
#include "sched/logs/log_turn.h"
#include "sched/replica/copy.h"
#include "sched/replica/log_store.h"

namespace dunlin::sched {
struct PeerParts;
}

namespace dunlin::sched::logs {

/// A node's part in one log of jobs: a copy, and the frontend that drives the jobs while this node
/// is the log's home. Whatever the frontend stores is a batch of the log, and what it promises
/// waits at the gate: see replica::Home.
class LogPart {
 public:
  /// Goes on with what the disk has; `facts` alone for a log that is new here.
  LogPart(const PeerParts& parts, const Host& host, replica::StoredLog stored);

  /// The log of a frontend, which this node begins: its home, alone so far.
  static replica::StoredLog opened(const replica::LogFacts& facts, const replica::Member& self);

  void receive(const PeerParts& parts,
      const Host& host,
      const Endpoint& from,
      const replica::Message& message);
  /// A home said where the books are.
  void learn_books(const Host& host, const LogBooks& books);
  /// The books' manager, or a replica of them, answered.
  void on_answer(const PeerParts& parts,
      const Host& host,
      const Endpoint& from,
      const cell::LogAnswer& answer);
  void wake(const PeerParts& parts, const Host& host, const replica::Set& candidates);

  /// Calls the frontend. Requires frontend().
  void drive(
      const PeerParts& parts, const Host& host, const std::function<void(Frontend&, Turn&)>& act);

  /// Nullptr while another node drives the jobs.
  const Frontend* frontend() const { return frontend_.get(); }
  const replica::LogFacts& facts() const { return facts_; }
  const replica::Copy& copy() const { return copy_; }
  /// What this node knows of the log's home and its standbys, for one that asked.
  Message home_is(std::uint64_t request = 0) const;
  /// True if all that was promised when the log ended there may be told.
  bool may_tell(std::uint64_t position) const;
  /// The books have it no more, or never had: nothing of it is needed here.
  bool is_over() const { return over_; }
  /// The bytes of its records.
  std::size_t bytes() const { return bytes_; }

 private:
  class Lent;

  void step(const PeerParts& parts,
      const Host& host,
      const std::function<void(const replica::CopyTurn&)>& act);
  void settle(const PeerParts& parts, const Host& host);
  void take_office(const PeerParts& parts, const Host& host);
  void step_back(const Host& host);
  void want();
  void tell_set(const Host& host);
  void tell(const Host& host, const replica::Set& set) const;
  void ask_books(const PeerParts& parts, const Host& host);
  void keep_books(const PeerParts& parts, const Host& host);
  void propose(const PeerParts& parts, const Host& host, const cell::LogWish& wish);
  LogOffice office() const;

  replica::LogFacts facts_;
  replica::Copy copy_;
  std::unique_ptr<Frontend> frontend_;
  bool has_rows_;        ///< The tables of jobs have those of this log already.
  bool opened_ = false;  ///< The books have the entry.
  bool over_ = false;
  std::size_t bytes_ = 0;
  std::size_t asked_ = 0;  ///< Counts proposals: they go to one contact after the other.
  std::optional<Endpoint> manager_;
  struct Held {
    std::uint64_t position = 0;
    Endpoint to;
    Message message;
  };
  std::deque<Held> held_;
  std::size_t dropped_ = 0;
  Time next_open_{};
  Time next_ask_{};         ///< A standby without news asks the books then.
  std::uint64_t told_ = 0;  ///< The version of the entry that all in its set were told.
};

}  // namespace dunlin::sched::logs
