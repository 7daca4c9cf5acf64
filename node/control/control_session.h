// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "node/control/json.h"
#include "node/message.h"
#include "node/net/control_connection.h"
#include "overlay/time.h"
#include "sched/job.h"

// One client's requests; see control_protocol.h.
namespace dunlin::node {

class Agent;

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
  /// True while the client has plenty to read: send nothing more yet.
  bool congested() const;

 private:
  ControlConnection* connection_;
  Json id_;
};

/// A request that cannot be answered at once.
class Pending {
 public:
  virtual ~Pending() = default;

  /// Says what there is to say by now. False when the last reply was sent: then it is deleted.
  /// Called after every settled turn, so it must be cheap when there is nothing new.
  virtual bool advance(Agent& agent, const Reply& reply) = 0;
  /// When to call advance() even if nothing happens.
  virtual overlay::Time due() const { return overlay::kNever; }
  virtual void on_result(std::uint32_t, const sched::Report&, overlay::PeerId) {}
  virtual void on_drain_reply(overlay::PeerId, const sched::DrainReply&) {}
  /// False if it did not ask for that.
  virtual bool on_cell_answer(overlay::PeerId, const CellAnswer&) { return false; }
  virtual bool on_write_off_answer(overlay::PeerId, const WriteOffAnswer&) { return false; }
};

/// A million-task job that comes in pieces.
struct Upload {
  sched::Job job;
  bool allow_unsatisfiable = false;
  std::size_t bytes = 0;
};

/// One connected client.
class ControlSession {
 public:
  static constexpr std::size_t kUploadsMax = 2;

  ControlSession(Agent& agent, std::shared_ptr<ControlConnection> connection);
  ~ControlSession();
  ControlSession(const ControlSession&) = delete;
  ControlSession& operator=(const ControlSession&) = delete;

  bool ended() const { return ended_; }
  void advance();
  overlay::Time due() const;
  void on_result(std::uint32_t job, const sched::Report& report, overlay::PeerId worker);
  void on_drain_reply(overlay::PeerId node, const sched::DrainReply& reply);
  bool on_cell_answer(overlay::PeerId node, const CellAnswer& answer);
  bool on_write_off_answer(overlay::PeerId node, const WriteOffAnswer& answer);

  std::map<std::uint32_t, Upload>& uploads() { return uploads_; }
  std::uint32_t new_upload(Upload upload);

 private:
  struct Request {
    Reply reply;
    std::unique_ptr<Pending> pending;
  };
  void on_message(std::string_view text);
  void dispatch(const Json& request, const Reply& reply);
  void stop(const Json& request, const Reply& reply);

  Agent& agent_;
  std::shared_ptr<ControlConnection> connection_;
  std::vector<Request> requests_;
  std::map<std::uint32_t, Upload> uploads_;
  std::uint32_t upload_last_ = 0;
  bool ended_ = false;
};

}  // namespace dunlin::node
