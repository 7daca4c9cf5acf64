// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sched/replica/followers.h"
#include "sched/replica/message.h"

namespace dunlin::sched::replica {

/// The home's side of a log: primary and backups (Lin 2008, PacificA), the books say which they
/// are.
///
/// **What promises something leaves when all that the log held then is durable here and at every
/// member of every set that may stand in the books**: then each of those may take over at any time.
/// Clocks decide how soon, never what is kept.
class Home {
 public:
  /// Begins an office, or goes on with one in another life: `stamp` was never used before, and
  /// `office` is durable. `log` is what the disk has.
  Home(const HomeParams& params,
      const Member& self,
      Stamp stamp,
      HomeRecord office,
      Log log,
      const Rules& rules = {});

  /// Appends a turn's records. Returns their position: see gate().
  std::uint64_t append(Time now, Port& out, std::string records);
  /// The log is durable here up to `position`.
  void on_durable(std::uint64_t position) { durable_ = position; }
  /// office() is durable as it was when `changes` was that.
  void on_office_durable(std::uint64_t changes) { office_durable_ = changes; }

  void on_message(Time now, Port& out, const Appended& appended);
  void on_message(Time now, Port& out, const Behind& behind);
  /// What the books say. Of a later epoch: this is no home any more. `heard`: it shows that this
  /// home hears others.
  void on_entry(Time now, const Entry& entry, bool heard = true);
  /// So many standbys are wanted from now on, and no word is given before so many have the log.
  /// `idle`: nothing is unfinished, so signs of life are rare, and standbys are told so.
  void want(std::size_t standbys, std::size_t required, bool idle = false) {
    params_.standbys = standbys;
    params_.required = required;
    idle_ = idle;
  }
  /// Nodes that could be standbys, the best first. While no books have the log nothing is asked of
  /// them.
  void set_candidates(Set candidates, bool in_books = true) {
    candidates_ = std::move(candidates);
    in_books_ = in_books;
  }

  /// True if a standby that stays is in sync: it could take over without a silence of this home.
  bool has_successor(Time now) const {
    return followers_.successor(now, params_, office_.set) != nullptr;
  }
  /// Asks that standby to take over, until another node is the home or end_handover().
  void begin_handover(Time now, Port& out);
  /// This home goes on after all.
  void end_handover() { successor_.reset(); }
  bool is_handing_over() const { return successor_.has_value(); }
  /// True if a standby is in sync, or may be soon.
  bool may_have_successor(Time now) const { return followers_.well(now, params_) > 0; }

  void wake(Time now, Port& out);

  /// All words that rest on the log up to here may leave.
  std::uint64_t gate() const;
  /// The set has the standbys that are required: else no word leaves.
  bool has_required() const { return office_.set.size() > params_.required; }
  bool deposed() const { return deposed_; }
  Stamp stamp() const { return stamp_; }
  const Log& log() const { return log_; }
  const HomeRecord& office() const { return office_; }
  /// Counts the changes of office(), from 1.
  std::uint64_t office_changes() const { return office_changes_; }

 private:
  std::uint64_t acked(ReplicaId replica) const;
  /// The gate, whatever is required.
  std::uint64_t in_sync() const;
  void send(Time now, Port& out, Follower& to, std::uint64_t from);
  void choose(Time now);
  /// Writes down which set this home wants, if it is another.
  void shrink_or_grow(Time now);
  /// True if nothing answers this home any more.
  bool is_deaf(Time now) const;
  /// Tells standbys what they have not acknowledged, or that this home lives.
  void beat(Time now, Port& out);
  /// Tells the books what is wished for, or asks them for a word.
  void propose(Time now, Port& out);

  HomeParams params_;
  Member self_;
  Stamp stamp_;
  HomeRecord office_;
  Log log_;
  Rules rules_;
  std::uint64_t durable_;
  std::uint64_t begin_ = 0;  ///< The log's end when this life or office had begun.
  std::uint64_t office_changes_ = 1;
  std::uint64_t office_durable_ = 1;
  Followers followers_;
  Set candidates_;
  Time heard_{};  ///< The last answer, of a standby or of the books.
  std::optional<Time> proposed_;
  std::optional<ReplicaId> successor_;  ///< The standby that is asked to take over.
  bool in_books_ = true;
  bool idle_ = false;
  bool deposed_ = false;
};

}  // namespace dunlin::sched::replica
