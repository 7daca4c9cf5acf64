// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

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
  virtual bool on_write_off_answer(overlay::PeerId, const WriteOffAnswer&) { return false; }
};

/// A job that another one is to wait for, as a client names it.
struct AfterWish {
  std::string job;
  bool any = false;  ///< However it ends; else it must succeed.
};

/// A million-task job that comes in pieces.
struct Upload {
  sched::Job job;
  std::vector<AfterWish> after;
  bool allow_unsatisfiable = false;
  std::size_t bytes = 0;
};

/// Every verb that an agent understands, `stop` among them.
std::vector<std::string_view> control_verbs();

/// One connected client.
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

  bool ended() const { return ended_; }
  /// True if the client came by a stream: another agent, or a user elsewhere.
  bool remote() const { return remote_; }
  /// The user for whom the request is made that a handler is called with. What outlives the call
  /// keeps a copy.
  const Principal& speaker() const { return speaker_; }
  void advance();
  overlay::Time due() const;
  void on_result(const sched::JobId& job, const sched::Report& report, overlay::PeerId worker);
  void on_drain_reply(overlay::PeerId node, const sched::DrainReply& reply);
  void on_home_is(overlay::PeerId node, const sched::HomeIs& told);
  void on_job_end(const overlay::Endpoint& from, const sched::JobEnd& told);
  bool on_cell_answer(overlay::PeerId node, const CellAnswer& answer);
  bool on_write_off_answer(overlay::PeerId node, const WriteOffAnswer& answer);

  std::map<std::uint32_t, Upload>& uploads() { return uploads_; }
  std::uint32_t new_upload(Upload upload);
  Relays& relays() { return *relays_; }
  /// The request of that id, if it is under way.
  Pending* find(std::int64_t id);

 private:
  struct Request {
    Reply reply;
    std::unique_ptr<Pending> pending;
    /// When to tell a client next what it waits for that wants to know; kNever: it does not.
    overlay::Time tell = overlay::kNever;
    std::string told{};
  };
  void add(const Reply& reply, std::unique_ptr<Pending> pending, const Json& request);
  void tell_wait(Request& request);
  void on_message(std::string_view text);
  void dispatch(const Json& request, const Reply& reply);
  void stop(const Json& request, const Reply& reply);

  AgentServices& agent_;
  std::shared_ptr<ControlConnection> connection_;
  Principal caller_;
  Principal speaker_;
  std::uint64_t& requests_counted_;
  std::unique_ptr<Relays> relays_;  ///< Outlives the requests that use it.
  std::vector<Request> requests_;
  std::map<std::uint32_t, Upload> uploads_;
  std::uint32_t upload_last_ = 0;
  bool remote_;
  bool ended_ = false;
};

}  // namespace dunlin::node
