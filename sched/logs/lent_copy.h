// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sched/cell/message.h"
#include "sched/host.h"
#include "sched/logs/log_store.h"
#include "sched/replica/copy.h"

namespace dunlin::sched {
struct PeerParts;
}

// A copy of a log among the parts of a peer: how it begins, and how its words are said.
namespace dunlin::sched::logs {

/// Goes on with what the disk has. Nothing is sent before the part that owns it is whole.
replica::Copy copy_of(const PeerParts& parts, const Host& host, replica::StoredLog stored);
/// What a copy proposes, as the books are asked for it.
cell::LogWish wish_of(std::uint64_t log, const replica::Command& command);
/// Sends it to all of the set but this node.
void tell(
    const Host& host, const Message& message, const replica::Set& set, const replica::Member& self);

}  // namespace dunlin::sched::logs
