// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "overlay/result.h"
#include "sched/raft/raft_store.h"

// Checks of records that a disk may have spoilt, and of messages that a stranger may have made.
namespace dunlin::sched {

/// CRC-32C of everything that the record says but its checksum.
std::uint32_t checksum_of(const RaftState& state);
std::uint32_t checksum_of(GroupId group, const RaftEntry& entry);
std::uint32_t checksum_of(GroupId group, const RaftSnapshot& snapshot);

/// "00000000deadbeef", as people see groups and replicas.
std::string hex_text(std::uint64_t id);

/// Fails (`corrupt`), naming the record and the cure, if `stored` is not what a replica left: a
/// wrong checksum, an entry missing, a term that goes backwards, a snapshot that does not meet the
/// log. A replica never starts from such a log: to guess is to forget or to invent money.
Result<void> verify(const StoredRaft& stored);

/// The header at the front of every RPC.
const raft::Header& header_of(const raft::Rpc& rpc);

/// False if no correct replica sends this. Raft judges the rest.
bool plausible(const raft::Rpc& rpc);

}  // namespace dunlin::sched
