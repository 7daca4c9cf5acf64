// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "sched/logs/books_link.h"
#include "sched/logs/copied_jobs.h"
#include "sched/logs/handover.h"
#include "sched/logs/log_end.h"
#include "sched/logs/log_store.h"
#include "sched/logs/log_turn.h"
#include "sched/logs/moved_submits.h"
#include "sched/logs/orphan_watch.h"
#include "sched/logs/shelter.h"
#include "sched/logs/standby_wish.h"
#include "sched/replica/copy.h"

namespace dunlin::sched {
class Frontend;
struct PeerParts;
struct Turn;
}  // namespace dunlin::sched

namespace dunlin::sched::logs {

class HeldOffice;

/// A node's part in one log of jobs: a copy, and the frontend that drives the jobs while this node
/// is the log's home. Whatever the frontend stores is a batch of the log, and what it promises
/// waits at the gate: see replica::Home.
class LogPart {
 public:
  /// Goes on with what the disk has; `facts` alone for a log that is new here.
  LogPart(const PeerParts& parts, const Host& host, replica::StoredLog stored);
  ~LogPart();

  void receive(const PeerParts& parts,
      const Host& host,
      const Endpoint& from,
      const replica::Message& message);
  /// A home said where the books are.
  void learn_books(const Host& host, const LogBooks& books) { books_.learn(host, books); }
  /// The books' manager, or a replica of them, answered.
  void on_answer(const PeerParts& parts,
      const Host& host,
      const Endpoint& from,
      const cell::LogAnswer& answer);
  void wake(const PeerParts& parts, const Host& host, const replica::Set& candidates);
  /// This node is to drive the log by what its copy has, whatever the set says. The answer of the
  /// books tells whether it does: see copy().
  void lose(const PeerParts& parts, const Host& host);
  /// Why no node will drive the jobs by itself, if this node has a copy of the log and finds it so:
  /// neither its home nor its books have answered for long, or the books answer and all that was in
  /// sync is gone. Empty: one does, or may yet.
  std::optional<OrphanCause> orphaned(Time now) const;
  /// This node is to drive the jobs of a log whose books do not answer by what its copy has, and
  /// put the log into books of its own cell.
  void go_on(const PeerParts& parts, const Host& host);

  /// Accepts a job of this node. Requires frontend().
  void submit(const PeerParts& parts, const Host& host, Job job);
  /// A job that requires so many standbys may join the jobs here: none of them waits for another
  /// number. Requires frontend().
  bool takes(std::size_t required) const;
  /// What is lacking before the books and so many standbys outlive what they should. Requires that
  /// this node is the home.
  Shortfall shortfall(const Site& site, Time now, std::size_t required) const;
  /// What the submit of a job that is driven here waits for; nullptr if it may be told.
  const LogTurn::Submit* untold(const JobId& job) const;
  /// Calls the frontend. Requires frontend().
  void drive(
      const PeerParts& parts, const Host& host, const std::function<void(Frontend&, Turn&)>& act);

  /// Nullptr while another node drives the jobs.
  Frontend* frontend() const;
  const replica::LogFacts& facts() const { return books_.facts(); }
  const BooksLink& books() const { return books_; }
  const replica::Copy& copy() const { return copy_; }
  /// The jobs of which the copy has all, as of a second ago or later.
  const CopiedJobs& jobs(Time now) const { return look_.jobs(now, copy_.log()); }
  /// What the copy is worth to one that looks for the home of that job of the log's origin.
  CopyStanding standing(Time now, std::uint32_t number) const;
  /// Where this node took the jobs, and another one drives them.
  const MovedJobs& moved() const { return moved_; }
  /// The node is about to stop driving the jobs: it binds no task meanwhile.
  bool is_handing_over() const { return handover_.is_under_way(); }
  /// How far it is from being needed no more.
  const LogEnd& end() const { return end_; }
  /// The bytes of its records.
  std::size_t bytes() const { return bytes_; }
  /// Leaves nothing of it on the disk.
  void forget(const Host& host) const;

 private:
  class Lent;

  void step(const PeerParts& parts,
      const Host& host,
      const std::function<void(const replica::CopyTurn&)>& act);
  void settle(const PeerParts& parts, const Host& host);
  void take_office(const PeerParts& parts, const Host& host);
  void step_back(const Host& host);
  /// Begins a handover if this node leaves, and gives one up that has failed.
  void look_at_handover(const PeerParts& parts, const Host& host);

  BooksLink books_;
  replica::Copy copy_;
  std::unique_ptr<HeldOffice> office_;  ///< While this node is the home.
  Handover handover_;
  bool has_rows_;  ///< The tables of jobs have those of this log already.
  std::size_t bytes_ = 0;
  LogEnd end_;
  StandbyWish wish_;
  StandbyMarks marks_;
  OrphanWatch orphan_watch_;
  std::vector<Done> offers_;
  MovedJobs moved_;
  mutable JobsLook look_;
  std::uint64_t told_ = 0;  ///< The version of the entry that all in its set were told.
};

/// The log of a frontend, which a node begins: its home, alone so far.
replica::StoredLog opened_log(const replica::LogFacts& facts, const replica::Member& self);

}  // namespace dunlin::sched::logs
