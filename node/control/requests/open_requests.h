// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "node/access/accounts.h"
#include "node/control/json.h"
#include "node/control/requests/pending.h"
#include "overlay/time.h"

namespace dunlin::node {

/// Logs and counts an exception that left a handler, and tells the client that its request ends by
/// it.
void tell_fault(Accounts& accounts,
    Account& account,
    const Reply& reply,
    std::string_view verb,
    const std::exception& fault);

/// One client's requests that are not answered yet. Each goes on once a turn, as far as its user's
/// share of the turn allows, and hears of what comes for it meanwhile.
class OpenRequests {
 public:
  /// Both must outlive this.
  OpenRequests(AgentServices& agent, Accounts& accounts) : agent_(agent), accounts_(accounts) {}

  /// Keeps one that `pending` answers. What it costs is on `account`.
  void add(const Reply& reply,
      std::unique_ptr<Pending> pending,
      const Json& request,
      const std::string& verb,
      AccountPtr account);
  std::size_t count() const { return requests_.size(); }
  /// The one of that id, if it is under way.
  Pending* find(std::int64_t id);
  /// The client no longer wants it.
  void stop(const Json& id);

  struct Advanced {
    std::vector<std::pair<Json, Reply>> again;  ///< To be made once more, as if they came now.
    bool ended = false;                         ///< At least one is over.
  };
  Advanced advance();
  /// When advance() is wanted next even if nothing happens.
  overlay::Time due() const;

  void on_result(const sched::JobId& job, const sched::Report& report, overlay::PeerId worker);
  void on_drain_reply(overlay::PeerId node, const sched::DrainReply& reply);
  void on_home_is(overlay::PeerId node, const sched::HomeIs& told);
  void on_job_end(const overlay::Endpoint& from, const sched::JobEnd& told);
  /// False if none asked for it.
  bool on_cell_answer(overlay::PeerId node, const CellAnswer& answer);
  /// Likewise.
  bool on_write_off_answer(overlay::PeerId node, const WriteOffAnswer& answer);

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

  /// False when the request is over.
  bool advance(Request& request, Advanced& advanced);
  /// Tells a person what is waited for, if the client asked for that and it is news.
  void tell_wait(Request& request);

  AgentServices& agent_;
  Accounts& accounts_;
  std::vector<Request> requests_;
  std::size_t first_ = 0;  ///< The one that goes on first, because it could not last time.
  bool behind_ = false;    ///< Some could not go on in this turn.
};

}  // namespace dunlin::node
