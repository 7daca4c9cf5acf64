// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "node/access/principal.h"
#include "node/control/json.h"
#include "node/message.h"
#include "node/net/control_connection.h"
#include "overlay/result.h"
#include "overlay/time.h"
#include "sched/job.h"

// A request of a client that is not answered yet, and where its replies go.
namespace dunlin::node {

class AgentServices;

/// Where the replies to one request go.
class Reply {
 public:
  /// `protocol`: the version that the client speaks.
  Reply(ControlConnection& connection, Json id, std::uint32_t protocol)
      : connection_(&connection),
        id_(std::move(id)),
        protocol_(protocol) {}

  /// As the client chose it; null if the request could not be read.
  const Json& id() const { return id_; }
  /// The last reply.
  void end(Json ok) const;
  /// One of several.
  void part(Json ok) const;
  /// The last reply, too.
  void fail(const Error& error) const;
  /// An error as that client understands it: those of version 1 know fewer kinds.
  Json error_json(const Error& error) const;
  /// What another agent replied, under the client's own id. False if that was its last reply.
  bool pass(Json reply) const;
  /// True while the client has plenty to read: send nothing more yet.
  bool congested() const;

 private:
  ControlConnection* connection_;
  Json id_;
  std::uint32_t protocol_;
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

}  // namespace dunlin::node
