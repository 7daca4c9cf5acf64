// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "sched/frontend/keys/spent_keys.h"
#include "sched/logs/books_link.h"
#include "sched/logs/copied_jobs.h"
#include "sched/logs/handover.h"
#include "sched/logs/log_store.h"
#include "sched/logs/moved_submits.h"
#include "sched/logs/set_watch.h"
#include "sched/logs/shelter.h"
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
  /// When the frontend wants wake(), whatever the copy wants.
  Time frontend_deadline() const;
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
  /// A worker asks for tasks of a job that cannot have any: its submit may not be told before other
  /// nodes are standbys.
  bool waits_for_standbys(const Site& site, Time now, const JobId& job) const;
  /// What is lacking before the books and so many standbys outlive what they should. Requires that
  /// this node is the home.
  Shortfall shortfall(const Site& site, Time now, std::size_t required) const;
  /// What the acknowledgement of a job waits for that requires standbys.
  Shortfall shortfall_of(const Site& site, Time now, const JobId& job) const;
  /// True if the submit of a job that is driven here may not be told yet.
  bool is_untold(const JobId& job) const;
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
  /// What this node knows of the log's home and its standbys, for one that asked.
  Message home_is(std::uint64_t request = 0) const;
  /// The jobs of a log of this node that another node drives, as far as they have keys, by what its
  /// copy has. An old log takes no new jobs.
  const MovedSubmits& moved() const { return moved_; }
  /// Each of them is one that the present home has. Until the copy has heard of that one's log, the
  /// last may be jobs of which no standby had heard when this node died.
  bool has_moved_for_sure() const { return moved_for_sure_; }
  /// True if all that was promised when the log ended there may be told.
  bool may_tell(std::uint64_t position) const;
  /// The node is about to stop driving the jobs: it binds no task meanwhile.
  bool is_handing_over() const { return handover_.is_under_way(); }
  /// The books have it no more, or never had: nothing of it is needed here.
  bool is_over() const { return over_; }
  /// The bytes of its records.
  std::size_t bytes() const { return bytes_; }
  /// The keys of all its jobs, where a submission of them may be said again: at the node that took
  /// them, and at the one that drives them. Empty elsewhere.
  std::vector<SpentKey> keys(const PeerParts& parts, Time now) const;
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
  void note_moved(const PeerParts& parts);
  /// As the jobs that have not ended want it.
  void want_as_jobs_do(const PeerParts& parts);
  void want(std::size_t standbys, std::size_t required, bool idle = false);
  void tell_orphan(const PeerParts& parts, const Host& host);
  void close_if_over(const PeerParts& parts, const Host& host);
  /// Begins a handover if this node leaves, and gives one up that has failed.
  void look_at_handover(const PeerParts& parts, const Host& host);
  /// The standbys that share a machine with another one, or with the home.
  std::size_t doubles(const Site& site) const;
  void note_mark(const replica::Appended& appended);
  void append(const PeerParts& parts, const Host& host, std::vector<std::string> batches);

  BooksLink books_;
  replica::Copy copy_;
  std::unique_ptr<HeldOffice> office_;  ///< While this node is the home.
  Handover handover_;
  bool has_rows_;  ///< The tables of jobs have those of this log already.
  bool over_ = false;
  bool closing_ = false;
  std::size_t bytes_ = 0;
  std::size_t standbys_ = 0;  ///< Wanted ...
  std::size_t required_ = 0;  ///< ... and required.
  std::vector<Done> offers_;
  MovedSubmits moved_;
  std::uint32_t moved_epoch_ = 0;  ///< They are by the copy as it was under a home of this epoch.
  bool moved_for_sure_ = false;
  Time heard_{};  ///< The home.
  /// Where standbys know the books to be, by their marks.
  std::map<replica::ReplicaId, std::uint64_t> marks_;
  Time next_close_{};
  SetWatch set_watch_;
  std::optional<OrphanCause> orphaned_;  ///< As was told.
  mutable JobsLook look_;
  std::uint64_t told_ = 0;  ///< The version of the entry that all in its set were told.
};

/// The log of a frontend, which a node begins: its home, alone so far.
replica::StoredLog opened_log(const replica::LogFacts& facts, const replica::Member& self);
Site site_of(const PeerParts& parts);
/// True if a standby would take over should this home die now: it has all, and books that bear the
/// loss of a node have the log.
bool may_be_taken_over(const LogPart& part);
/// Nothing of the log needs this node any more, or no node could take its place.
bool may_leave(const LogPart& part, Time now);

}  // namespace dunlin::sched::logs
