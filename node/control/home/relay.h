// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "node/access/accounts.h"
#include "node/control/control_session.h"
#include "node/control/json.h"
#include "node/net/control_connection.h"
#include "overlay/address.h"
#include "overlay/time.h"
#include "sched/message.h"

// Requests of a client here that another agent has to answer.
namespace dunlin::node {

class AgentServices;

/// A conversation with one other agent. It ends by itself when that agent is silent: a request may
/// take for ever, so the agent is asked for a sign of life meanwhile.
class RelayLink {
 public:
  /// The first word must come so soon; a node that is gone costs a client no more.
  static constexpr overlay::Duration kFirstWord = std::chrono::milliseconds(1600);
  /// A sign of life is asked for after so long without a word, ...
  static constexpr overlay::Duration kQuiet = std::chrono::seconds(2);
  /// ... and the conversation ends after so long.
  static constexpr overlay::Duration kSilence = std::chrono::seconds(6);
  /// Bytes of replies that wait here for the client; beyond, the other agent has to wait.
  static constexpr std::size_t kWaitingMax = 1 << 20;

  /// `place` is held as long as the conversation.
  RelayLink(std::shared_ptr<ControlConnection> connection, overlay::Time now, HeldPlace place = {});
  ~RelayLink();
  RelayLink(const RelayLink&) = delete;
  RelayLink& operator=(const RelayLink&) = delete;

  /// Says which version of the protocol this agent speaks, and for whom it asks; null: for nobody
  /// in particular.
  void greet(const Json& speaker);
  /// Sends `request` under an id of its own, which it returns.
  std::uint64_t ask(Json request);
  /// The next reply to that request, as it came.
  std::optional<Json> next(std::uint64_t id);
  /// Wants no more replies to that request. It ends there, too.
  void let_go(std::uint64_t id);

  /// Looks at the clock, which nothing else does here: replies come by the connection.
  void advance(overlay::Time now);
  /// When advance() is wanted next.
  overlay::Time due() const;
  /// True if the agent there did not answer, or hung up. What it said before is still told.
  bool failed() const { return failed_; }
  /// True if no request needs it.
  bool idle() const { return waiting_.empty(); }
  /// The time of the last use.
  overlay::Time used() const { return used_; }

 private:
  struct Waiting {
    std::deque<Json> replies;
    std::deque<std::size_t> sizes;
    bool over = false;  ///< The last reply has come.
  };
  /// A message of the agent there. What makes no sense, or belongs to no request, is dropped.
  void hear(std::string_view text);
  /// Asks for a sign of life: a request that every version answers at once.
  void give_sign();
  /// Hangs up. What came before is still told.
  void end();
  /// Reads on, or stops reading, by the bytes that wait for the client.
  void balance();

  std::shared_ptr<ControlConnection> connection_;
  HeldPlace place_;
  std::map<std::uint64_t, Waiting> waiting_;
  std::uint64_t id_last_ = 0;
  std::size_t bytes_ = 0;
  overlay::Time heard_at_;
  overlay::Time used_;
  std::optional<overlay::Time> overdue_;  ///< The time at which silence was first found too long.
  bool heard_ = false;                    ///< Since the last look at the clock.
  bool spoken_ = false;                   ///< Ever.
  bool asked_for_sign_ = false;
  bool paused_ = false;
  bool failed_ = false;
};

/// The conversations that one client's requests need.
class Relays {
 public:
  static constexpr std::size_t kLinksMax = 64;
  /// A conversation that no request needs is kept for so long.
  static constexpr overlay::Duration kKeep = std::chrono::seconds(5);

  /// Jobs of which another home is remembered; those that are forgotten are looked for again.
  static constexpr std::size_t kHomesMax = 1024;

  /// Conversations that begin from now on are on this account.
  void charge_to(AccountPtr account, bool administrator) {
    account_ = std::move(account);
    administrator_ = administrator;
  }
  /// The conversation with that node, begun if there is none. Fails, naming the node, if the node
  /// or its address is not known, or there are too many conversations.
  Result<std::shared_ptr<RelayLink>> to(AgentServices& agent, overlay::PeerId node);
  /// One more, which is the caller's own. Fails if its user or the agent has too many; one that
  /// nothing needs ends for it.
  Result<std::shared_ptr<RelayLink>> open(AgentServices& agent, const overlay::Endpoint& to);
  /// Of all conversations; ends those that nothing needs any more.
  void advance(overlay::Time now);
  overlay::Time due() const;

  /// Another node than its origin drives that job.
  void set_home(const sched::JobId& job, overlay::PeerId home) {
    if (homes_.size() >= kHomesMax) homes_.clear();
    if (home) {
      homes_[{job.home, job.number}] = home;
    } else {
      homes_.erase({job.home, job.number});
    }
  }
  /// None: not that is known.
  overlay::PeerId home_of(const sched::JobId& job) const {
    const auto home = homes_.find({job.home, job.number});
    return home == homes_.end() ? overlay::PeerId{} : home->second;
  }

 private:
  void end_idle_link();

  std::map<std::pair<overlay::PeerId, std::uint32_t>, overlay::PeerId> homes_;
  std::map<overlay::PeerId, std::shared_ptr<RelayLink>> links_;
  AccountPtr account_;  ///< None: nobody is charged.
  bool administrator_ = false;
};

/// The error of a node that was asked and did not answer: names it, its state and the cure.
Error no_answer(const AgentServices& agent, overlay::PeerId node);

/// A node that a request goes to, and the request as it goes there.
struct Route {
  overlay::PeerId node;         ///< None: this agent has to answer it.
  std::optional<Json> request;  ///< Empty: as it came.
  sched::JobId job;             ///< The job's origin and number; 0: it names none.
  bool seeks = false;           ///< Another node drives it, and must be found.
};
/// Reads where a request that names a job has to go: its members `at` and `job`. Fails if they name
/// no node, or several.
Result<Route> route_of(const AgentServices& agent, const Relays& relays, Args& args);

/// Passes a request on by that route, and its replies back. `request` is as the client made it. If
/// the node does not answer, or does not drive the job, it looks for one that does, and has the
/// request made again: as long as a standby is there that may take the job over.
Result<std::unique_ptr<Pending>> relay(
    AgentServices& agent, Relays& relays, Route route, Json request);

}  // namespace dunlin::node
