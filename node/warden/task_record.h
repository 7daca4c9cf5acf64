// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "node/warden/protocol.h"

namespace dunlin::node::warden {

/// What a warden tells its agents of tasks. It remembers each task from its start until it has
/// ended and an agent has said that its end may be forgotten: so an agent that comes later hears of
/// tasks that run, and of ends that no agent heard of or lived to pass on.
class TaskRecord {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// A task begins; until it ends, its id and its slot are its own. False if the id was used.
  bool begin(const Start& start, Time now);
  /// The news of a task, told to the agent and remembered.
  void tell(const Exited& exited);
  void tell(const Freed& freed);
  /// The use of a task is for the agent at hand, unless that one is slow to listen.
  void tell(const Used& used);
  /// A note is for the agent at hand, if there is one.
  void tell(const Note& note);
  /// The end of that task is on an agent's disk: no later agent need hear of it.
  void forget(std::uint64_t id);
  /// The agent's orders, as the next one is to know them.
  void note(const Suspend& order, Time now);
  /// Remembers that it was told to end, for the agent that may come next.
  void note(const Kill& order);

  /// An agent is there from now on: it gets `welcome`, and all that is remembered.
  void welcome(const Welcome& welcome, Time now);
  /// No agent is there from now on: what was not sent yet is remembered anyway.
  void part();

  /// True if there is nothing to remember.
  bool empty() const { return entries_.empty(); }
  /// The tasks that have not ended.
  std::vector<std::uint64_t> running() const;
  /// The bytes for the agent. The sender removes what has left.
  std::string& out() { return out_; }

 private:
  struct Entry {
    std::uint32_t slot = 0;
    std::string card;
    Time begun{};
    std::optional<Time> suspended{};  ///< It stands still since then.
    Time::duration stood{};           ///< It stood still for so long before.
    std::uint16_t suspensions = 0;
    bool kill_requested = false;
    std::uint8_t kill_reason = 0;
    std::optional<Exited> ended;
    bool slot_passed_on = false;
    bool forgotten = false;
  };
  using Entries = std::map<std::uint64_t, Entry>;

  void erase_if_over(Entries::iterator entry);

  Entries entries_;
  std::map<std::uint32_t, std::uint64_t> slots_;  ///< The last task of each slot.
  std::size_t ended_ = 0;                         ///< Entries that have ended.
  std::string out_;
  bool agent_ = false;
};

}  // namespace dunlin::node::warden
