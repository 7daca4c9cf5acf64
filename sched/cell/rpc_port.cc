// SPDX-License-Identifier: MIT
#include "sched/cell/rpc_port.h"

#include <type_traits>
#include <variant>

namespace dunlin::sched {

void RpcPort::send(const Endpoint& to, const raft::Rpc& rpc) {
  std::visit([&](const auto& known) { out_.send(to, known); }, rpc);
}

std::optional<raft::Rpc> rpc_of(const cell::Message& message) {
  return std::visit(
      [](const auto& known) -> std::optional<raft::Rpc> {
        if constexpr (std::is_constructible_v<raft::Rpc, decltype(known)>) {
          return raft::Rpc(known);
        } else {
          return std::nullopt;
        }
      },
      message);
}

}  // namespace dunlin::sched
