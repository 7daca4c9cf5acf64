// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <uv.h>
#include <vector>

#include "node/access/accounts.h"
#include "node/access/principal.h"
#include "node/access/user_names.h"
#include "node/access/user_rights.h"
#include "node/loop/handle.h"
#include "node/loop/wakeup.h"
#include "node/message.h"
#include "node/net/control_connection.h"
#include "overlay/result.h"
#include "sched/message.h"

namespace dunlin::node {

class AgentServices;
class ControlSession;
class DayUsage;
class LocalConnection;

/// Serves clients: those of the Unix socket, and remote ones the transport hands over.
class ControlServer {
 public:
  /// Serves clients with `agent`, on `loop`; counts their requests in `requests`. All of them must
  /// outlive this.
  ControlServer(uv_loop_t& loop, AgentServices& agent, std::uint64_t& requests);
  ~ControlServer();
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;

  /// Listens on a Unix socket of mode 0600, in a directory made if missing. If the group
  /// kSocketGroup exists, and this process is root or belongs to it, its members may connect too. A
  /// socket on which no process listens is replaced. Fails with `refused` if one does, or if other
  /// users could put another socket in its place.
  Result<void> listen(const std::string& path);
  /// Makes the socket again, and its directory, if somebody removed it: a cleaner of temporary
  /// files, or a logout. True if it did; fails if that cannot be.
  Result<bool> restore();
  /// Takes over a stream, of a holder of the cluster key; closes it, and says why, if there are too
  /// many.
  void adopt(std::shared_ptr<ControlConnection> connection);

  /// Something may have happened: goes on with the requests under way. After each commit.
  void advance();
  /// A task's one result was recorded.
  void on_result(const sched::JobId& job, const sched::Report& report, overlay::PeerId worker);
  void on_drain_reply(overlay::PeerId node, const sched::DrainReply& reply);
  /// A node says which one drives a job that a request under way is about.
  void on_home_is(overlay::PeerId node, const sched::HomeIs& told);
  /// A home tells how a job stands that a request under way asked after.
  void on_job_end(const overlay::Endpoint& from, const sched::JobEnd& told);
  /// False if no request under way asked for it.
  bool on_cell_answer(overlay::PeerId node, const CellAnswer& answer);
  bool on_write_off_answer(overlay::PeerId node, const WriteOffAnswer& answer);

  /// Ends all connections, and listens no more.
  void close();

 private:
  /// Takes over a client of the socket, once the name of its user is known.
  void admit(std::shared_ptr<LocalConnection> client);
  void serve(std::shared_ptr<ControlConnection> connection, const Principal& caller);
  /// Has requests looked at that wait for what was found out.
  void wake();
  /// Ends an idle connection, if there is one, of a user with more of them than `newcomer`.
  void make_room(Place place, const Account& newcomer, bool administrator);

  uv_loop_t& loop_;
  AgentServices& agent_;
  Accounts& accounts_;
  DayUsage& day_;
  std::uint64_t& requests_;
  std::string path_;
  std::optional<UserNames> names_;      ///< Empty once it is closed.
  std::optional<SystemRights> rights_;  ///< Likewise.
  std::optional<gid_t> admins_;         ///< The group of administrators.
  Handle<uv_pipe_t> listener_;
  std::vector<std::unique_ptr<ControlSession>> sessions_;
  std::size_t first_ = 0;  ///< The session that is first in a turn.
  Wakeup wakeup_;
  overlay::Time wakeup_at_ = overlay::kNever;
};

}  // namespace dunlin::node
