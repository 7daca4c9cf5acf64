// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "sched/frontend/frontend.h"
#include "sched/logs/log_store.h"
#include "sched/logs/log_turn.h"
#include "sched/replica/copy.h"

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

  /// Accepts a job of this node. Requires frontend().
  void submit(const PeerParts& parts, const Host& host, Job job);
  /// A worker asks for tasks of a job that cannot have any: its submit may not be told before other
  /// nodes are standbys.
  bool waits_for_standbys(const JobId& job) const;
  /// Calls the frontend. Requires frontend().
  void drive(
      const PeerParts& parts, const Host& host, const std::function<void(Frontend&, Turn&)>& act);

  /// Nullptr while another node drives the jobs.
  const Frontend* frontend() const { return frontend_.get(); }
  const replica::LogFacts& facts() const { return facts_; }
  const replica::Copy& copy() const { return copy_; }
  /// See Frontend::hear().
  void hear(Time now, const overlay::Descriptor& node) {
    if (frontend_) frontend_->hear(now, node);
  }
  void forget(PeerId node) {
    if (frontend_) frontend_->forget(node);
  }
  /// The highest number of its jobs.
  std::uint32_t number_last() const;
  /// What this node knows of the log's home and its standbys, for one that asked.
  Message home_is(std::uint64_t request = 0) const;
  /// True if all that was promised when the log ended there may be told.
  bool may_tell(std::uint64_t position) const;
  /// The books have it no more, or never had: nothing of it is needed here.
  bool is_over() const { return over_; }
  /// The bytes of its records.
  std::size_t bytes() const { return bytes_; }
  /// Leaves nothing of it on the disk.
  void forget(const Host& host) const;
  /// All its jobs are history, so the books are asked to forget it.
  bool is_closing() const { return closing_; }

 private:
  class Lent;

  void step(const PeerParts& parts,
      const Host& host,
      const std::function<void(const replica::CopyTurn&)>& act);
  void settle(const PeerParts& parts, const Host& host);
  void take_office(const PeerParts& parts, const Host& host);
  void step_back(const Host& host);
  /// As the jobs that have not ended want it.
  void want();
  void want(std::size_t standbys, std::size_t required);
  void tell_set(const Host& host);
  void tell(const Host& host, const replica::Set& set) const;
  void on_unknown(const Host& host, const cell::LogAnswer& answer);
  void close_if_over(const PeerParts& parts, const Host& host);
  void offer(const PeerParts& parts, const Host& host);
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
  bool closing_ = false;
  std::size_t bytes_ = 0;
  std::size_t standbys_ = 0;  ///< Wanted ...
  std::size_t required_ = 0;  ///< ... and required.
  std::uint64_t asked_;       ///< The last request to the books; each goes to another contact.
  /// The last request before the books were known to have the log: answers to later ones count.
  std::optional<std::uint64_t> known_since_;
  std::optional<Endpoint> manager_;
  struct Held {
    std::uint64_t position = 0;
    Endpoint to;
    Message message;
  };
  std::deque<Held> held_;
  LogTurn::Submits untold_;
  std::uint64_t told_up_to_ = 0;  ///< The gate of this office, as it was last.
  std::vector<Done> offers_;
  Time heard_{};  ///< The home.
  Time next_open_{};
  Time next_close_{};
  Time next_ask_{};         ///< A standby without news asks the books then.
  std::uint64_t told_ = 0;  ///< The version of the entry that all in its set were told.
};

}  // namespace dunlin::sched::logs
