// SPDX-License-Identifier: MIT
#pragma once

#include "sched/logs/log_store.h"
#include "sched/message.h"
#include "sched/replica/message.h"

// The messages of the replicas of a log, as they cross the network. They name the log, since a node
// may keep copies of several, and where its books are.
namespace dunlin::sched::logs {

LogReplica to_wire(const replica::Member& member);
replica::Member from_wire(const LogReplica& member);

LogBooks to_wire(const replica::LogFacts& facts);
/// Takes over where the books are, if `books` says it.
void adopt(const LogBooks& books, replica::LogFacts& facts);

/// As a message about that log.
Message to_wire(const replica::LogFacts& facts, const replica::Message& message);
/// What the books say of a log, in answer to `request`; 0: unasked.
HomeIs to_wire(
    const replica::LogFacts& facts, const replica::Entry& entry, std::uint64_t request = 0);

replica::Message from_wire(const LogAppend& append);
replica::Message from_wire(const LogAppended& appended);
replica::Message from_wire(const LogBehind& behind);
replica::Message from_wire(const HomeIs& is);

}  // namespace dunlin::sched::logs
