// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "node/access/accounts.h"
#include "node/access/principal.h"
#include "node/control/json.h"
#include "node/message.h"
#include "node/net/control_connection.h"
#include "overlay/result.h"
#include "overlay/time.h"
#include "sched/job.h"

// One client's requests; see docs/design/control-protocol.md.
namespace dunlin::node {

class AgentServices;
class Relays;

/// Where the replies to one request go.
class Reply {
 public:
  Reply(ControlConnection& connection, Json id) : connection_(&connection), id_(std::move(id)) {}

  /// As the client chose it; null if the request could not be read.
  const Json& id() const { return id_; }
  /// The last reply.
  void end(Json ok) const;
  /// One of several.
  void part(Json ok) const;
  /// The last reply, too.
  void fail(const Error& error) const;
  /// What another agent replied, under the client's own id. False if that was its last reply.
  bool pass(Json reply) const;
  /// True while the client has plenty to read: send nothing more yet.
  bool congested() const;

 private:
  ControlConnection* connection_;
  Json id_;
};

class Pending;
using PendingResult = Result<std::unique_ptr<Pending>>;

/// A request that cannot be answered at once.
class Pending {
 public:
  virtual ~Pending() = default;

  /// Says what there is to say by now. False when the last reply was sent: then it is deleted.
  /// Called after every settled turn, so it must be cheap when there is nothing new.
  virtual bool advance(AgentServices& agent, const Reply& reply) = 0;
  /// When to call advance() even if nothing happens.
  virtual overlay::Time due() const { return overlay::kNever; }
  /// What it waits for, for a person who waits with it: "the disk of n1". Empty: that is said some
  /// other way, or is not known.
  virtual std::string waits_for(const AgentServices&) const { return {}; }
  /// What comes for requests under way is offered to all of them: each takes what is its own.
  /// Called within the peer's turn, so it must only take notes; advance() acts on them.
  virtual void on_result(const sched::JobId&, const sched::Report&, overlay::PeerId) {}
  virtual void on_drain_reply(overlay::PeerId, const sched::DrainReply&) {}
  virtual void on_home_is(overlay::PeerId, const sched::HomeIs&) {}
  virtual void on_job_end(const overlay::Endpoint&, const sched::JobEnd&) {}
  /// The request is to be made once more, as if it came now: another node answers it. Asked when
  /// advance() was false.
  virtual std::optional<Json> again() { return std::nullopt; }
  /// The client gives more to the task that this request is attached to. Fails with `usage` if it
  /// is attached to none.
  virtual PendingResult on_input(AgentServices& agent, const Json& request);
  /// The client subscribes to more jobs, or to fewer. Fails with `usage` if this is no
  /// subscription.
  virtual Result<Json> on_subscribe(AgentServices& agent, const Principal& who, Args& request);
  /// False if it did not ask for that.
  virtual bool on_cell_answer(overlay::PeerId, const CellAnswer&) { return false; }
  /// Likewise.
  virtual bool on_write_off_answer(overlay::PeerId, const WriteOffAnswer&) { return false; }
};

/// A job that another one is to wait for, as a client names it.
struct AfterWish {
  std::string job;
  bool any = false;  ///< However it ends; else it must succeed.
};

/// What a submit says besides its job.
struct SubmitWords {
  bool allow_unsatisfiable = false;
  std::vector<std::string> ignored;  ///< Its members that say nothing here.
};

/// A million-task job that comes in pieces.
struct Upload {
  sched::Job job;
  std::vector<AfterWish> after;
  SubmitWords words;
  std::size_t bytes = 0;
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
      Principal caller,
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
  void on_result(const sched::JobId& job, const sched::Report& report, overlay::PeerId worker);
  void on_drain_reply(overlay::PeerId node, const sched::DrainReply& reply);
  void on_home_is(overlay::PeerId node, const sched::HomeIs& told);
  void on_job_end(const overlay::Endpoint& from, const sched::JobEnd& told);
  bool on_cell_answer(overlay::PeerId node, const CellAnswer& answer);
  bool on_write_off_answer(overlay::PeerId node, const WriteOffAnswer& answer);

  /// Jobs that come in pieces, by the number that the client was told.
  std::map<std::uint32_t, Upload>& uploads() { return uploads_; }
  /// Returns its number, which no other upload of this session has had.
  std::uint32_t new_upload(Upload upload);
  /// The conversations with other agents, shared by all requests of this client.
  Relays& relays() { return *relays_; }
  /// The request of that id, if it is under way.
  Pending* find(std::int64_t id);

 private:
  struct Request {
    Reply reply;
    std::unique_ptr<Pending> pending;
    std::string verb;
    AccountPtr account;
    /// When to tell a client next what it waits for that wants to know; kNever: it does not.
    overlay::Time tell = overlay::kNever;
    std::string told{};
  };
  using Repeated = std::vector<std::pair<Json, Reply>>;

  /// Keeps a request that is not answered yet.
  void add(const Reply& reply,
      std::unique_ptr<Pending> pending,
      const Json& request,
      const std::string& verb);
  /// Tells a person what is waited for, if the client asked for that and it is news.
  void tell_wait(Request& request);
  /// Serves the message, or keeps it if others are before it: requests are answered in their order
  /// of coming.
  void on_message(std::string_view text);
  /// Reads one request, and serves it. An exception that leaves a handler ends that request, not
  /// the agent: one did, on a null where a text was expected.
  void serve(std::string_view text);
  void serve_waiting();
  /// Takes a request, whatever happens: a fault is the answer to it, and no more.
  void take(const Json& request, const Reply& reply);
  /// Finds the verb, asks whether the speaker may, and has it served here or at another node.
  void dispatch(const Json& request, const Reply& reply);
  void stop(const Json& request, const Reply& reply);
  void advance_requests(Repeated& again);
  /// False when the request is over.
  bool advance(Request& request, Repeated& again);
  /// A connection of another agent is charged to the user for whom it speaks, as soon as it says
  /// so.
  Result<void> charge_to_speaker();
  void fail(const Reply& reply, Account& account, std::string_view verb, const std::exception& why);

  AgentServices& agent_;
  std::shared_ptr<ControlConnection> connection_;
  Principal caller_;
  Principal speaker_;
  Accounts& accounts_;
  AccountPtr account_;
  HeldPlace place_;
  std::uint64_t& requests_counted_;
  std::unique_ptr<Relays> relays_;  ///< Outlives the requests that use it.
  std::vector<Request> requests_;
  std::size_t first_ = 0;  ///< The request that goes on first, because it could not last time.
  bool behind_ = false;    ///< Some requests could not go on in this turn.
  std::deque<std::string> waiting_;  ///< Messages, while the connection is paused.
  bool paused_ = false;
  overlay::Time active_at_{};
  std::map<std::uint32_t, Upload> uploads_;
  std::uint32_t upload_last_ = 0;
  bool remote_;
  bool owned_ = false;  ///< The place of a stream is on the account of its user.
  bool ended_ = false;
};

}  // namespace dunlin::node
