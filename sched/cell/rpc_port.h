// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "overlay/turn.h"
#include "sched/cell/message.h"
#include "sched/raft/message.h"

namespace dunlin::sched {

/// Sends the RPCs of a Raft group as messages of its cell.
class RpcPort final : public overlay::Port<raft::Rpc> {
 public:
  explicit RpcPort(overlay::Port<cell::Message>& out) : out_(out) {}

  void send(const Endpoint& to, const raft::Rpc& rpc) override;

 private:
  overlay::Port<cell::Message>& out_;
};

/// The RPC that `message` is, or empty if it is another message of a cell.
std::optional<raft::Rpc> rpc_of(const cell::Message& message);

}  // namespace dunlin::sched
