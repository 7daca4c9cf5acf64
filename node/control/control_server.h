// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <uv.h>
#include <vector>

#include "node/loop/handle.h"
#include "node/loop/wakeup.h"
#include "node/message.h"
#include "node/net/control_connection.h"
#include "overlay/result.h"
#include "sched/message.h"

namespace dunlin::node {

class Agent;
class ControlSession;

/// Serves clients: those of the Unix socket, and remote ones the transport hands over.
class ControlServer {
 public:
  explicit ControlServer(Agent& agent);
  ~ControlServer();
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;

  /// Listens on a Unix socket of mode 0600, in a directory made if missing. A socket that nobody
  /// listens on any more is replaced. Fails with `refused` if somebody does.
  Result<void> listen(const std::string& path);
  /// Takes over a connection; closes it if there are too many.
  void adopt(std::shared_ptr<ControlConnection> connection);

  /// Something may have happened: goes on with the requests under way. After each commit.
  void advance();
  /// A task's one result was recorded.
  void on_result(std::uint32_t job, const sched::Report& report, overlay::PeerId worker);
  void on_drain_reply(overlay::PeerId node, const sched::DrainReply& reply);
  /// False if no request under way asked for it.
  bool on_cell_answer(overlay::PeerId node, const CellAnswer& answer);
  bool on_write_off_answer(overlay::PeerId node, const WriteOffAnswer& answer);

  /// Ends all connections, and listens no more.
  void close();

 private:
  Agent& agent_;
  std::string path_;
  Handle<uv_pipe_t> listener_;
  std::vector<std::unique_ptr<ControlSession>> sessions_;
  Wakeup wakeup_;
  overlay::Time wakeup_at_ = overlay::kNever;
};

}  // namespace dunlin::node
