// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "node/access/accounts.h"
#include "node/access/principal.h"
#include "node/control/accounts/speakers.h"
#include "node/control/control_protocol.h"
#include "node/control/json.h"
#include "node/control/requests/open_requests.h"
#include "node/control/requests/pending.h"
#include "node/net/control_connection.h"
#include "overlay/result.h"
#include "overlay/time.h"
#include "sched/job.h"

// One client's requests; see docs/design/control-protocol.md.
namespace dunlin::node {

class AgentServices;
class Relays;
struct Verb;

/// A job that another one is to wait for, as a client names it.
struct AfterWish {
  std::string job;
  bool any = false;                       ///< However it ends; else it must succeed, ...
  bool failed = false;                    ///< ... or, with this, it must not.
  overlay::OptionalDuration begun_for{};  ///< It need not end, but must have begun so long ago.
};

/// What a submit says besides its job.
struct SubmitWords {
  bool allow_unsatisfiable = false;
  std::vector<std::string> ignored;  ///< Its members that say nothing here.
  /// Of a job that came in pieces: its user is charged until it counts as a job.
  std::shared_ptr<HeldUpload> held{};
};

/// A million-task job that comes in pieces.
struct Upload {
  sched::Job job;
  std::vector<AfterWish> after;
  SubmitWords words;
  std::size_t bytes = 0;  ///< Of its lines.
  HeldUpload held;        ///< On the account of the user who began it.
};

/// Every verb that an agent understands, `stop` among them.
std::vector<std::string_view> control_verbs();

/// One connected client. What its requests cost is on the account of its user; beyond the user's
/// share of a turn of the loop they wait for the next one.
class ControlSession {
 public:
  static constexpr std::size_t kUploadsMax = 2;

  /// Serves `caller`, the user at the other end. Counts each request in `requests`. It and `agent`
  /// must outlive this.
  ControlSession(AgentServices& agent,
      std::shared_ptr<ControlConnection> connection,
      const Principal& caller,
      std::uint64_t& requests);
  ~ControlSession();
  ControlSession(const ControlSession&) = delete;
  ControlSession& operator=(const ControlSession&) = delete;

  /// The place of the connection, which ends with this.
  void hold(HeldPlace place) { place_ = std::move(place); }
  /// Whose place it holds, to find one that yields it to another client.
  const HeldPlace& place() const { return place_; }

  /// True once the connection is gone, or the session gave it up: its owner lets go of it.
  bool ended() const { return ended_; }
  /// Where rights of users stand that a delegate names. Must outlive this.
  void look_up_by(RightsBook& rights) { speakers_.look_up_by(rights); }
  /// The version of the protocol that the client speaks: the oldest, until it says another one.
  void agree_on(std::uint32_t protocol) { protocol_ = protocol; }
  /// The time since which it could be ended without loss, if nothing was asked for that is not
  /// answered.
  std::optional<overlay::Time> idle_since() const;
  /// Tells the client why its connection ends.
  void part(const Error& why);
  /// True if the client came by a stream: another agent, or a user elsewhere.
  bool remote() const { return remote_; }
  /// The user for whom the request is made that a handler is called with. What outlives the call
  /// keeps a copy.
  const Principal& speaker() const { return speaker_; }
  /// That user's account.
  const AccountPtr& account() const { return account_; }
  /// Goes on with what is under way, as far as its user's share of this turn allows. Once a turn.
  void advance();
  /// When advance() is wanted next even if nothing happens.
  overlay::Time due() const;
  /// Those that are not answered yet.
  OpenRequests& requests() { return requests_; }

  /// Jobs that come in pieces, by the number that the client was told.
  std::map<std::uint32_t, Upload>& uploads() { return uploads_; }
  /// Returns its number, which no other upload of this session has had.
  std::uint32_t new_upload(Upload upload);
  /// The conversations with other agents, shared by all requests of this client.
  Relays& relays() { return *relays_; }

 private:
  /// Serves the message, or keeps it if others are before it: requests are answered in their order
  /// of coming.
  void on_message(std::string_view text);
  /// Reads one request, and serves it. An exception that leaves a handler ends that request, not
  /// the agent: one did, on a null where a text was expected.
  void serve(std::string_view text);
  void serve_waiting();
  /// Takes a request, whatever happens: a fault is the answer to it, and no more.
  void take(const Json& request, const Reply& reply);
  /// Serves a request here, once it is known that the speaker may make it.
  void serve_here(const Verb& verb, const Json& request, Args& args, const Reply& reply);
  /// Finds the verb, asks whether the speaker may, and has it served here or at another node.
  void dispatch(const Json& request, const Reply& reply);
  /// A connection of another agent, or of a delegate, is charged to the user that it speaks for, as
  /// soon as it says so.
  Result<void> charge_to_speaker();

  AgentServices& agent_;
  std::shared_ptr<ControlConnection> connection_;
  Speakers speakers_;  ///< Outlives the requests that wait for it.
  Principal speaker_;
  Accounts& accounts_;
  AccountPtr account_;
  HeldPlace place_;
  std::uint64_t& requests_counted_;
  std::unique_ptr<Relays> relays_;  ///< Outlives the requests that use it.
  OpenRequests requests_;
  std::deque<std::string> waiting_;  ///< Messages, while the connection is paused.
  std::uint32_t protocol_ = kProtocolOldest;
  bool paused_ = false;
  overlay::Time active_at_{};
  std::map<std::uint32_t, Upload> uploads_;
  std::uint32_t upload_last_ = 0;
  bool remote_;
  bool owned_ = false;  ///< The connection's place is on the account of the user that it named.
  bool ended_ = false;
};

}  // namespace dunlin::node
