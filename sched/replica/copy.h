// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <variant>

#include "sched/replica/home.h"
#include "sched/replica/standby.h"

namespace dunlin::sched::replica {

/// What the disk of a node has of a log.
struct CopyRecord {
  Log log;
  HomeRecord office;  ///< The last one that was held here; epoch 0: none.
  Entry entry;        ///< The latest that was heard of; epoch 0: none.
};

/// The disk of a node, as far as one log goes. What is put in a step becomes durable in this order,
/// and all that a step puts at once.
class CopyStore {
 public:
  /// The batch after the last one, which gets this position.
  virtual void put_batch(std::uint64_t position, const Batch& batch) = 0;
  /// Forgets the batches after `position`.
  virtual void truncate(std::uint64_t position) = 0;
  virtual void put_office(const HomeRecord& office) = 0;
  virtual void put_entry(const Entry& entry) = 0;

 protected:
  ~CopyStore() = default;
};

/// All that a copy may see and touch during one step. Valid only during the call.
struct CopyTurn {
  Time now;
  Port& out;
  CopyStore& store;
};

struct CopyParams {
  HomeParams home;
  Duration home_lease = std::chrono::seconds(4);  ///< Of a home that is not heard.
  Duration claim_again = std::chrono::milliseconds(500);
  Duration claim_apart = std::chrono::milliseconds(300);  ///< One standby after the other.
};

/// A node's copy of one log: its home or a standby, as the books say. It takes over when the home
/// is silent, and steps back when another one has.
///
/// It tells its driver by changes() that something was stored, and the driver tells it by
/// on_durable() how much of that is on the disk. A driver whose messages leave only after the
/// records of their step may do so at once.
class Copy {
 public:
  /// `life` is higher than in any life of this node before. `disk` is what it finds there.
  Copy(const CopyParams& params,
      const Member& self,
      std::uint32_t life,
      CopyRecord disk,
      const CopyTurn& turn,
      const Rules& rules = {});

  void on_message(const CopyTurn& turn, const Endpoint& from, const Message& message);
  void wake(const CopyTurn& turn);
  /// Appends a turn's records. Returns their position: see Home::gate(). Requires home().
  std::uint64_t append(const CopyTurn& turn, std::string records);
  /// See Home::want().
  void want(std::size_t standbys, std::size_t required, bool idle = false);
  /// See Home::set_candidates().
  void set_candidates(Set candidates, bool in_books = true);
  /// See Home::begin_handover() and Home::end_handover(). Both require home().
  void begin_handover(const CopyTurn& turn);
  void end_handover();
  /// The books are elsewhere: a claim that waits for an answer is sent again at the next wake().
  void hurry() { claimed_.reset(); }
  /// What was stored is durable as it was when `changes` was that.
  void on_durable(const CopyTurn& turn, std::uint64_t changes);

  /// Counts the steps that stored something.
  std::uint64_t changes() const { return changes_; }
  /// Nullptr while this node does not drive the log's jobs.
  const Home* home() const { return std::get_if<Home>(&role_); }
  const Log& log() const;
  /// The latest entry that was heard of.
  const Entry& entry() const { return entry_; }
  const Member& self() const { return self_; }

 private:
  /// What a step left behind.
  struct Step {
    std::uint64_t changes = 0;
    std::uint64_t end = 0;  ///< Of the log.
    std::uint64_t office = 0;
  };

  Home* own() { return std::get_if<Home>(&role_); }
  Standby* standby() { return std::get_if<Standby>(&role_); }
  void take_office(HomeRecord office);
  void step_back(Time now);
  void learn(const CopyTurn& turn, const Entry& entry, bool heard);
  void on_append(const CopyTurn& turn, const Endpoint& from, const Append& append);
  void claim(const CopyTurn& turn);
  /// How much longer than the first standby this one waits.
  Duration turn_after_others() const;
  /// Stores what is new.
  void save(const CopyTurn& turn);
  void tell_durable(const CopyTurn& turn);

  CopyParams params_;
  Member self_;
  std::uint32_t life_;
  Rules rules_;
  Entry entry_;
  std::variant<Standby, Home> role_;
  std::uint32_t held_ = 0;       ///< The epoch of the last office that this replica held.
  bool office_is_over_ = false;  ///< And the disk does not say so yet.
  Time heard_;                   ///< The home.
  Duration silence_{0};  ///< The home may be silent for so much longer: it has nothing to do.
  std::optional<Time> handed_;  ///< When the home last asked this standby to take over.
  std::optional<Time> claimed_;
  std::uint64_t changes_ = 0;
  std::uint64_t stored_ = 0;         ///< The end of the log, as stored.
  std::uint64_t office_stored_ = 0;  ///< The office's changes, as stored.
  bool entry_is_new_ = false;
  std::deque<Step> steps_;     ///< Those not durable yet.
  std::uint64_t durable_ = 0;  ///< The end of what is durable of this log.
  std::uint64_t office_durable_ = 0;
};

}  // namespace dunlin::sched::replica
