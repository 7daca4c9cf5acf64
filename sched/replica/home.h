// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sched/replica/message.h"

namespace dunlin::sched::replica {

/// What a home keeps on its disk beside its log.
struct HomeRecord {
  std::uint32_t epoch = 0;
  std::uint64_t version = 0;
  Set set;
  std::vector<ChangeSet> intents;  ///< Proposals not answered yet: each may stand in the books.
};

struct HomeParams {
  std::size_t standbys = 1;
  std::size_t required = 0;  ///< A set is never proposed with fewer standbys.
  Duration heartbeat = std::chrono::milliseconds(500);
  Duration idle_heartbeat = std::chrono::seconds(5);  ///< While nothing is unfinished.
  Duration patience = std::chrono::seconds(3);  ///< A standby silent for so long leaves the set.
  /// A home that heard no answer at all for so long is deaf: it gives hardly a sign of life, so
  /// that a standby that hears it takes over.
  Duration deaf_after = std::chrono::seconds(4);
  /// A node that cannot keep the log, or leaves, is not asked again for so long.
  Duration shunned = std::chrono::seconds(30);
  Duration propose_again = std::chrono::milliseconds(500);
};

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
  /// What the books say. Of a later epoch: this is no home any more.
  void on_entry(Time now, const Entry& entry);
  /// So many standbys are wanted from now on, and no word is given before so many have the log.
  void want(std::size_t standbys, std::size_t required) {
    params_.standbys = standbys;
    params_.required = required;
  }
  /// Nothing is unfinished: signs of life are rare, and standbys are told so.
  void set_idle(bool idle) { idle_ = idle; }
  /// Nodes that could be standbys, the best first.
  void set_candidates(Set candidates) { candidates_ = std::move(candidates); }

  /// True if a standby that stays is in sync: it could take over without a silence of this home.
  bool has_successor(Time now) const { return successor(now) != nullptr; }
  /// Asks that standby to take over, until another node is the home or end_handover().
  void begin_handover(Time now, Port& out);
  /// This home goes on after all.
  void end_handover() { successor_.reset(); }
  bool is_handing_over() const { return successor_.has_value(); }
  /// True if a standby is in sync, or may be soon.
  bool may_have_successor(Time now) const;

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
  struct Peer {
    Member member;
    std::optional<std::uint64_t> acked;  ///< With this stamp; empty: not heard of yet.
    std::uint64_t sent = 0;
    Time heard{};
    Time sent_at{};
    std::optional<Time> unanswered;  ///< Since then, if anything is.
    bool leaves = false;             ///< As its last answer said ...
    bool trouble = false;            ///< ... and likewise.
    bool stays() const { return !leaves && !trouble; }
  };

  Peer& peer_of(Time now, const Member& member);
  Peer* find(ReplicaId replica);
  std::uint64_t acked(ReplicaId replica) const;
  /// The gate, whatever is required.
  std::uint64_t in_sync() const;
  void send(Time now, Port& out, Peer& peer, std::uint64_t from);
  void choose(Time now);
  bool is_silent(const Peer& peer, Time now) const {
    return peer.unanswered && now - *peer.unanswered >= params_.patience;
  }
  /// True if it is silent, and this home heard others since: so it is that one which is away.
  bool is_gone(const Peer& peer, Time now) const {
    return is_silent(peer, now) && heard_ >= *peer.unanswered;
  }
  /// True if nothing answers this home any more.
  bool is_deaf(Time now) const;
  /// Tells standbys what they have not acknowledged, or that this home lives.
  void beat(Time now, Port& out);
  /// Tells the books what is wished for, or asks them for a word.
  void propose(Time now, Port& out);
  /// True if it is in a set that may stand in the books.
  bool is_needed(ReplicaId replica) const;
  const Peer* successor(Time now) const;
  /// The members that stay or must, and the nodes that may join them.
  Set next_set(Time now) const;
  /// Adds those that are in sync and have room.
  void grow(Time now, Set& set) const;
  /// Writes down that the set shall be `set`.
  void intend(Set set);
  void shrink_or_grow(Time now);

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
  std::map<ReplicaId, Peer> peers_;
  Set candidates_;
  Time heard_{};  ///< The last answer, of a standby or of the books.
  std::optional<Time> proposed_;
  std::optional<ReplicaId> successor_;  ///< The standby that is asked to take over.
  bool idle_ = false;
  bool deposed_ = false;
};

}  // namespace dunlin::sched::replica
