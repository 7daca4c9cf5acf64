// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "node/control/agent_services.h"
#include "node/control/control_session.h"
#include "node/control/home/home_search.h"
#include "node/control/home/relay.h"
#include "node/control/home/task_bits.h"

namespace dunlin::node {

/// A request of a client that another node answers: it passes the replies on, and follows the job
/// to its next home. Then the request is made again, and goes on where it ended.
class RelayPending final : public Pending {
 public:
  /// `request` is as the client made it, `id` its number on `link`. Without a link it looks for the
  /// node first.
  RelayPending(AgentServices& agent,
      Relays& relays,
      Json request,
      const Route& route,
      std::shared_ptr<RelayLink> link,
      std::uint64_t id);
  ~RelayPending() override {
    if (link_ != nullptr) link_->let_go(id_);
  }

  overlay::Time due() const override { return search_.due(); }
  bool advance(AgentServices& agent, const Reply& reply) override;
  std::string waits_for(const AgentServices& agent) const override;
  void on_home_is(overlay::PeerId from, const sched::HomeIs& told) override {
    search_.on_home_is(agent_.now(), from, told);
  }
  std::optional<Json> again() override { return std::exchange(again_, std::nullopt); }
  PendingResult on_input(AgentServices& agent, const Json& request) override;

 private:
  /// True of the answer of a node that does not drive the job.
  bool is_elsewhere(const Json& reply) const;
  void lose(AgentServices& agent, Error error);
  /// Remembers what the client was told, so that it need not be told again.
  void count(const Json& reply);

  AgentServices& agent_;
  Relays& relays_;
  Json request_;
  sched::JobId job_;
  HomeSearch search_;
  std::optional<TaskBits> told_;  ///< The tasks that a watch was told of.
  bool heard_ = false;            ///< The other agent has said something.
  bool answered_ = false;         ///< The home has found nothing of what was asked for.
  std::optional<Json> again_;
  std::shared_ptr<RelayLink> link_;
  overlay::PeerId node_;
  std::uint64_t id_;
};

}  // namespace dunlin::node
